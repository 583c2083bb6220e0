# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cost model of docs/cost-model.md: fork, join and barrier from counted crossings of cache lines.

All times are in nanoseconds. A crossing is one way of a line between two cores: half of line.c's transfer, in which one
core's store takes the line and the other core's load gets it back."""

import statistics
from dataclasses import dataclass

# Counted in the code; docs/cost-model.md explains each count. P is the number of carriers that take part.
FORK_CROSSINGS = 2  # with one worker
FORK_A_STEP = 1  # each further step, in which whoever runs starts one more worker
FORK_BY_TREE = 12  # from so many threads on, the workers start each other; before that, only the primary thread does
JOIN_CROSSINGS = 2
BARRIER_OF_TWO_CROSSINGS = 2
BARRIER_CROSSINGS = 3  # a barrier of more than two threads, and in addition
BARRIER_A_THREAD = 1  # each thread beyond two, which arrives on the same line
BARRIER_IN_GROUPS = 8  # from so many threads on they arrive by groups, about as many as there are threads in each
FORK_INSTRUCTIONS = 460
JOIN_INSTRUCTIONS = 110
BARRIER_INSTRUCTIONS = 110
LOCKED = {"fork": 1, "join": 1, "barrier": 2}  # atomic additions and fences on the longest path, beside their crossings
INSTRUCTIONS_A_NS = 6  # of this library's own code, with its lines in the cache
READER = 0.5  # crossings for each further reader of one line, if line.c could not measure them
TREE = 4  # children of a node in the tree of the figure


class Machine:
    def __init__(self, line, reader=None, locked=4):
        self.crossing = line / 2
        self.reader = reader if reader else READER * self.crossing
        self.locked = locked

    @classmethod
    def of(cls, prices):
        """A machine with the prices that summary() returns."""
        return cls(prices["transfer_ns"], prices["answer_of_another_ns"], prices["own_addition_ns"])

    def _own(self, what, instructions):
        return instructions / INSTRUCTIONS_A_NS + LOCKED[what] * self.locked

    @staticmethod
    def _steps(p):
        """The step in which the last of p threads is started. In a tree a thread starts others two steps later than that."""
        if p < FORK_BY_TREE:
            return p - 1
        steps, before, running = 0, 1, 1
        while running < p:
            steps, before, running = steps + 1, running, before + running
        return steps

    def fork(self, p):
        crossings = FORK_CROSSINGS + FORK_A_STEP * (self._steps(p) - 1)
        return crossings * self.crossing + self._own("fork", FORK_INSTRUCTIONS)

    def join(self, _):
        # Workers that begin one after another end one after another, so only the last worker's crossings count.
        return JOIN_CROSSINGS * self.crossing + self._own("join", JOIN_INSTRUCTIONS)

    def region(self, p):
        return self.fork(p) + self.join(p)

    @staticmethod
    def _arrivals(p):
        """The longest way of arrivals one after another: those of a group, and those of the groups."""
        if p < BARRIER_IN_GROUPS:
            return p
        group = 1 << ((p - 1).bit_length() + 1) // 2
        return group + -(-p // group)

    def barrier(self, p):
        arrivals = self._arrivals(p)
        crossings = BARRIER_CROSSINGS + BARRIER_A_THREAD * (arrivals - 2) if p > 2 else BARRIER_OF_TWO_CROSSINGS
        return crossings * self.crossing + (p - 2) * self.reader + self._own("barrier", BARRIER_INSTRUCTIONS)

    def _levels(self, p):
        levels = 0
        while TREE**levels < p:
            levels += 1
        return levels

    def barrier_by_tree(self, p):
        """The barrier's time if each node of a tree gathered TREE other threads, and released them."""
        up = self._levels(p) * (TREE + 1) * self.crossing
        down = self._levels(p) * 2 * self.crossing
        return up + down + self._own("barrier", BARRIER_INSTRUCTIONS)


def summary(lines):
    """The model's part of line.c's answer; None if there is only one CPU, or no answer."""
    last = next((line for line in lines if line.get("construct") == "summary"), None)
    if last is None or not last["transfer_ns"]:
        return None
    return {key: last[key] for key in ("transfer_ns", "answer_of_another_ns", "own_addition_ns")}


@dataclass
class Row:
    """One kind of cost at one number of threads: medians over the rounds; the ratio also has its least and most."""

    what: str
    threads: int
    series: str
    transfer: float
    predicted: float
    measured: float
    ratio: tuple


def compare(measurements, cores):
    """A row for each number of threads that fits the cores. In each round the prediction uses the line's cost right
    before, and the measurement is the quickest sample, since the model leaves out preemption."""
    found = {}

    def add(what, threads, m, us):
        if 2 <= threads <= cores:
            predicted = getattr(Machine.of(m["line"]), what)(threads)
            pair = (m["line"]["transfer_ns"], predicted, 1e3 * us)
            found.setdefault((what, threads, m["series"]), []).append(pair)

    for m in measurements:
        kept = m.get("within_run", {})
        if not m.get("line") or not m["series"].endswith(("(gcc)", "(clang)")):
            continue
        if m["figure"] == "flat":
            add("region", m["x"], m, kept["us_min"])
            for part in ("fork", "join"):
                add(part, m["x"], m, kept[f"us_{part}"])
        elif m["figure"] == "sweep-barrier":
            add("barrier", m["x"], m, kept["us_min"])
        elif m["x"] == "barrier":
            add("barrier", int(m["figure"].removeprefix("sync-")), m, kept["us_min"])
    rows = []
    for (what, threads, series), values in sorted(found.items()):
        ratios = [measured / predicted for _, predicted, measured in values]
        middle = [statistics.median(column) for column in zip(*values)]
        ratio = (statistics.median(ratios), min(ratios), max(ratios))
        rows.append(Row(what, threads, series, *middle, ratio))
    return rows


def markdown(rows):
    if not rows:
        return ""
    out = [
        "### Cost model",
        "Nanoseconds, medians of the rounds' quickest samples; the transfer of a line was measured right before; "
        "docs/cost-model.md",
        "",
        "| | threads | binaries | transfer | predicted | measured | measured ÷ predicted (least to most) |",
        "|---|---:|---|---:|---:|---:|---:|",
    ]
    for row in rows:
        middle, low, high = row.ratio
        out.append(
            f"| {row.what} | {row.threads} | {row.series} | {row.transfer:.0f} | {row.predicted:.0f} "
            f"| {row.measured:.0f} | {middle:.2f} ({low:.2f} to {high:.2f}) |"
        )
    return "\n".join(out) + "\n"


def drawing(lines, rows, most=1024):
    """The prediction for up to `most` carriers, without and with a tree for the barrier, for tools/plot.py."""
    prices = summary(lines)
    if prices is None:
        return None
    machine = Machine.of(prices)
    widths = [2**n for n in range(1, most.bit_length())]

    def series(label, cost):
        points = [{"x": p, "y": cost(p) / 1e3, "low": cost(p) / 1e3, "high": cost(p) / 1e3} for p in widths]
        return {"family": "model", "label": label, "points": points}

    drawn = [
        series("region, predicted", machine.region),
        series("barrier, predicted", machine.barrier),
        series(f"barrier, trees of {TREE}", machine.barrier_by_tree),
    ]
    for what in ("region", "barrier"):
        by_threads = {}
        for row in rows:
            if row.what == what:
                by_threads.setdefault(row.threads, []).append(row.measured / 1e3)
        points = [
            {"x": p, "y": statistics.median(us), "low": min(us), "high": max(us)} for p, us in by_threads.items()
        ]
        if points:
            drawn.append({"family": "gossamer", "label": f"{what}, measured", "points": points})
    return {
        "name": "cost-model",
        "title": "Fork and join, and the barrier, by the cost model",
        "x_label": "carriers",
        "y_label": "µs",
        "kind": "lines",
        "log_x": True,
        "log_y": True,
        "series": drawn,
    }
