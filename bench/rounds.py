# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs each case on each runtime in turn, round after round, within a time that the caller sets."""

import json
import os
import subprocess
import time

import cases
import runtimes

START_S = 0.06  # a process's time before and after its measurements
LINE_SHARE = 0.25  # the share of a point's seconds for each line of a program with many lines


class Job:
    """One process of a round: a case on one variant of one runtime, or a bound without a runtime."""

    def __init__(self, figure, case, family, series, command, environment, serving):
        self.figure = figure
        self.case = case
        self.family = family
        self.series = series
        self.command = command
        self.environment = environment
        self.serving = serving  # the file that must serve OpenMP; None: any
        self.failed = None

    def measured_s(self, seconds):
        """The time of the job's measurements, with warm-up and references."""
        if self.case.lines > 1:
            return 2 * self.case.lines * LINE_SHARE * seconds
        return max(1.6 * seconds, self.case.least_s)


def _knows(runtime, variant):
    """Whether Gossamer has every setting of a variant: it names an unknown setting on stderr."""
    names = [name for name in variant.settings if name.startswith("GOSSAMER_")]
    if not names:
        return True
    ask = {"OMP_DISPLAY_ENV": "true", "LD_PRELOAD": runtime.preload, **variant.settings}
    done = subprocess.run(
        ["/bin/true"], env={**runtimes.clean_environment(), **ask}, capture_output=True, text=True
    )
    return not any(f"{name} is not a setting" in done.stderr for name in names)


def make_jobs(figures, compilers, found, settings, cores, say):
    jobs = []
    base = runtimes.clean_environment()
    unknown = set()

    def add(figure, case, family, series, kind, extra, serving):
        command = [os.path.join(compilers[kind]["folder"], case.program)]
        command += [f"{name}={value}" for name, value in case.arguments.items()]
        jobs.append(Job(figure, case, family, series, command, {**base, **extra}, serving))

    def add_variant(figure, case, runtime, variant, more, family, suffix):
        own = settings if runtime.family == "gossamer" else {}
        series = runtime.name if variant.name == "default" else f"{runtime.name} {variant.name}"
        environment = runtime.environment(variant, {**own, **more})
        add(figure, case, family, series + suffix, runtime.binaries, environment, runtime.file)

    for figure in figures:
        chosen = {}
        for runtime in found:
            variants = runtime.variants
            if figure.variants is not None:
                variants = figure.variants.get(runtime.name, figure.variants.get(runtime.family, []))
            chosen[runtime.name] = [v for v in variants if _knows(runtime, v)]
            unknown |= {v.settings.get("GOSSAMER_WITHOUT") for v in variants if v not in chosen[runtime.name]}
        for case in figure.cases:
            for runtime in found:
                if not runtime.runs(case):
                    continue
                for variant in chosen[runtime.name]:
                    if variant.nested if case.nested else variant.flat:
                        add_variant(figure, case, runtime, variant, {}, runtime.family, "")
                if "inner off" in figure.bounds and case.nested:
                    for variant in runtime.variants if figure.variants is None else chosen[runtime.name]:
                        if variant.flat:
                            off = {"OMP_MAX_ACTIVE_LEVELS": "1"}
                            add_variant(figure, case, runtime, variant, off, "bound", ", inner regions off")
            plain = _plain_calls(case, cores) if "calls" in figure.bounds else None
            if plain:
                add(figure, plain, "bound", f"plain calls on {cores} cores", next(iter(compilers)), {}, None)
    for setting in sorted(filter(None, unknown)):
        say(f"this Gossamer has no GOSSAMER_WITHOUT={setting}: that step of the breakdown is left out")
    return jobs


def _plain_calls(case, cores):
    """A case with the same work without OpenMP, divided among the cores at no cost; None if another case has it."""
    if case.nested:
        return cases.Case("calls", {k: case.arguments[k] for k in ("outer", "inner")}, case.x, True)
    if "cut-off" in case.arguments or "untied" in case.arguments:
        return None
    size = {k: v for k, v in case.arguments.items() if k == "size"}
    return cases.Case(case.program, {**size, "serial": min(case.arguments["threads"], cores)}, case.x, False)


def affordable_seconds(jobs, rounds, limit, wanted):
    """Seconds for each point, at most `wanted`, with which `rounds` rounds fit the limit if runtimes keep their time."""
    if not limit:
        return wanted
    units = sum(job.measured_s(1) for job in jobs)
    return max(0.01, min(wanted, (0.8 * limit / rounds - START_S * len(jobs)) / units))


KEPT = ("us_first_quartile", "us_third_quartile", "us_min", "samples", "passes_a_sample")
KEPT += ("innermost_team", "reference_us", "ideal_us", "by_hand_us", "us_fork", "us_join")
KEPT += ("ns_a_task", "peak_mib", "mib_more")


def run_job(job, seconds, cores):
    """Runs one process; returns its measurements, and sets job.failed if some are missing."""
    share = LINE_SHARE * seconds if job.case.lines > 1 else seconds
    options = [f"seconds={share:g}", f"warm-up={share / 4:g}"]
    limit = 4 + 6 * job.measured_s(seconds)
    try:
        done = subprocess.run(
            job.command + options,
            env=job.environment,
            capture_output=True,
            text=True,
            timeout=limit,
            stdin=subprocess.DEVNULL,
        )
        out = done.stdout
    except subprocess.TimeoutExpired as expired:
        job.failed = f"timed out after {limit:.0f} s"
        out = (expired.stdout or b"").decode()
        out = out[: out.rfind("\n") + 1]
    else:
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or [""])[-1]
            end = f"signal {-done.returncode}" if done.returncode < 0 else f"status {done.returncode}"
            job.failed = f"ended with {end} {last}".rstrip()
            return []
    results = []

    def add(figure, family, series, x, us, kept):
        results.append({"figure": figure, "family": family, "series": series, "x": x, "us": us, **kept})

    for line in out.splitlines():
        result = json.loads(line)
        if job.serving and os.path.realpath(result["served_by"]) != job.serving:
            job.failed = f"was served by {result['served_by']}"
            return []
        figure, x = job.figure.place(job.case, result)
        us = result["us"] / cores if job.case.program == "calls" else result["us"]
        kept = {key: result[key] for key in KEPT if key in result}
        add(figure, job.family, job.series, x, us, {"within_run": kept})
        if "ideal" in job.figure.bounds:
            add(figure, "bound", f"ideal on {cores} cores", x, result["ideal_us"], {})
            add(figure, "bound", f"by hand on {cores} cores", x, result["by_hand_us"], {})
            add(figure, "bound", "ideal, outer loop alone", x, result["ideal_outer_us"], {})
    return results


def far_behind(of_jobs, factor):
    """The OpenMP peers' jobs of {job: measurements} all of whose results took over `factor` times the quickest peer's time."""
    others = ("gossamer", "bound", "onetbb")
    quickest = {}
    peers = {job: results for job, results in of_jobs.items() if results and job.family not in others}
    for results in peers.values():
        for m in results:
            at = m["figure"], m["x"]
            quickest[at] = min(m["us"], quickest.get(at, m["us"]))

    def is_far(m):
        best = quickest[m["figure"], m["x"]]
        return best > 0 and m["us"] > factor * best

    return {job for job, results in peers.items() if all(is_far(m) for m in results)}


def run_rounds(jobs, rounds, seconds, limit, cores, say, probe, look, once_beyond=None):
    """Runs every job once in each round. Each round starts at another job, so that no runtime always runs first. A job
    that failed or timed out does not run again, nor a peer's job that took more than `once_beyond` times the quickest
    peer's time in the first round. No job starts after `limit` seconds. Right before the cases that check the cost model,
    probe() measures the cost of a cache line's way; look() measures it within milliseconds before and after each job.
    Returns the measurements and the number of finished rounds."""
    of_first = {}
    left_out = set()
    measurements = []
    begin = time.monotonic()
    taken = 0
    by_case = {}
    for job in jobs:
        by_case.setdefault((job.figure.name, str(job.case.x)), []).append(job)
    for number in range(rounds):
        started = time.monotonic()
        for group in by_case.values():
            shift = number % len(group)
            case = group[0].case
            line = probe() if case.program in ("flat", "sync") and not case.nested else None
            after = None
            for job in group[shift:] + group[:shift]:
                if limit and time.monotonic() - begin > limit:
                    say(f"{limit:.0f} s are over in round {number + 1} of {rounds}")
                    return measurements, taken
                if not job.failed and job not in left_out:
                    before = after or look()
                    results = run_job(job, seconds, cores)
                    after = look()
                    of_first.setdefault(job, results)
                    for measurement in results:
                        if line and job.family == "gossamer":
                            measurement["line"] = line
                        measurements.append({"round": number, "line_ns": [before, after], **measurement})
        taken += 1
        took = time.monotonic() - started
        say(f"round {taken} of {rounds} took {took:.0f} s, {1000 * seconds:.0f} ms a point")
        if once_beyond and taken == 1 and rounds > 1:
            left_out = far_behind(of_first, once_beyond)
            say(f"{len(left_out)} of {len(jobs)} runs took over {once_beyond} times the best peer's time: not repeated")
        if limit and taken < rounds:
            # The remaining time may be too short for more rounds at this pace.
            left = (limit - (time.monotonic() - begin)) / (rounds - taken)
            fixed = START_S * len(jobs)
            if took > left and took > fixed:
                seconds = max(0.01, seconds * max(0.2, 0.95 * (left - fixed) / (took - fixed)))
    return measurements, taken
