#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the microbenchmarks on every OpenMP runtime found, in turn, and reports medians over the rounds."""

import argparse
import datetime
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import build as programs  # noqa: E402
import cases  # noqa: E402
import machine  # noqa: E402
import report  # noqa: E402
import runtimes  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def say(line):
    print(line, file=sys.stderr, flush=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--quick", action="store_true", help="fewer points and rounds, under two minutes")
    what.add_argument("--scale", action="store_true", help="sweeps over numbers of threads")
    parser.add_argument(
        "--build", default=os.path.join(ROOT, "build"), help="the build tree (default: build)"
    )
    parser.add_argument("--out", help="folder of the results (default: bench/results/<machine>-<date>)")
    parser.add_argument("--rounds", type=int, help="rounds over all runtimes (default: 5, quick 3)")
    parser.add_argument(
        "--seconds", type=float, help="seconds of samples a point and round (default: 0.5, quick 0.12)"
    )
    parser.add_argument("--time", type=float, help="start no round that would end after this many seconds")
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


class Job:
    """One process of a round: a case on one variant of one runtime, or a bound without a runtime."""

    def __init__(self, figure, case, family, series, command, environment, serving):
        self.figure = figure
        self.case = case
        self.family = family
        self.series = series
        self.command = command
        self.environment = environment
        self.serving = serving  # the file that must be serving OpenMP, None where it does not matter
        self.failed = None


def make_jobs(figures, compilers, found, settings, cores):
    jobs = []
    base = runtimes.clean_environment()

    def add(figure, case, family, series, kind, extra, serving):
        command = [os.path.join(compilers[kind]["folder"], case.program)]
        command += [f"{name}={value}" for name, value in case.arguments.items()]
        jobs.append(Job(figure, case, family, series, command, {**base, **extra}, serving))

    for figure in figures:
        for case in figure.cases:
            for runtime in found:
                family = runtime.name.split()[0]
                own = settings if family == "gossamer" else {}
                for variant in runtime.variants:
                    if not (variant.nested if case.nested else variant.flat):
                        continue
                    series = runtime.name if variant.name == "default" else f"{runtime.name} {variant.name}"
                    add(
                        figure,
                        case,
                        family,
                        series,
                        runtime.binaries,
                        runtime.environment(variant, own),
                        runtime.file,
                    )
                if "inner off" in figure.bounds:
                    off = runtime.environment(runtime.variants[0], {**own, "OMP_MAX_ACTIVE_LEVELS": "1"})
                    add(
                        figure,
                        case,
                        "bound",
                        f"{runtime.name}, inner regions off",
                        runtime.binaries,
                        off,
                        runtime.file,
                    )
            if "calls" in figure.bounds:
                kind = next(iter(compilers))
                plain = cases.Case("calls", {k: case.arguments[k] for k in ("outer", "inner")}, case.x, True)
                add(figure, plain, "bound", f"plain calls on {cores} cores", kind, {}, None)
    return jobs


def run_job(job, seconds, cores):
    """Runs one process; returns its measurements, or an empty list with job.failed set."""
    if job.case.lines > 1:
        seconds /= 4
    options = [f"seconds={seconds:g}", f"warm-up={seconds / 4:g}"]
    limit = 30 + 8 * seconds * (job.case.lines + 1)
    try:
        done = subprocess.run(
            job.command + options,
            env=job.environment,
            capture_output=True,
            text=True,
            timeout=limit,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        job.failed = f"not done after {limit:.0f} s"
        return []
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or [""])[-1]
        end = f"signal {-done.returncode}" if done.returncode < 0 else f"status {done.returncode}"
        job.failed = f"ended with {end} {last}".rstrip()
        return []
    results = []
    for line in done.stdout.splitlines():
        result = json.loads(line)
        if job.serving and os.path.realpath(result["served_by"]) != job.serving:
            job.failed = f"was served by {result['served_by']}"
            return []
        x = job.case.x if job.case.x is not None else result["construct"]
        us = result["us"] / cores if job.case.program == "calls" else result["us"]
        kept = {
            key: result[key]
            for key in (
                "us_first_quartile",
                "us_third_quartile",
                "samples",
                "passes_a_sample",
                "innermost_team",
            )
            if key in result
        }
        results.append(
            {
                "figure": job.figure.name,
                "family": job.family,
                "series": job.series,
                "x": x,
                "us": us,
                "within_run": kept,
            }
        )
        if "ideal" in job.figure.bounds:
            results.append(
                {
                    "figure": job.figure.name,
                    "family": "bound",
                    "series": f"work alone on {cores} cores",
                    "x": x,
                    "us": result["serial_us"] / cores,
                }
            )
    return results


def run_rounds(jobs, rounds, seconds, limit, cores):
    """Every job once a round, each round starting at another job so that no runtime always runs first."""
    measurements = []
    begin = time.monotonic()
    longest = 0
    taken = 0
    for number in range(rounds):
        started = time.monotonic()
        if limit and number > 0 and started - begin + longest > limit:
            break
        by_case = {}
        for job in jobs:
            by_case.setdefault((job.figure.name, str(job.case.x)), []).append(job)
        for group in by_case.values():
            shift = number % len(group)
            for job in group[shift:] + group[:shift]:
                if not job.failed:
                    for measurement in run_job(job, seconds, cores):
                        measurements.append({"round": number, **measurement})
        longest = max(longest, time.monotonic() - started)
        taken += 1
        say(f"round {taken} of {rounds} took {time.monotonic() - started:.0f} s")
    return measurements, taken


def write_results(path, results, measurements):
    """The raw measurements go one a line, so that a change of one shows as one line."""
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
    scratch = os.path.join(os.path.abspath(options.build), "bench")
    described = machine.describe()
    compilers = programs.build(scratch, say)
    if not compilers:
        sys.exit("no compiler with OpenMP is installed")
    found = runtimes.find(
        options.build, compilers, os.path.join(scratch, "aliases"), say, options.iomp, options.bolt, cores
    )
    if options.runtime:
        found = [r for r in found if any(text in r.name for text in options.runtime)]
    figures = (
        cases.quick(cores)
        if options.quick
        else cases.scale(cores) if options.scale else cases.standard(cores)
    )
    if options.only:
        figures = [f for f in figures if any(text in f.name for text in options.only)]
    for runtime in found:
        say(f"{runtime.name}: {runtime.file} ({runtime.version}), binaries of {runtime.binaries}")
    if options.list:
        for figure in figures:
            say(f"{figure.name}: {figure.title} ({figure.source})")
        return 0
    if not found or not figures:
        sys.exit("nothing to run")

    rounds = options.rounds or (3 if options.quick else 5)
    seconds = options.seconds or (0.12 if options.quick else 0.5)
    jobs = make_jobs(figures, compilers, found, settings, cores)
    say(f"{len(jobs)} runs a round")
    measurements, taken = run_rounds(
        jobs, rounds, seconds, options.time or (95 if options.quick else None), cores
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
        out = os.path.join(scratch, "quick")
    if not out:
        day = datetime.date.today().isoformat()
        name = f"{machine.slug(described)}-{day}" + ("-scale" if options.scale else "")
        out = os.path.join(ROOT, "bench", "results", name)
    os.makedirs(out, exist_ok=True)

    text = "\n".join(
        report.table(figure, summary[figure.name], failures) for figure in figures if figure.name in summary
    )
    print(text)
    heading = f"# {described['cpu']}, {cores} cores, {datetime.date.today().isoformat()}, {taken} rounds\n\n"
    with open(os.path.join(out, "table.md"), "w", encoding="utf-8") as file:
        file.write(heading + text)
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
        "figures": [
            report.drawing(figure, summary[figure.name]) for figure in figures if figure.name in summary
        ],
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
