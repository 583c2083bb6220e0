# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ends of processes: exit, fatal signals, exceptions; libraries that are opened and closed."""

import resource
import signal

from harness import Skip, case, described, expect, expect_quiet


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
        for where, out in (("before", "handler\n"), ("serial", "handler\n"), ("worker-left", "worker\nhandler\n"),
                           ("outsider", "worker\nhandler\n"), ("outsider-last", "worker\nhandler\n")):
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
            # On a busy machine the monitor may come later, and relieve something: fibers are made by fours.
            expect(right == 1000 and threads <= early_threads + 1 + 2 * 4 and kib < early_kib + 1024, where)


@case
def last_words(bench):
    """exit, exec and terminate from tasks, handlers, regions whose threads spin, and by several threads at once: the status,
    and what the program had written, are as on native threads."""
    no_core = lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    handled = "begin\nhandler 12\ndestructor 12\n"
    ways = (("handlers", 3, handled), ("only-handlers", 3, handled), ("handlers-inside", 3, "begin\nhandler 12\n"),
            ("spinning", 3, "begin\n"), ("task", 3, "begin\ntask\n"), ("exec", 3, "begin\nprogram\n"),
            ("race", 3, "begin\n"), ("race-inside", 3, "begin\n"), ("main-throws", -signal.SIGABRT, ""),
            ("terminate", -signal.SIGABRT, ""))
    for compiler in ("gcc", "clang"):
        program = bench.build("last_words.cpp", compiler, ["-fopenmp"])
        for (how, status, out), carriers in ((way, carriers) for way in ways for carriers in ("1", "2", "3")):
            result = bench.run(program, how, GOSSAMER_CARRIERS=carriers, prepare=no_core, timeout=30)
            expect(result.returncode == status and result.stdout == out and "gossamer" not in result.stderr,
                   f"{compiler}, {how}, {carriers} carriers: {described(result)}")


@case
def executable_stacks_come_late(bench):
    """A library that wants executable stacks, opened after the runtime has made its stacks, runs on every thread."""
    library = bench.build("late_nested.c", flags=["-shared", "-fPIC", "-Wl,-z,execstack"], name="liblate-nested.so")
    program = bench.build("late_executable.c", flags=["-fopenmp"])
    for where in ("between", "inside"):
        for carriers in ("1", "2", "3"):
            result = bench.run(program, library, where, GOSSAMER_CARRIERS=carriers)
            if "cannot enable executable stack" in result.stdout:
                raise Skip("this system opens no such library")
            expect_quiet(result, "opened 0\n")
