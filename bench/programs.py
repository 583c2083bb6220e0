#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs real programs, as Debian ships them, on their own OpenMP runtime and by `gossamer run`, in turn.

    tesseract  recognises a page of text: four threads in each of its regions, on any machine
    clustalo   aligns 300 proteins, by 2 and by 8 threads
    gromacs    300 steps of a box of water: ranks x threads
    cp2k       the energy of four molecules of water: ranks x threads, with several ranks under mpirun
    pytorch    five steps of training a small network, by 2 and by 8 threads (not the whole process)

The script names programs that are not installed, and leaves them out. A program's answers must be equal on both runtimes.

Exit status: 0 all as fast as on their own runtime (within 5 %), 1 some slower, 2 some failed or answered otherwise.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import machine
import runtimes

HERE = pathlib.Path(__file__).resolve().parent
INPUTS = HERE / "programs"
NOISE = 0.05
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}  # Open MPI refuses root otherwise
GROMACS = """integrator={integrator}
nsteps={steps}
dt=0.002
cutoff-scheme=Verlet
coulombtype=PME
rcoulomb=0.9
rvdw=0.9
"""
WATER = """#include "oplsaa.ff/forcefield.itp"
{flexible}
#include "oplsaa.ff/spc.itp"
[ system ]
water
[ molecules ]
SOL {count}
"""


@dataclasses.dataclass
class Case:
    name: str
    program: str  # must be installed
    package: str  # contains the program
    command: list
    environment: dict = dataclasses.field(default_factory=dict)
    answer: str = ""  # the answer that must be equal: a pattern with one group, for the output
    result: str = ""  # or the file that has the answer
    seconds: str = ""  # a pattern for the printed time; without it the whole process counts


def quietly(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stderr[-1000:]}")


def draw_page(folder):
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise RuntimeError("this Python has no matplotlib to draw the page (python3-matplotlib)") from error
    figure = Figure(figsize=(12, 16), dpi=100)
    for line in range(40):
        text = f"The quick brown fox number {line} jumps over {line * 37} lazy dogs."
        figure.text(0.03, 0.96 - 0.024 * line, text, fontsize=19)
    figure.savefig(folder / "page.png")


def invent_proteins(folder):
    letters, chance = "ACDEFGHIKLMNPQRSTVWY", random.Random(1)
    families = ["".join(chance.choice(letters) for _ in range(150)) for _ in range(20)]
    with open(folder / "proteins.fa", "w", encoding="ascii") as file:
        for number in range(300):
            family = chance.choice(families)
            each = "".join(chance.choice(letters) if chance.random() < 0.2 else letter for letter in family)
            file.write(f">p{number}\n{each}\n")


def fill_box(folder):
    quietly("gmx solvate -cs spc216.gro -box 3.5 3.5 3.5 -o box.gro".split(), folder)
    count = int((folder / "box.gro").read_text().splitlines()[1]) // 3
    for name, integrator, steps, start, flexible in (
        ("rest", "steep", 50, "box.gro", "#define FLEXIBLE"),
        ("run", "md", 300, "rest.gro", ""),
    ):
        (folder / f"{name}.mdp").write_text(GROMACS.format(integrator=integrator, steps=steps))
        (folder / f"{name}.top").write_text(WATER.format(count=count, flexible=flexible))
        quietly(
            f"gmx grompp -f {name}.mdp -c {start} -p {name}.top -o {name}.tpr -po {name}.out.mdp -maxwarn 5".split(), folder
        )
        if name == "rest":
            quietly("gmx mdrun -s rest.tpr -deffnm rest -ntmpi 1 -ntomp 2 -nb cpu".split(), folder)


PREPARE = {"tesseract": draw_page, "clustalo": invent_proteins, "gromacs": fill_box}


def all_cases():
    yield Case("tesseract", "tesseract", "tesseract-ocr", ["tesseract", "page.png", "-"], answer="(?s)(.*)")
    for threads in (2, 8):
        command = f"clustalo -i proteins.fa --threads {threads} --force -o aligned.fa".split()
        yield Case(f"clustalo {threads}", "clustalo", "clustalo", command, result="aligned.fa")
    for ranks, threads in ((1, 2), (2, 2), (1, 8)):
        command = f"gmx mdrun -s run.tpr -deffnm run -ntmpi {ranks} -ntomp {threads} -nb cpu -noconfout".split()
        yield Case(f"gromacs {ranks} x {threads}", "gmx", "gromacs", command, {"GMX_MAXBACKUP": "-1"})
    for ranks, threads in ((1, 2), (1, 4), (1, 8), (2, 1), (2, 2), (2, 4)):
        command = ["cp2k.psmp", str(INPUTS / "water.inp")]
        if ranks > 1:
            command = ["mpirun", "--oversubscribe", "-n", str(ranks), *command]
        settings = {"OMP_NUM_THREADS": str(threads), **MPI}
        energy = r"ENERGY\| Total FORCE_EVAL.*?(-?\d+\.\d{6})"
        yield Case(f"cp2k {ranks} x {threads}", "cp2k.psmp", "cp2k", command, settings, answer=energy)
    for threads in (2, 8):
        # Debian's interpreter has Debian's module; another one may run this script.
        command = ["/usr/bin/python3", str(INPUTS / "train.py")]
        settings = {"OMP_NUM_THREADS": str(threads)}
        yield Case(
            f"pytorch {threads}",
            "/usr/lib/python3/dist-packages/torch",
            "python3-torch",
            command,
            settings,
            answer=r"loss (\S+)",
            seconds=r"seconds (\S+)",
        )


def run(case, folder, prefix, limit):
    """Runs the case; returns its seconds and its answer."""
    environment = {**runtimes.clean_environment(), **case.environment}
    begin = time.monotonic()
    done = subprocess.run(
        [*prefix, *case.command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=limit,
    )
    seconds = time.monotonic() - begin
    if done.returncode != 0:
        raise RuntimeError(f"ended with {done.returncode}: {done.stderr[-500:]}")
    if case.seconds:
        seconds = float(re.search(case.seconds, done.stdout).group(1))
    if case.result:
        return seconds, (folder / case.result).read_text()
    return seconds, re.search(case.answer, done.stdout).group(1) if case.answer else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("only", nargs="*", metavar="NAME", help="programs whose name begins with NAME (default: all)")
    parser.add_argument("--build", default=str(HERE.parent / "build"), help="the build tree (default: build)")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="runs of each (5)")
    parser.add_argument("--limit", type=float, default=120, help="seconds after which a run counts as hung (120)")
    parser.add_argument("--json", metavar="FILE", help="also write the numbers to this file")
    options = parser.parse_args()
    gossamer = pathlib.Path(options.build).resolve() / "bin" / "gossamer"
    if not gossamer.exists():
        parser.error(f"no {gossamer}: build it first")
    sides = {"own": [], "gossamer": [str(gossamer), "run", "--"]}
    rows, slower, failed, missing, prepared = [], 0, 0, set(), set()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for case in all_cases():
            if options.only and not case.name.startswith(tuple(options.only)):
                continue
            if not shutil.which(case.program) and not os.path.exists(case.program):
                missing.add(case.package)
                continue
            taken, answers = {side: [] for side in sides}, set()
            try:
                kind = case.name.split()[0]
                if kind not in prepared:
                    PREPARE.get(kind, lambda _: None)(folder)
                    prepared.add(kind)
                for _ in range(options.rounds):
                    for side, prefix in sides.items():
                        seconds, answer = run(case, folder, prefix, options.limit)
                        taken[side].append(seconds)
                        answers.add(answer)
                if len(answers) > 1:
                    raise RuntimeError("its answers differ")
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                print(f"failed  {case.name}: {error}", flush=True)
                failed += 1
                continue
            ratio = statistics.median(taken["own"]) / statistics.median(taken["gossamer"])
            slower += ratio < 1 / (1 + NOISE)
            shown = "  ".join(
                f"{side} {statistics.median(t):7.3f} s ({min(t):.3f}, {max(t):.3f})" for side, t in taken.items()
            )
            print(f"{case.name:16} {shown}  {ratio:5.2f} times as fast", flush=True)
            rows.append({"case": case.name, **taken})
    for package in sorted(missing):
        print(f"left out: {package} is not installed")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"machine": machine.describe(), "cases": rows}, file, indent=1)
    return 2 if failed else 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
