#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a whole process sees of Gossamer: settings and messages, limits, memory, idleness, fork and exit,
several compilers' libraries at once. Each case is a function below; the small programs it runs stand beside
this file.

Exit status: 0 all passed, 1 some failed, 77 all were skipped.
"""

import argparse
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
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
    """Where the cases find the library, compilers and scratch space, and how they run programs."""

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
        # The compiler decides by the last name's suffix what it makes; the rename is atomic for parallel
        # cases.
        with tempfile.TemporaryDirectory(dir=self.build_dir) as scratch:
            result = subprocess.run([driver, "-O2", "-g1", "-pthread", *flags, HERE / source,
                                     "-o", f"{scratch}/out", "-ldl"],
                                    stdin=subprocess.DEVNULL, capture_output=True, text=True)
            if result.returncode != 0:
                raise Skip(f"{compiler} cannot build it: {result.stderr[:500]}")
            os.replace(f"{scratch}/out", binary)
        return binary

    def run(self, binary, *arguments, timeout=60, prepare=None, library=None, **settings):
        """Runs on Gossamer; returns the finished process with text output."""
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
        ("GOSSAMER_CARRIERS", "none")]


@case
def bad_settings(bench):
    """Each is reported by exactly one line that names it and its value, and the program goes on."""
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
    """One line each, when several are bad at once."""
    program = bench.build("count_threads.c", flags=["-fopenmp"])
    result = bench.run(program, 2, 2, OMP_NUM_THREADS="abc", OMP_SCHEDULE="foo", OMP_STACKSIZE="1X")
    expect(result.stdout == "2 4\n", f"printed {result.stdout!r}")
    lines = messages(result)
    expect(len(lines) == 3, f"said {lines}")
    for name in ("OMP_NUM_THREADS", "OMP_SCHEDULE", "OMP_STACKSIZE"):
        expect(sum(name in line for line in lines) == 1, f"{name}: said {lines}")


@case
def good_settings(bench):
    """Accepted without a word, in every spelling people use."""
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
                    "OMP_AFFINITY_FORMAT=%n", "OMP_DEBUG=disabled", "KMP_USE_YIELD=1"):
        name, value = setting.split("=", 1)
        result = bench.run(program, 3, 2, **{name: value})
        if result.returncode != 0 or result.stdout != "3 6\n" or result.stderr:
            wrong.append(f"{setting}: status {result.returncode}, {result.stdout!r}, {result.stderr[:200]!r}")
    expect(not wrong, "\n    ".join(wrong))


@case
def settings_without_effect(bench):
    """What other runtimes tune by and ours cannot serve is said once, by name."""
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
    """Unlike in the compilers' own runtimes, nesting needs no setting."""
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


# Limits

def as_nobody(limit, value):
    """For preexec_fn: a user without privileges, to whom the kernel applies RLIMIT_NPROC."""
    def prepare():
        resource.setrlimit(limit, (value, value))
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
    return prepare


@case
def few_native_threads(bench):
    """`ulimit -u`: with no more kernel threads to be had, the team still has the size asked for."""
    program = bench.build("count_threads.c", flags=["-fopenmp"])
    with tempfile.TemporaryDirectory(dir="/tmp") as scratch:
        os.chmod(scratch, 0o755)
        ours, copy = pathlib.Path(shutil.copy(bench.library, scratch)), shutil.copy(program, scratch)
        if ours.name != "libgomp.so.1":
            (ours.parent / "libgomp.so.1").symlink_to(ours.name)
        for limit in (1, 2, 4):
            result = bench.run(copy, 12, 3, library=ours, prepare=as_nobody(resource.RLIMIT_NPROC, limit))
            where = f"limit {limit}"
            expect(result.returncode == 0, f"{where}: status {result.returncode}: {result.stderr[-300:]}")
            expect(result.stdout == "12 36\n", f"{where}: printed {result.stdout!r}")
            lines = messages(result)
            expect(not lines or is_one_line_naming(lines), f"{where}: said {lines}")


@case
def little_address_space(bench):
    """`ulimit -v`: stacks that do not fit are done without; the program ends well."""
    program = bench.build("count_threads.c", flags=["-fopenmp"])
    for mebibytes, stack in ((1024, "256M"), (512, "64M"), (200, "4M")):
        limit = mebibytes << 20
        result = bench.run(program, 8, 4, OMP_STACKSIZE=stack,
                           prepare=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        where = f"{mebibytes} MiB, stacks of {stack}"
        expect(result.returncode == 0, f"{where}: status {result.returncode}: {result.stderr[-300:]}")
        lines = messages(result)
        expect(not lines or is_one_line_naming(lines), f"{where}: said {lines}")
        flat, nested = map(int, result.stdout.split())
        # Fewer threads than asked for are better than none, and are what the message is about.
        expect(1 <= flat <= 8 and flat <= nested <= 32, f"{where}: printed {result.stdout!r}")
        expect(lines or (flat, nested) == (8, 32), f"{where}: {flat}, {nested} without a word")


@case
def stack_overflow(bench):
    """In an OpenMP thread: one line that names OMP_STACKSIZE, then death by SIGSEGV."""
    program = bench.build("overflow.c", flags=["-fopenmp", "-O1", "-fno-optimize-sibling-calls"])
    no_core = lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for width, which, inner in ((2, 1, 0), (8, 7, 0), (16, 3, 0), (3, 2, 4), (4, 1, 0)):
        result = bench.run(program, width, which, inner, OMP_STACKSIZE="1M", prepare=no_core)
        where = f"thread {which} of {inner or width}{' nested' if inner else ''}"
        expect(result.returncode == -signal.SIGSEGV,
               f"{where}: status {result.returncode}: {result.stderr[-300:]}")
        lines = messages(result)
        expect(is_one_line_naming(lines, "OMP_STACKSIZE"), f"{where}: said {lines}")


@case
def one_cpu(bench):
    """A process confined to one CPU has one place to run, and everything still ends."""
    program = bench.build("count_threads.c", flags=["-fopenmp"])
    cpu = min(os.sched_getaffinity(0))
    confine = lambda: os.sched_setaffinity(0, {cpu})
    expect_quiet(bench.run(program, prepare=confine), "1\n")
    expect_quiet(bench.run(program, 9, 5, prepare=confine), "9 45\n")


# Good citizen

@case
def unused(bench):
    """A program without OpenMP gets no thread and no word from us."""
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
def idle_is_idle(bench):
    """After a second without a region, nothing in the process runs; one hundredth of one CPU is tolerated."""
    for compiler in ("gcc", "clang"):
        program = bench.build("idle.c", compiler, ["-fopenmp"])
        result = bench.run(program)
        expect_quiet(result)
        spent = int(result.stdout)
        expect(spent < 10000, f"{compiler}: {spent} us of CPU time in an idle second")


@case
def fork(bench):
    for compiler in ("gcc", "clang"):
        program = bench.build("forking.c", compiler, ["-fopenmp"])
        for where in ("before", "between", "exec", "inside-primary", "inside-other"):
            result = bench.run(program, where, OMP_MAX_ACTIVE_LEVELS="4")
            expect(result.returncode == 0 and result.stdout == "good\n" and not result.stderr,
                   f"{compiler}, {where}: {described(result)}")


@case
def leaving(bench):
    """exit, abort and return from main while threads live: no hang, the right status, handlers run once."""
    no_core = lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for compiler in ("gcc", "clang"):
        program = bench.build("leaving.c", compiler, ["-fopenmp"])
        for how in ("exit-in-thread", "exit-in-nested-thread", "other-root-busy", "after-regions"):
            result = bench.run(program, how)
            expect(result.returncode == 3 and result.stdout == "handler\n" and not result.stderr,
                   f"{compiler}, {how}: {described(result)}")
        result = bench.run(program, "abort-in-thread", prepare=no_core)
        expect(result.returncode == -signal.SIGABRT, f"{compiler}, abort: status {result.returncode}")


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
        # Found by file name alone, as a program that was not started by `gossamer run` would.
        env_only = bench.run("/usr/bin/env", "-u", "LD_PRELOAD", program, *arguments)
        expect_quiet(env_only, want)


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
