# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ends and forks of processes: exit, fatal signals, exceptions, fork, libraries that are opened and closed."""

import os
import resource
import shutil
import signal
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
def fork_in_ordered(bench):
    for compiler in ("gcc", "clang"):
        program = bench.build("fork_in_ordered.c", compiler, ["-fopenmp"])
        for carriers in ("1", "2"):  # 1: at the fork the child's only carrier also holds the next turn's waiter
            expect_quiet(bench.run(program, GOSSAMER_CARRIERS=carriers), "good\n")


@case
def leaving(bench):
    """exit, _exit and quick_exit, called at every place: no hang, the right status, handlers run once or not at all."""
    for compiler in ("gcc", "clang"):
        program = bench.build("leaving.c", compiler, ["-fopenmp"])
        for how, out in (("exit", "handler\n"), ("_exit", ""), ("quick_exit", "")):
            for where in ("before", "serial", "primary", "other", "nested", "beside"):
                result = bench.run(program, how, where)
                expect(result.returncode == 3 and result.stdout == out and not result.stderr,
                       f"{compiler}, {how} {where}: {described(result)}")


@case
def fatal_signals(bench):
    """A fatal signal, inside a region or elsewhere, ends the process as any other: by that signal, without a message."""
    no_core = lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for compiler in ("gcc", "clang"):
        program = bench.build("leaving.c", compiler, ["-fopenmp"])
        for how, number in (("abort", signal.SIGABRT), ("fault", signal.SIGSEGV), ("terminate", signal.SIGTERM),
                            ("raise", signal.SIGUSR1)):
            for where in ("before", "serial", "primary", "other", "nested", "beside"):
                result = bench.run(program, how, where, prepare=no_core)
                expect(result.returncode == -number and result.stdout == "" and not result.stderr,
                       f"{compiler}, {how} {where}: {described(result)}")


@case
def pthread_exit_of_main(bench):
    """pthread_exit outside regions ends one thread: the process ends with the program's last thread, with status 0."""
    for compiler in ("gcc", "clang"):
        program = bench.build("leaving.c", compiler, ["-fopenmp"])
        for where, out in (("before", "handler\n"), ("serial", "handler\n"), ("worker-left", "worker\nhandler\n")):
            expect_quiet(bench.run(program, "pthread_exit", where, timeout=20), out)


@case
def exceptions_that_leave_a_region(bench):
    """The runtime calls terminate, with the C++ library's own message, as on a kernel thread (OpenMP 5.2 section 10.1)."""
    no_core = lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for compiler in ("gcc", "clang"):
        program = bench.build("throwing.cpp", compiler, ["-fopenmp"])
        for where in ("primary", "other", "nested"):
            result = bench.run(program, where, prepare=no_core)
            expect(result.returncode == -signal.SIGABRT and "left the region" in result.stderr and
                   result.stderr.count("terminate called") == 1, f"{compiler}, {where}: {described(result)}")


@case
def plugins_a_thousand_times(bench):
    """dlopen, a region, dlclose: no more threads and no more memory than after the first hundred rounds."""
    program = bench.build("plugins_again.c")
    for compiler in ("gcc", "clang"):
        plugin = bench.build("plugin.c", compiler, ["-fopenmp", "-shared", "-fPIC", f"-DPREFIX={compiler}"],
                             f"libplugin-{compiler}.so")
        for preload in (True, False):
            command = [program] if preload else ["/usr/bin/env", "-u", "LD_PRELOAD", program]
            result = bench.run(*command, plugin, compiler, 1000)
            expect_quiet(result)
            right, early_threads, threads, early_kib, kib = map(int, result.stdout.split())
            where = f"{compiler}, {'preloaded' if preload else 'found by name'}: {result.stdout.strip()}"
            # On a busy machine the monitor may add one thread.
            expect(right == 1000 and threads <= early_threads + 1 and kib < early_kib + 1024, where)


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
