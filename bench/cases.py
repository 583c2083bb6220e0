# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The figures and their cases: each case names the program and the arguments that make a point."""

from dataclasses import dataclass, field, replace

from runtimes import ACTIVE, HOT, PASSIVE, Variant


@dataclass(frozen=True)
class Case:
    """One point of a figure on every runtime; a program that prints several lines gives several points."""

    program: str
    arguments: dict
    x: object  # the point's place on the x axis; None: each line's "construct"
    nested: bool  # chooses the variants that are worth a run
    lines: int = 1  # results that the program prints, for its time limit
    least_s: float = 0  # seconds that the point takes at any rate, or one pass of it on a slow runtime


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
    # Makes several figures of a program's lines: "schedules": one for each kind, over chunks; "constructs": one for each
    # construct, over the cases. "": one figure over the constructs.
    split: str = ""
    variants: dict = None  # by name or family, instead of each runtime's own; runtimes without an entry are left out

    def place(self, case, result):
        """The name of the figure to which a program's line belongs, and the line's x there."""
        construct = result.get("construct")
        if self.split == "schedules":
            kind, chunk = construct.split(",")
            return f"{self.name}-{kind}", int(chunk)
        if self.split == "constructs":
            return f"{self.name}-{construct.replace(' ', '-')}", case.x
        return self.name, case.x if case.x is not None else construct

    def named(self, name):
        """This figure, or its part that place() has called `name`."""
        part = name.removeprefix(self.name + "-").replace("-", " ")
        if not self.split:
            return self
        return replace(self, name=name, title=f"{self.title}: {part}", split="")


CONSTRUCTS = 10
CLAUSES = 9
VARIED = 3
CHUNKS = 24
FEW_CHUNKS = 12  # 1, 8, 64, 128 of three kinds
OVERHEAD = "µs of overhead a use"
METHOD = "EPCC microbenchmarks (method)"


def _flat(widths):
    return Figure(
        "flat",
        "One empty parallel region",
        "threads",
        "BOLT paper, figure 6a",
        [Case("flat", {"threads": n}, n, False) for n in widths],
        log_x=True,
    )


def _turns(widths):
    return Figure(
        "flat-turns",
        "Two regions in turn, which differ in function and arguments",
        "threads",
        "as figure 6a of the BOLT paper, but no region is its predecessor's repetition",
        [Case("flat", {"threads": n, "turns": 1}, n, False) for n in widths],
        log_x=True,
    )


def _cold(counts):
    return Figure(
        "cold",
        "One empty region of two threads after other work",
        "calls of other functions before it",
        "each of 4,096 functions as likely as any other",
        [Case("cold", {"threads": 2, "calls": n}, n, False) for n in counts],
        log_x=True,
    )


def _sparse(works):
    return Figure(
        "sparse",
        "A region of two threads every ten milliseconds",
        "cycles of work of each thread",
        "the threads of a runtime that does not spin for so long are asleep then",
        [Case("sparse", {"threads": 2, "cycles": n}, n, False, least_s=0.3) for n in works],
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
        bounds=["calls", "inner off"],
    )


def _deep():
    return Figure(
        "nested-deep",
        "Empty regions nested three deep",
        "threads at the levels",
        "the nested benchmark, 4 × 4 × 8",
        [Case("nested", {"outer": 4, "inner": 4, "inmost": 8}, "4×4×8", True)],
        kind="bars",
        bounds=["inner off"],
    )


def _varied():
    return Figure(
        "varied",
        "Regions that differ from one another",
        "regions",
        "eight flat widths; four nested shapes; 16 trees of random width, up to three deep",
        [Case("varied", {}, None, True, VARIED)],
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


def _policies(cores, wide):
    """Figure 6: the cost of each wait policy for work that it suits and for work that it does not suit."""
    hot = {"passive": {**PASSIVE, **HOT}, "active": {**ACTIVE, **HOT}, "default": HOT}
    kmp = [Variant(name, settings) for name, settings in hot.items()]
    plain = [Variant("passive", PASSIVE), Variant("active", ACTIVE), Variant("default", {})]
    bolt = {"OMP_PROC_BIND": "spread,unset", "KMP_ABT_NUM_ESS": str(cores)}
    return Figure(
        "policies",
        "Wait policies",
        "work",
        "BOLT paper, figure 6",
        [
            Case("flat", {"threads": cores}, f"flat, {cores} threads", False),
            Case("nested", {"outer": wide, "inner": wide}, f"nested, {wide} × {wide}", True),
        ],
        kind="bars",
        bounds=["inner off"],
        variants={
            "gossamer": plain,
            "libgomp": plain,
            "libomp": kmp,
            "libiomp5": kmp,
            "bolt": [Variant(name, {**bolt, **settings}) for name, settings in hot.items()],
        },
    )


def _bound(cores):
    """The same regions with and without OMP_PROC_BIND, since on clusters nearly all programs are bound."""
    ways = {"unbound": {}, "close": {"OMP_PROC_BIND": "close"}, "spread": {"OMP_PROC_BIND": "spread"}}

    def variants(settings, named=""):
        return [
            Variant(f"{named} {name}".strip(), {**settings, **(bind and {"OMP_PLACES": "cores", **bind})})
            for name, bind in ways.items()
        ]

    kmp = variants({**ACTIVE, **HOT}, "active hot")
    return Figure(
        "bound",
        "Regions that are bound to places, one a core",
        "work",
        "a setting of most batch systems",
        [
            Case("flat", {"threads": cores}, f"flat, {cores} threads", False),
            Case("flat", {"threads": 8 * cores}, f"flat, {8 * cores} threads", False),
            Case("nested", {"outer": 8, "inner": 8}, "nested, 8 × 8", True),
        ],
        kind="bars",
        variants={"gossamer": variants({}), "libgomp": variants(ACTIVE, "active"), "libomp": kmp, "libiomp5": kmp},
    )


# Figure 5: each step adds one mechanism to the last step. Without a mechanism Gossamer does the simplest thing that works:
# a team from the stock for each region, all numbers one by one, a fiber for each number, a wait that always suspends.
STEPS = {
    "none": {"GOSSAMER_WITHOUT": "hot-teams,ranges,calls,spinning"},
    "+ hot teams": {"GOSSAMER_WITHOUT": "ranges,calls,spinning"},
    "+ ranges": {"GOSSAMER_WITHOUT": "calls,spinning"},
    "+ plain calls": {"GOSSAMER_WITHOUT": "spinning"},
    "+ hybrid waiting": {},
    "without FSGSBASE": {"GOSSAMER_WITHOUT": "fsgsbase"},
    "passive": PASSIVE,
    "on one carrier": {"GOSSAMER_CARRIERS": "1"},
}


def _breakdown(outers, inner):
    return Figure(
        "breakdown",
        f"What each idea brings, inner teams of {inner}",
        "outer threads L",
        "BOLT paper, figure 5b",
        [Case("nested", {"outer": n, "inner": inner}, n, True) for n in outers],
        log_x=True,
        bounds=["calls"],
        variants={"gossamer (gcc)": [Variant(name, settings) for name, settings in STEPS.items()]},
    )


def _shape(threads, outer):
    if outer > 1:
        return f"{outer} × {threads} threads", f"{outer}x{threads}"
    return f"{threads} threads", f"{threads}"


def _sync(threads, outer=1):
    shape, name = _shape(threads, outer)
    return Figure(
        f"sync-{name}",
        f"Overheads of constructs, {shape}",
        "construct",
        METHOD,
        [Case("sync", {"threads": threads, "outer": outer}, None, outer > 1, CONSTRUCTS)],
        kind="bars",
        y_label=OVERHEAD,
        bounds=["inner off"] if outer > 1 else [],
    )


def _schedules(threads, outer=1):
    shape, name = _shape(threads, outer)
    step, lines = (8, FEW_CHUNKS) if outer > 1 else (2, CHUNKS)
    return Figure(
        f"schedule-{name}",
        f"Overheads of loops, 128 iterations a thread, {shape}",
        "chunk",
        METHOD,
        [Case("schedule", {"threads": threads, "outer": outer, "step": step}, None, outer > 1, lines)],
        log_x=True,
        y_label=OVERHEAD,
        split="schedules",
    )


def _process():
    works = ("no region", "one region", "one with a task")
    return Figure(
        "process",
        "A whole process, from its start to its end",
        "what it does",
        "a program that is soon through",
        [Case("process", {"work": number}, what, False) for number, what in enumerate(works)],
        kind="bars",
        y_label="µs a process",
    )


def _arrays(threads):
    return Figure(
        f"arrays-{threads}",
        f"Overheads of clauses that copy arrays of so many doubles, {threads} threads",
        "clause",
        METHOD,
        [Case("arrays", {"threads": threads}, None, False, CLAUSES)],
        kind="bars",
        y_label=OVERHEAD,
    )


def _sync_sweep(widths):
    return Figure(
        "sweep",
        "Overheads of constructs",
        "threads",
        METHOD,
        [Case("sync", {"threads": n}, n, False, CONSTRUCTS) for n in widths],
        log_x=True,
        y_label=OVERHEAD,
        split="constructs",
    )


def standard(cores):
    return [
        _flat(sorted({2, 4, 8, 16, 64, cores})),
        _turns(sorted({2, 4, 16, cores})),
        _cold([300, 3000, 10000]),
        _sparse([1000, 10000, 50000, 250000]),
        _nested([2, 4, 8, 16, 28, 56]),
        _barrier([8, 28, 56]),
        _deep(),
        _varied(),
        _insufficient([1, 2, 3, 4]),
        _unbalanced([0, 0.5, 1, 2, 10]),
        _policies(cores, 28),
        _bound(cores),
        _breakdown([1, 2, 4, 8, 28, 56], 28),
        *[_sync(n) for n in sorted({2, 8, cores})],
        *[_schedules(n) for n in sorted({2, 8, cores})],
        _arrays(2),
        _process(),
        *[_sync(p, p) for p in (2, 4, 8)],
        *[_schedules(p, p) for p in (2, 4, 8)],
    ]


def quick(cores):
    return [
        _flat([2, 4, 8, 16, 64]),
        _nested([8, 28, 56]),
        _barrier([28]),
        _deep(),
        _insufficient([1, 2, 3, 4]),
        _unbalanced([0, 1, 10]),
        _sync(2),
        _sync(4, 4),
    ]


def scale(cores):
    """Sweeps over numbers of threads, to 64 and to 8 times the machine, and those figures of `standard` that suit a wide
    machine."""
    steps = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
    widths = [n for n in steps if n <= max(64, 8 * cores)]
    few = [n for n in widths if n & (n - 1) == 0 and n > 1]
    wide = min(max(28, cores), 128)
    return [
        _flat(widths),
        _turns(few),
        _sync_sweep([1] + few),
        _nested([n for n in widths if 1 < n <= max(64, min(cores, 128))]),
        _nested_by_outer(wide, [n for n in widths if n <= wide]),
        _barrier([n for n in few if n <= max(32, min(cores, 64))]),
        _deep(),
        _varied(),
        _insufficient(sorted({1, 2, 3, 4, cores // 2 or 1, cores})),
        _unbalanced([0, 0.5, 1, 2, 10]),
        _policies(cores, wide),
        _bound(cores),
        _breakdown([n for n in widths if n <= wide and n & (n - 1) == 0], wide),
        *[_schedules(n) for n in sorted({2, 8, cores})],
        *[_sync(p, p) for p in sorted({2, 4, 8, min(cores, 32)})],
    ]
