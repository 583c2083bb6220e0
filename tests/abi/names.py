#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""names.py LIBRARY LISTS SERVED: the library exports every name and version in the peers' lists (LISTS/*.txt); it
implements the names that match a pattern in SERVED; a call of any other name names it and ends the program, and tells
whether another runtime is loaded. Prints the names that are not served."""

import fnmatch
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile


def lines(file):
    return [line for line in file.read_text().splitlines() if line and not line.startswith("#")]


def exported(library):
    """{name or name@node: nm's letter}."""
    output = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    return {fields[-1].replace("@@", "@"): fields[-2] for fields in map(str.split, output.splitlines())}


def call(library, name, beside=()):
    """Calls a function of the library in a process of its own that has other libraries loaded."""
    program = "import ctypes, sys; [*map(ctypes.CDLL, sys.argv[3:])]; ctypes.CDLL(sys.argv[1])[sys.argv[2]]()"
    return subprocess.run([sys.executable, "-c", program, library, name, *beside], capture_output=True, text=True)


def main(library, lists, served):
    symbols = exported(library)
    complaints = []
    functions = set()
    for file in sorted(pathlib.Path(lists).glob("*.txt")):
        open_names = set()
        for name, node, *kind in map(str.split, lines(file)):
            if name not in symbols:
                complaints.append(f"{file.name}: {name} is not exported")
            elif kind == ["data"]:
                if symbols[name] not in "BDR":
                    complaints.append(f"{file.name}: {name} should be a variable")
            else:
                functions.add(name)
                if symbols[name] == "W":
                    open_names.add(name)
                if f"{name}@{node}" not in symbols:
                    complaints.append(f"{file.name}: {name} lacks version {node}")
            if symbols.get(node) != "A":
                complaints.append(f"{file.name}: version node {node} is missing")
        print(f"{file.name}: {len(open_names)} names not served")

    # The entries of unserved names are weak symbols, and those of served names are not.
    unserved = sorted(name for name in functions if symbols.get(name) == "W")
    for pattern in lines(pathlib.Path(served)):
        matching = fnmatch.filter(functions, pattern)
        if not matching:
            complaints.append(f"{pattern} matches no name")
        complaints += [f"{name} is no longer served" for name in sorted(fnmatch.filter(matching, pattern))
                       if name in unserved]

    for name in unserved[:1] + unserved[-1:]:
        result = call(library, name)
        said = f"gossamer: fatal: {name} is not served by this version\n"
        if result.returncode != -signal.SIGABRT or result.stderr != said:
            complaints.append(f"calling {name}: status {result.returncode}, said {result.stderr!r}")
    with tempfile.TemporaryDirectory() as folder:
        other = f"{folder}/libiomp5.so"
        shutil.copy(library, other)
        said = call(library, unserved[0], [other]).stderr
        if "libiomp5.so, which is loaded, too" not in said:
            complaints.append(f"calling {unserved[0]} with another runtime loaded: said {said!r}")

    print(f"{len(functions)} functions, {len(unserved)} not served:")
    for name in unserved:
        print(f"  {name}")
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
