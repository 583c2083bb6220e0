#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks which runs the benchmarks' goals compare."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import targets  # noqa: E402

NEAR, FAR = (25, 26), (60, 62)


def measured(runs):
    """runs: (series, round, us, line_ns or None)."""
    measurements = []
    for series, number, us, line in runs:
        family = "gossamer" if series.startswith("gossamer") else series
        one = {"figure": "flat", "x": 2, "series": series, "family": family, "round": number, "us": us}
        measurements.append({**one, "line_ns": line} if line else one)
    return targets.Measured(measurements)


class Pairs(unittest.TestCase):
    def test_runs_in_one_state_of_the_host_are_compared_across_rounds(self):
        both = measured(
            [("ours", 0, 1, NEAR), ("ours", 1, 4, FAR), ("peer", 0, 8, FAR), ("peer", 1, 2, NEAR), ("peer", 2, 2.2, NEAR)]
        )
        self.assertEqual(sorted(both.pairs("flat", 2, "peer", "ours")), [(2, 1), (2.2, 1), (8, 4)])
        self.assertEqual(both.ratio("flat", 2, "peer", "ours"), (2, 2, 2.2))

    def test_a_run_during_which_the_host_changed_is_left_out(self):
        both = measured([("ours", 0, 1, NEAR), ("ours", 1, 9, (25, 60)), ("peer", 0, 2, NEAR), ("peer", 1, 1, (60, 25))])
        self.assertEqual(both.pairs("flat", 2, "peer", "ours"), [(2, 1)])

    def test_where_no_two_are_alike_or_nothing_is_known_the_rounds_decide(self):
        apart = measured([("ours", 0, 1, NEAR), ("ours", 1, 3, NEAR), ("peer", 0, 8, FAR), ("peer", 2, 5, FAR)])
        self.assertEqual(apart.pairs("flat", 2, "peer", "ours"), [(8, 1)])
        unknown = measured([("ours", 0, 1, None), ("ours", 1, 3, None), ("peer", 0, 8, None), ("peer", 1, 6, None)])
        self.assertEqual(unknown.pairs("flat", 2, "peer", "ours"), [(8, 1), (6, 3)])

    def test_the_best_peer_is_the_one_that_comes_off_best_in_the_same_state(self):
        # The second peer has the lower times, but only where Gossamer's are lower still.
        three = measured(
            [("gossamer (gcc)", 0, 1, NEAR), ("gossamer (gcc)", 1, 5, FAR)]
            + [("even", 0, 8, FAR), ("even", 1, 8.5, FAR), ("lucky", 0, 3, NEAR), ("lucky", 1, 3.5, NEAR)]
        )
        self.assertEqual(three.fastest("flat", 2, "gossamer (gcc)", lambda *_: True), "gossamer (gcc)")
        self.assertEqual(three.fastest("flat", 2, "gossamer (gcc)", lambda _, family: family != "gossamer"), "even")


if __name__ == "__main__":
    unittest.main()
