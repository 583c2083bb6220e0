# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Describes the machine of a measurement."""

import os
import platform
import re


def cores():
    """The number of CPUs on which this process may run."""
    return len(os.sched_getaffinity(0))


def _cpu_model():
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if re.match(r"(model name|Processor|Hardware)\s*:", line):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _distribution():
    try:
        with open("/etc/os-release", encoding="utf-8") as file:
            names = re.findall(r'^PRETTY_NAME="?([^"\n]*)', file.read(), re.M)
            return names[0] if names else "unknown"
    except OSError:
        return "unknown"


def describe():
    return {
        "cpu": _cpu_model(),
        "architecture": platform.machine(),
        "cores": cores(),
        "cores_online": os.cpu_count(),
        "kernel": platform.release(),
        "libc": " ".join(platform.libc_ver()),
        "distribution": _distribution(),
        "load_before": [round(load, 2) for load in os.getloadavg()],
    }


def slug(description):
    """A short name for a folder, such as amd-epyc-2c."""
    model = re.sub(r"\(R\)|\(TM\)|\bCPU\b|\bProcessor\b|@.*", " ", description["cpu"], flags=re.I)
    words = re.findall(r"[A-Za-z0-9]+", model)[:4]
    return "-".join(words).lower() + f"-{description['cores']}c"
