#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""loading.py LIBDIR COMPILER PROGRAMS: a program that a compiler built for its own OpenMP runtime runs on our library,
however the library gets into the process; linkers accept our library as the runtime; dlvsym finds names by version."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

LIBRARY = "libomp-gossamer.so"
complaints = []


def run(what, command, **environment):
    """The command's standard output. Any text on standard error, such as a loader's warning, is a failure."""
    result = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, **environment), timeout=60)
    if result.returncode != 0 or result.stderr:
        complaints.append(f"{what}: status {result.returncode}: {result.stderr.strip()}")
        return None
    return result.stdout


def expect(what, output, wanted):
    if output is not None and output.strip() != wanted:
        complaints.append(f"{what}: printed {output.strip()!r} instead of {wanted!r}")


def main(libdir, compiler, programs):
    if shutil.which(compiler) is None:
        print(f"{compiler} is not installed")
        return 77
    library = str(pathlib.Path(libdir) / LIBRARY)
    programs = pathlib.Path(programs)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)

        def build(what, *arguments, **environment):
            return run(what, [compiler, "-O1", *map(str, arguments)], **environment)

        def check_everywhere(name):
            program = str(work / name)
            ways = {"LD_PRELOAD": {"LD_PRELOAD": library}, "LD_LIBRARY_PATH": {"LD_LIBRARY_PATH": libdir}}
            for way, environment in ways.items():
                for binding in ("", "1"):
                    what = f"{name}, {way}, LD_BIND_NOW={binding}"
                    expect(what, run(what, [program], LD_BIND_NOW=binding, **environment), f"6 {LIBRARY}")

        # Programs for the compiler's own runtime.
        for name, options in {"lazy": ["-Wl,-z,lazy"], "now": ["-Wl,-z,now"]}.items():
            build(name, "-fopenmp", *options, programs / "sum.c", "-o", work / name)
            check_everywhere(name)

        # A program linked against our library asks for no version, so it loads whatever version nodes our library has.
        build("new", "-fopenmp", programs / "sum.c", "-o", work / "new", f"-L{libdir}")
        expect("new", run("new", [str(work / "new")], LD_LIBRARY_PATH=libdir), f"6 {LIBRARY}")

        # A library for the compiler's own runtime, and a program that uses it, whose linker finds our library instead.
        build("library", "-fopenmp", "-DLIBRARY", "-shared", "-fPIC", programs / "sum.c", "-o", work / "libsum.so")
        user = ["-DUSER", programs / "sum.c", f"-L{work}", "-lsum", f"-Wl,-rpath,{work}"]
        build("linker with LD_LIBRARY_PATH", *user, "-o", work / "user", LD_LIBRARY_PATH=libdir)
        build("linker with -rpath-link", *user, f"-Wl,-rpath-link,{libdir}", "-o", work / "user")
        check_everywhere("user")

        build("versions", programs / "versions.c", "-o", work / "versions", "-ldl")
        run("versions", [str(work / "versions"), library])

    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
