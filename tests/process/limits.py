# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases in which the system grants less than the program asks for."""

import errno
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import tempfile

from harness import Skip, case, described, expect, expect_quiet, is_one_line_naming, messages


def as_nobody(limit, value):
    """For preexec_fn: becomes a user without privileges, since the kernel applies RLIMIT_NPROC to such users only."""
    def prepare():
        resource.setrlimit(limit, (value, value))
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
    return prepare


@case
def few_native_threads(bench):
    """`ulimit -u`: where the kernel grants no more threads, the team still has the requested size."""
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
    """`ulimit -v`: the runtime does without the stacks that do not fit; the program ends well."""
    program = bench.build("count_threads.c", flags=["-fopenmp"])
    for mebibytes, stack in ((1024, "256M"), (512, "64M"), (200, "4M")):
        limit = mebibytes << 20
        result = bench.run(program, 8, 4, OMP_STACKSIZE=stack,
                           prepare=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        where = f"{mebibytes} MiB, stacks of {stack}"
        expect(result.returncode == 0, f"{where}: status {result.returncode}: {result.stderr[-300:]}")
        lines = messages(result)
        # One for smaller stacks, and one if there are too few of these, too.
        expect(len(lines) <= 2 and len(set(lines)) == len(lines), f"{where}: said {lines}")
        flat, nested = map(int, result.stdout.split())
        # Teams may be smaller than requested, and then a message must say so.
        expect(1 <= flat <= 8 and flat <= nested <= 32, f"{where}: printed {result.stdout!r}")
        expect(lines or (flat, nested) == (8, 32), f"{where}: {flat}, {nested} without a word")


@case
def little_data(bench):
    """`ulimit -d`: stacks leave room for what else the program and the runtime need; a smaller team is told of."""
    program = bench.build("count_threads.c", flags=["-fopenmp"])
    for mebibytes, outer, inner in ((300, 200, 0), (60, 8, 4), (20, 8, 4)):
        limit = mebibytes << 20
        result = bench.run(program, outer, inner, prepare=lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit)))
        where = f"{mebibytes} MiB, {outer} threads of {inner}: {described(result)}"
        expect(result.returncode == 0, where)
        flat, nested = map(int, result.stdout.split())
        lines = messages(result)
        expect(1 <= flat <= outer and len(set(lines)) == len(lines), where)
        expect(lines or (flat, nested) == (outer, outer * inner), where)


@case
def team_of_millions(bench):
    """The memory for so many threads' descriptors is refused at once: a message, and a smaller team."""
    program = bench.build("count_threads.c", flags=["-fopenmp"])
    limit = 300_000 << 10
    result = bench.run(program, 50_000_000, 0, prepare=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    expect(result.returncode == 0 and result.stdout == "1 0\n", described(result))
    expect(is_one_line_naming(messages(result), "1 threads instead of 50000000"), described(result))


@case
def stacks_that_the_system_refuses(bench):
    """One line names the setting, its value and what is used in its place; the program gets all its threads."""
    program = bench.build("count_threads.c", flags=["-fopenmp"])
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    for name, value, shown in (("OMP_STACKSIZE", "500G", "500G"), ("GOMP_STACKSIZE", "524288000", "500G"),
                               ("KMP_STACKSIZE", "500G", "500G"), ("OMP_STACKSIZE_ALL", "5000M", "5000M")):
        for prepare in (None, limit):
            if prepare is None and value == "5000M":
                continue
            result = bench.run(program, 8, 4, prepare=prepare, **{name: value})
            where = f"{name}={value}{' in 8 GiB' if prepare else ''}: {described(result)}"
            expect(result.returncode == 0 and result.stdout == "8 32\n", where)
            lines = messages(result)
            # Without the limit the system may grant it: it is only address space.
            expect(not lines and prepare is None or
                   is_one_line_naming(lines, f"{name}={shown}: the system refuses a stack of that size", "using "), where)
    # A limit that the first stacks fit in.
    result = bench.run(program, 8, 4, OMP_STACKSIZE="1G", prepare=lambda: resource.setrlimit(resource.RLIMIT_AS, (3 << 30,) * 2))
    where = f"stacks of 1G in 3 GiB: {described(result)}"
    expect(result.returncode == 0 and result.stdout == "8 32\n", where)
    expect(is_one_line_naming(messages(result), "OMP_STACKSIZE=1G: the system refuses a stack of that size", "using "), where)


@case
def stack_overflow(bench):
    """An overflow in an OpenMP thread prints one line that names OMP_STACKSIZE, and ends the process by SIGSEGV."""
    program = bench.build("overflow.c", flags=["-fopenmp", "-O1", "-fno-optimize-sibling-calls"])
    no_core = lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for width, which, inner in ((2, 1, 0), (8, 7, 0), (16, 3, 0), (3, 2, 4), (4, 1, 0)):
        result = bench.run(program, width, which, inner, OMP_STACKSIZE="1M", prepare=no_core)
        where = f"thread {which} of {inner or width}{' nested' if inner else ''}"
        expect(result.returncode == -signal.SIGSEGV,
               f"{where}: status {result.returncode}: {result.stderr[-300:]}")
        lines = messages(result)
        expect(is_one_line_naming(lines, "OMP_STACKSIZE"), f"{where}: said {lines}")
    # One carrier, and the thread that it runs first never waits: the others are relieved.
    for which, how in ((1, "behind"), (2, "behind"), (0, "late"), (1, "late"), (2, "late")):
        result = bench.run(program, 3, which, 0, how, OMP_STACKSIZE="1M", GOSSAMER_CARRIERS="1", prepare=no_core)
        told = is_one_line_naming(messages(result), f"thread {which} of 3", "OMP_STACKSIZE")
        expect(result.returncode == -signal.SIGSEGV and told, f"thread {which} of 3, {how}: {described(result)}")
    # Frames that would leap over a guard of one page, on the stacks of each kind.
    for which in range(3):
        result = bench.run(program, 3, which, 0, "wide", OMP_STACKSIZE="1M", GOSSAMER_CARRIERS="2", prepare=no_core)
        told = is_one_line_naming(messages(result), f"thread {which} of 3", "OMP_STACKSIZE")
        expect(result.returncode == -signal.SIGSEGV and told, f"thread {which} of 3, wide: {described(result)}")
    # An initial thread's stack grows while the system grants memory.
    result = bench.run(program, 2, 0, 0, "starved", prepare=no_core)
    told = is_one_line_naming(messages(result), "out of memory for the stack", "thread 0 of 2")
    expect(result.returncode == -signal.SIGSEGV and told, f"starved: {described(result)}")


@case
def deep_handler(bench):
    """The alternate stack on which overflows are told is large enough for a handler of the program's own."""
    expect_quiet(bench.run(bench.build("deep_handler.c", flags=["-fopenmp", "-D_GNU_SOURCE"])), "good\n")


@case
def endless_nesting(bench):
    """Tasks nested a million deep end, or one line gives the reason why not, also on an initial thread's own stack."""
    no_core = lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for compiler in ("gcc", "clang"):
        program = bench.build("nesting.c", compiler, ["-fopenmp", "-O1"])
        for kind in ("undeferred", "waiting", "final"):
            for width in (0, 1, 3):
                result = bench.run(program, kind, width, OMP_STACKSIZE="1M", prepare=no_core)
                where = f"{compiler}, {kind}, width {width}: {described(result)}"
                if result.returncode == 0:
                    expect(result.stdout == "1000000\n", where)
                else:
                    expect(result.returncode == -signal.SIGSEGV, where)
                    # Several threads may overflow at the same time.
                    lines = messages(result)
                    expect(lines and all(is_one_line_naming([line], "OMP_STACKSIZE") for line in lines), where)


@case
def one_cpu(bench):
    """A process confined to one CPU has a default team of one thread, and wider teams still end."""
    program = bench.build("count_threads.c", flags=["-fopenmp"])
    cpu = min(os.sched_getaffinity(0))
    confine = lambda: os.sched_setaffinity(0, {cpu})
    expect_quiet(bench.run(program, prepare=confine), "1\n")
    expect_quiet(bench.run(program, 9, 5, prepare=confine), "9 45\n")


def refuse(bench, kind):
    """Calls fail from the k-th on, for every k up to 40: right results, at most one line for each consequence, status 0."""
    no_core = lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    program = bench.build("refusals.c", flags=["-fopenmp", "-D_GNU_SOURCE", "-rdynamic"])
    calls = {"thread": 0, "map": 1}[kind]
    most_lines = {"thread": 1, "map": 2}[kind]  # without memory, one line for smaller outer teams, one for nested teams of one
    usual = bench.run(program, kind, 0, 0).stdout.split()
    expect(usual[0] == "good" and int(usual[1 + calls]) > 0, f"without refusals: {usual}")
    wrong = []
    for at in range(1, 41):
        for count in (1, 3, 0):
            result = bench.run(program, kind, at, count, prepare=no_core)
            lines = messages(result)
            if result.returncode != 0 or not result.stdout.startswith("good ") or len(lines) > most_lines or \
                    not all(line.startswith("gossamer: ") for line in lines):
                wrong.append(f"{count or 'all'} from call {at} on: {described(result)}")
            elif count == 0 and at == 1 and not lines:
                wrong.append("all calls were refused, without a word")
    expect(not wrong, "\n    ".join(wrong))


@case
def native_threads_refused(bench):
    refuse(bench, "thread")


@case
def memory_refused(bench):
    refuse(bench, "map")


# {name: number on x86-64}, of calls without which a program can go on
REFUSABLE = {"membarrier": 324, "sched_setaffinity": 203, "sched_getaffinity": 204, "madvise": 28,
             "sigaltstack": 131, "prctl": 157, "getcpu": 309, "sched_yield": 24, "clone3": 435, "prlimit64": 302, "sysinfo": 99,
             "rt_sigaction": 13, "rt_sigprocmask": 14, "openat": 257, "newfstatat": 262, "access": 21, "munmap": 11,
             "clone": 56, "getrandom": 318, "set_robust_list": 273}


@case
def system_calls_refused(bench):
    """A container's filter refuses a call for good: the program goes on, with one line at most."""
    if os.uname().machine != "x86_64":
        raise Skip("the numbers of calls are x86-64's")
    program = bench.build("refusing.c", flags=["-fopenmp"])
    wrong = []
    for name, number in REFUSABLE.items():
        for error in (errno.EPERM, errno.ENOSYS, errno.ENOMEM, errno.EAGAIN):
            for settings in ({}, {"OMP_PROC_BIND": "true", "GOSSAMER_CARRIERS": "3"}):
                result = bench.run(program, number, error, **settings)
                if result.returncode == 77:
                    raise Skip("no filter to be had here")
                lines = messages(result)
                if result.returncode != 0 or result.stdout != "120 360 397\n" or len(lines) > 1:
                    wrong.append(f"{name}, {errno.errorcode[error]}, {settings}: {described(result)}")
    expect(not wrong, "\n    ".join(wrong))


@case
def unlimited_stack(bench):
    """`ulimit -s unlimited` gives no size for a thread's stack, so the runtime must choose one."""
    program = bench.build("count_threads.c", flags=["-fopenmp"])
    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
    if hard != resource.RLIM_INFINITY:
        raise Skip("the stack's hard limit is lower")
    unlimit = lambda: resource.setrlimit(resource.RLIMIT_STACK, (hard, hard))
    expect_quiet(bench.run(program, 12, 5, prepare=unlimit), "12 60\n")
    tiny = lambda: resource.setrlimit(resource.RLIMIT_STACK, (256 << 10, hard))
    expect_quiet(bench.run(program, 12, 5, prepare=tiny), "12 60\n")


# Quotas of control groups

def rounded(quota, how="up"):
    """The number of processors that a quota in hundredths of a CPU gives on this machine."""
    whole = {"up": -(-quota // 100), "down": quota // 100, "nearest": (quota + 50) // 100}[how]
    return min(max(1, whole), len(os.sched_getaffinity(0)))


# {name: (text of /proc/self/cgroup, files below /sys/fs/cgroup, quota in hundredths of a CPU)}
DRAWN_GROUPS = {
    "version 2": ("0::/app", {"app/cpu.max": "150000 100000"}, 150),
    "version 2, an ancestor is tighter": ("0::/a/b/c", {"a/cpu.max": "100000 100000", "a/b/cpu.max": "max 100000",
                                                        "a/b/c/cpu.max": "400000 100000"}, 100),
    "version 2, less than one CPU": ("0::/app", {"app/cpu.max": "5000 100000"}, 5),
    "version 2, the group is hidden": ("0::/docker/0123", {"cpu.max": "120000 100000"}, 120),
    "version 1": ("4:cpu,cpuacct:/job", {"cpu,cpuacct/job/cpu.cfs_quota_us": "110000",
                                         "cpu,cpuacct/job/cpu.cfs_period_us": "100000"}, 110),
    "version 1, an ancestor is tighter": ("4:cpu:/job/step", {"cpu/job/cpu.cfs_quota_us": "50000",
                                                              "cpu/job/cpu.cfs_period_us": "50000",
                                                              "cpu/job/step/cpu.cfs_quota_us": "-1",
                                                              "cpu/job/step/cpu.cfs_period_us": "100000"}, 100),
    "no limit": ("0::/app", {"app/cpu.max": "max 100000"}, 100000),
}
# A new mount namespace shows the scratch folder's files in place of the kernel's.
IN_A_DRAWN_GROUP = '''mount --bind "$0/sys" /sys/fs/cgroup && mount --bind "$0/self" /proc/$$/cgroup && exec "$@"'''


@case
def quota_of_drawn_groups(bench):
    """Processors and threads follow the tightest quota of all ancestors, rounded as GOSSAMER_QUOTA_ROUND says."""
    program = bench.build("quota.c", flags=["-fopenmp"])
    unshare = shutil.which("unshare") or ""
    wrong = []
    with tempfile.TemporaryDirectory() as scratch:
        for name, (membership, files, quota) in DRAWN_GROUPS.items():
            root = pathlib.Path(scratch) / name
            for file, text in {**{"sys/" + f: t for f, t in files.items()}, "self": membership}.items():
                (root / file).parent.mkdir(parents=True, exist_ok=True)
                (root / file).write_text(text + "\n")
            inside = [unshare, "--mount", "sh", "-c", IN_A_DRAWN_GROUP, root]
            if not unshare or subprocess.run([*inside, "true"], capture_output=True).returncode != 0:
                raise Skip("no mount namespace to be had here")
            for how in ("up", "down", "nearest"):
                count = rounded(quota, how)
                result = bench.run(*inside, "env", f"LD_PRELOAD={bench.library}", program, GOSSAMER_QUOTA_ROUND=how,
                                   LD_PRELOAD="")
                if result.stdout != f"{count} {count}\n" or result.stderr:
                    wrong.append(f"{name}, {how}: {described(result)}, not {count}")
    expect(not wrong, "\n    ".join(wrong))


@case
def part_of_the_machine(bench):
    """KMP_HW_SUBSET: the process keeps to it, and where there is no such part it is told so and has all."""
    program = bench.build("kept_cpus.c", flags=["-fopenmp"])
    count = len(os.sched_getaffinity(0))
    expect_quiet(bench.run(program, KMP_HW_SUBSET="1s,1c,1t"), "1 1 1\n")
    expect_quiet(bench.run(program, KMP_HW_SUBSET="*c"), f"{count} {count} {count}\n")
    expect_quiet(bench.run(program, KMP_HW_SUBSET="1s,1c,1t", OMP_NUM_THREADS="3"), "1 3 1\n")
    result = bench.run(program, KMP_HW_SUBSET="4096s")
    expect(result.stdout == f"{count} {count} {count}\n", f"printed {result.stdout!r}")
    expect(is_one_line_naming(messages(result), "KMP_HW_SUBSET", "4096s"), f"said {messages(result)}")


@case
def quota_of_a_real_group(bench):
    """A control group that this test makes, if the machine permits it."""
    program = bench.build("quota.c", flags=["-fopenmp"])
    for parent, limits in (("/sys/fs/cgroup/cpu", {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "100000"}),
                           ("/sys/fs/cgroup", {"cpu.max": "100000 100000"})):
        group = pathlib.Path(parent) / f"gossamer-test-{os.getpid()}"
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            for file, text in limits.items():
                (group / file).write_text(text)
            enter = lambda: (group / "cgroup.procs").write_text(str(os.getpid()))
            expect_quiet(bench.run(program, prepare=enter), "1 1\n")
            return
        except OSError:
            continue
        finally:
            group.rmdir()
    raise Skip("no control group can be made here")
