#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the microbenchmarks on every OpenMP runtime found, in turn, and reports medians over the rounds."""

import argparse
import datetime
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import build as programs  # noqa: E402
import cases  # noqa: E402
import machine  # noqa: E402
import model  # noqa: E402
import pack  # noqa: E402
import report  # noqa: E402
import rounds as in_turn  # noqa: E402
import runtimes  # noqa: E402
import targets  # noqa: E402
from tasks import figures as task_figures  # noqa: E402
from tasks import goals as task_goals  # noqa: E402
from tasks import onetbb  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def say(line):
    print(line, file=sys.stderr, flush=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--quick", action="store_true", help="fewer points and rounds, under four minutes")
    what.add_argument("--scale", action="store_true", help="sweeps over numbers of threads")
    what.add_argument("--pack", metavar="FOLDER", help="make a folder to carry to another machine, run nothing")
    parser.add_argument("--tasks", action="store_true", help="the task benchmarks instead")
    parser.add_argument(
        "--build", default=os.path.join(ROOT, "build"), help="the build tree (default: build)"
    )
    parser.add_argument("--out", help="folder of the results (default: bench/results/<machine>-<date>)")
    parser.add_argument("--rounds", type=int, help="rounds over all runtimes (default: 5, quick 3)")
    parser.add_argument(
        "--seconds", type=float, help="at most so many seconds of samples a point and round (default: 0.5, quick 0.12)"
    )
    parser.add_argument(
        "--time", type=float, help="seconds for all rounds (default: 1300, quick 190 or 270, scale 3000)"
    )
    parser.add_argument(
        "--only", action="append", metavar="TEXT", help="only figures whose name contains TEXT"
    )
    parser.add_argument(
        "--runtime", action="append", metavar="TEXT", help="only runtimes whose name contains TEXT"
    )
    parser.add_argument(
        "--iomp",
        default=os.environ.get("GOSSAMER_BENCH_IOMP"),
        help="libiomp5.so or a folder above it (GOSSAMER_BENCH_IOMP)",
    )
    parser.add_argument(
        "--bolt",
        default=os.environ.get("GOSSAMER_BENCH_BOLT"),
        help="BOLT's library or the folder it was installed to (GOSSAMER_BENCH_BOLT)",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an environment setting for Gossamer's runs",
    )
    parser.add_argument("--list", action="store_true", help="name the runtimes and figures, run nothing")
    return parser.parse_args()


def revision():
    """The project's git revision."""
    done = subprocess.run(
        ["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True
    )
    return done.stdout.strip() if done.returncode == 0 else "unknown"


def measure_regions(compilers, found, settings, count, limit):
    """The results of regions.c on Gossamer, by each compiler's binaries; no other runtime runs it."""
    answers = {}
    for runtime in found:
        if runtime.family != "gossamer":
            continue
        environment = {**runtimes.clean_environment(), **runtime.environment(runtime.variants[0], settings)}
        command = [os.path.join(compilers[runtime.binaries]["folder"], "regions")]
        command += [f"regions={count}", f"first={count // 50}", f"limit={limit}"]
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=limit + 30)
            answers[runtime.name] = json.loads(done.stdout)
        except (subprocess.TimeoutExpired, json.JSONDecodeError):
            say(f"{runtime.name}: no answer about regions of random width and depth")
    return answers


def measure_lines(compilers, seconds):
    """The results of line.c for this machine's cache lines, the summary last."""
    command = [os.path.join(next(iter(compilers.values()))["folder"], "line"), f"seconds={seconds}"]
    try:
        done = subprocess.run(command, env=runtimes.clean_environment(), capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return []
    return [json.loads(line) for line in done.stdout.splitlines()]


def look_at_line(compilers):
    """Nanoseconds of a cache line's transfer between the first two CPUs at this moment; 0: one CPU only, or no answer."""
    command = [os.path.join(next(iter(compilers.values()))["folder"], "line"), "look=1"]
    try:
        done = subprocess.run(command, env=runtimes.clean_environment(), capture_output=True, text=True, timeout=10)
        return round(1e3 * json.loads(done.stdout)["us"], 1)
    except (subprocess.TimeoutExpired, json.JSONDecodeError):
        return 0


def write_results(path, results, measurements):
    """Writes each raw measurement on a line of its own, so that a change of one changes one line."""
    head = json.dumps(results, indent=1, ensure_ascii=False)
    rows = ",\n".join("  " + json.dumps(m, ensure_ascii=False) for m in measurements)
    with open(path, "w", encoding="utf-8") as file:
        file.write(head[:-2] + ',\n "measurements": [\n' + rows + "\n ]\n}\n")


def main():
    options = arguments()
    settings = {}
    for setting in options.set:
        name, equals, value = setting.partition("=")
        if not equals:
            sys.exit(f"--set {setting}: not of the form NAME=VALUE")
        settings[name] = value

    cores = machine.cores()
    described = machine.describe()
    packed = pack.manifest()
    if packed:
        scratch = os.path.join(ROOT, "scratch")
        compilers = pack.packed_compilers(packed)
        found = runtimes.find_packed(ROOT, packed, os.path.join(scratch, "aliases"), cores)
    else:
        scratch = os.path.join(os.path.abspath(options.build), "bench")
        compilers = programs.build(scratch, say)
        if not compilers:
            sys.exit("no compiler with OpenMP is installed")
        found = runtimes.find(
            options.build, compilers, os.path.join(scratch, "aliases"), say, options.iomp, options.bolt, cores
        )
        if options.tasks:
            compilers, found = onetbb.add(compilers, found, scratch, say)
    if options.runtime:
        found = [r for r in found if any(text in r.name for text in options.runtime)]
    wanted = task_figures if options.tasks else cases
    figures = (
        wanted.quick(cores)
        if options.quick
        else wanted.scale(cores) if options.scale else wanted.standard(cores)
    )
    if options.only:
        figures = [f for f in figures if any(text in f.name for text in options.only)]
    for runtime in found:
        say(f"{runtime.name}: {runtime.file} ({runtime.version}), binaries of {runtime.binaries}")
    if options.list:
        for figure in figures:
            say(f"{figure.name}: {figure.title} ({figure.source})")
        return 0
    if options.pack:
        pack.pack(os.path.abspath(options.pack), compilers, found, revision())
        say(f"{options.pack} can be carried to another machine; ./run in it needs python3 and nothing else")
        return 0
    if not found or not figures:
        sys.exit("nothing to run: no runtime, or no figure, is left")

    rounds = options.rounds or (3 if options.quick else 5)
    limit = options.time or ((270 if options.tasks else 190) if options.quick else 3000 if options.scale else 1300)
    jobs = in_turn.make_jobs(figures, compilers, found, settings, cores, say)
    wanted = options.seconds or (0.12 if options.quick else 0.5)
    seconds = in_turn.affordable_seconds(jobs, rounds, limit, wanted)
    say(f"{len(jobs)} runs a round, {1000 * seconds:.0f} ms a point")
    lines = measure_lines(compilers, 1)
    count, most = (100_000, 5) if options.quick else (10_000_000, min(45, limit / 20))
    regions = {} if options.only or options.tasks else measure_regions(compilers, found, settings, count, most)
    # The goals of tasks compare with the best peer only, so slow peers need one round.
    once_beyond = 8 if options.tasks and not options.scale else None
    measurements, taken = in_turn.run_rounds(
        jobs,
        rounds,
        seconds,
        limit,
        cores,
        say,
        lambda: model.summary(measure_lines(compilers, 0.15)),
        lambda: look_at_line(compilers),
        once_beyond,
    )

    failures = [
        {
            "figure": job.figure.name,
            "series": job.series,
            "reason": job.failed,
            "x": "every construct" if job.case.x is None else job.case.x,
        }
        for job in jobs
        if job.failed
    ]
    summary = report.summarise(measurements)
    out = options.out
    if not out and options.quick:
        out = os.path.join(scratch, "quick-tasks" if options.tasks else "quick")
    if not out:
        day = datetime.date.today().isoformat()
        name = f"{machine.slug(described)}-{day}" + ("-tasks" if options.tasks else "")
        name += "-scale" if options.scale else ""
        out = os.path.join(ROOT, "bench", "results", name)
    os.makedirs(out, exist_ok=True)

    # Figures that are split by lines become several figures.
    shown = [
        figure.named(name)
        for figure in figures
        for name in summary
        if (name.startswith(figure.name + "-") if figure.split else name == figure.name)
    ]
    goals = (
        task_goals.evaluate(measurements, shown, cores) if options.tasks else targets.evaluate(measurements, regions)
    )
    tables = [report.table(figure, summary[figure.name], failures) for figure in shown]
    predicted = model.compare(measurements, cores)
    head = [targets.markdown(goals, cores, measurements) if goals else "", model.markdown(predicted)]
    text = "\n".join([part for part in head if part] + tables)
    print(text)
    heading = f"# {described['cpu']}, {cores} cores, {datetime.date.today().isoformat()}, {taken} rounds\n\n"
    with open(os.path.join(out, "table.md"), "w", encoding="utf-8") as file:
        file.write(heading + text)
    with open(os.path.join(out, "goals.json"), "w", encoding="utf-8") as file:
        json.dump(goals, file, indent=1, ensure_ascii=False)
        file.write("\n")
    results = {
        "date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
        "machine": described,
        "compilers": {kind: compiler["version"] for kind, compiler in compilers.items()},
        "runtimes": [
            {
                "name": r.name,
                "file": os.path.basename(r.file),
                "version": r.version,
                "variants": {v.name: v.settings for v in r.variants},
            }
            for r in found
        ],
        "gossamer_settings": settings,
        "rounds": taken,
        "seconds_a_point": seconds,
        "failures": failures,
        "lines": lines,
        "regions": regions,
        "goals": goals,
        "figures": [report.drawing(figure, summary[figure.name]) for figure in shown]
        + [drawn for drawn in [model.drawing(lines, predicted)] if drawn and predicted],
    }
    path = os.path.join(out, "results.json")
    write_results(path, results, measurements)
    report.plot(path, out, say)
    say(f"results are in {out}")
    for failure in failures:
        say(f"failed: {failure['figure']}, {failure['series']} at {failure['x']}: {failure['reason']}")
    return 1 if any("gossamer" in f["series"] for f in failures) else 0


if __name__ == "__main__":
    sys.exit(main())
