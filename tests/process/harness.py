# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The common code of this folder's cases: it builds and runs programs, and checks a run."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SETTINGS = ("OMP_", "GOMP_", "KMP_", "GOSSAMER_", "LD_PRELOAD", "LD_AUDIT")
CASES = {}


class Failure(Exception):
    pass


class Skip(Exception):
    pass


def case(function):
    CASES[function.__name__.replace("_", "-")] = function
    return function


def expect(condition, what):
    if not condition:
        raise Failure(what)


class Bench:
    """Gives the cases the library, compilers and scratch space, and runs programs for them."""

    def __init__(self, options):
        self.library = options.library
        self.build_dir = options.build_dir
        self.thorough = options.thorough

    def build(self, source, compiler="gcc", flags=(), name=None):
        language = "c++" if source.endswith(".cpp") else "c"
        drivers = {("gcc", "c"): ["gcc"], ("gcc", "c++"): ["g++"], ("clang", "c"): ["clang-19", "clang"],
                   ("clang", "c++"): ["clang++-19", "clang++"]}
        driver = next(filter(None, map(shutil.which, drivers[compiler, language])), None)
        if not driver:
            raise Skip(f"no {compiler} for {language}")
        binary = self.build_dir / (name or f"{pathlib.Path(source).stem}-{compiler}")
        newest = max((HERE / source).stat().st_mtime, pathlib.Path(__file__).stat().st_mtime)
        if binary.exists() and binary.stat().st_mtime > newest:
            return binary
        # Parallel cases may build the same program, so the finished file takes its place by an atomic rename.
        with tempfile.TemporaryDirectory(dir=self.build_dir) as scratch:
            result = subprocess.run([driver, "-O2", "-g1", "-pthread", *flags, HERE / source,
                                     "-o", f"{scratch}/out", "-ldl"],
                                    stdin=subprocess.DEVNULL, capture_output=True, text=True)
            if result.returncode != 0:
                raise Skip(f"{compiler} cannot build it: {result.stderr[:500]}")
            os.replace(f"{scratch}/out", binary)
        return binary

    def run(self, binary, *arguments, timeout=60, prepare=None, library=None, **settings):
        """Runs the program on Gossamer; returns the finished process with text output."""
        library = library or self.library
        env = {k: v for k, v in os.environ.items() if not k.startswith(SETTINGS)}
        env.update(LD_PRELOAD=str(library), LD_LIBRARY_PATH=str(library.parent))
        env = {os.fsencode(k): os.fsencode(v) for k, v in {**env, **settings}.items()}
        process = subprocess.Popen([str(binary), *map(str, arguments)], env=env, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=prepare,
                                   start_new_session=True)
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            raise Failure(f"timed out after {timeout} s; printed {out[-500:]!r}, {err[-500:]!r}")
        return subprocess.CompletedProcess(arguments, process.returncode, out.decode(errors="replace"),
                                           err.decode(errors="replace"))


def expect_quiet(result, out=None, status=0):
    expect(result.returncode == status, f"status {result.returncode}, not {status}: {result.stderr[-800:]}")
    expect(result.stderr == "", f"unexpected on standard error: {result.stderr[:800]!r}")
    if out is not None:
        expect(result.stdout == out, f"printed {result.stdout!r}, not {out!r}")


def messages(result):
    return [line for line in result.stderr.split("\n") if line]


def described(result):
    return f"status {result.returncode}, {result.stdout[:300]!r}, {result.stderr[:300]!r}"


def is_one_line_naming(lines, *words):
    return len(lines) == 1 and lines[0].startswith("gossamer: ") and all(word in lines[0] for word in words)
