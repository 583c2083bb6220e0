#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gossamer in whole processes: settings and messages, limits, memory, idleness, fork and exit, several compilers'
libraries at once. Each case is a function here or in limits.py, ends.py or
forks.py, and runs small programs of this folder.

Exit status: 0 all passed, 1 some failed, 77 all were skipped.
"""

import argparse
import itertools
import os
import pathlib
import re
import sys

from harness import (CASES, HERE, Bench, Failure, Skip, case, described, expect, expect_quiet, is_one_line_naming, messages)
import ends  # noqa: F401  registers its cases
import forks  # noqa: F401  registers its cases
import limits  # noqa: F401  registers its cases

# Settings

BAD = [("OMP_NUM_THREADS", v) for v in ("abc", "-3", "0", "4,,2", "4,", "4 x", "3;2", "99999999999999999999",
                                        "vi\u00e8r", "7" * 5000)]
BAD += [("OMP_SCHEDULE", v) for v in ("foo", "dynamic,0", "dynamic,-1", "static,x", "sideways:dynamic")]
BAD += [("OMP_STACKSIZE", v) for v in ("1X", "-1", "many", "9" * 40)]
BAD += [("OMP_DYNAMIC", "perhaps"), ("OMP_WAIT_POLICY", "lazy"), ("OMP_PROC_BIND", "sometimes"),
        ("OMP_PLACES", "nowhere"), ("OMP_PLACES", "{0:-1"), ("OMP_MAX_ACTIVE_LEVELS", "-1"),
        ("OMP_MAX_ACTIVE_LEVELS", "deep"), ("OMP_THREAD_LIMIT", "0"), ("OMP_THREAD_LIMIT", "some"),
        ("OMP_CANCELLATION", "maybe"), ("OMP_MAX_TASK_PRIORITY", "-2"), ("OMP_NESTED", "2x"),
        ("KMP_BLOCKTIME", "soon"), ("GOMP_SPINCOUNT", "x1"), ("OMP_DISPLAY_ENV", "loud"),
        ("GOSSAMER_CARRIERS", "none"), ("KMP_HW_SUBSET", "2x"), ("KMP_HW_SUBSET", "1s,1s"), ("OMP_STACKSIZE", "1"),
        ("GOMP_CPU_AFFINITY", "8000"), ("OMP_PLACES", "{8000}")]


@case
def bad_settings(bench):
    """The runtime reports a bad setting by exactly one line that names it and its value, and the program goes on."""
    program = bench.build("count_threads.c", flags=["-fopenmp"])
    wrong = []
    for name, value in BAD:
        result = bench.run(program, 3, 2, **{name: value})
        lines = messages(result)
        shown = value[:12] if value.isascii() else "vi"
        if result.returncode != 0 or result.stdout != "3 6\n":
            wrong.append(f"{name}={value[:30]}: status {result.returncode}, printed {result.stdout!r}")
        elif not is_one_line_naming(lines, name, shown):
            wrong.append(f"{name}={value[:30]}: said {[l[:200] for l in lines]}")
        elif len(lines[0]) > 400:
            wrong.append(f"{name}={value[:30]}: said it in {len(lines[0])} characters")
    expect(not wrong, "\n    ".join(wrong))


@case
def several_bad_settings(bench):
    """The runtime prints one line for each of several bad settings."""
    program = bench.build("count_threads.c", flags=["-fopenmp"])
    result = bench.run(program, 2, 2, OMP_NUM_THREADS="abc", OMP_SCHEDULE="foo", OMP_STACKSIZE="1X")
    expect(result.stdout == "2 4\n", f"printed {result.stdout!r}")
    lines = messages(result)
    expect(len(lines) == 3, f"said {lines}")
    for name in ("OMP_NUM_THREADS", "OMP_SCHEDULE", "OMP_STACKSIZE"):
        expect(sum(name in line for line in lines) == 1, f"{name}: said {lines}")


@case
def good_settings(bench):
    """The runtime accepts good settings without a message, in every common spelling."""
    program = bench.build("count_threads.c", flags=["-fopenmp"])
    wrong = []
    for setting in ("OMP_NUM_THREADS=4", "OMP_NUM_THREADS= 4 , 2 ", "OMP_SCHEDULE=dynamic,4",
                    "OMP_SCHEDULE=GUIDED", "OMP_SCHEDULE=nonmonotonic:dynamic", "OMP_SCHEDULE= static , 3",
                    "OMP_STACKSIZE=4M", "OMP_STACKSIZE=4 m", "OMP_STACKSIZE=2000000B", "OMP_STACKSIZE=1G",
                    "OMP_STACKSIZE=512", "GOMP_STACKSIZE=4096", "KMP_STACKSIZE=4M", "OMP_DYNAMIC=FALSE",
                    "OMP_DYNAMIC=false", "OMP_NESTED=true", "OMP_WAIT_POLICY=ACTIVE",
                    "OMP_WAIT_POLICY=passive", "OMP_PROC_BIND=false", "OMP_PROC_BIND=close",
                    "OMP_PROC_BIND=spread,close", "OMP_PROC_BIND=TRUE", "OMP_PLACES=cores",
                    "OMP_PLACES=threads(2)", "OMP_PLACES={0}", "OMP_PLACES={0:1}", "OMP_MAX_ACTIVE_LEVELS=4",
                    "OMP_THREAD_LIMIT=100", "OMP_CANCELLATION=true", "OMP_MAX_TASK_PRIORITY=3",
                    "OMP_DISPLAY_AFFINITY=false", "OMP_DEFAULT_DEVICE=0", "OMP_TARGET_OFFLOAD=DEFAULT",
                    "OMP_TOOL=enabled", "OMP_ALLOCATOR=omp_default_mem_alloc", "KMP_BLOCKTIME=0",
                    "KMP_BLOCKTIME=200", "KMP_BLOCKTIME=infinite", "KMP_BLOCKTIME=200us",
                    "GOMP_SPINCOUNT=1000", "GOMP_SPINCOUNT=infinity",
                    "KMP_AFFINITY=granularity=fine,compact,1,0", "KMP_AFFINITY=disabled",
                    "GOMP_CPU_AFFINITY=0", "KMP_DUPLICATE_LIB_OK=TRUE", "KMP_INIT_AT_FORK=FALSE",
                    "KMP_HOT_TEAMS_MODE=1", "KMP_HOT_TEAMS_MAX_LEVEL=4", "KMP_LIBRARY=throughput",
                    "KMP_SETTINGS=0", "KMP_WARNINGS=0", "KMP_DETERMINISTIC_REDUCTION=true",
                    "KMP_ALL_THREADS=500", "OMP_NUM_TEAMS=2", "OMP_TEAMS_THREAD_LIMIT=4",
                    "OMP_AFFINITY_FORMAT=%n", "OMP_DEBUG=disabled", "KMP_USE_YIELD=1",
                    "KMP_ENABLE_TASK_THROTTLING=0", "KMP_HW_SUBSET=*s,*C"):
        name, value = setting.split("=", 1)
        result = bench.run(program, 3, 2, **{name: value})
        if result.returncode != 0 or result.stdout != "3 6\n" or result.stderr:
            wrong.append(f"{setting}: status {result.returncode}, {result.stdout!r}, {result.stderr[:200]!r}")
    expect(not wrong, "\n    ".join(wrong))


@case
def settings_without_effect(bench):
    """A setting of another runtime that Gossamer cannot serve is reported once, by name."""
    program = bench.build("count_threads.c", flags=["-fopenmp"])
    wrong = []
    for name, value in (("KMP_FORKJOIN_BARRIER", "2,2"), ("KMP_PLAIN_BARRIER_PATTERN", "hyper,hyper"),
                        ("KMP_REDUCTION_BARRIER", "1,1"), ("KMP_TOPOLOGY_METHOD", "all"),
                        ("LIBOMP_USE_HIDDEN_HELPER_TASK", "1"), ("LIBOMP_NUM_HIDDEN_HELPER_THREADS", "4")):
        result = bench.run(program, 3, 2, **{name: value})
        lines = messages(result)
        if result.stdout != "3 6\n" or not is_one_line_naming(lines, name):
            wrong.append(f"{name}: {result.stdout!r}, said {lines}")
    expect(not wrong, "\n    ".join(wrong))


@case
def number_of_threads(bench):
    program = bench.build("count_threads.c", flags=["-fopenmp"])
    for setting, out in (("3", "3\n"), ("16", "16\n"), ("5,2", "5\n"), ("1", "1\n")):
        expect_quiet(bench.run(program, OMP_NUM_THREADS=setting), out)
    expect_quiet(bench.run(program), f"{len(os.sched_getaffinity(0))}\n")


@case
def nested_by_default(bench):
    """Nesting needs no setting, unlike in the compilers' own runtimes."""
    for compiler in ("gcc", "clang"):
        program = bench.build("nested_default.c", compiler, ["-fopenmp"])
        expect_quiet(bench.run(program), "3 12 48\n")
        expect_quiet(bench.run(program, OMP_MAX_ACTIVE_LEVELS="1"), "3 3 3\n")
        expect_quiet(bench.run(program, OMP_MAX_ACTIVE_LEVELS="2"), "3 12 12\n")
        expect_quiet(bench.run(program, OMP_NESTED="false"), "3 3 3\n")


DISPLAYED = ["OMP_NUM_THREADS", "OMP_SCHEDULE", "OMP_DYNAMIC", "OMP_STACKSIZE", "OMP_WAIT_POLICY",
             "OMP_PROC_BIND", "OMP_PLACES", "OMP_THREAD_LIMIT", "OMP_MAX_ACTIVE_LEVELS", "OMP_CANCELLATION",
             "OMP_DEFAULT_DEVICE", "OMP_MAX_TASK_PRIORITY", "OMP_DISPLAY_AFFINITY", "OMP_AFFINITY_FORMAT",
             "OMP_ALLOCATOR", "OMP_TARGET_OFFLOAD", "OMP_TOOL", "OMP_TOOL_LIBRARIES", "OMP_NUM_TEAMS",
             "OMP_TEAMS_THREAD_LIMIT"]


def displayed(text):
    lines = text.strip().splitlines()
    expect("OPENMP DISPLAY ENVIRONMENT BEGIN" in (lines[0] if lines else ""), f"no header: {text[:300]!r}")
    expect("OPENMP DISPLAY ENVIRONMENT END" in lines[-1], f"no end: {text[-300:]!r}")
    values = {}
    for line in lines[1:-1]:
        match = re.fullmatch(r"\s*(?:\[(?:host|all|device)\]\s*)?(\w+)\s*=\s*'(.*)'", line)
        expect(match, f"odd line {line!r}")
        expect(match[1] not in values, f"{match[1]} twice")
        values[match[1]] = match[2]
    return values


@case
def display_environment(bench):
    """OpenMP 5.2 section 21.7: header, version, every ICV once, end."""
    program = bench.build("count_threads.c", flags=["-fopenmp"])
    result = bench.run(program, 2, 2, OMP_DISPLAY_ENV="true", OMP_NUM_THREADS="4,3", OMP_SCHEDULE="guided,7",
                       OMP_MAX_ACTIVE_LEVELS="5", OMP_CANCELLATION="true")
    expect(result.stdout == "2 4\n", f"printed {result.stdout!r}")
    values = displayed(result.stderr)
    version = values.get("_OPENMP", "")
    expect(re.fullmatch(r"20\d\d(0[1-9]|1[0-2])", version), f"_OPENMP is {version!r}")
    missing = [name for name in DISPLAYED if name not in values]
    expect(not missing, f"missing {missing}")
    for name, want in (("OMP_NUM_THREADS", "4,3"), ("OMP_SCHEDULE", "guided,7"),
                       ("OMP_MAX_ACTIVE_LEVELS", "5"), ("OMP_CANCELLATION", "true"),
                       ("OMP_DYNAMIC", "false")):
        expect(values[name].lower() == want, f"{name} is {values[name]!r}, not {want!r}")
    more = displayed(bench.run(program, 2, 2, OMP_DISPLAY_ENV="verbose").stderr)
    expect(set(more) > set(values), "verbose shows no more")
    expect_quiet(bench.run(program, 2, 2, OMP_DISPLAY_ENV="false"), "2 4\n")


@case
def display_affinity(bench):
    program = bench.build("count_threads.c", flags=["-fopenmp"])
    result = bench.run(program, 3, 0, OMP_DISPLAY_AFFINITY="true", OMP_AFFINITY_FORMAT="thread %n of %N")
    expect(result.returncode == 0, f"status {result.returncode}")
    lines = (result.stdout + result.stderr).splitlines()
    for number in range(3):
        expect(f"thread {number} of 3" in lines, f"no line for thread {number}: {lines}")

    for compiler in ("gcc", "clang"):
        program = bench.build("affinity_lines.c", compiler, ["-fopenmp"])
        result = bench.run(program, OMP_DISPLAY_AFFINITY="true", OMP_AFFINITY_FORMAT="%n of %N in %L")
        once_new = [f"{number} of 3 in 1" for number in range(3)]
        inside = [f"{number} of 2 in 2" for number in range(2)]
        # All threads of a region display again once a thread, here the primary one, has displayed another team's line.
        expect(sorted(result.stderr.splitlines()) == sorted([*once_new, *inside, *once_new]), f"{compiler}: {result.stderr!r}")


# Use of the process's resources

@case
def unused(bench):
    """A program without OpenMP gets no thread and no message from the library."""
    expect_quiet(bench.run(bench.build("no_openmp.c")), "1\n")


@case
def memory_does_not_grow(bench):
    regions = 1000000 if bench.thorough else 30000
    for compiler in ("gcc", "clang"):
        program = bench.build("growth.c", compiler, ["-fopenmp"])
        result = bench.run(program, regions, timeout=3600 if bench.thorough else 100)
        expect_quiet(result)
        wrong, early, late = map(int, result.stdout.split())
        expect(wrong == 0, f"{wrong} regions had a wrong size")
        expect(late - early < 1024, f"{early} KiB after a tenth of {regions} regions, {late} KiB at the end")


@case
def memory_does_not_grow_with_tasks(bench):
    tasks = 200000 if bench.thorough else 20000
    for compiler in ("gcc", "clang"):
        program = bench.build("task_growth.c", compiler, ["-fopenmp", "-O2"])
        for carriers in (1, 2):
            result = bench.run(program, tasks, GOSSAMER_CARRIERS=str(carriers))
            expect_quiet(result)
            expect(result.stdout == f"{80 * tasks}\n", f"{compiler}: {result.stdout.strip()}")


@case
def native_threads_come_and_go(bench):
    """A thousand native threads, joined and detached, with tiny stacks, or calls of a signal handler, each open regions, or
    only come for a lock, or have tasks that end by an event, and the runtime gives back their resources; also a hundred at once,
    and omp_pause_resource_all, which ends all the runtime's native threads. What is freed is overwritten at once."""
    for compiler in ("gcc", "clang"):
        program = bench.build("comers.c", compiler, ["-fopenmp", "-D_GNU_SOURCE"])
        kinds = (("joined", 1000), ("detached", 1000), ("tiny", 200), ("locks", 2000), ("handler", 200), ("paused", 100),
                 ("crowd", 100), ("events", 500))
        for (how, count), carriers in itertools.product(kinds, (1, 2)):
            result = bench.run(program, how, count, GOSSAMER_CARRIERS=str(carriers), MALLOC_PERTURB_="165")
            expect_quiet(result)
            right, _, threads, early_kib, kib = map(int, result.stdout.split())
            # The runtime keeps fibers for the next root, as many as the carriers' stocks take. A crowd has no earlier time.
            expect(right == count and threads <= 200 and (how == "crowd" or kib < early_kib + 2048),
                   f"{compiler}, {how}, {carriers} carriers: {result.stdout.strip()}")


@case
def allocator_yields(bench):
    """The program has an allocator that calls sched_yield, which lets no other thread run where the library itself allocates."""
    heap = bench.build("yielding_heap.c", "gcc", ["-shared", "-fPIC"], "libyielding-heap.so")
    for compiler in ("gcc", "clang"):
        program = bench.build("comers.c", compiler, ["-fopenmp", "-D_GNU_SOURCE"])
        for (how, count), carriers in itertools.product((("joined", 40), ("paused", 20), ("crowd", 20), ("events", 40)), (1, 2, 3)):
            result = bench.run(program, how, count, GOSSAMER_CARRIERS=str(carriers), LD_PRELOAD=f"{heap}:{bench.library}")
            expect_quiet(result)
            expect(int(result.stdout.split()[0]) == count, f"{compiler}, {how}, {carriers} carriers: {result.stdout.strip()}")


@case
def cancelled_root(bench):
    """A thread that the program has cancelled opens the first region, and the library's own system calls do not end it there."""
    for compiler, threads, before in itertools.product(("gcc", "clang"), (1, 2, 8), ("asked", "first")):
        program = bench.build("cancelled.c", compiler, ["-fopenmp"])
        result = bench.run(program, threads, before)
        expect_quiet(result)
        expect(result.stdout.split() == [str(3 * threads), str(threads)], f"{compiler}, {threads}, {before}: {result.stdout.strip()}")
    result = bench.run(bench.build("cancelled.c", "gcc", ["-fopenmp"]), 2, "first", OMP_SCHEDULE="none such")
    expect("OMP_SCHEDULE=none such" in result.stderr, f"no message: {result.stderr.strip()}")
    expect(result.stdout.split() == ["6", "2"], f"with a message: {result.stdout.strip()}")


@case
def first_root_apart(bench):
    """The thread that opens the first region is bound to one CPU and blocks signals, for purposes of its own: others neither
    share its CPU nor its mask."""
    cpus = len(os.sched_getaffinity(0))
    if cpus < 2:
        raise Skip("needs two CPUs")
    program = bench.build("first_root.c", flags=["-fopenmp", "-D_GNU_SOURCE"])
    for how in ("first", "second"):
        result = bench.run(program, how)
        expect_quiet(result)
        procs, team, workers, least, handled = map(int, result.stdout.split())
        expect(procs == cpus and team == cpus and workers > 0 and least == cpus, f"{how}: {result.stdout.strip()}")
        expect(handled == 8, f"{how}: handled {handled} signals of 8")


@case
def idle_is_idle(bench):
    """After a second without a region no thread of the process runs, but for a hundredth of one CPU."""
    for compiler in ("gcc", "clang"):
        program = bench.build("idle.c", compiler, ["-fopenmp"])
        result = bench.run(program)
        expect_quiet(result)
        spent = int(result.stdout)
        expect(spent < 10000, f"{compiler}: {spent} us of CPU time in an idle second")


# Several libraries in one process

@case
def two_compilers_one_runtime(bench):
    plugins = [(bench.build("plugin.c", compiler, ["-fopenmp", "-shared", "-fPIC", f"-DPREFIX={compiler}"],
                            f"libplugin-{compiler}.so"), compiler) for compiler in ("gcc", "clang")]
    program = bench.build("two_libraries.c")
    want = "runtimes 1\nseen by the other 5\nand back 3\nmore threads for the second no\n" \
           "level seen inside 1\nlevel seen inside 1\nsums 4\n"
    for order in (plugins, plugins[::-1]):
        arguments = [item for plugin in order for item in plugin]
        expect_quiet(bench.run(program, *arguments), want)
        # The program finds the library by file name alone, without `gossamer run`.
        env_only = bench.run("/usr/bin/env", "-u", "LD_PRELOAD", program, *arguments)
        expect_quiet(env_only, want)
        # The library is loaded late, and the static TLS block has no room, so each thread's variables lie elsewhere.
        no_room = bench.run("/usr/bin/env", "-u", "LD_PRELOAD", "GLIBC_TUNABLES=glibc.rtld.optional_static_tls=0", program,
                            *arguments)
        expect_quiet(no_room, want)


@case
def libgomp_beside(bench):
    """Preloaded without the folder of names, the library has the program's own libgomp beside it, which nobody calls, but which
    binds the initial thread to the first place before main. The process has all its CPUs nevertheless."""
    cpus = sorted(os.sched_getaffinity(0))
    program = bench.build("count_threads.c", flags=["-fopenmp"])
    for more in ({}, {"OMP_PROC_BIND": "close"}):
        result = bench.run("/usr/bin/env", "-u", "LD_LIBRARY_PATH", program, len(cpus), 0, OMP_PLACES="threads",
                           OMP_DISPLAY_AFFINITY="true", OMP_AFFINITY_FORMAT="%n on %A", **more)
        expect(sorted(result.stderr.splitlines()) == sorted(f"{number} on {cpu}" for number, cpu in enumerate(cpus)),
               described(result))


@case
def library_opened_in_a_region(bench):
    for compiler in ("gcc", "clang"):
        library = bench.build("loaded.cpp", compiler, ["-shared", "-fPIC"], f"libloaded-{compiler}.so")
        program = bench.build("load_inside.c", compiler, ["-fopenmp"])
        for _ in range(5):
            expect_quiet(bench.run(program, library), "wrong 0\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", help="names; default: all")
    parser.add_argument("--list", action="store_true", help="print the names of the cases and stop")
    parser.add_argument("--library", type=pathlib.Path, metavar="FILE",
                        help="Gossamer's shared object (build/lib/libomp-gossamer.so)")
    parser.add_argument("--build-dir", type=pathlib.Path, default=HERE.parents[1] / "build/tests/process")
    parser.add_argument("--thorough", action="store_true", help="a million regions where thousands will do")
    options = parser.parse_args()
    if options.list:
        print("\n".join(CASES))
        return 0
    unknown = [name for name in options.cases if name not in CASES]
    if unknown:
        parser.error(f"no such case: {', '.join(unknown)}")
    options.library = (options.library or HERE.parents[1] / "build/lib/libomp-gossamer.so").absolute()
    if not options.library.exists():
        parser.error(f"{options.library} does not exist; build it first")
    options.build_dir = options.build_dir.resolve()
    options.build_dir.mkdir(parents=True, exist_ok=True)
    bench, counts = Bench(options), {"passed": 0, "failed": 0, "skipped": 0}
    for name in options.cases or CASES:
        detail = ""
        try:
            CASES[name](bench)
            verdict = "passed"
        except Skip as reason:
            verdict, detail = "skipped", f": {reason}"
        except Failure as reason:
            verdict, detail = "failed", f": {reason}"
        counts[verdict] += 1
        print(f"{verdict:8}{name}{detail}", flush=True)
    print(", ".join(f"{n} {what}" for what, n in counts.items() if n or what != "skipped"))
    if counts["failed"]:
        return 1
    return 0 if counts["passed"] else 77


if __name__ == "__main__":
    sys.exit(main())
