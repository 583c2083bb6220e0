#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The `gossamer` command in gdb, on a process and on a core file, and memcheck on a core of programs.

Exit status: 0 passed, 1 failed, 77 a tool is missing."""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SCRIPT = ROOT / "tools" / "gdb" / "gossamer-gdb.py"
SETTINGS = ("OMP_", "GOMP_", "KMP_", "GOSSAMER_", "CHECK_", "LD_PRELOAD", "LD_AUDIT")
# The standstill of standing.c: each thread's level, its numbers in the teams, its state, the program's function.
STANDING = [
    ("1", "0/4", "waits at a barrier", "main"),
    ("1", "1/4", "runs on carrier", "compute_for_ever"),
    ("2", "2/4 > 0/3", "waits at a barrier", "inner_region"),
    ("2", "2/4 > 1/3", "waits at a barrier", "inner_region"),
    ("1", "3/4", "waits at a barrier", "main"),
]
# Programs for memcheck, and the teams that they run in.
CHECKED = [("parallel/team", "1 3 4x4"), ("parallel/nested", "2 3x4"), ("sync/barrier", "3 2x3"), ("sync/critical", "4"),
           ("loop/schedules", "3"), ("task/tasks", "3"), ("data/threadprivate", "4"),
           ("progress/blocking", "3 2x3"), ("../identity/thread_state", "3")]


class Skip(Exception):
    pass


def tool(name):
    path = shutil.which(name)
    if not path:
        raise Skip(f"{name} is not installed")
    return path


def expect(condition, what):
    if not condition:
        sys.exit(f"failed: {what}")


def environment(**more):
    return {**{k: v for k, v in os.environ.items() if not k.startswith(SETTINGS)}, **more}


def compiled(options, source, *flags):
    binary = options.work / pathlib.Path(source).stem
    include = ROOT / "tests" / "programs" / "harness"
    subprocess.run(["gcc", "-std=gnu11", "-g", "-O1", "-fopenmp", "-D_GNU_SOURCE", "-pthread", *flags, f"-I{include}",
                    source, "-o", binary, "-lm", "-latomic"], check=True)
    return binary


def gdb(options, *arguments, **more):
    command = [tool("gdb"), "-nx", "-batch", "-iex", "set auto-load off", "-iex", "set debuginfod enabled off",
               *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, stdin=subprocess.DEVNULL,
                          cwd=options.work, env=environment(**more))
    return done.stdout + done.stderr


def judge_list(text):
    for level, path, state, function in STANDING:
        pattern = rf"^\s*\d+\s+level {level}\s+{re.escape(path)}\s+{state}.*\b{function}\b"
        expect(re.search(pattern, text, re.M), f"no line for {path}, {state}, in {function}:\n{text}")
    expect(re.search(r"^\s*\d+\s+level 2\s+2/4 > 2/3\s+runs on carrier", text, re.M), f"who has stopped is missing:\n{text}")
    stacks = re.split(r"^OpenMP thread \d+, ", text, flags=re.M)[1:]
    expect(len(stacks) == 6, f"{len(stacks)} stacks:\n{text}")
    for stack in stacks:
        nested = stack.startswith("2/4 > ")
        wanted = ["inner_region"] if nested else ["main._omp_fn"]
        if stack.startswith("2/4 > 2/3"):
            wanted.append("here_it_stands")
        if stack.startswith("2/4 > 0/3"):
            wanted.append("main._omp_fn")  # the primary thread's stack holds the outer region too
        for name in wanted:
            expect(name in stack, f"no {name} in the stack:\n{stack}")
    # `gossamer thread` selects frame #1, and gdb's own backtrace goes on from there.
    expect(re.search(r"^#1 .*\n(.*\n)*#\d+ .* main \(\) at ", text, re.M), f"no frames of the first thread:\n{text}")


SHOW = ["-ex", f"source {SCRIPT}", "-ex", "gossamer threads", "-ex", "gossamer backtrace", "-ex", "gossamer thread 1",
        "-ex", "backtrace"]


def gdb_live(options):
    program = compiled(options, HERE / "standing.c")
    text = gdb(options, "-ex", f"set environment LD_PRELOAD {options.library}",
               "-ex", "set environment GOSSAMER_CARRIERS 2", "-ex", "run", *SHOW, program)
    if "ptrace: Operation not permitted" in text or "Could not trace" in text:
        raise Skip("no process may be traced here")
    judge_list(text)


def gdb_core(options):
    program = compiled(options, HERE / "standing.c")
    core = options.work / "standing.core"
    core.unlink(missing_ok=True)
    text = gdb(options, "-ex", f"set environment LD_PRELOAD {options.library}",
               "-ex", "set environment GOSSAMER_CARRIERS 2", "-ex", "run", "-ex", f"generate-core-file {core}", program)
    if not core.exists():
        raise Skip(f"no core file to be had here: {text[-300:]}")
    try:
        judge_list(gdb(options, *SHOW, program, core))
    finally:
        core.unlink()


# The switch between stacks is jumped to, so the unwind description of its every instruction is its own: profilers look there.
def gdb_switch(options):
    program = compiled(options, HERE / "standing.c")
    switch = "gossamer_arch_switch_stack_and_thread"
    steps = 12
    text = gdb(options, "-ex", f"set environment LD_PRELOAD {options.library}",
               "-ex", "set environment GOSSAMER_CARRIERS 2", "-ex", "break main", "-ex", "run",
               "-ex", f"break *{switch}", "-ex", "continue", "-ex", "delete",
               *["-ex", "printf \"step\\n\"", "-ex", "backtrace 2", "-ex", "stepi"] * steps, program)
    if "ptrace: Operation not permitted" in text or "Could not trace" in text:
        raise Skip("no process may be traced here")
    if f"{switch} ()" not in text:
        raise Skip(f"no breakpoint in the switch: {text[-300:]}")
    stacks = text.split("step\n")[1:]
    expect(len(stacks) == steps, f"{len(stacks)} stacks:\n{text}")
    for number, stack in enumerate(stacks):
        expect(re.search(rf"^#0 .*\b{switch} ", stack, re.M), f"step {number} is not in the switch:\n{stack}")
        expect(re.search(r"^#1 .*\bgossamer::", stack, re.M), f"no caller of the switch at step {number}:\n{stack}")


def valgrind(options):
    tool("valgrind")
    for name, teams in CHECKED:
        program = compiled(options, (ROOT / "tests" / "programs" / f"{name}.c").resolve())
        done = subprocess.run(["valgrind", "--error-exitcode=99", "-q", "--fair-sched=yes", program], capture_output=True,
                              text=True, timeout=250, stdin=subprocess.DEVNULL,
                              env=environment(LD_PRELOAD=str(options.library), CHECK_TEAMS=teams, CHECK_REPS="1"))
        expect(done.returncode == 0 and "==" not in done.stderr,
               f"{name}: status {done.returncode}\n{done.stdout[-500:]}{done.stderr[:3000]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", choices=["gdb_live", "gdb_core", "gdb_switch", "valgrind"])
    parser.add_argument("--library", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for programs")
    options = parser.parse_args()
    options.library, options.work = options.library.resolve(), options.work.resolve() / options.case
    options.work.mkdir(parents=True, exist_ok=True)
    try:
        globals()[options.case](options)
    except Skip as reason:
        print(f"skipped: {reason}")
        return 77
    print("passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
