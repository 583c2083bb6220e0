#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds small OpenMP programs and runs each on its compiler's own runtime and on Gossamer.

A program passes when both runs end with status 0 and print the same verdict lines. A program states its needs in
its first lines, as comments of the form `test: ...`, one on each line:

    test: env NAME=value ...        one more run, with these settings (no such line: one run, no settings)
    test: teams 1 2 4x8             the teams that run it, instead of the usual ones
    test: compilers gcc             leave out the other compilers
    test: reps 5                    at most so many repetitions
    test: flags -pthread            more compiler flags
    test: peer-skip clang name ...  checks that the compiler's own runtime gets wrong; say why above it
    test: peer-teams gcc 1 2 3      only these teams on the compiler's own runtime (where more take minutes)
    test: peer-none clang           do not run on the compiler's own runtime at all; say why above it
    test: races name ...            checks about which ThreadSanitizer must complain, or that it upsets; say why above it
    test: gossamer-env NAME=value   settings for the runs on Gossamer only

Exit status: 0 all passed, 1 some failed, 77 all were skipped.
"""

import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
HARNESS = HERE / "harness"
SUFFIXES = {".c": "c", ".cpp": "c++", ".f90": "fortran"}
DRIVERS = {
    ("gcc", "c"): ["gcc"],
    ("gcc", "c++"): ["g++"],
    ("clang", "c"): ["clang-19", "clang"],
    ("clang", "c++"): ["clang++-19", "clang++"],
    ("gfortran", "fortran"): ["gfortran"],
}
STANDARDS = {"c": ["-std=gnu11"], "c++": ["-std=gnu++20"], "fortran": []}
PROBES = {
    "c": "#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n",
    "c++": "#include <omp.h>\nint main() { return omp_get_max_threads() < 1; }\n",
    "fortran": "program probe\n  use omp_lib\n  if (omp_get_max_threads() < 1) stop 1\nend program probe\n",
}
SETTINGS = ("OMP_", "GOMP_", "KMP_", "GOSSAMER_", "CHECK_", "LD_PRELOAD", "LD_AUDIT")


class Program:
    """A source file and the requests of its `test:` lines."""

    def __init__(self, path):
        self.path = pathlib.Path(path).resolve()
        self.language = SUFFIXES[self.path.suffix]
        self.name = f"{self.path.parent.name}/{self.path.stem}"
        self.runs, self.flags, self.compilers, self.teams, self.reps = [], [], None, None, None
        self.peer_skip, self.peer_teams, self.peer_none, self.gossamer_env = {}, {}, set(), {}
        self.races = []
        for line in self.path.read_text(encoding="utf-8").splitlines()[:40]:
            _, found, directive = line.partition(" test: ")
            if not found or not line.startswith(("//", "!")):
                continue
            word, *rest = directive.split()
            if "test:" in rest:
                sys.exit(f"{self.path}: two directives in one line: {directive}")
            if word == "env":
                self.runs.append(dict(item.split("=", 1) for item in rest))
            elif word == "teams":
                self.teams = " ".join(rest)
            elif word == "compilers":
                self.compilers = rest
            elif word == "reps":
                self.reps = int(rest[0])
            elif word == "flags":
                self.flags += rest
            elif word == "peer-skip":
                self.peer_skip.setdefault(rest[0], []).extend(rest[1:])
            elif word == "peer-teams":
                self.peer_teams[rest[0]] = " ".join(rest[1:])
            elif word == "peer-none":
                self.peer_none.update(rest)
            elif word == "races":
                self.races += rest
            elif word == "gossamer-env":
                self.gossamer_env.update(item.split("=", 1) for item in rest)
            else:
                sys.exit(f"{self.path}: unknown directive: {directive}")
        self.runs = self.runs or [{}]

    def wants(self, compiler):
        return (compiler, self.language) in DRIVERS and (self.compilers is None or compiler in self.compilers)


class Failure(Exception):
    pass


class Skip(Exception):
    pass


def find_driver(compiler, language, build_dir):
    """The compiler's command, if it is installed and can build OpenMP programs."""
    for name in DRIVERS[compiler, language]:
        command = shutil.which(name)
        if not command:
            continue
        digest = hashlib.sha1(f"{command} {language}".encode()).hexdigest()[:8]
        verdict = build_dir / f"probe-{compiler}-{digest}"
        if not verdict.exists():
            suffix = next(s for s, l in SUFFIXES.items() if l == language)
            with tempfile.TemporaryDirectory(dir=build_dir) as scratch:
                source = pathlib.Path(scratch) / f"probe{suffix}"
                source.write_text(PROBES[language])
                result = subprocess.run([command, "-fopenmp", source, "-o", f"{scratch}/probe"], cwd=scratch,
                                        stdin=subprocess.DEVNULL, capture_output=True)
                if result.returncode != 0:
                    continue
            verdict.touch()
        return command
    raise Skip(f"no {compiler} for OpenMP in {language}")


def build(program, compiler, build_dir):
    """Compiles `program` unless an earlier binary is newer than all its sources."""
    driver = find_driver(compiler, program.language, build_dir)
    binary = build_dir / compiler / program.name
    sources = [HARNESS / "check.f90", program.path, HARNESS / "check_fortran.c"] \
        if program.language == "fortran" else [program.path]
    inputs = [*sources, *HARNESS.iterdir(), *program.path.parent.glob("*.h"), pathlib.Path(__file__)]
    if binary.exists() and all(binary.stat().st_mtime > i.stat().st_mtime for i in inputs):
        return binary
    binary.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=binary.parent) as scratch:
        sanitize = [f"-fsanitize={build_dir.name.removeprefix('sanitize-')}"] \
            if build_dir.name.startswith("sanitize-") else []
        command = [driver, *STANDARDS[program.language], "-O2", "-g1", "-fopenmp", *sanitize, *program.flags,
                   f"-I{HARNESS}", *map(str, sources), "-o", f"{scratch}/program",
                   "-Wl,--as-needed", "-lm", "-latomic"]
        result = subprocess.run(command, cwd=scratch, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)
        if result.returncode != 0:
            raise Failure(f"does not compile: {' '.join(command)}\n{result.stdout}")
        os.replace(f"{scratch}/program", binary)
    return binary


def execute(binary, settings, timeout):
    """Runs the binary in a scratch folder and a process group. Returns status (or "timeout"), stdout, stderr."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(SETTINGS)}
    env.update(settings)
    with tempfile.TemporaryDirectory() as scratch:
        with open(f"{scratch}/out", "w+b") as out, open(f"{scratch}/err", "w+b") as err:
            process = subprocess.Popen([binary], cwd=scratch, env=env, stdin=subprocess.DEVNULL, stdout=out,
                                       stderr=err, start_new_session=True)
            try:
                status = process.wait(timeout)
            except subprocess.TimeoutExpired:
                status = "timeout"
            except BaseException:
                os.killpg(process.pid, signal.SIGKILL)
                raise
            if status == "timeout":
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            out.seek(0)
            err.seek(0)
            return status, out.read().decode(errors="replace"), err.read().decode(errors="replace")


def execute_peer(binary, settings, timeout):
    """As execute, but a program that dies of a signal runs again, twice at most: libomp 19's loops that share work
    by stealing (schedule dynamic) fail an assertion once in some hundred runs of wide teams."""
    for _ in range(3):
        result = execute(binary, settings, timeout)
        if result[0] == "timeout" or result[0] >= 0:
            break
    return result


def describe(settings):
    shown = [f"{k}={v}" for k, v in settings.items() if k.startswith(SETTINGS[:4])]
    return " with " + " ".join(shown) if shown else ""


def judge(where, settings, result):
    status, out, err = result
    if status == 0:
        return
    if status == "timeout":
        what = "timed out"
    elif status < 0:
        what = f"died of {signal.Signals(-status).name}"
    else:
        what = f"ended with status {status}"
    lines = [l for l in out.splitlines() if not l.startswith("ok ")]
    lines += out.splitlines()[-1:] + err.splitlines()[:30]
    raise Failure(f"{where}{describe(settings)}: {what}\n" + "\n".join("    " + l for l in lines))


def run_program(program, compiler, options):
    binary = build(program, compiler, options.build_dir)
    reps = min(options.reps, program.reps or options.reps)
    teams = options.teams or program.teams
    for settings in program.runs:
        base = dict(settings, **({"CHECK_TEAMS": teams} if teams else {}))
        peer = None
        if compiler not in program.peer_none and not options.gossamer_only:
            skip = ",".join(program.peer_skip.get(compiler, []))
            peer_env = {"OMP_WAIT_POLICY": "passive", **base, "CHECK_REPS": str(min(reps, options.peer_reps)),
                        "CHECK_SKIP": skip}
            if compiler in program.peer_teams:
                peer_env["CHECK_TEAMS"] = program.peer_teams[compiler]
            peer = execute_peer(binary, peer_env, options.timeout)
            judge("compiler's own runtime", settings, peer)
        if options.peer_only:
            continue
        library = str(options.library)
        # A sanitizer's runtime must come first in a process, so the loader finds the library by name there.
        gossamer = {**base, **program.gossamer_env, **({} if options.sanitize else {"LD_PRELOAD": library}),
                    "LD_LIBRARY_PATH": ":".join(filter(None, [str(options.library.parent),
                                                              os.environ.get("LD_LIBRARY_PATH")]))}
        if options.sanitize == "thread" and program.races:
            gossamer["CHECK_SKIP"] = ",".join(program.races)
        chaos = [{"GOSSAMER_CHAOS": str(seed), "CHECK_REPS": str(-(-reps // options.chaos_share))}
                 for seed in options.chaos]
        for more in [{"CHECK_REPS": str(reps)}, *chaos]:
            ours_env = {**gossamer, **more}
            ours = execute(binary, ours_env, options.timeout)
            judge("Gossamer", {**settings, **program.gossamer_env, **more}, ours)
            if peer is None:
                continue
            # Only checks and teams that both runs had can be compared.
            skipped, peer_teams = program.peer_skip.get(compiler, []), peer_env.get("CHECK_TEAMS", "").split()
            lines = [l for l in ours[1].splitlines() if not any(f" {name} " in l for name in skipped)
                     and (compiler not in program.peer_teams or l.split()[-1] in peer_teams)]
            if lines != peer[1].splitlines():
                differing = sorted(set(lines) ^ set(peer[1].splitlines()))
                raise Failure("\n    ".join([f"verdict lines differ{describe(settings)}:", *differing[:20]]))


def seeds(text):
    return [int(s) for s in text.split(",") if s]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", help="source files, folders, or parts of names; default: all")
    parser.add_argument("--library", type=pathlib.Path, metavar="FILE",
                        help="Gossamer's shared object (build/lib/libomp-gossamer.so)")
    parser.add_argument("--peer-only", action="store_true", help="only on the compilers' own runtimes")
    parser.add_argument("--gossamer-only", action="store_true", help="only on Gossamer")
    parser.add_argument("--compiler", action="append", choices=["gcc", "clang", "gfortran"])
    parser.add_argument("--teams", help='teams to run in, such as "1 2 3 8 4x8 2x3x4"')
    parser.add_argument("--reps", type=int, default=20, help="repetitions of each check in each team (20)")
    parser.add_argument("--peer-reps", type=int, default=3, help="the same on the compiler's own runtime (3)")
    parser.add_argument("--thorough", action="store_true", help="1000 repetitions, long time limit")
    parser.add_argument("--chaos", type=seeds, default=[], metavar="SEEDS",
                        help="run again under GOSSAMER_CHAOS with each of these seeds, separated by commas")
    parser.add_argument("--chaos-share", type=int, default=4, metavar="N",
                        help="one repetition in N under chaos (4)")
    parser.add_argument("--sanitize", choices=["address", "thread"], help="build the programs with this sanitizer, for a "
                        "library that was built with the same compiler's; implies --gossamer-only")
    parser.add_argument("--build-dir", type=pathlib.Path, default=HERE.parents[1] / "build/tests/programs")
    parser.add_argument("--timeout", type=float, default=100, help="seconds a run may take (100)")
    parser.add_argument("--jobs", type=int, default=1, help="programs run at the same time (1)")
    options = parser.parse_args()
    if options.thorough:
        options.reps, options.timeout = max(options.reps, 1000), max(options.timeout, 3600)
    options.library = (options.library or HERE.parents[1] / "build/lib/libomp-gossamer.so").resolve()
    options.build_dir = options.build_dir.resolve()
    if options.sanitize:
        options.gossamer_only = True
        options.build_dir = options.build_dir / f"sanitize-{options.sanitize}"
    options.build_dir.mkdir(parents=True, exist_ok=True)
    if not options.peer_only and not options.library.exists():
        parser.error(f"{options.library} does not exist; build it, or ask for --peer-only")
    return options


def select(words):
    everything = sorted(p for folder in (HERE, HERE.parent / "identity") for p in folder.glob("**/*")
                        if p.suffix in SUFFIXES and HARNESS not in p.parents)
    if not words:
        return everything
    chosen = []
    for word in words:
        path = pathlib.Path(word).resolve()
        if path.is_file():
            chosen.append(path)
            continue
        found = [p for p in everything if path in p.parents or word in f"{p.parent.name}/{p.name}"]
        if not found:
            sys.exit(f"no program matches {word}")
        chosen += found
    return sorted(set(chosen))


def main():
    options = parse_arguments()
    work = [(p, c) for p in map(Program, select(options.programs)) for c in ("gcc", "clang", "gfortran")
            if p.wants(c) and (not options.compiler or c in options.compiler)]
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    lock = threading.Lock()

    def one(item):
        program, compiler = item
        start = time.monotonic()
        detail = ""
        try:
            run_program(program, compiler, options)
            verdict = "passed"
        except Skip as reason:
            verdict, detail = "skipped", f": {reason}"
        except Failure as reason:
            verdict, detail = "failed", f": {reason}"
        with lock:
            counts[verdict] += 1
            seconds = time.monotonic() - start
            print(f"{verdict:8}{compiler:9}{program.name} ({seconds:.1f} s){detail}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(one, work))
    print(", ".join(f"{n} {what}" for what, n in counts.items() if n or what != "skipped"))
    if counts["failed"]:
        return 1
    return 0 if counts["passed"] else 77


if __name__ == "__main__":
    sys.exit(main())
