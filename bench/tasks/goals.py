# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The goals of tasks, as rows in the form of ../targets.py."""

import targets
from tasks import figures

OPENMP = ("libgomp", "libomp", "libiomp5", "bolt")
CROWD_MIB = 64  # for any number of tasks of one producer
DETACHED_KIB = 1  # for each detached task
FIB_NS = 40  # of one core, for each task
LOOKUPS = 1.5


def _fib_alone(measured, figure, threads, cores):
    """The core time of a task, under the assumption that all cores that the team can use are busy."""
    rows = []
    for ours in measured.ours(figure, "fib"):
        ns = measured.within(figure, "fib", ours, "ns_a_task")
        if ns is None:
            continue
        busy = min(threads, cores)
        ratio = FIB_NS / (ns * busy)
        note = f"{ns * busy:.1f} ns of one core a task; {FIB_NS} are wanted"
        rows.append(
            targets._row(
                "fib, a task per call", f"{threads} threads", ours, f"{FIB_NS} ns", 1, (ratio,) * 3, ratio >= 1, note
            )
        )
    return rows


def _lookups(measured, figure):
    rows = []
    for ours in measured.ours(figure, "tasks"):
        if ours not in measured.points.get((figure, "look-ups only"), {}):
            continue
        ratios = measured.ratio(figure, "tasks", ours, ours, "look-ups only")
        if ratios is None:
            continue
        ratio, least, most = ratios
        note = f"{ratio:.2f} times the look-ups alone ({least:.2f} to {most:.2f}); {LOOKUPS} are wanted"
        if ours in measured.points.get((figure, "plain calls"), {}):
            of_all, _, _ = measured.ratio(figure, "plain calls", ours, ours, "tasks")
            note += f"; plain calls of the tasks' own work take {of_all:.2f} of the time"
        rows.append(
            targets._row(
                "task graph, time to its look-ups",
                "2 threads",
                ours,
                "its look-ups",
                LOOKUPS,
                (LOOKUPS / ratio, LOOKUPS / most, LOOKUPS / least),
                ratio <= LOOKUPS,
                note,
            )
        )
    return rows


def _memory(measured, crowd):
    rows = []
    if crowd is None:
        return rows
    for x in measured.places("task-crowd"):
        for ours in measured.ours("task-crowd", x):
            peak = measured.within("task-crowd", x, ours, "peak_mib")
            more = measured.within("task-crowd", x, ours, "mib_more")
            ns = measured.within("task-crowd", x, ours, "ns_a_task")
            tasks = next(c.arguments["tasks"] for c in crowd.cases if c.x == x)
            if peak is None:
                continue
            wanted = DETACHED_KIB * tasks / 1024 if x == "detached" else CROWD_MIB
            note = f"{tasks:,} tasks: peak {peak:.0f} MiB, {more:.1f} of them for the tasks; {ns:.0f} ns a task"
            ratio = wanted / max(more, 0.01)
            row = targets._row(
                "memory of a crowd of tasks", x, ours, f"{wanted:.0f} MiB", 1, (ratio,) * 3, ratio >= 1, note
            )
            rows.append(row)
    return rows


def _beside_plain_calls(measured, figure, row):
    """Adds to a row that falls short the ratio of plain calls on as many cores, which no runtime can exceed."""
    plain = next((s for s in measured.points[figure, row["at"]] if s.startswith("plain calls")), None)
    if row["holds"] or plain is None:
        return row
    best = measured.ratio(figure, row["at"], row["against"], plain)
    mine = measured.ratio(figure, row["at"], row["ours"], plain)
    if best and mine:
        note = f"plain calls would be {best[0]:.3g} times faster than that peer; these tasks take {mine[0]:.3g} times that"
        row["note"] = f"{row['note']}; {note}" if row["note"] else note
    return row


def evaluate(measurements, shown, cores):
    """Every goal for which the figures `shown` have measurements."""
    measured = targets.Measured(measurements)

    def of(*families):
        return lambda _, family: family in families

    def faster(goal, figure, at, wanted):
        return targets._times_faster(measured, goal, figure, at, of(*OPENMP), wanted)

    def fine(goal, figure, at, wanted):
        return [_beside_plain_calls(measured, figure, row) for row in faster(goal, figure, at, wanted)]

    rows = [*_fib_alone(measured, "tasks-2", 2, cores), *fine("fib, no cut-off", "tasks-2", ("fib",), (3,))]
    for threads, factor in ((2, 1.5), (8, 3)):
        figure = f"tasks-{threads}"
        rows += fine(f"no cut-off, {threads} threads", figure, figures.FINE, (factor,) * len(figures.FINE))
        cut = [f"{name} cut-off" for name in figures.KERNELS]
        rows += faster(f"with a cut-off, {threads} threads", figure, cut, (1,) * len(cut))
        coarse = [name for name in figures.KERNELS if name not in ("fib", *figures.FINE)]
        rows += faster(f"coarse tasks, {threads} threads", figure, coarse, (1,) * len(coarse))
    return [
        *rows,
        *targets._constructs(
            measured, "task constructs, best peer", ("task-constructs-2", "task-constructs-8"), targets.NOISE
        ),
        *faster("task graph, best peer", "task-graph-2", ("tasks",), (2,)),
        *_lookups(measured, "task-graph-2"),
        *_memory(measured, next((f for f in shown if f.name == "task-crowd"), None)),
    ]
