#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds a client of a library (FFTW, BLIS, OpenBLAS, Boehm's garbage collector) and checks its results, on its compiler's own
runtime and then on Gossamer. Exits with 77 where the compiler or the library is missing."""

import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import sys

SKIPPED = 77
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCES = {
    "fft_loop": os.path.join(ROOT, "demo", "fft_loop.c"),
    "fftw_plans": os.path.join(ROOT, "tests", "clients", "fftw_plans.c"),
    "blis": os.path.join(ROOT, "tests", "clients", "blas_calls.c"),
    "openblas": os.path.join(ROOT, "tests", "clients", "blas_calls.c"),
    "gc": os.path.join(ROOT, "tests", "clients", "gc_lists.c"),
}
FFTW = ["-lfftw3_omp", "-lfftw3", "-lm", "-ldl"]
# Debian keeps the OpenMP variants in folders of their own.
LIBRARIES = {
    "fft_loop": FFTW,
    "fftw_plans": FFTW,
    "blis": ["blis-openmp/libblis.so.4"],
    "openblas": ["openblas-openmp/libopenblas.so.0"],
    "gc": ["-lgc"],
}
PACKAGES = {"blis": "libblis4-openmp", "openblas": "libopenblas0-openmp"}
# Flat and nested runs, some wider than a small machine. With size 100 FFTW nests three levels more.
RUNS = {
    "fft_loop": [
        (n, outer, inner, 4, 0.001)
        for n in (64, 100, 128)
        for outer, inner in ((1, 1), (1, 8), (2, 2), (3, 8), (8, 3))
    ],
    "fftw_plans": [(1, 8, 20), (3, 8, 20), (8, 3, 20), (16, 2, 10)],
    "blis": [(1, 1, 300, "bli_thread_set_num_threads"), (3, 1, 300, "bli_thread_set_num_threads"),
             (8, 1, 100, "bli_thread_set_num_threads")],
    "openblas": [(1, 3, 200, "openblas_set_num_threads"), (4, 2, 150, "openblas_set_num_threads"),
                 (8, 1, 100, "openblas_set_num_threads")],
    "gc": [(1, 1, 20, 0), (1, 2, 20, 0), (1, 8, 20, 0), (0, 8, 20, 1), (3, 2, 20, 0), (2, 8, 20, 0), (4, 4, 20, 0)],
}
SETTINGS = re.compile(r"(OMP|KMP|GOMP|GOSSAMER)_|LD_(PRELOAD|AUDIT|LIBRARY_PATH)$")


def libraries(name):
    """The linker's arguments; the program finds a library in a folder below the system's by its rpath."""
    for library in LIBRARIES[name]:
        if library.startswith("-"):
            yield library
            continue
        path = next(iter(glob.glob(f"/usr/lib/*/{library}") + glob.glob(f"/usr/lib/{library}")), None)
        if path is None:
            print(f"skipped: {PACKAGES[name]} is not installed")
            sys.exit(SKIPPED)
        yield path
        yield f"-Wl,-rpath,{os.path.dirname(path)}"


def compile_client(name, compiler, folder):
    path = next(
        (p for c in ((compiler,) if compiler == "gcc" else ("clang-19", "clang")) if (p := shutil.which(c))),
        None,
    )
    if path is None:
        print(f"skipped: {compiler} is not installed")
        sys.exit(SKIPPED)
    os.makedirs(folder, exist_ok=True)
    program = os.path.join(folder, f"{name}-{compiler}")
    done = subprocess.run(
        [
            path,
            "-std=gnu11",
            "-O2",
            "-g",
            "-fopenmp",
            SOURCES[name],
            "-o",
            program,
            *libraries(name),
            "-ldl",
        ],
        capture_output=True,
        text=True,
    )
    if done.returncode != 0 and ("gc.h" in done.stderr or "-lgc" in done.stderr):
        print(f"skipped: Boehm's garbage collector (libgc-dev) is not installed:\n{done.stderr}")
        sys.exit(SKIPPED)
    if done.returncode != 0 and ("fftw3" in done.stderr or "omp" in done.stderr.split(program)[0]):
        print(f"skipped: FFTW (libfftw3-dev) or {compiler}'s OpenMP is not installed:\n{done.stderr}")
        sys.exit(SKIPPED)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return program


def run(program, arguments, environment, seconds):
    """The reason why the run is wrong, or None; and the run's output."""
    try:
        done = subprocess.run(
            [program, *map(str, arguments)],
            env=environment,
            capture_output=True,
            text=True,
            timeout=seconds,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return f"not done after {seconds} s", ""
    if done.returncode != 0:
        return f"ended with status {done.returncode}: {done.stdout}{done.stderr}", done.stdout
    return None, done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("client", choices=SOURCES)
    parser.add_argument("--compiler", choices=("gcc", "clang"), required=True)
    parser.add_argument("--library", required=True, help="libomp-gossamer.so")
    parser.add_argument("--work", required=True, help="folder for the programs")
    options = parser.parse_args()

    program = compile_client(options.client, options.compiler, options.work)
    # The caller's settings would choose another runtime or width. GOSSAMER_CHAOS stays: the caller asks for it.
    plain = {k: v for k, v in os.environ.items() if not SETTINGS.match(k) or k == "GOSSAMER_CHAOS"}
    plain["OMP_MAX_ACTIVE_LEVELS"] = "16"
    library = os.path.realpath(options.library)
    served = {**plain, "LD_PRELOAD": library, "LD_LIBRARY_PATH": os.path.dirname(library)}

    passed = failed = 0
    for arguments in RUNS[options.client]:
        for runtime, environment in (("its own runtime", plain), ("gossamer", served)):
            peer = environment is plain
            wrong, output = run(program, arguments, environment, 20 if peer else 120)
            if peer and wrong and wrong.startswith("not done"):
                # A peer may take minutes for nested teams on a busy machine; that is no fault of the program.
                print(f"{options.client} {arguments} on {runtime}: {wrong}; left out")
                continue
            if wrong is None and runtime == "gossamer" and output.startswith("{"):
                files = [os.path.realpath(json.loads(output)[key]) for key in ("outer_on", "inner_on")]
                if files != [library, library]:
                    wrong = f"was served by {files}"
            passed, failed = (passed + 1, failed) if wrong is None else (passed, failed + 1)
            if wrong is not None:
                print(f"{options.client} {arguments} on {runtime}: {wrong}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
