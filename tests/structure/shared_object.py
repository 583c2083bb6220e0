#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the linked library's file: shared_object.py LIBDIR ALIAS...

Users are promised that the library needs libc and nothing else, can be loaded late (no static TLS) and is never unloaded,
that its pages are writable only where necessary, and that every name that programs look for leads to this one file.
"""

import os
import re
import subprocess
import sys

NAME = "libomp-gossamer.so"


def readelf(option, file):
    environment = dict(os.environ, LC_ALL="C")
    return subprocess.run(["readelf", option, file], check=True, capture_output=True, text=True, env=environment).stdout


def main(arguments):
    folder, aliases = arguments[0], arguments[1:]
    file = os.path.join(folder, NAME)
    dynamic = readelf("-dW", file)
    segments = readelf("-lW", file)
    symbols = readelf("--dyn-syms", file)
    complaints = []

    def expect(condition, complaint):
        if not condition:
            complaints.append(complaint)

    needed = set(re.findall(r"\(NEEDED\).*\[(.+)\]", dynamic))
    expect(needed <= {"libc.so.6"}, f"needs more than libc: {sorted(needed - {'libc.so.6'})}")
    expect(re.findall(r"\(SONAME\).*\[(.+)\]", dynamic) == [NAME], "its SONAME is not its file name")
    flags = " ".join(re.findall(r"\(FLAGS(?:_1)?\)\s+(.*)", dynamic))
    expect("NODELETE" in flags, "NODELETE is missing: dlclose would pull it away under running threads")
    expect("NOW" in flags, "not bound at load time")
    expect("STATIC_TLS" not in flags, "STATIC_TLS is set: a late dlopen of it can fail")
    expect("TEXTREL" not in dynamic, "has text relocations")
    expect("GNU_RELRO" in segments, "no RELRO segment")
    stack = re.search(r"GNU_STACK\s.*", segments)
    expect(stack is not None and "RWE" not in stack.group(0), "asks for an executable stack")

    exported = [line.split()[7] for line in symbols.splitlines()
                if re.search(r"\s(GLOBAL|WEAK)\s+DEFAULT\s+(?!UND)\w+\s+\S", line)]
    leaked = [name for name in exported if name.startswith("_Z")]
    expect(not leaked, f"exports C++ names: {leaked[:5]}")

    real = os.path.realpath(file)
    for alias in aliases:
        expect(os.path.realpath(os.path.join(folder, alias)) == real, f"{alias} does not lead to {NAME}")
    expect(not os.path.islink(file), f"{NAME} must be the file itself: tools recognise a runtime by its real name")

    for complaint in complaints:
        print(f"{NAME}: {complaint}")
    print(f"{len(exported)} exported names, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
