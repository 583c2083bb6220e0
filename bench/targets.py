# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The goals of this runtime, as ratios, beside the measurements: a row for each goal and compiler."""

import statistics

# Costs of a line's way within this factor belong to one state of the host. The host puts a machine's virtual processors now on
# cores that share a cache, now far apart: a transfer takes 25, 60 or 280 ns, and a flat region .2 or .8 µs.
SAME_STATE = 1.35
NOISE = 1.05  # two runtimes whose medians are within this factor are equally fast
IDEAL = 1.02
# An overhead below this share of the subtracted work, or below so many µs, cannot be distinguished from zero.
RESOLUTION = 0.01
RESOLUTION_US = 0.005

KERNEL_THREADS = ("libgomp", "libomp", "libiomp5")
LIBOMP = "libomp passive hot"
GCC = ("libgomp", "gossamer (gcc)")  # series with gcc's binaries begin so; all others ran clang's
CONSTRUCTS = ("sync-2", "schedule-2-static", "schedule-2-dynamic", "schedule-2-guided")


def text(x):
    return f"{x:g}" if isinstance(x, (int, float)) else str(x)


def host_state(measurement):
    """The cost of a cache line's way from core to core around a measurement, in ns; None if it is not known, or if it changed
    meanwhile because the host moved a virtual processor."""
    before, after = measurement.get("line_ns", (0, 0))
    return (before + after) / 2 if min(before, after) > 0 and _alike(before, after) else None


def _alike(one, other):
    return max(one, other) <= SAME_STATE * min(one, other)


class Measured:
    """Measurements by figure, x and series; each series maps rounds to values."""

    def __init__(self, measurements):
        self.points = {}
        self.family = {}
        self.state = {}
        for m in measurements:
            at = m["figure"], str(m["x"])
            series = self.points.setdefault(at, {}).setdefault(m["series"], {})
            series[m["round"]] = (m["us"], m.get("within_run", {}))
            self.family[m["series"]] = m["family"]
            self.state[(*at, m["series"], m["round"])] = host_state(m)

    def places(self, figure):
        return [x for name, x in self.points if name == figure]

    def ours(self, figure, x):
        at = self.points.get((figure, str(x)), {})
        return [s for s in at if self.family[s] == "gossamer" and s in ("gossamer (clang)", "gossamer (gcc)")]

    def median(self, figure, x, series):
        return statistics.median(us for us, _ in self.points[figure, str(x)][series].values())

    def within(self, figure, x, series, key):
        values = [kept[key] for _, kept in self.points[figure, str(x)][series].values() if key in kept]
        return statistics.median(values) if values else None

    def pairs(self, figure, x, one, other, other_x=None):
        """Pairs of comparable times of two series, or of one at two places: pairs from any rounds with the host in the
        same state, or, if there are none, pairs from the same round."""

        def times_and_states(place, series):
            rounds = self.points[figure, str(place)][series]
            return {r: (us, self.state[figure, str(place), series, r]) for r, (us, _) in rounds.items()}

        ones, others = times_and_states(x, one), times_and_states(x if other_x is None else other_x, other)
        known = [(a, b) for a in ones for b in others if ones[a][1] and others[b][1]]
        rounds = [(a, b) for a, b in known if _alike(ones[a][1], others[b][1])]
        rounds = rounds or [(r, r) for r in ones if r in others]
        return [(ones[a][0], others[b][0]) for a, b in rounds]

    def medians(self, figure, x, one, other):
        """The medians of both series over these pairs; None without a pair."""
        pairs = self.pairs(figure, x, one, other)
        return tuple(statistics.median(times) for times in zip(*pairs)) if pairs else None

    def ratio(self, figure, x, slow, fast, fast_x=None):
        """The ratio of `slow` to `fast` over these pairs: median, least, most; None without a pair."""
        ratios = [a / b for a, b in self.pairs(figure, x, slow, fast, fast_x) if b > 0]
        return (statistics.median(ratios), min(ratios), max(ratios)) if ratios else None

    def fastest(self, figure, x, ours, keep):
        """The series that is best against `ours`, of all that keep(series, family) admits; None without one."""
        at = self.points.get((figure, str(x)), {})

        def against(name):
            medians = self.medians(figure, x, name, ours)
            theirs, mine = (max(us, RESOLUTION_US) for us in medians or (float("inf"), 1))
            return theirs / mine

        names = [name for name in at if keep(name, self.family[name])]
        return min(names, key=against, default=None)


def _row(goal, at, ours, peer, wanted, ratio, holds, note=""):
    return {
        "goal": goal,
        "at": text(at),
        "ours": ours,
        "against": peer,
        "wanted": wanted,
        "measured": ratio and [round(value, 4) for value in ratio],
        "holds": holds,
        "note": note,
    }


def _times_faster(measured, goal, figure, at, keep, wanted):
    """Rows: at each x, how many times faster Gossamer is than the fastest series that `keep` admits. If the goal is missed
    and that peer runs another compiler's code, a note gives the time of the best peer with the same code, and the row says
    whether the goal holds against that peer."""
    rows = []
    for x, factor in zip(at, wanted):
        for ours in measured.ours(figure, x):
            peer = measured.fastest(figure, x, ours, keep)
            if peer is None:
                continue
            ratio = measured.ratio(figure, x, peer, ours)
            # A goal of "not slower" has a tolerance for noise; a larger factor has none.
            least = factor / NOISE if factor == 1 else factor
            holds = bool(ratio) and ratio[0] >= least
            row = _row(goal, x, ours, peer, factor, ratio, holds)
            if not holds and peer.startswith(GCC) != ours.startswith(GCC):
                row["note"] = f"{x} {_to(measured, figure, x, ours, peer)}" + _same_code(measured, figure, x, ours)
                same = _peer_of_same_code(measured, figure, x, ours, keep)
                ratio = same and measured.ratio(figure, x, same, ours)
                row["holds_with_same_code"] = bool(ratio) and ratio[0] >= least
            rows.append(row)
    return rows


def _near_ideal(measured, goal, figure):
    rows = []
    for x in measured.places(figure):
        for ours in measured.ours(figure, x):
            runs = measured.points[figure, x][ours].values()
            ratios = [us / kept["ideal_us"] for us, kept in runs if kept.get("ideal_us")]
            if ratios:
                ratio = statistics.median(ratios), min(ratios), max(ratios)
                rows.append(_row(goal, x, ours, "ideal", IDEAL, ratio, ratio[0] <= IDEAL))
                by_hand = [kept["by_hand_us"] / kept["ideal_us"] for _, kept in runs if kept.get("by_hand_us")]
                if by_hand:
                    rows[-1]["by_hand"] = round(statistics.median(by_hand), 4)
    return rows


def _peer_of_same_code(measured, figure, x, ours, keep):
    """The fastest series with the same binary that `keep` admits."""
    return measured.fastest(
        figure, x, ours, lambda s, family: keep(s, family) and s.startswith(GCC) == ours.startswith(GCC)
    )


def _same_code(measured, figure, x, ours):
    """A note with the time of the best peer with the same binary."""
    peer = _peer_of_same_code(measured, figure, x, ours, lambda _, family: family not in ("gossamer", "bound", "onetbb"))
    return f" (with the same binary {_to(measured, figure, x, ours, peer)})" if peer else ""


def _to(measured, figure, x, ours, peer):
    medians = measured.medians(figure, x, ours, peer)
    return f"{medians[0]:.3g} to {medians[1]:.3g} µs of {peer}" if medians else f"not comparable to {peer}"


def _constructs(measured, goal, figures, tolerance):
    """One row for each figure and compiler: the worst construct, and all constructs that fall short."""
    rows = []
    for figure in figures:
        worst = {}
        short = {}
        for x in measured.places(figure):
            if x == "atomic" and "x" in figure:
                continue  # the random overlap of many teams' updates decides this, not the runtime
            for ours in measured.ours(figure, x):
                peer = measured.fastest(figure, x, ours, lambda _, family: family not in ("gossamer", "bound"))
                medians = peer and measured.medians(figure, x, ours, peer)
                if not medians:
                    continue
                mine, theirs = medians
                blur = max(RESOLUTION_US, RESOLUTION * (measured.within(figure, x, ours, "reference_us") or 0))
                holds = mine <= tolerance * max(theirs, 0) + blur
                ratio = max(theirs, blur) / max(mine, blur)
                if ours not in worst or ratio < worst[ours][0]:
                    worst[ours] = (ratio, x, peer)
                if not holds:
                    missing = f"{x} {_to(measured, figure, x, ours, peer)}"
                    if peer.startswith(GCC) != ours.startswith(GCC):
                        missing += _same_code(measured, figure, x, ours)
                    short.setdefault(ours, []).append(missing)
        for ours, (ratio, x, peer) in worst.items():
            missing = short.get(ours, [])
            note = ""
            if missing:
                note = f"{len(missing)} of {len(measured.places(figure))} fall short: {'; '.join(missing)}"
            row = _row(goal, f"{figure}, worst: {x}", ours, peer, 1, (ratio, ratio, ratio), not missing, note)
            rows.append(row)
    return rows


def _memory(regions):
    rows = []
    for ours, result in regions.items():
        grown = result["mapped_growth_kib"], result["resident_growth_kib"]
        note = (
            f"{result['regions']:,.0f} regions: {result['allocations']:.0f} allocations, "
            f"{grown[0]:.0f} KiB mapped and {grown[1]:.0f} KiB resident more"
        )
        # The C library may touch its own buffers for the first time meanwhile.
        holds = result["allocations"] == 0 and grown[0] <= 0 and grown[1] <= 256
        goal = "regions of random width and depth: memory flat, no allocation"
        rows.append(_row(goal, "", ours, "", 0, None, holds, note))
    return rows


def evaluate(measurements, regions):
    """Every goal for which there are measurements. `regions`: the output of regions.c, by runtime."""
    measured = Measured(measurements)

    def named(name):
        return lambda series, _: series == name

    def of(*families):
        return lambda _, family: family in families

    def inner_off(series, family):
        return family == "bound" and series.startswith("libomp ") and series.endswith("inner regions off")

    def active(series, family):
        return series in [f"{peer} active" for peer in KERNEL_THREADS] or family == "bolt"

    def faster(*rest):
        return _times_faster(measured, *rest)

    return [
        *faster("empty nested, libomp with nested hot teams", "nested", (8, 28, 56), named(LIBOMP), (60, 300, 450)),
        *faster("empty nested, BOLT", "nested", (56,), of("bolt"), (20,)),
        *faster("empty nested, libomp with inner regions off", "nested", (8, 28, 56), inner_off, (1, 1, 1)),
        *faster("nested with a barrier, libomp", "nested-barrier", (28,), named(LIBOMP), (40,)),
        *faster("nested with a barrier, BOLT", "nested-barrier", (28,), of("bolt"), (5,)),
        *faster("nested three deep, libomp", "nested-deep", ("4×4×8",), named(LIBOMP), (40,)),
        *_near_ideal(measured, "insufficient outer parallelism, time to ideal", "insufficient"),
        *_near_ideal(measured, "unbalanced, time to ideal", "unbalanced"),
        *faster("flat region, best of active peers and BOLT", "flat", (2,), active, (1,)),
        *faster("flat region, best kernel-thread peer", "flat", (4, 8, 16, 64), of(*KERNEL_THREADS), (4, 8, 10, 10)),
        *faster("flat region, BOLT", "flat", (4, 8, 16, 64), of("bolt"), (1, 1, 1, 1)),
        *_constructs(measured, "flat constructs at 2 threads, best peer", CONSTRUCTS, NOISE),
        *_constructs(
            measured,
            "nested constructs, best peer",
            [
                f"{name}-{p}x{p}{kind}"
                for p in (2, 4, 8)
                for name, kinds in (("sync", ("",)), ("schedule", ("-static", "-dynamic", "-guided")))
                for kind in kinds
            ],
            1,
        ),
        *_memory(regions),
    ]


def _times(value):
    return f"{value:,.0f}×" if value >= 100 else f"{value:.2f}×" if value >= 1 else f"{value:.2g}×"


def _states(measurements):
    """A sentence about the host's states meanwhile; empty if they are not known."""
    looks = sorted(ns for m in measurements for ns in m.get("line_ns", ()) if ns > 0)
    if not looks:
        return ""
    moved = sum(host_state(m) is None for m in measurements) / len(measurements)
    low, middle, high = (looks[int(part * (len(looks) - 1))] for part in (0.02, 0.5, 0.98))
    return (
        f" A cache line's way from core to core took {low:.0f} to {high:.0f} ns meanwhile, mostly {middle:.0f}; what was "
        f"measured while that changed ({100 * moved:.0f} %), or in another state, is not compared."
    )


def markdown(rows, cores, measurements):
    """The table of goals. A ratio is the other runtime's time to Gossamer's, or Gossamer's to the ideal."""
    held = sum(row["holds"] for row in rows)
    more = sum(row.get("holds_with_same_code", False) for row in rows)
    beside = f", {more} more against the best peer that runs the same compiler's code" if more else ""
    lines = [
        "### Goals",
        f"{held} of {len(rows)} rows hold{beside}, on {cores} cores. How many times longer the other runtime takes "
        "(against the ideal: how many times longer Gossamer does), medians of the runs' ratios (least to most). *By hand*: "
        "what threads take that were written for just that work, in even parts (README.md)."
        + _states(measurements),
        "",
        "| work | at | Gossamer's binaries | against | wanted | measured | verdict |",
        "|---|---|---|---|---:|---:|---|",
    ]
    for row in rows:
        ideal = row["against"] == "ideal"
        wanted = f"{'≤' if ideal else '≥'} {_times(row['wanted'])}" if row["measured"] else "0"
        shown, verdict = "", "holds" if row["holds"] else "falls short"
        if row["measured"]:
            middle, low, high = row["measured"]
            shown = (_times(middle) if not ideal else f"{middle:.3f}×") + (
                f" ({_times(low)} to {_times(high)})" if low != high and not ideal else ""
            )
            if not row["holds"] and not ideal and middle > 0:
                verdict += f" by {_times(max(row['wanted'] / middle, 1))}"
            elif not row["holds"] and ideal:
                verdict += f" by {100 * (middle - row['wanted']):.1f} %"
            if "by_hand" in row:
                verdict += f"; by hand {row['by_hand']:.3f}×"
        lines.append(
            f"| {row['goal']} | {row['at']} | {row['ours']} | {row['against']} | {wanted} | {shown} | {verdict} |"
        )
    notes = [f"- {row['ours']}, {row['at'] or row['goal']}: {row['note']}" for row in rows if row["note"]]
    return "\n".join(lines + ([""] + notes if notes else [])) + "\n"
