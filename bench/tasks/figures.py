# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The figures of the task benchmarks, as in ../cases.py."""

from cases import METHOD, OVERHEAD, Case, Figure

KERNELS = ("fib", "nqueens", "health", "floorplan", "uts", "sort", "strassen", "sparselu", "fft", "alignment")
# The kernels whose time without a cut-off is nearly all the tasks'.
FINE = ("nqueens", "health", "floorplan", "uts")
CONSTRUCTS = 13
KINDS = 13
QUICK_SIZES = {"fib": 20, "nqueens": 8, "health": 4, "sort": 1 << 19, "strassen": 256, "sparselu": 16}
QUICK_SIZES |= {"fft": 1 << 17, "alignment": 16}
BOTS = "Barcelona OpenMP Tasks Suite (manner)"


def _kernel(name, threads, sizes, **more):
    label = name + (" cut-off" if more.get("cut-off") else "") + (" untied" if more.get("untied") else "")
    size = {"size": sizes[name]} if name in sizes else {}
    return Case(f"tasks/{name}", {"threads": threads, **size, **more}, label, False)


def _kernels(threads, cases):
    return Figure(
        f"tasks-{threads}",
        f"Task kernels, {threads} threads",
        "kernel",
        BOTS,
        cases,
        kind="bars",
        log_x=False,
        bounds=["calls"],
    )


def _spawn(threads):
    return Figure(
        f"task-cost-{threads}",
        f"Generate, run and wait for one task, {threads} threads",
        "kind of task",
        "one producer, a hundred tasks at a time",
        [Case("tasks/spawn", {"threads": threads}, None, False, KINDS)],
        kind="bars",
        y_label="µs a task",
    )


def _constructs(threads):
    return Figure(
        f"task-constructs-{threads}",
        f"Overheads of task constructs, {threads} threads",
        "construct",
        METHOD,
        [Case("tasks/constructs", {"threads": threads}, None, False, CONSTRUCTS)],
        kind="bars",
        y_label=OVERHEAD,
    )


def _graph(threads, tasks, least_s):
    return Figure(
        f"task-graph-{threads}",
        f"A random graph of {tasks:,} tasks with 3 dependences each, {threads} threads",
        "what is done",
        "each task changes one cell and reads two, a cell for ten tasks",
        [
            Case("tasks/graph", {"threads": threads, "tasks": tasks}, "tasks", False, least_s=least_s),
            Case("tasks/graph", {"threads": threads, "tasks": tasks, "lookups": 1}, "look-ups only", False),
            Case("tasks/graph", {"threads": threads, "tasks": tasks, "serial": 1}, "plain calls", False),
        ],
        kind="bars",
    )


def _dependences(threads, side):
    def case(label, **more):
        return Case("tasks/wavefront", {"threads": threads, "side": side, **more}, label, False)

    return Figure(
        f"task-dependences-{threads}",
        f"{side * side:,} tasks in regular dependences, {threads} threads",
        "pattern",
        "chains, a wavefront, and Cholesky's factorisation of 16 × 16 tiles",
        [
            case("chains"),
            case("chains, 1000 cycles", work=1000),
            case("wavefront", square=1),
            case("wavefront, 1000 cycles", square=1, work=1000),
            Case("tasks/cholesky", {"threads": threads, "tiles": 16, "rows": 16}, "Cholesky 16", False),
            Case("tasks/cholesky", {"threads": threads, "tiles": 16, "rows": 48}, "Cholesky 48", False),
            Case("tasks/cholesky", {"threads": threads, "tiles": 8, "rows": 96, "blas": 1}, "Cholesky 96, BLAS", False),
        ],
        kind="bars",
    )


def _crowd(tasks, detached, least_s):
    def case(label, count, **more):
        return Case("tasks/crowd", {"threads": 8, "tasks": count, **more}, label, False, least_s=least_s)

    return Figure(
        "task-crowd",
        f"{tasks:,} tasks from one producer with 7 consumers; {detached:,} tasks detached at once",
        "tasks",
        "one pass",
        [
            case("producer", tasks),
            case("priorities", tasks, priorities=1),
            case("detached", detached, detached=1),
        ],
        kind="bars",
    )


def standard(cores):
    def all_kernels(threads):
        ways = ({}, {"cut-off": 1}, {"untied": 1}, {"cut-off": 1, "untied": 1})
        return [_kernel(name, threads, {}, **way) for name in KERNELS for way in ways]

    return [
        *[_kernels(n, all_kernels(n)) for n in sorted({2, 8, cores})],
        *[_spawn(n) for n in sorted({1, 2, 8, cores})],
        *[_constructs(n) for n in sorted({2, 8, cores})],
        _graph(2, 1_000_000, 4),
        *[_dependences(n, 100) for n in sorted({2, 8, cores})],
        _crowd(10_000_000, 100_000, 8),
    ]


def quick(cores):
    two = [_kernel(name, 2, QUICK_SIZES) for name in KERNELS]
    two += [_kernel(name, 2, QUICK_SIZES, **{"cut-off": 1}) for name in KERNELS]
    two += [_kernel(name, 2, QUICK_SIZES, untied=1) for name in ("fib", *FINE)]
    return [
        _kernels(2, two),
        _kernels(8, [_kernel(name, 8, QUICK_SIZES) for name in FINE]),
        _spawn(2),
        _constructs(2),
        _graph(2, 30_000, 0.5),
        _dependences(2, 50),
        _crowd(300_000, 5_000, 0.5),
    ]


def scale(cores):
    widths = [n for n in (1, 2, 4, 8, 16, 32, 64, 128, 256) if n <= 4 * cores] or [1, 2]
    sweeps = [
        Figure(
            f"task-{name}",
            f"{name}, no cut-off",
            "threads",
            BOTS,
            [Case(f"tasks/{name}", {"threads": n}, n, False) for n in widths],
            log_x=True,
        )
        for name in KERNELS
    ]
    return [*sweeps, _spawn(cores), _constructs(cores), _graph(cores, 1_000_000, 4), _dependences(cores, 200)]
