#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the figures of a result file: plot.py RESULTS.json FOLDER writes NAME.svg and NAME.png for each figure.

The file holds {"figures": [...]}; a figure has name, title, x_label, y_label, kind ("lines" or "bars"),
log_x, log_y and series; a series has family, label and points of x, y, low, high."""

import json
import os
import sys

import matplotlib

matplotlib.use("Agg")
matplotlib.rcParams.update(
    {
        "svg.fonttype": "none",
        "svg.hashsalt": "gossamer",
        "font.size": 9,
        "axes.grid": True,
        "grid.alpha": 0.25,
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
)
import matplotlib.pyplot as plt  # noqa: E402

# Each runtime has one colour, so that a reader finds it again in every figure; variants differ in shade and dash.
COLOURS = {
    "gossamer": ("#c2185b", "#f06292", "#880e4f"),
    "libgomp": ("#8d6e63", "#bcaaa4", "#5d4037"),
    "libomp": ("#1565c0", "#64b5f6", "#0d3c7a", "#90caf9"),
    "libiomp5": ("#2e7d32", "#81c784", "#1b4d1e", "#a5d6a7"),
    "bolt": ("#ef6c00",),
    "bound": ("#616161", "#9e9e9e", "#bdbdbd"),
    "model": ("#4527a0", "#00838f", "#9575cd", "#4dd0e1"),
}
MARKERS = {"gossamer": "o", "libgomp": "s", "libomp": "^", "libiomp5": "v", "bolt": "D"}
BOUND_MARKERS = ("x", "+", "1", "2", ".")
DASHES = ("-", "--", "-.", ":")


def styles(series):
    """(colour, marker, dash) for each series, in order."""
    seen = {}
    families = [one["family"] for one in series if one["family"] not in ("bound", "model")]
    # Many variants of one runtime differ by colour instead.
    many = len(set(families)) == 1 and len(families) > 4
    for one in series:
        family = one["family"]
        number = seen.get(family, 0)
        seen[family] = number + 1
        shades = COLOURS.get(family, ("#444444",))
        if family == "bound":
            yield shades[number % len(shades)], BOUND_MARKERS[number % len(BOUND_MARKERS)], ":"
        elif many and family in families:
            colour = matplotlib.colors.to_hex(plt.get_cmap("plasma")(0.9 * number / (len(families) - 1)))
            yield colour, MARKERS.get(family, "x"), "-"
        else:
            yield shades[number % len(shades)], MARKERS.get(family, "x"), DASHES[number % len(DASHES)]


def errors(points):
    return ([p["y"] - p["low"] for p in points], [p["high"] - p["y"] for p in points])


def lines(axes, figure):
    for one, (colour, marker, dash) in zip(figure["series"], styles(figure["series"])):
        points = sorted(one["points"], key=lambda p: p["x"])
        axes.errorbar(
            [p["x"] for p in points],
            [p["y"] for p in points],
            yerr=errors(points),
            label=one["label"],
            color=colour,
            marker=marker,
            linestyle=dash,
            markersize=4,
            capsize=2,
            linewidth=1.3,
            zorder=3 if one["family"] == "gossamer" else 2,
        )
    ticks = sorted({p["x"] for one in figure["series"] for p in one["points"]})
    if figure["log_x"]:
        axes.set_xscale("log", base=2)
    axes.set_xticks(ticks, [str(t) for t in ticks])
    axes.minorticks_off()


def bars(axes, figure):
    places = list(dict.fromkeys(p["x"] for one in figure["series"] for p in one["points"]))
    width = 0.84 / max(1, len(figure["series"]))
    for number, (one, (colour, _, _)) in enumerate(zip(figure["series"], styles(figure["series"]))):
        # Negative overheads are noise around zero, which a logarithmic axis cannot show.
        points = [p for p in one["points"] if p["y"] > 0 or not figure["log_y"]]
        at = [places.index(p["x"]) - 0.42 + (number + 0.5) * width for p in points]
        low, high = errors(points)
        if figure["log_y"]:
            low = [min(l, 0.95 * p["y"]) for l, p in zip(low, points)]
        drawn = axes.bar(
            at,
            [p["y"] for p in points],
            width * 0.94,
            yerr=(low, high),
            label=one["label"],
            color=colour,
            error_kw={"elinewidth": 0.7, "capsize": 1.5},
        )
        if figure.get("values"):
            axes.bar_label(drawn, [f"{p['y']:.3g}" for p in points], fontsize=6.5, padding=2, rotation=90)
    axes.set_xticks(range(len(places)), [str(p) for p in places], rotation=30 if len(places) > 6 else 0)
    axes.grid(axis="x", visible=False)


def draw(figure, folder):
    wide = figure["kind"] == "bars" and len({p["x"] for one in figure["series"] for p in one["points"]}) > 6
    plot, axes = plt.subplots(figsize=(10 if wide else 7, 4.2), layout="constrained")
    if figure["log_y"]:
        axes.set_yscale("log")
    (bars if figure["kind"] == "bars" else lines)(axes, figure)
    axes.set_title(figure["title"], loc="left", fontsize=10)
    axes.set_xlabel(figure["x_label"])
    axes.set_ylabel(figure["y_label"])
    axes.legend(fontsize=7, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    for kind, more in (("svg", {"metadata": {"Date": None}}), ("png", {"dpi": 150})):
        plot.savefig(os.path.join(folder, f"{figure['name']}.{kind}"), **more)
    plt.close(plot)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        results = json.load(file)
    os.makedirs(sys.argv[2], exist_ok=True)
    for figure in results["figures"]:
        draw(figure, sys.argv[2])


if __name__ == "__main__":
    main()
