#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Debian's FFTW, parallel inside, called from a parallel loop: one program on libgomp, libomp and Gossamer."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "bench"))
import build as programs  # noqa: E402
import machine  # noqa: E402
import report  # noqa: E402
import runtimes  # noqa: E402

# FFTW's plan for 8 threads starts two inner regions for each of these, but for 100: there it nests three
# levels of its own and starts 341.
SIZES = (64, 100, 128, 192)
GRIDS = 12
TIME_LIMIT = 45
NESTING = {"OMP_MAX_ACTIVE_LEVELS": "16", "OMP_WAIT_POLICY": "passive"}
BASELINE = "libgomp, nesting on"


def say(line):
    print(line, file=sys.stderr, flush=True)


class Row:
    """One line of the table: a binary on a runtime. `serving` begins the name of the file that must
    run its regions, the outer loop's and FFTW's."""

    def __init__(self, family, label, command, environment, serving):
        self.family = family
        self.label = label
        self.command = command
        self.environment = {**runtimes.clean_environment(), **environment}
        self.serving = serving
        self.ms = {}
        self.failed = None


def compile_programs(folder):
    """Returns {kind: path} of what could be compiled; says what is missing."""
    os.makedirs(folder, exist_ok=True)
    built = {}
    for kind, package in (("gcc", "gcc"), ("clang", "clang-19 and libomp-19-dev")):
        compiler = programs.find_compiler(kind)
        if compiler is None:
            say(f"{kind} is not installed (Debian: {package}): its rows are left out")
            continue
        target = os.path.join(folder, f"fft_loop-{kind}")
        command = [
            compiler,
            "-std=gnu11",
            "-O2",
            "-g",
            "-fopenmp",
            os.path.join(ROOT, "demo", "fft_loop.c"),
            "-o",
            target,
            "-lfftw3_omp",
            "-lfftw3",
            "-lm",
            "-ldl",
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode == 0:
            built[kind] = target
        elif "fftw3" in done.stderr:
            say(f"FFTW is not installed (Debian: libfftw3-dev): {kind} cannot build the demo")
        else:
            say(
                f"{compiler} cannot build the demo (Debian: {package}): "
                + (done.stderr.strip().splitlines() or ["no message"])[-1]
            )
    return built


def rows(built, build):
    """What to compare, the baseline first."""
    found = []
    if "gcc" in built:
        program = built["gcc"]
        found.append(Row("libgomp", BASELINE, [program], NESTING, "libgomp"))
        found.append(
            Row(
                "bound",
                "libgomp, inner regions off",
                [program],
                {**NESTING, "OMP_MAX_ACTIVE_LEVELS": "1"},
                "libgomp",
            )
        )
    if "clang" in built:
        # libomp answers to gcc's names as well and is found before libgomp, so here it serves FFTW too.
        program = built["clang"]
        found.append(Row("libomp", "libomp, nesting on", [program], NESTING, "libomp"))
        found.append(
            Row("libomp", "libomp, nesting on, hot teams", [program], {**NESTING, **runtimes.HOT}, "libomp")
        )

    library = os.path.join(build, "lib", "libomp-gossamer.so")
    launcher = os.path.join(build, "bin", "gossamer")
    if not os.path.isfile(library):
        say(f"Gossamer is not built ({library} is missing)")
        return found
    for kind, program in built.items():
        if os.access(launcher, os.X_OK):
            command, environment = [launcher, "run", "--", program], {}
        else:
            command, environment = [program], {
                "LD_PRELOAD": library,
                "LD_LIBRARY_PATH": os.path.dirname(library),
            }
        found.append(
            Row("gossamer", f"Gossamer (built by {kind})", command, environment, "libomp-gossamer.so")
        )
    return found


def run(row, size, options, alone):
    """One process; adds its time to the row. A wrong answer or a runtime mixed up ends the row."""
    command = row.command + [
        str(size),
        str(options.outer),
        str(options.inner),
        str(GRIDS),
        f"{options.seconds:g}",
    ]
    try:
        done = subprocess.run(
            command, env=row.environment, capture_output=True, text=True, timeout=20, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        row.failed = f"N = {size}: not done after 20 s"
        return
    if done.returncode not in (0, 1) or not done.stdout.startswith("{"):
        end = f"signal {-done.returncode}" if done.returncode < 0 else f"status {done.returncode}"
        row.failed = f"N = {size}: ended with {end} " + (done.stderr.strip().splitlines() or [""])[-1]
        return
    result = json.loads(done.stdout)
    if result["error"] > 1e-10:
        row.failed = f"N = {size}: differs from single-threaded FFTW by {result['error']}"
    for file in (result["outer_on"], result["inner_on"]):
        if not os.path.basename(os.path.realpath(file)).startswith(row.serving):
            row.failed = f"was served by {file}"
    if not row.failed:
        row.ms.setdefault(size, []).append(result["ms"])
        alone.setdefault(size, []).append(result["alone_ms"])


def table(found, alone, options):
    baseline = next((row for row in found if row.label == BASELINE), None)
    width = max(len(row.label) for row in found)
    for size in SIZES:
        if size not in alone:
            continue
        print(f"\n{GRIDS} grids of {size} × {size}, {options.outer} × {options.inner} threads")
        print(f"  {'runtime'.ljust(width)}  {'ms':>9}   {'times as fast as libgomp':>24}")
        base = statistics.median(baseline.ms[size]) if baseline and size in baseline.ms else None
        lines = [(row.label, statistics.median(row.ms[size])) for row in found if size in row.ms]
        lines.append(("one thread, no OpenMP", statistics.median(alone[size])))
        for label, ms in lines:
            ratio = f"{base / ms:.2f}" if base else "-"
            print(f"  {label.ljust(width)}  {ms:9.3f}   {ratio:>24}")


def write_figure(found, alone, options, out):
    def points(samples):
        return [
            {"x": f"{size} × {size}", "y": statistics.median(ms), "low": min(ms), "high": max(ms)}
            for size, ms in sorted(samples.items())
        ]

    order = {"gossamer": 0, "bound": 2}
    series = [
        {"family": row.family, "label": row.label, "points": points(row.ms)}
        for row in sorted(found, key=lambda row: order.get(row.family, 1))
        if row.ms
    ]
    series.append({"family": "bound", "label": "one thread, no OpenMP", "points": points(alone)})
    results = {
        "machine": machine.describe(),
        "outer": options.outer,
        "inner": options.inner,
        "grids": GRIDS,
        "figures": [
            {
                "name": "demo",
                "title": f"FFTW inside an OpenMP loop, {options.outer} × {options.inner} threads, "
                f"{machine.cores()} cores",
                "x_label": f"grid, {GRIDS} of them a pass",
                "y_label": "ms a pass",
                "kind": "bars",
                "log_x": False,
                "log_y": True,
                "values": True,
                "series": series,
            }
        ],
    }
    path = os.path.join(out, "demo.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(results, file, indent=1, ensure_ascii=False)
    if report.plot(path, out, say):
        print(f"\nplot: {os.path.join(out, 'demo.svg')} and demo.png")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--build", default=os.path.join(ROOT, "build"), help="the build tree (default: build)"
    )
    parser.add_argument("--outer", type=int, default=3, help="threads of the loop over grids (default: 3)")
    parser.add_argument("--inner", type=int, default=8, help="threads of each FFT (default: 8)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds over all runtimes (default: 3)")
    parser.add_argument("--seconds", type=float, default=0.2, help="seconds of samples a run (default: 0.2)")
    options = parser.parse_args()

    build = os.path.abspath(options.build)
    out = os.path.join(build, "demo")
    built = compile_programs(out)
    if not built:
        say("nothing to run: no compiler here could build the demo")
        return 1
    found = rows(built, build)

    alone = {}
    begin = time.monotonic()
    longest = 0
    for number in range(options.rounds):
        started = time.monotonic()
        if started - begin + longest > TIME_LIMIT:
            break
        for size in SIZES:
            shift = number % len(found)
            for row in found[shift:] + found[:shift]:
                if not row.failed:
                    run(row, size, options, alone)
        longest = max(longest, time.monotonic() - started)

    table(found, alone, options)
    if alone:
        write_figure(found, alone, options, out)
    print("results: equal to single-threaded FFTW to 1e-10, in every run shown")
    for row in found:
        if row.failed:
            print(f"left out: {row.label}: {row.failed}")
    return 1 if any(row.failed for row in found) or not any(row.family == "gossamer" for row in found) else 0


if __name__ == "__main__":
    sys.exit(main())
