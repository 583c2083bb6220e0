# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forks: at every place, beside threads that hold locks of the runtime's, again and again."""

import os
import shutil
import subprocess

from harness import Skip, case, described, expect, expect_quiet


@case
def fork(bench):
    for compiler in ("gcc", "clang"):
        program = bench.build("forking.c", compiler, ["-fopenmp"])
        for where in ("before", "between", "exec", "inside-primary", "inside-other"):
            result = bench.run(program, where, OMP_MAX_ACTIVE_LEVELS="4")
            expect(result.returncode == 0 and result.stdout == "good\n" and not result.stderr,
                   f"{compiler}, {where}: {described(result)}")


@case
def fork_in_task(bench):
    for compiler in ("gcc", "clang"):
        expect_quiet(bench.run(bench.build("fork_in_task.c", compiler, ["-fopenmp"])), "good\n")


@case
def fork_by_stranger(bench):
    """The child of a thread that has not used OpenMP ends with its last thread, whichever that is."""
    program = bench.build("fork_by_stranger.c", flags=["-fopenmp"])
    for arguments in (("first",), ("last",), ("first", "used"), ("last", "used")):
        expect_quiet(bench.run(program, *arguments), "good\n")


@case
def fork_in_ordered(bench):
    for compiler in ("gcc", "clang"):
        program = bench.build("fork_in_ordered.c", compiler, ["-fopenmp"])
        for carriers in ("1", "2"):  # 1: at the fork the child's only carrier also holds the next turn's waiter
            expect_quiet(bench.run(program, GOSSAMER_CARRIERS=carriers), "good\n")


@case
def fork_at_odd_places(bench):
    """In nested regions, constructs, tasks and signal handlers, under other libraries' hooks; by vfork, spawn and system."""
    for compiler in ("gcc", "clang"):
        program = bench.build("fork_places.c", compiler, ["-fopenmp"])
        for where in ("hooks", "nested", "constructs", "tasks", "beside", "handler", "programs", "generations", "daemon", "many"):
            for carriers in ("1", "2", "3"):
                result = bench.run(program, where, GOSSAMER_CARRIERS=carriers, timeout=250)
                expect(result.returncode == 0 and result.stdout == "good\n" and not result.stderr,
                       f"{compiler}, {where}, {carriers} carriers: {described(result)}")


@case
def fork_on_every_carrier(bench):
    """The child's thread leaves nothing to the kernel that lies on another thread's stack: that stack goes back to the system."""
    program = bench.build("fork_places.c", flags=["-fopenmp"])
    for carriers in ("2", "3"):
        result = bench.run(program, "each", GOSSAMER_CARRIERS=carriers, OMP_STACKSIZE="64M", timeout=250)
        expect_quiet(result, "good\n")


@case
def fork_beside_locks(bench):
    """Other threads hold the runtime's locks when one forks, and the child comes for the same locks."""
    forks = 1000 if bench.thorough else 40
    for compiler in ("gcc", "clang"):
        program = bench.build("fork_beside.c", compiler, ["-fopenmp"])
        for how in ("atomics", "sections", "reductions", "tasks", "ahead"):
            for carriers in ("2", "3"):
                result = bench.run(program, how, forks, GOSSAMER_CARRIERS=carriers, OMP_MAX_TASK_PRIORITY="5", timeout=250)
                expect(result.returncode == 0 and result.stdout == "good\n" and not result.stderr,
                       f"{compiler}, {how}, {carriers} carriers: {described(result)}")


@case
def fork_before_the_first_region(bench):
    """Another thread is in the middle of reading the settings or the places when one forks: the child reads them anew."""
    program = bench.build("fork_beside.c", flags=["-fopenmp"])
    for how in ("environment", "places"):
        result = bench.run(program, how, 1)
        expect(result.returncode == 0, f"{how}: {described(result)}")


@case
def a_thousand_forks(bench):
    """The parent forks in a serial part and inside a region, each child opens a nested region, and the parent goes on."""
    program = bench.build("forking.c", flags=["-fopenmp"])
    for where in ("serial-loop", "inside-loop"):
        result = bench.run(program, where, 1000 if bench.thorough else 200, timeout=250)
        expect_quiet(result, "good\n")


NUMPY_CHILDREN = """
import multiprocessing, numpy, sys, os
def square(n):
    a = numpy.full((n, n), 0.5)
    return float((a @ a).sum())
def runtimes():
    names = {line.split('/')[-1].strip() for line in open('/proc/self/maps') if 'r-xp' in line}
    return sorted(n for n in names if n.startswith(('libgomp', 'libomp', 'libiomp', 'libgossamer.')))
want = [n * n * n * 0.25 for n in (300, 301, 302, 303)]
before = square(300)
with multiprocessing.get_context('fork').Pool(2) as pool:
    found = pool.map(square, (300, 301, 302, 303))
again = square(300)
blas = [l for l in open('/proc/self/maps') if 'openblas' in l or 'libblis' in l]
print('good' if before == again == want[0] and found == want else (before, again, found))
print('blas' if blas else 'no blas', *runtimes())
"""


@case
def python_forks_after_numpy(bench):
    """multiprocessing's fork after NumPy has called an OpenMP BLAS, under `gossamer run`."""
    command = bench.library.parent.parent / "bin" / "gossamer"
    folder = "/usr/lib/x86_64-linux-gnu/openblas-openmp"
    python = shutil.which("python3", path="/usr/bin:/bin")
    if not command.exists() or not os.path.isdir(folder) or not python:
        raise Skip("needs the gossamer command, Debian's python3 and libopenblas0-openmp")
    has_numpy = subprocess.run([python, "-c", "import numpy"], capture_output=True).returncode == 0
    if not has_numpy:
        raise Skip("needs python3-numpy")
    path = f"{folder}:{bench.library.parent}"
    result = bench.run("/usr/bin/env", "-u", "LD_PRELOAD", command, "run", "--", python, "-c", NUMPY_CHILDREN,
                       LD_LIBRARY_PATH=path, OMP_NUM_THREADS="4", timeout=120)
    expect(result.returncode == 0 and result.stdout.startswith("good\nblas "), described(result))
    names = result.stdout.split("\n")[1].split()[1:]
    expect(len(names) == 1, f"more than one runtime: {names}")
