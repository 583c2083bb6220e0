#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that no program hangs and no idle process uses CPU time: threads that wait for each other in ways that the
runtime does not see, a pipeline, several native threads with regions of their own, teams of changing width, an idle
process. Runs each on every runtime in turn, round after round, and requires:

  waits     each program of tests/programs/progress, 8 threads flat and 5 x 6 nested: at most 1.5 times libgomp's passive
            time, or 50 ms more if that is larger; every run ends
  pipeline  built by clang at most 5 times the time of 2 threads, built by gcc no slower than the best peer
  handmade  a barrier made by hand in each region of 8 threads, spinning and yielding, with little and much work: no
            slower than the best peer (1.05 for noise)
  roots     1, 2, 4, 8 native threads: never fewer regions a second together than fewer threads run, or the best peer
  widths    teams of 2 and 32 in turn: 20 times libgomp's regions a second, memory flat
  idle      under 1 % of a core 100 ms after the last region

and, if named on the command line, on Gossamer only:

  hangs     each case of `waits` 200 times, with the few rounds of a test, two at a time: every run ends

Exit status: 0 all cases hold, 1 some do not, 2 a run hung or failed."""

import argparse
import concurrent.futures
import json
import os
import re
import statistics
import subprocess
import sys
import time
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "tests" / "programs"), str(HERE)]
import build as compilers  # noqa: E402
import run as programs  # noqa: E402
import runtimes  # noqa: E402

WAITS = [
    ("spinning", ["last-lets-go", "flush-flag", "yielding", "polled-lock"]),
    (
        "hand_made",
        [
            "sense-reversing-barrier",
            "ping-pong",
            "wavefront-down",
            "wavefront-up",
            "pipeline",
            "one-sleeps",
            "all-sleep",
        ],
    ),
    (
        "mutexes",
        [
            "condition-ring",
            "native-barrier-rounds",
            "recursive-contended",
            "mutex-held-over-nested-regions",
            "mutex-held-over-taskwait",
            "polled-omp-lock",
            "polled-omp-nest-lock",
        ],
    ),
    ("sockets", ["pipe-ring", "socket-pairs", "poll-server"]),
    (
        "cxx_waits",
        [
            "standard-barrier",
            "mutex-with-condition",
            "recursive-mutex",
            "atomic-wait",
            "rethrow-after-waiting",
        ],
    ),
]
SLEEPERS = {"one-sleeps", "all-sleep"}  # these need hardly any CPU time, so many of their runs may overlap
NOISE = 0.05  # throughputs that differ by less count as equal


class Bench:
    def __init__(self, options):
        self.options = options
        self.scratch = pathlib.Path(options.build).resolve() / "bench"
        self.library = pathlib.Path(options.build).resolve() / "lib" / "libomp-gossamer.so"
        if not self.library.exists():
            sys.exit(f"{self.library} does not exist; build it first")
        ours = {
            "LD_PRELOAD": str(self.library),
            "LD_LIBRARY_PATH": str(self.library.parent),
            **dict(setting.split("=", 1) for setting in options.set),
        }
        passive = {"OMP_WAIT_POLICY": "passive"}
        self.runtimes = {
            "libgomp passive": ("gcc", passive),
            "libomp passive": ("clang", passive),
            "gossamer (gcc)": ("gcc", ours),
            "gossamer (clang)": ("clang", ours),
        }
        self.lost = []  # runs of Gossamer that hung or failed
        self.fallen_short = []
        self.rows = []

    def peers(self):
        return [name for name in self.runtimes if not name.startswith("gossamer")]

    def ours(self):
        return [name for name in self.runtimes if name.startswith("gossamer")]

    def run(self, what, runtime, binary, arguments=(), settings=None):
        """The finished process, or None if it hung or failed."""
        env = {**runtimes.clean_environment(), "OMP_MAX_ACTIVE_LEVELS": "16"}
        env = {k: v for k, v in env.items() if not k.startswith("CHECK_")}
        env.update(self.runtimes[runtime][1])
        env.update(settings or {})
        limit = self.options.limit if runtime in self.ours() else self.options.peer_limit
        try:
            done = subprocess.run(
                [str(binary), *arguments],
                env=env,
                capture_output=True,
                text=True,
                timeout=limit,
                stdin=subprocess.DEVNULL,
            )
            problem = (
                None
                if done.returncode == 0
                else f"status {done.returncode}: {done.stdout[-200:]}{done.stderr[-300:]}"
            )
        except subprocess.TimeoutExpired:
            problem = f"not done after {limit:g} s"
        if problem is None:
            return done
        if runtime in self.ours():
            self.lost.append(f"{what} on {runtime}: {problem}")
            print(f"LOST: {self.lost[-1]}", flush=True)
        return None

    def verdict(self, what, runtime, holds, shown, **numbers):
        self.rows.append({"what": what, "runtime": runtime, "holds": holds, **numbers})
        if not holds:
            self.fallen_short.append(f"{what} on {runtime}: {shown}")
        print(f"{'holds' if holds else 'FALLS SHORT':12} {what:46} {runtime:17} {shown}", flush=True)

    def rounds(self, what, one, without=()):
        """Calls one(runtime), which returns a number or None, for each runtime in turn, `runs` times; returns
        {runtime: [numbers]}."""
        names = [name for name in self.runtimes if name not in without]
        found = {name: [] for name in names}
        given_up = set()
        for number in range(self.options.runs):
            shift = number % len(names)
            for name in names[shift:] + names[:shift]:
                peer = name in self.peers()
                if peer and (number >= self.options.peer_runs or name in given_up):
                    continue
                value = one(name)
                if value is not None:
                    found[name].append(value)
                elif peer:
                    given_up.add(name)
        return found

    def program(self, name):
        """A program of this folder: {compiler: binary}."""
        binaries = {}
        for kind in ("gcc", "clang"):
            compiler = compilers.find_compiler(kind)
            folder = self.scratch / kind
            folder.mkdir(parents=True, exist_ok=True)
            command = [compiler, *compilers.FLAGS, "-pthread", HERE / f"{name}.c", HERE / "measure.c"]
            if compiler is None:
                continue
            subprocess.run([*command, "-o", folder / name, "-lm", "-ldl"], check=True)
            binaries[kind] = folder / name
        return binaries

    def numbers(self, what, name, key, arguments):
        binaries = self.program(name)
        results = {}

        def one(runtime):
            binary = binaries.get(self.runtimes[runtime][0])
            done = self.run(what, runtime, binary, arguments) if binary else None
            if done is None:
                return None
            results.setdefault(runtime, []).append(json.loads(done.stdout))
            return results[runtime][-1][key]

        found = self.rounds(what, one)
        return {r: statistics.median(v) if v else None for r, v in found.items()}, results


def cases_of_waits(bench):
    """Yields (check, team, {compiler: binary}) for each case."""
    folder = HERE.parent / "tests" / "programs" / "progress"
    build_dir = bench.scratch / "progress"
    build_dir.mkdir(parents=True, exist_ok=True)
    for name, checks in WAITS:
        source = next(folder.glob(f"{name}.c*"))
        program = programs.Program(source)
        binaries = {}
        for kind in ("gcc", "clang"):
            try:
                binaries[kind] = programs.build(program, kind, build_dir)
            except programs.Skip as reason:
                print(f"without {kind}: {reason}")
        for check in checks:
            for team in bench.options.teams.split():
                what = f"{check} {team}"
                if not bench.options.only or any(text in what for text in bench.options.only):
                    yield check, team, binaries


def time_wait(bench, check, team, binaries, runtime, more):
    """Milliseconds of one run; None if there is no such program, or it hung or failed."""
    binary = binaries.get(bench.runtimes[runtime][0])
    settings = {"CHECK_ONLY": check, "CHECK_TEAMS": team, "CHECK_REPS": "1", "CHECK_TIMES": "1", **more}
    done = bench.run(f"{check} {team}", runtime, binary, settings=settings) if binary else None
    found = re.search(r"^time \S+ \S+ ([\d.]+)$", done.stderr, re.M) if done else None
    return float(found[1]) if found else None


def waits(bench):
    for check, team, binaries in cases_of_waits(bench):
        found = bench.rounds(
            f"{check} {team}",
            lambda runtime: time_wait(bench, check, team, binaries, runtime, {"CHECK_LONG": "1"}),
            without=["libomp passive"],  # the goals compare with libgomp only
        )
        judge_wait(bench, f"{check} {team}", found)


def judge_wait(bench, what, found):
    reference = found["libgomp passive"]
    peer = statistics.median(reference) if reference else None
    shown_peer = f"{peer:.1f}" if peer is not None else f"over {1000 * bench.options.peer_limit:.0f}"
    for name in bench.ours():
        if not found[name]:
            continue
        ms = statistics.median(found[name])
        least = peer if peer is not None else 1000 * bench.options.peer_limit
        holds = ms <= max(1.5 * least, least + 50)
        ratio = f"{ms / peer:8.2f} x, {ms - peer:+9.1f} ms" if peer else " " * 24
        shown = f"{ms:9.1f} ms (max {max(found[name]):.1f}, {len(found[name])} runs), libgomp {shown_peer}: {ratio}"
        if what.startswith("all-sleep") and what.endswith(" 8") and ms >= 300:
            holds, shown = False, shown + ", over 300 ms"
        bench.verdict(what, name, holds, shown, ms=ms, worst_ms=max(found[name]), libgomp_ms=peer)


def pipeline(bench):
    times = {}
    for threads in (2, 3, 8):
        times[threads], _ = bench.numbers(f"pipeline {threads}", "pipeline", "ms", [f"threads={threads}"])
    for threads in (2, 3, 8):
        at = times[threads]
        peers = [at[name] for name in bench.peers() if at[name] is not None]
        shown_peer = f"{min(peers):.1f}" if peers else f"over {1000 * bench.options.peer_limit:.0f}"
        for name in bench.ours():
            if at[name] is None or times[2][name] is None:
                continue
            if bench.runtimes[name][0] == "clang":
                holds = at[name] <= 5 * times[2][name]
            else:
                holds = not peers or at[name] <= min(peers) * (1 + NOISE)
            shown = f"{at[name]:9.1f} ms, {at[name] / times[2][name]:.2f} x 2 threads, best peer {shown_peer}"
            bench.verdict(f"pipeline {threads}", name, holds, shown, ms=at[name], peers_ms=at)


def handmade(bench):
    for yields in (0, 1):
        for cycles in (60_000, 3_000_000):
            what = f"handmade {'yielding' if yields else 'spinning'} {cycles}"
            # The warm-up gives the runtime time to form its habits.
            arguments = [f"yields={yields}", f"cycles={cycles}", "warm-up=0.5", f"seconds={bench.options.seconds:g}"]
            at, _ = bench.numbers(what, "handmade", "us", arguments)
            peers = [at[name] for name in bench.peers() if at[name] is not None]
            for name in bench.ours():
                if at[name] is None:
                    continue
                shown = f"{at[name]:9.1f} us, best peer {min(peers):.1f}" if peers else f"{at[name]:9.1f} us"
                holds = not peers or at[name] <= min(peers) * (1 + NOISE)
                bench.verdict(what, name, holds, shown, us=at[name], peers_us=at)


def roots(bench):
    best_so_far = {}
    for count in (1, 2, 4, 8):
        at, _ = bench.numbers(
            f"roots {count}", "roots", "regions_per_second", [f"roots={count}", f"seconds={bench.options.seconds:g}"]
        )
        peers = [at[name] for name in bench.peers() if at[name] is not None]
        best = max(peers) if peers else 0
        for name in bench.ours():
            if at[name] is None:
                continue
            before = best_so_far.get(name, 0)
            holds = at[name] >= before * (1 - NOISE) and at[name] >= best * (1 - NOISE)
            best_so_far[name] = max(before, at[name])
            shown = f"{at[name]:9.0f} regions/s, fewer roots {before:.0f}, best peer {best:.0f}"
            bench.verdict(f"roots {count}", name, holds, shown, rate=at[name], peers=at)


def widths(bench):
    at, results = bench.numbers(
        "widths 2 and 32", "widths", "regions_per_second", [f"seconds={bench.options.widths_seconds:g}"]
    )
    for name in bench.ours():
        if at[name] is None:
            continue
        peer = at["libgomp passive"]
        growth = max(r["late_kib"] - r["early_kib"] for r in results[name])
        holds = growth < 256 and (peer is None or at[name] >= 20 * peer)
        shown = f"{at[name]:9.0f} regions/s"
        shown += f", libgomp {peer:.0f}: {at[name] / peer:.1f} x" if peer else ""
        bench.verdict("widths 2 and 32", name, holds, f"{shown}; memory {growth:+.0f} KiB", rate=at[name], peers=at)


def idle(bench):
    for threads, inner in ((2, 1), (8, 1), (5, 6)):
        what = f"idle after {threads}x{inner}"
        at, results = bench.numbers(
            what, "idle", "percent_of_a_core", [f"threads={threads}", f"inner={inner}", "seconds=0.3"]
        )
        for name in bench.ours():
            if at[name] is None:
                continue
            us = statistics.median(r["region_us"] for r in results[name])
            shown = f"{at[name]:9.2f} % of a core; a region took {us:.2f} us"
            bench.verdict(what, name, at[name] < 1, shown, percent=at[name])


def hangs(bench):
    for check, team, binaries in cases_of_waits(bench):
        for name in bench.ours():
            if bench.runtimes[name][0] not in binaries:
                continue
            jobs = 16 if check in SLEEPERS else bench.options.jobs
            with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
                runs = [
                    pool.submit(time_wait, bench, check, team, binaries, name, {})
                    for _ in range(bench.options.hang_runs)
                ]
                times = [run.result() for run in runs]
            ended = [ms for ms in times if ms is not None]
            lost = len(times) - len(ended)
            shown = f"{len(times)} runs, {lost} hung or failed"
            shown += f", median {statistics.median(ended):.1f} ms, worst {max(ended):.1f} ms" if ended else ""
            bench.verdict(f"{check} {team}", name, lost == 0, shown, runs=len(times), lost=lost)


KINDS = {f.__name__: f for f in (waits, pipeline, handmade, roots, widths, idle)}
NAMED_ONLY = {"hangs": hangs}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"{', '.join(KINDS)} (these by default), hangs")
    parser.add_argument("--build", default=str(HERE.parent / "build"), help="the build tree (default: build)")
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="rounds (3)")
    parser.add_argument("--hang-runs", type=int, default=200, metavar="N", help="runs of each case of `hangs` (200)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="runs of `hangs` at a time (2)")
    parser.add_argument("--peer-runs", type=int, default=3, metavar="N", help="rounds in which the peers run too (3)")
    parser.add_argument("--teams", default="8 5x6", help='teams of the waits ("8 5x6")')
    parser.add_argument("--only", action="append", metavar="TEXT", help="only waits whose name contains TEXT")
    parser.add_argument("--limit", type=float, default=300, help="seconds after which a run on Gossamer counts as hung (300)")
    parser.add_argument("--peer-limit", type=float, default=60, help="seconds a peer's run may take (60)")
    parser.add_argument("--seconds", type=float, default=1, help="seconds of each measurement of handmade and roots (1)")
    parser.add_argument("--widths-seconds", type=float, default=60, help="seconds of alternating widths (60)")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting for Gossamer")
    parser.add_argument("--json", metavar="FILE", help="also write the numbers to this file")
    options = parser.parse_args()
    kinds = {**KINDS, **NAMED_ONLY}
    unknown = [kind for kind in options.kinds if kind not in kinds]
    if unknown:
        parser.error(f"no such kind: {', '.join(unknown)}")
    bench = Bench(options)
    begin = time.monotonic()
    for kind in options.kinds or KINDS:
        kinds[kind](bench)
    print(
        f"{len(bench.rows)} cases in {time.monotonic() - begin:.0f} s: {len(bench.fallen_short)} fall short, "
        f"{len(bench.lost)} runs lost"
    )
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"cases": bench.rows, "lost": bench.lost}, file, indent=1)
    return 2 if bench.lost else 1 if bench.fallen_short else 0


if __name__ == "__main__":
    sys.exit(main())
