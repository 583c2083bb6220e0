#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the runner with programs that pass, fail, crash, hang, or print another verdict."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

RUNNER = pathlib.Path(__file__).resolve().parents[1] / "run.py"

PROGRAMS = {
    "good": 'static void body(int width) { EXPECT(width > 0); }',
    "bad": 'static void body(int width) { EXPECT(width < 3); }',
    "crashing": 'static void body(int width) { if (width == 2) abort(); }',
    "hanging": 'static void body(int width) { while (width == 2) { } }',
    # Stand-ins for a runtime that answers differently: only the runs on Gossamer have LD_PRELOAD.
    "wrong_there": 'static void body(int width) { EXPECT(width == 1 || !getenv("LD_PRELOAD")); }',
    "skipped_there": 'static void body(int width) { EXPECT(width == 1 || getenv("LD_PRELOAD")); }',
    "other_lines": 'static void body(int width) { if (width == 2 && getenv("LD_PRELOAD")) puts("more"); }',
    # The first run dies, on either runtime, and removes the mark.
    "dies_once": 'static void body(int width) { if (width == 2 && !access(getenv("MARK"), F_OK)) '
                 '{ unlink(getenv("MARK")); abort(); } }',
    "wrong_in_chaos": 'static void body(int width) { (void)width; EXPECT(!getenv("GOSSAMER_CHAOS")); }',
    "wrong_setting": '// test: env OMP_NUM_THREADS=2\n// test: env OMP_NUM_THREADS=3\n'
                     'static void body(int width) { EXPECT(width && *getenv("OMP_NUM_THREADS") == 50); }',
}


class Runner(unittest.TestCase):
    def setUp(self):
        if not shutil.which("gcc"):
            self.skipTest("no gcc")
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        # Any loadable shared object serves as the library under test.
        self.library = pathlib.Path(self.scratch.name) / "libempty.so"
        subprocess.run(["gcc", "-shared", "-fPIC", "-x", "c", "/dev/null", "-o", self.library], check=True)

    def verdict(self, name, *options, directive=""):
        source = pathlib.Path(self.scratch.name) / f"{name}.c"
        body = PROGRAMS[name]
        source.write_text(f'{directive}\n{body.rpartition("static void")[0]}#include <unistd.h>\n#include "check.h"\n'
                          f'static void{body.rpartition("static void")[2]}\n'
                          'int main(void) { check("it", body); return check_done(); }\n')
        return subprocess.run([sys.executable, RUNNER, "--library", self.library, "--compiler", "gcc",
                               "--build-dir", f"{self.scratch.name}/build", "--teams", "1 2 3", "--reps", "2",
                               "--timeout", "3", *options, source], capture_output=True, text=True)

    def test_passes(self):
        result = self.verdict("good", "--chaos", "1,2")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("1 passed, 0 failed", result.stdout)

    def test_fails(self):
        for name, said in (("bad", "not ok it 3"), ("crashing", "SIGABRT"), ("hanging", "timed out"),
                           ("wrong_there", "Gossamer"), ("other_lines", "differ"), ("wrong_setting", "=3")):
            with self.subTest(name):
                result = self.verdict(name)
                self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
                self.assertIn(said, result.stdout)
                self.assertIn("0 passed, 1 failed", result.stdout)

    def test_chaos_is_judged(self):
        self.assertEqual(self.verdict("wrong_in_chaos").returncode, 0)
        result = self.verdict("wrong_in_chaos", "--chaos", "5")
        self.assertEqual(result.returncode, 1)
        self.assertIn("GOSSAMER_CHAOS=5", result.stdout)

    def test_what_the_peer_gets_wrong_is_left_out_there_only(self):
        self.assertEqual(self.verdict("skipped_there").returncode, 1)
        self.assertEqual(self.verdict("skipped_there", directive="// test: peer-skip gcc it").returncode, 0)
        self.assertEqual(self.verdict("skipped_there", directive="// test: peer-none gcc").returncode, 0)
        self.assertEqual(self.verdict("skipped_there", directive="// test: peer-teams gcc 1").returncode, 0)
        self.assertEqual(self.verdict("wrong_there", directive="// test: peer-skip gcc it").returncode, 1)

    def test_a_peer_that_dies_runs_again(self):
        mark = pathlib.Path(self.scratch.name) / "mark"
        self.addCleanup(os.environ.pop, "MARK", None)
        os.environ["MARK"] = str(mark)
        for options, verdict in (((), 0), (("--gossamer-only",), 1)):
            mark.touch()
            result = self.verdict("dies_once", *options)
            self.assertEqual(result.returncode, verdict, result.stdout + result.stderr)
            self.assertFalse(mark.exists())

    def test_missing_library_is_an_error(self):
        result = subprocess.run([sys.executable, RUNNER, "--library", "/nowhere/lib.so", "--build-dir",
                                 f"{self.scratch.name}/build"], capture_output=True, text=True)
        self.assertEqual(result.returncode, 2)


if __name__ == "__main__":
    os.environ.pop("LD_PRELOAD", None)
    unittest.main()
