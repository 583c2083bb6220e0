# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a folder to carry to another machine: the programs' binaries, Gossamer, the peers found here, and the scripts.

The folder has the project's layout, so that the same scripts run in it. Its `manifest.json` marks it as such a folder,
and names the sources of its parts."""

import glob
import json
import os
import shutil

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MANIFEST = os.path.join(ROOT, "manifest.json")
LIBRARIES = os.path.join(ROOT, "lib")

RUN = """#!/bin/sh
# Runs the benchmarks on this machine. Needs python3, nothing else.
exec python3 "$(dirname "$0")/bench/run.py" --scale "$@"
"""


def manifest():
    """The manifest of this folder, or None if this is the project itself."""
    try:
        with open(MANIFEST, encoding="utf-8") as file:
            return json.load(file)
    except OSError:
        return None


def packed_compilers(packed):
    return {
        kind: {"path": "", "version": version, "folder": os.path.join(ROOT, "bin", kind)}
        for kind, version in packed["compilers"].items()
    }


def copy_gossamer(file, into):
    """With the names to which the programs are linked: the other machine may have no other library of those names."""
    os.makedirs(into, exist_ok=True)
    name = "libomp-gossamer.so"
    shutil.copy(file, os.path.join(into, name))
    for alias in ("libgomp.so.1", "libomp.so.5"):
        if not os.path.lexists(os.path.join(into, alias)):
            os.symlink(name, os.path.join(into, alias))


def pack(folder, compilers, found, revision):
    """Makes `folder`, and deletes an earlier one."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.join(folder, "bench", "tasks"))
    for path in glob.glob(os.path.join(ROOT, "bench", "*.py")) + [os.path.join(ROOT, "bench", "README.md")]:
        shutil.copy(path, os.path.join(folder, "bench"))
    for path in glob.glob(os.path.join(ROOT, "bench", "tasks", "*.py")):
        shutil.copy(path, os.path.join(folder, "bench", "tasks"))
    os.makedirs(os.path.join(folder, "tools"))
    shutil.copy(os.path.join(ROOT, "tools", "plot.py"), os.path.join(folder, "tools"))
    for kind, compiler in compilers.items():
        shutil.copytree(compiler["folder"], os.path.join(folder, "bin", kind))
    peers = {}
    for runtime in found:
        if runtime.family == "gossamer":
            copy_gossamer(runtime.file, os.path.join(folder, "lib"))
            continue
        into = os.path.join("peers", runtime.family)
        os.makedirs(os.path.join(folder, into))
        # BOLT needs the Argobots library beside its own.
        beside = []
        if runtime.family == "bolt":
            beside = glob.glob(os.path.join(os.path.dirname(runtime.file), "libabt.so*"))
        for path in (runtime.file, runtime.preload, *beside):
            if path:
                shutil.copy(path, os.path.join(folder, into))
        peers[runtime.family] = {
            "file": os.path.join(into, os.path.basename(runtime.file)),
            "version": runtime.version,
            "preload": os.path.join(into, os.path.basename(runtime.preload)) if runtime.preload else "",
        }
    contents = {
        "gossamer": revision,
        "compilers": {kind: compiler["version"] for kind, compiler in compilers.items()},
        "peers": peers,
    }
    with open(os.path.join(folder, "manifest.json"), "w", encoding="utf-8") as file:
        json.dump(contents, file, indent=1)
    run = os.path.join(folder, "run")
    with open(run, "w", encoding="utf-8") as file:
        file.write(RUN)
    os.chmod(run, 0o755)
