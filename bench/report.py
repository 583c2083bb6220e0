# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the summary, the tables, and the figures for tools/plot.py from measurements."""

import os
import statistics
import subprocess
import sys

PLOTTER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools", "plot.py")


def summarise(measurements):
    """Medians over rounds: {figure: {(family, series): {x: {"us", "low", "high", "rounds"}}}}, Gossamer first, then
    its peers, then the bounds; low and high are the fastest and the slowest round."""
    grouped = {}
    rank = {"gossamer": 0, "bound": 2}
    for m in sorted(measurements, key=lambda m: rank.get(m["family"], 1)):
        series = grouped.setdefault(m["figure"], {}).setdefault((m["family"], m["series"]), {})
        series.setdefault(m["x"], []).append(m["us"])
    return {
        figure: {
            key: {
                x: {"us": statistics.median(us), "low": min(us), "high": max(us), "rounds": len(us)}
                for x, us in points.items()
            }
            for key, points in series.items()
        }
        for figure, series in grouped.items()
    }


def _number(us):
    if abs(us) >= 1000:
        return f"{us:,.0f}"
    if abs(us) >= 100:
        return f"{us:.0f}"
    return f"{us:.1f}" if abs(us) >= 10 else f"{us:.2f}" if abs(us) >= 1 else f"{us:.3f}"


def _cell(point):
    if point is None:
        return ""
    spread = (point["high"] - point["low"]) / 2 / abs(point["us"]) if point["us"] else 0
    return _number(point["us"]) + (f" ±{100 * spread:.0f}%" if point["rounds"] > 1 else "")


def _ratio_rows(series, columns):
    """For each Gossamer series, the fastest peer's time divided by Gossamer's; bounds are no peers."""
    peers = [points for (family, _), points in series.items() if family not in ("gossamer", "bound")]
    for (family, name), points in series.items():
        if family != "gossamer" or not peers:
            continue
        row = []
        for x in columns:
            best = min((p[x]["us"] for p in peers if x in p), default=None)
            # Overheads near or below zero have no meaningful ratio.
            if best is None or x not in points or points[x]["us"] <= 0.001 or best <= 0.001:
                row.append("")
            else:
                row.append(f"{best / points[x]['us']:.2f}×")
        yield [f"fastest peer ÷ {name}", *row]


def table(figure, series, failures):
    """One figure as a Markdown table that is readable as plain text too."""
    columns = list(dict.fromkeys(x for points in series.values() for x in points))
    if figure.kind == "lines":
        columns.sort()
    rows = [[f"{figure.x_label}", *[str(x) for x in columns]]]
    for (_, name), points in series.items():
        rows.append([name, *[_cell(points.get(x)) for x in columns]])
    rows.extend(_ratio_rows(series, columns))
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [
        f"### {figure.title}",
        f"{figure.y_label}, medians ± half the spread of the rounds; {figure.source}",
        "",
    ]
    for index, row in enumerate(rows):
        cells = [row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        lines.append("| " + " | ".join(cells) + " |")
        if index == 0:
            lines.append("|-" + "-|-".join(["-" * widths[0]] + ["-" * w for w in widths[1:]]) + "-|")
            lines[-1] = lines[-1].replace("-|", ":|").replace(":|", "-|", 1)
    for failure in failures:
        if figure.name == failure["figure"] or figure.name.startswith(failure["figure"] + "-") and figure.split == "":
            lines.append(f"- {failure['series']} at {failure['x']}: {failure['reason']}")
    return "\n".join(lines) + "\n"


def drawing(figure, series):
    """The figure in the form that tools/plot.py reads."""
    return {
        "name": figure.name,
        "title": figure.title,
        "x_label": figure.x_label,
        "y_label": figure.y_label,
        "kind": figure.kind,
        "log_x": figure.log_x,
        "log_y": True,
        "series": [
            {
                "family": family,
                "label": name,
                "points": [
                    {"x": x, "y": p["us"], "low": p["low"], "high": p["high"]} for x, p in points.items()
                ],
            }
            for (family, name), points in series.items()
        ],
    }


def plot(path, folder, say):
    """Draws a result file's figures with a Python that has matplotlib; `say` gets a line if none has."""
    reason = "no Python can draw"
    for python in dict.fromkeys((sys.executable, "/usr/bin/python3", "python3")):
        try:
            done = subprocess.run([python, PLOTTER, path, folder], capture_output=True, text=True)
        except OSError:
            continue
        if done.returncode == 0:
            return True
        reason = (done.stderr.strip().splitlines() or [reason])[-1]
    say(f"no plots: {reason}")
    return False
