#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/deps.sh with a fake package system: deps_test.py DEPS_SH."""

import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

DEPS = pathlib.Path()

# Each package is a file in $FAKE/installed or $FAKE/available; apt-get logs its arguments.
FAKES = {
    "dpkg-query": 'for last; do :; done\n[ -e "$FAKE/installed/$last" ] || exit 1\nprintf installed\n',
    "id": 'cat "$FAKE/user"\n',
    "apt-get": """echo "$*" >>"$FAKE/log"
[ "$1" = install ] || exit 0
shift
for word; do case $word in -*) ;; *) [ -e "$FAKE/available/$word" ] || exit 100 ;; esac; done
for word; do case $word in -*) ;; *) touch "$FAKE/installed/$word" ;; esac; done
""",
}


class Deps(unittest.TestCase):
    def setUp(self):
        self.fake = pathlib.Path(tempfile.mkdtemp(prefix="gossamer-deps-"))
        self.addCleanup(shutil.rmtree, self.fake)
        for folder in ("installed", "available", "bin"):
            (self.fake / folder).mkdir()
        for name, body in FAKES.items():
            file = self.fake / "bin" / name
            file.write_text("#!/bin/sh\n" + body)
            file.chmod(file.stat().st_mode | stat.S_IXUSR)
        (self.fake / "log").write_text("")
        lines = [line.split() for line in DEPS.with_name("deps.list").read_text().splitlines()]
        self.packages = {line[2]: (line[0], line[1].split(",")) for line in lines if line and line[0] != "#"}

    def wanted(self, target, need):
        return {name for name, (how, targets) in self.packages.items() if target in targets and how == need}

    def put(self, folder, names):
        for name in names:
            (self.fake / folder / name).touch()

    def run_deps(self, target, user):
        (self.fake / "user").write_text(f"{user}\n")
        environment = dict(os.environ, FAKE=str(self.fake), PATH=f"{self.fake}/bin:{os.environ['PATH']}")
        return subprocess.run(["sh", DEPS, target], capture_output=True, text=True, env=environment, timeout=60)

    def installed(self):
        return {file.name for file in (self.fake / "installed").iterdir()}

    def log(self):
        return (self.fake / "log").read_text()

    def test_nothing_missing(self):
        self.put("installed", self.packages)
        result = self.run_deps("all", 0)
        self.assertEqual((result.returncode, result.stdout, result.stderr, self.log()), (0, "", "", ""))

    def test_root_gets_what_the_target_wants(self):
        self.put("available", self.packages)
        result = self.run_deps("build", 0)
        self.assertEqual((result.returncode, self.installed()), (0, self.wanted("build", "required")))
        self.assertTrue(self.log().startswith("update"))
        self.assertIn("DPkg::Lock::Timeout", self.log())  # a system that updates itself holds the lock for a while
        self.run_deps("all", 0)
        self.assertEqual(self.installed(), set(self.packages))

    def test_a_package_that_does_not_exist_keeps_no_other_away(self):
        self.put("available", set(self.packages) - {"clang-19"})
        result = self.run_deps("test", 0)
        self.assertEqual(result.returncode, 0)
        self.assertEqual(self.installed(), (self.wanted("test", "required") | self.wanted("test", "optional")) - {"clang-19"})
        self.assertIn("going on without clang-19 ", result.stdout)

    def test_root_without_a_network(self):
        result = self.run_deps("build", 0)
        self.assertEqual(result.returncode, 1)
        self.assertIn("needed and not here: cmake ", result.stderr)

    def test_another_user_is_told(self):
        self.put("installed", self.wanted("test", "required"))
        result = self.run_deps("test", 1000)
        self.assertEqual((result.returncode, self.log()), (0, ""))
        self.assertEqual(len(result.stdout.splitlines()), 1)
        for name in self.wanted("test", "optional"):
            self.assertIn(name, result.stdout)
        (self.fake / "installed" / "cmake").unlink()
        result = self.run_deps("test", 1000)
        self.assertEqual((result.returncode, self.log()), (1, ""))
        self.assertIn("apt-get install cmake ", result.stderr)


if __name__ == "__main__":
    DEPS = pathlib.Path(sys.argv[1])
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
