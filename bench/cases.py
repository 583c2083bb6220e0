# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is run: the figures, their cases, and which program with which arguments makes each point."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Case:
    """One point of a figure on every runtime; a program that prints several lines gives several points."""

    program: str
    arguments: dict
    x: object  # the point's place on the x axis; None: each line's "construct"
    nested: bool  # picks the variants worth a run
    lines: int = 1  # results the program prints, for its time limit


@dataclass
class Figure:
    name: str
    title: str
    x_label: str
    source: str
    cases: list
    kind: str = "lines"
    log_x: bool = False
    bounds: list = field(default_factory=list)  # of "calls", "inner off", "ideal"
    y_label: str = "µs a pass"


CONSTRUCTS = 13


def _flat(widths):
    return Figure(
        "flat",
        "One empty parallel region",
        "threads",
        "BOLT paper, figure 6a",
        [Case("flat", {"threads": n}, n, False) for n in widths],
        log_x=True,
    )


def _nested(widths):
    return Figure(
        "nested",
        "Empty nested regions, L = N",
        "threads at each level",
        "BOLT paper, figures 5 and 6b",
        [Case("nested", {"outer": n, "inner": n}, n, True) for n in widths],
        log_x=True,
        bounds=["calls", "inner off"],
    )


def _nested_by_outer(inner, widths):
    return Figure(
        f"nested-{inner}",
        f"Empty nested regions, inner teams of {inner}",
        "outer threads L",
        "BOLT paper, figure 5b",
        [Case("nested", {"outer": n, "inner": inner}, n, True) for n in widths],
        log_x=True,
        bounds=["calls", "inner off"],
    )


def _barrier(widths):
    return Figure(
        "nested-barrier",
        "Nested regions with a barrier inside, L = N",
        "threads at each level",
        "the nested benchmark with one explicit barrier in each inner region",
        [Case("nested", {"outer": n, "inner": n, "barrier": 1}, n, True) for n in widths],
        log_x=True,
    )


def _deep():
    return Figure(
        "nested-deep",
        "Empty regions nested three deep",
        "threads at the levels",
        "the nested benchmark, 4 × 4 × 8",
        [Case("nested", {"outer": 4, "inner": 4, "inmost": 8}, "4×4×8", True)],
        kind="bars",
    )


def _insufficient(outers):
    return Figure(
        "insufficient",
        "Insufficient outer parallelism, N = 16",
        "outer iterations L",
        "BOLT paper, figures 7 and 9a",
        [Case("insufficient", {"outer": n, "inner": 16}, n, True) for n in outers],
        bounds=["ideal"],
    )


def _unbalanced(alphas):
    return Figure(
        "unbalanced",
        "Unbalanced outer iterations, N = 16",
        "α",
        "BOLT paper, figures 8 and 9b",
        [Case("unbalanced", {"threads": 16, "alpha": a}, f"{a:g}", True) for a in alphas],
        kind="bars",
        bounds=["ideal"],
    )


def _sync(threads, outer=1):
    shape = f"{outer} × {threads} threads" if outer > 1 else f"{threads} threads"
    return Figure(
        f"sync-{outer}x{threads}" if outer > 1 else f"sync-{threads}",
        f"Overheads of constructs, {shape}",
        "construct",
        "EPCC microbenchmarks (method)",
        [Case("sync", {"threads": threads, "outer": outer}, None, outer > 1, CONSTRUCTS)],
        kind="bars",
        y_label="µs of overhead a use",
    )


def standard(cores):
    return [
        _flat(sorted({cores, 2 * cores, 4 * cores, 8 * cores})),
        _nested(sorted({2, 4, 8, 16, 28, 56})),
        _barrier([2, 4, 8, 16, 28]),
        _deep(),
        _insufficient([1, 2, 3, 4]),
        _unbalanced([0, 1, 10]),
        _sync(cores),
        _sync(4 * cores),
        *[_sync(p, p) for p in (2, 4, 8)],
    ]


def quick(cores):
    return [
        _flat(sorted({cores, 4 * cores})),
        _nested([4, 28]),
        _barrier([8]),
        _deep(),
        _insufficient([1, 3]),
        _unbalanced([1]),
        _sync(cores),
    ]


def scale(cores):
    """Sweeps over numbers of threads, up to 16 times the machine at each level."""
    widths = [
        n for n in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512) if n <= 16 * cores
    ]
    return [
        _flat(widths),
        _nested([n for n in widths if 1 < n <= 128]),
        _nested_by_outer(8 * cores, [n for n in widths if n <= 8 * cores]),
    ]
