#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# tools/deps.sh build|test|demo|bench|all: checks the Debian packages that a make target uses (tools/deps.list). As root
# it installs the missing ones; otherwise it names them, and fails only if the target requires one of them.
set -u
target=${1:-all}
list=$(dirname "$0")/deps.list

if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "deps: this is not a Debian system; tools/deps.list names the packages to install by hand"
    exit 0
fi

installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# missing required|optional: the packages of that need that the target uses and that are not installed.
missing() {
    while read -r need targets package _; do
        [ "$need" = "$1" ] || continue
        case ",$targets,all," in *",$target,"*) ;; *) continue ;; esac
        installed "$package" || printf '%s ' "$package"
    done <"$list"
}

required=$(missing required)
optional=$(missing optional)
[ -n "$required$optional" ] || exit 0

if [ "$(id -u)" = 0 ]; then
    export DEBIAN_FRONTEND=noninteractive
    echo "deps: installing $required$optional"
    log=$(mktemp)
    # Another apt process, such as a fresh system's unattended upgrades, may hold the lock for a while.
    install() { apt-get install -y -qq --no-install-recommends -oDPkg::Lock::Timeout=300 "$@" >>"$log" 2>&1 </dev/null; }
    apt-get update -qq >"$log" 2>&1 </dev/null
    # If apt-get cannot install all together, one by one: a package that this release lacks must not keep the others away.
    # shellcheck disable=SC2086
    if ! install $required $optional; then
        for package in $required $optional; do
            install "$package"
        done
    fi
    required=$(missing required)
    optional=$(missing optional)
    [ -n "$required$optional" ] && tail -n 5 "$log" >&2
    rm -f "$log"
fi

[ -n "$optional" ] && echo "deps: going on without $optional(optional; tests and runs that need them are skipped)"
if [ -n "$required" ]; then
    echo "deps: needed and not here: $required(as root: apt-get install $required)" >&2
    exit 1
fi
exit 0
