#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Installs Gossamer and uses the installation: install_test.py CMAKE BUILD CLIENT LIBDIR CC VERSION.

LIBDIR is the library folder relative to the prefix.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

CMAKE = BUILD = CLIENT = LIBDIR = CC = VERSION = ""
ALIASES = {"libgossamer.so", "libgomp.so.1", "libgomp.so", "libomp.so.5", "libomp.so", "libiomp5.so"}


def output(*command, **environment):
    clean = {name: value for name, value in os.environ.items()
             if not name.startswith(("LD_", "OMP_", "GOSSAMER_", "PKG_CONFIG", "DESTDIR"))}
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, env={**clean, **environment})
    if result.returncode != 0:
        raise AssertionError(f"{command} failed:\n{result.stdout}{result.stderr}")
    return result.stdout


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(os.path.realpath(tempfile.mkdtemp(prefix="gossamer-install-")))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        first = cls.folder / "first"
        output(CMAKE, "--install", BUILD, "--prefix", first)
        # The tests use a moved installation, since users may move theirs.
        cls.prefix = cls.folder / "prefix"
        first.rename(cls.prefix)
        cls.libdir = cls.prefix / LIBDIR
        cls.library = cls.libdir / "libomp-gossamer.so"
        cls.name_in_a_run = cls.libdir / "gossamer" / "libiomp5.so"

    def test_files(self):
        self.assertTrue(self.library.is_file() and not self.library.is_symlink())
        self.assertEqual({path.name for path in (self.libdir / "gossamer").iterdir()}, ALIASES | {"libgossamer-audit.so"})
        for alias in ALIASES:
            self.assertEqual(os.path.realpath(self.libdir / "gossamer" / alias), str(self.library))
        shadowing = ALIASES - {"libgossamer.so"}
        self.assertEqual(shadowing & {path.name for path in self.libdir.iterdir()}, set())
        self.assertEqual(os.path.realpath(self.libdir / "libgossamer.so"), str(self.library))

    def test_command(self):
        program = self.folder / "by-preload"
        output(CC, "-fopenmp", "-o", program, f"{CLIENT}/client.c", "-ldl")
        self.assertEqual(output(self.prefix / "bin" / "gossamer", "run", program), f"500500 {self.name_in_a_run}\n")
        self.assertEqual(output(self.prefix / "bin" / "gossamer", "--version"), f"gossamer {VERSION}\n")

    def test_command_through_a_link(self):
        link = self.folder / "gossamer"
        link.symlink_to(self.prefix / "bin" / "gossamer")
        self.assertIn(f"LD_PRELOAD={self.name_in_a_run}\n", output(link, "run", "env"))

    def test_alias_folder(self):
        program = self.folder / "by-alias"
        output(CC, "-fopenmp", "-o", program, f"{CLIENT}/client.c", "-ldl")
        said = output(program, LD_LIBRARY_PATH=str(self.libdir / "gossamer")).split()
        self.assertEqual((said[0], os.path.realpath(said[1])), ("500500", str(self.library)))

    def test_find_package(self):
        build = self.folder / "client"
        output(CMAKE, "-S", CLIENT, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_C_COMPILER={CC}")
        output(CMAKE, "--build", build)
        self.assertEqual(output(build / "client"), f"500500 {self.library}\n")
        self.assertEqual((build / "alias_dir.txt").read_text(), str(self.libdir / "gossamer"))
        needed = re.findall(r"NEEDED.*\[(.*)\]", output("readelf", "-d", build / "client", LC_ALL="C"))
        self.assertIn("libomp-gossamer.so", needed)
        self.assertNotIn("libgomp.so.1", needed)

    def test_pkg_config(self):
        if shutil.which("pkg-config") is None:
            self.skipTest("no pkg-config here")
        search = {"PKG_CONFIG_PATH": str(self.libdir / "pkgconfig")}
        self.assertEqual(output("pkg-config", "--modversion", "gossamer", **search), f"{VERSION}\n")
        flags = output("pkg-config", "--libs", "gossamer", **search).split()
        program = self.folder / "by-pkg-config"
        compiled = self.folder / "client.o"
        output(CC, "-fopenmp", "-c", "-o", compiled, f"{CLIENT}/client.c")
        output(CC, "-o", program, compiled, *flags, f"-Wl,-rpath,{self.libdir}", "-ldl")
        self.assertEqual(output(program), f"500500 {self.library}\n")


if __name__ == "__main__":
    CMAKE, BUILD, CLIENT, LIBDIR, CC, VERSION = sys.argv[1:7]
    unittest.main(argv=sys.argv[:1] + sys.argv[7:])
