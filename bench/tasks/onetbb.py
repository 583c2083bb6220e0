# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""oneTBB as a peer of the task benchmarks: one program under the names of the OpenMP programs that it replaces."""

import os
import shutil
import subprocess

import build
import runtimes

KERNELS = ("fib", "nqueens", "sort", "uts", "graph")


def _compile(folder):
    """Compiles the program into folder/tasks; returns its path, or None and the reason."""
    compiler = shutil.which("g++")
    if compiler is None:
        return None, "g++ is not installed"
    into = os.path.join(folder, "tasks")
    os.makedirs(into, exist_ok=True)
    program = os.path.join(into, "onetbb")
    here = os.path.dirname(os.path.abspath(__file__))
    sources = os.path.join(here, "onetbb.cpp"), os.path.join(build.HERE, "measure.c")
    if not os.path.exists(program) or os.path.getmtime(program) < max(os.path.getmtime(s) for s in sources):
        shared = os.path.join(into, "measure.o")
        c = shutil.which("gcc") or "cc"
        for command in (
            [c, *build.PLAIN_FLAGS, "-c", sources[1], "-o", shared],
            [compiler, "-std=gnu++20", "-O3", "-g", sources[0], shared, "-o", program]
            + ["-ltbb", "-lm", "-ldl", "-pthread"],
        ):
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                return None, (done.stderr.strip().splitlines() or ["it does not build"])[0]
    for name in KERNELS:
        link = os.path.join(into, name)
        if not os.path.lexists(link):
            os.symlink("onetbb", link)
    return program, ""


def add(compilers, found, scratch, say):
    """Returns `compilers` and `found`, with oneTBB added if it is installed."""
    folder = os.path.join(scratch, "onetbb")
    program, reason = _compile(folder)
    path = runtimes._linked_file(program, "libtbb") if program else None
    if path is None:
        say(f"oneTBB is not found ({reason or 'no libtbb'})")
        return compilers, found
    peer = runtimes.Runtime(
        "onetbb",
        "onetbb",
        os.path.realpath(path),
        runtimes._package_version(path),
        [runtimes.Variant("default", {})],
        programs=tuple(f"tasks/{name}" for name in KERNELS),
    )
    return {**compilers, "onetbb": {"path": "", "version": "g++", "folder": folder}}, [*found, peer]
