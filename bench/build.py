# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the benchmark programs once by each compiler: clang's binaries call __kmpc_*, gcc's call GOMP_*. One compiler
compiles the work of the task kernels for both."""

import os
import shutil
import subprocess

# Programs whose work, which contains no OpenMP construct, is in tasks/work/.
KERNELS = "fib nqueens health floorplan uts sort strassen sparselu fft alignment".split()
# Each program with the sources that it needs beside its own.
PROGRAMS = {
    "flat": (),
    "cold": (),
    "sparse": (),
    "nested": (),
    "calls": (),
    "insufficient": (),
    "unbalanced": (),
    "sync": ("epcc.c",),
    "schedule": ("epcc.c",),
    "arrays": ("epcc.c",),
    "regions": (),
    "varied": (),
    "process": (),
    "line": (),
    **{f"tasks/{kernel}": ("tasks/kernel.c",) for kernel in KERNELS},
    "tasks/constructs": ("epcc.c",),
    "tasks/spawn": (),
    "tasks/graph": (),
    "tasks/wavefront": (),
    "tasks/cholesky": (),
    "tasks/crowd": (),
}
SHARED = ("measure.c",)
HEADERS = ("measure.h", "epcc.h", "tasks/kernel.h", "tasks/random.h", *(f"tasks/work/{k}.h" for k in KERNELS))
PLAIN_FLAGS = ("-std=gnu11", "-O3", "-g", "-Wall", "-Wextra")
FLAGS = (*PLAIN_FLAGS, "-fopenmp")
# Code for any executable, position-independent or not, whose loops have the same alignment in every binary.
WORK_FLAGS = (*PLAIN_FLAGS, "-fPIE", "-falign-functions=64")
HERE = os.path.dirname(os.path.abspath(__file__))


def find_compiler(kind):
    """The path of a compiler of the kind "gcc" or "clang", or None."""
    names = {"gcc": ("gcc",), "clang": ("clang-19", "clang", "clang-20", "clang-18")}[kind]
    return next((path for name in names if (path := shutil.which(name))), None)


def version(compiler):
    out = subprocess.run([compiler, "--version"], capture_output=True, text=True)
    return out.stdout.splitlines()[0] if out.returncode == 0 and out.stdout else "unknown"


def _is_newer(target, sources):
    return os.path.exists(target) and os.path.getmtime(target) > max(os.path.getmtime(path) for path in sources)


def _build_work(folder, headers, say):
    """Compiles the work of the task kernels, by gcc where that is installed; returns {program: object}."""
    kind = next((kind for kind in ("gcc", "clang") if find_compiler(kind)), None)
    if kind is None:
        return {}
    into = os.path.join(folder, "work", kind)
    os.makedirs(into, exist_ok=True)
    objects = {}
    for kernel in KERNELS:
        source = os.path.join(HERE, "tasks", "work", kernel + ".c")
        target = os.path.join(into, kernel + ".o")
        if not _is_newer(target, [source, *headers]):
            command = [find_compiler(kind), *WORK_FLAGS, "-c", source, "-o", target]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                reason = (done.stderr.strip().splitlines() or ["no message"])[-1]
                say(f"{kind} does not compile the work of {kernel} ({reason})")
                continue
        objects[f"tasks/{kernel}"] = target
    return objects


def build(folder, say):
    """Compiles every program into folder/<compiler>/; returns {kind: {"path", "version", "folder"}}. A compiler that
    is missing or cannot compile OpenMP is left out, and `say` gets one line about it."""
    found = {}
    headers = [os.path.join(HERE, name) for name in HEADERS]
    work = _build_work(folder, headers, say)
    for kind in ("clang", "gcc"):
        compiler = find_compiler(kind)
        if compiler is None:
            say(f"{kind} is not installed: its binaries are left out")
            continue
        into = os.path.join(folder, kind)
        os.makedirs(os.path.join(into, "tasks"), exist_ok=True)
        for program, more in PROGRAMS.items():
            sources = [os.path.join(HERE, name) for name in (program + ".c", *more, *SHARED)]
            sources += [work[program]] if program in work else []
            target = os.path.join(into, program)
            if _is_newer(target, sources + headers):
                continue
            command = [compiler, *FLAGS, *sources, "-o", target, "-lm", "-ldl", "-pthread"]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                reason = (done.stderr.strip().splitlines() or ["no message"])[-1]
                say(f"{compiler} does not build {program} ({reason}): its binaries are left out")
                break
        else:
            found[kind] = {"path": compiler, "version": version(compiler), "folder": into}
    return found


def shared_object(compiler, source, folder):
    """Compiles one file of this folder to a shared object; returns its path, or "" if that fails."""
    target = os.path.join(folder, os.path.splitext(source)[0] + ".so")
    done = subprocess.run(
        [compiler, "-O2", "-fPIC", "-shared", os.path.join(HERE, source), "-o", target], capture_output=True
    )
    return target if done.returncode == 0 else ""
