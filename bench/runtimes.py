# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds every OpenMP runtime of this machine, and makes a benchmark program run on each.

For a peer, LD_LIBRARY_PATH begins with a folder that has the peer under the name to which the program was linked.
Gossamer is preloaded, with its folder in front, as by `gossamer run`."""

import glob
import os
import re
import site
import subprocess
import sys
from dataclasses import dataclass, field

import build as programs
import pack

# A parent's OpenMP settings would reach every runtime, and runs would differ from shell to shell.
SETTINGS = re.compile(r"(OMP|KMP|GOMP|LIBOMP|GOSSAMER|ABT)_|LD_(PRELOAD|AUDIT|LIBRARY_PATH)$")


@dataclass(frozen=True)
class Variant:
    name: str
    settings: dict
    flat: bool = True  # runs cases with one parallel level
    nested: bool = True  # runs cases with nested regions


@dataclass
class Runtime:
    name: str
    binaries: str  # the compiler whose binaries this runtime runs: "gcc" or "clang"
    file: str  # the shared object, its real path
    version: str
    variants: list
    library_path: list = field(default_factory=list)
    preload: str = ""
    programs: tuple = ()  # the programs that exist for this runtime; empty: all

    def runs(self, case):
        special = case.arguments.keys() & {"untied", "lookups"}
        return not self.programs or (case.program in self.programs and not special)

    @property
    def family(self):
        return self.name.split()[0]

    def environment(self, variant, extra):
        """The settings of one run, which are added to `clean_environment`; `extra` are the case's own."""
        settings = {"OMP_DYNAMIC": "false", "OMP_MAX_ACTIVE_LEVELS": "16"}
        settings.update(variant.settings)
        settings.update(extra)
        if self.library_path:
            settings["LD_LIBRARY_PATH"] = ":".join(self.library_path)
        if self.preload:
            settings["LD_PRELOAD"] = self.preload
        return settings


def clean_environment():
    """The environment without OpenMP settings. The machine that a folder was carried to may have no runtime at all, so the
    programs that run on none in particular load Gossamer there."""
    cleaned = {name: value for name, value in os.environ.items() if not SETTINGS.match(name)}
    if pack.manifest():
        cleaned["LD_LIBRARY_PATH"] = pack.LIBRARIES
    return cleaned


PASSIVE = {"OMP_WAIT_POLICY": "passive"}
ACTIVE = {"OMP_WAIT_POLICY": "active"}
HOT = {"KMP_HOT_TEAMS_MODE": "1", "KMP_HOT_TEAMS_MAX_LEVEL": "8"}

GOMP_VARIANTS = [Variant("passive", PASSIVE), Variant("active", ACTIVE)]
# These runtimes offer hot teams below the first level for nesting; flat regions do not change by them.
KMP_VARIANTS = [
    Variant("passive", PASSIVE),
    Variant("active", ACTIVE, nested=False),
    Variant("passive hot", {**PASSIVE, **HOT}, flat=False),
    Variant("active hot", {**ACTIVE, **HOT}, flat=False),
]


def _package_version(path):
    """The name and version of the file's Debian package, or "unknown"."""
    real = os.path.realpath(path)
    for name in (path, real, real.removeprefix("/usr")):
        found = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True)
        if found.returncode == 0:
            package = found.stdout.split(": ")[0].split(",")[0]
            shown = subprocess.run(
                ["dpkg-query", "-W", "-f", "${Package} ${Version}", package], capture_output=True, text=True
            )
            return shown.stdout or package
    return "unknown"


def _linked_file(program, library):
    """The file that the loader finds for the program's `library` without any setting."""
    out = subprocess.run(["ldd", program], capture_output=True, text=True, env=clean_environment()).stdout
    found = re.search(rf"{re.escape(library)}\S* => (\S+)", out)
    return found.group(1) if found else None


def _alias(folder, file, names):
    """Makes a folder in which `file` has these names."""
    os.makedirs(folder, exist_ok=True)
    for name in names:
        link = os.path.join(folder, name)
        if os.path.lexists(link):
            os.unlink(link)
        os.symlink(file, link)
    return folder


def _find_iomp(given):
    if given:
        return (
            given
            if os.path.isfile(given)
            else next(iter(sorted(glob.glob(os.path.join(given, "**", "libiomp5.so"), recursive=True))), None)
        )
    prefixes = {sys.prefix, sys.base_prefix, "/usr/local", os.path.expanduser("~/.local"), "/opt/intel"}
    for prefix in prefixes:
        for pattern in ("lib/libiomp5.so", "oneapi/compiler/latest/lib/libiomp5.so"):
            path = os.path.join(prefix, pattern)
            if os.path.isfile(path):
                return path
    for folder in site.getsitepackages() + [site.getusersitepackages()]:
        for path in glob.glob(os.path.join(folder, "*", "**", "libiomp5.so"), recursive=True):
            return path
    return None


def _find_bolt(given):
    if not given:
        return None
    if os.path.isfile(given):
        return given
    for name in ("libbolt.so", "lib/libbolt.so", "libomp.so", "lib/libomp.so"):
        path = os.path.join(given, name)
        if os.path.isfile(path):
            return path
    return None


def _iomp_version(path):
    """The release by the name of a wheel's folder beside the file."""
    for folder in glob.glob(os.path.join(os.path.dirname(path), "..", "..", "*.dist-info")) + glob.glob(
        os.path.join(os.path.dirname(path), "..", "..", "..", "*.dist-info")
    ):
        name = os.path.basename(folder)
        if name.startswith("intel_openmp"):
            return name.removesuffix(".dist-info").replace("_", "-")
    return "unknown"


def _gossamer(file, kind, version):
    real = os.path.realpath(file)
    return Runtime(f"gossamer ({kind})", kind, real, version, [Variant("default", {})], [os.path.dirname(file)], file)


def _peer(name, file, version, scratch, cores, preload=""):
    """A peer, from its file alone; a folder gives it the name to which the programs were linked."""
    path = os.path.realpath(file)
    names = ("libgomp.so.1",) if name == "libgomp" else ("libomp.so.5", "libomp.so", "libiomp5.so")
    folder = _alias(os.path.join(scratch, name), path, names)
    if name == "libgomp":
        return Runtime(name, "gcc", path, version, GOMP_VARIANTS, [folder])
    if name == "bolt":
        settings = {"OMP_PROC_BIND": "spread,unset", "KMP_ABT_NUM_ESS": str(cores), **HOT}
        # BOLT needs the Argobots library beside its own.
        beside = [folder, os.path.dirname(os.path.abspath(file)), os.path.dirname(path)]
        return Runtime(name, "clang", path, version, [Variant("default", settings)], beside, preload)
    return Runtime(name, "clang", path, version, KMP_VARIANTS, [folder])


def find_packed(root, manifest, scratch, cores):
    """The runtimes in a carried folder (pack.py wrote the manifest)."""
    found = [
        _gossamer(os.path.join(root, "lib", "libomp-gossamer.so"), kind, manifest["gossamer"])
        for kind in manifest["compilers"]
    ]
    for name, peer in manifest["peers"].items():
        preload = os.path.join(root, peer["preload"]) if peer.get("preload") else ""
        found.append(_peer(name, os.path.join(root, peer["file"]), peer["version"], scratch, cores, preload))
    return found


def find(build, compilers, scratch, say, iomp=None, bolt=None, cores=1):
    """All installed runtimes. `compilers` is the result of build.build, `scratch` a folder for aliases; `say` gets
    one line for each missing runtime."""
    found = []

    gossamer = os.path.join(os.path.abspath(build), "lib", "libomp-gossamer.so")
    if os.path.isfile(gossamer):
        found = [_gossamer(gossamer, kind, "this tree") for kind in compilers]
    else:
        say(f"Gossamer is not built ({gossamer} is missing)")

    for name, kind in (("libgomp", "gcc"), ("libomp", "clang")):
        if kind not in compilers:
            continue
        path = _linked_file(os.path.join(compilers[kind]["folder"], "flat"), name)
        if path:
            found.append(_peer(name, path, _package_version(path), scratch, cores))
        else:
            say(f"{name} is not installed")

    if "clang" in compilers:
        path = _find_iomp(iomp)
        if path:
            found.append(_peer("libiomp5", path, _iomp_version(os.path.realpath(path)), scratch, cores))
        else:
            say("libiomp5 is not found (the wheel intel-openmp has it; --iomp or GOSSAMER_BENCH_IOMP names it)")

        path = _find_bolt(bolt)
        if path:
            os.makedirs(scratch, exist_ok=True)
            lacks = programs.shared_object(compilers["clang"]["path"], "bolt_lacks.c", scratch)
            found.append(_peer("bolt", path, "unknown", scratch, cores, lacks))
        else:
            say("BOLT is not found (--bolt or GOSSAMER_BENCH_BOLT says where it was built)")
    return found
