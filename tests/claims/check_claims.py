#!/usr/bin/env python3
"""Checks the arithmetic of claims: no program is run."""

import contextlib
import io
import json
import pathlib
import random
import sqlite3
import tempfile
import unittest

import adatune
import claims
import data
import evaluator
import learning
import mtl
import size
import sweep
import tlp
from figures import Finding, Interval, exactly, interval, interval_within, kendall_tau
from study import Study


def batched(times, stopped, repeats=()):
    return {"repeats": [*times, *repeats], "runs_per_repeat": 25, "program": "p", "verdict": "ok",
            "evaluation": {"micro_batches": len(times), "runs": 25 * len(times), "speed": "batch",
                           "stopped": stopped}}


class Figures(unittest.TestCase):
    def test_tau_is_that_of_all_pairs(self):
        for seed in range(100):
            draw = random.Random(seed)
            pairs = [(draw.randint(0, 9), draw.randint(0, 9)) for _ in range(draw.randint(0, 25))]
            signs = [(a - c) * (b - d) for i, (a, b) in enumerate(pairs) for c, d in pairs[:i]]
            same, others = sum(sign > 0 for sign in signs), sum(sign < 0 for sign in signs)
            expected = (same - others) / (same + others) if same + others else 0.0
            self.assertAlmostEqual(kendall_tau(pairs), expected)

    def test_verdicts(self):
        def verdict(value, low, high, **claim):
            return Finding("", Interval(value, low, high), **claim).verdict()

        self.assertEqual(verdict(3, 2.6, 4, bound=2.5), "shown")
        self.assertEqual(verdict(3, 2.4, 4, bound=2.5), "not shown")
        self.assertEqual(verdict(2, 1, 2.4, bound=2.5), "contradicted")
        both = {"bound": 1.3, "interval_bound": 1}
        self.assertEqual(verdict(1.5, 1.1, 1.9, **both), "shown")
        self.assertEqual(verdict(1.2, 1.1, 1.9, **both), "not shown")
        self.assertEqual(verdict(1.5, 0.9, 1.9, **both), "not shown")
        self.assertEqual(verdict(1.1, 0.9, 1.2, **both), "contradicted")
        most = {"bound": 0.75, "interval_bound": 1, "at_least": False}
        self.assertEqual(verdict(0.6, 0.5, 0.9, **most), "shown")
        self.assertEqual(verdict(0.6, 0.5, 1.1, **most), "not shown")
        self.assertEqual(verdict(0.9, 0.8, 1.1, **most), "contradicted")

    def test_no_verdict_without_an_interval(self):
        for figure in (exactly(3), interval([3])):
            finding = Finding("", figure, bound=2)
            self.assertEqual(finding.verdict(), "")
            self.assertIsNone(finding.json()["interval"])

    def test_tasks_are_not_drawn_but_their_seeds(self):
        within = interval_within([[1] * 10, [100] * 10], max)
        self.assertEqual((within.low, within.high), (100, 100))


class Times(unittest.TestCase):
    def test_runs_are_those_of_the_record(self):
        whole = batched([2e-3] * 20, "all runs made", repeats=[9, 9])
        self.assertAlmostEqual(sweep.seconds_in_runs(whole), 1.0)
        self.assertAlmostEqual(evaluator.own_time(whole), 2e-3)
        cut = batched([2e-2] * 4, "seconds spent")
        self.assertTrue(sweep.was_cut(cut))
        self.assertAlmostEqual(sweep.seconds_in_runs(cut), 10.0)
        everyday = {"repeats": [1e-3, 2e-3, 9e-3, 5, 5], "runs_per_repeat": 20}
        self.assertAlmostEqual(evaluator.own_time(everyday), 2e-3)
        self.assertAlmostEqual(evaluator.own_seconds(everyday), 0.24)

    def test_a_search_is_worth_what_it_holds_for_the_best(self):
        fixed = {"a": 10, "b": 5, "c": 4}
        # Its own times put b before c.
        course = [["a", 9, 1], ["x", None, 2], ["b", 3, 3], ["c", 3.5, 4]]
        self.assertEqual(adatune.reached(course, 5, fixed), (3, 3, True))
        self.assertEqual(adatune.reached(course, 4, fixed), (4, 4, False))


class Models(unittest.TestCase):
    BEST = {"a": 1.0, "b": 2.0, "c": 4.0}
    PICKED = {"a": 2.0, "b": 2.0, "c": 8.0}
    NETWORKS = [{"a": 2, "b": 1}, {"c": 1, "not measured": 5}]

    def test_scores_of_networks_in_both_aggregations(self):
        self.assertAlmostEqual(learning.top_score(self.BEST, self.PICKED, self.NETWORKS[0]), 4 / 6)
        self.assertAlmostEqual(learning.mean_top(self.BEST, self.PICKED, self.NETWORKS), (4 / 6 + 4 / 8) / 2)
        self.assertAlmostEqual(learning.pooled_top(self.BEST, self.PICKED, self.NETWORKS), 8 / 14)

    def test_networks_that_a_draw_leaves_without_tasks_do_not_count(self):
        drawn = {"a": 3}
        self.assertAlmostEqual(learning.mean_top(self.BEST, self.PICKED, self.NETWORKS, drawn), 0.5)
        self.assertIsNone(learning.top_score(self.BEST, self.PICKED, self.NETWORKS[1], drawn))

    def test_a_figure_that_all_tasks_and_seeds_share_has_no_width(self):
        bounded = learning.over_tasks_and_seeds(lambda one, counts: one, [3.0, 3.0], ["a", "b"])
        self.assertEqual((bounded.value, bounded.low, bounded.high), (3.0, 3.0, 3.0))
        alone = learning.over_tasks_and_seeds(lambda one, counts: one, [3.0], ["a"])
        self.assertIsNone(alone.low)

    def test_the_slope_is_within_totals(self):
        self.assertAlmostEqual(size.slope([[(1, 0.1), (2, 0.2)], [(1, 0.7), (2, 0.8)]]), 0.1)


class Sizes(unittest.TestCase):
    """What is learned from is there, also where each task has a third of the programs."""

    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.studies = [Study("nobody", folder, folder, of) for of in ("", "-third", "-quick")]

    def test_equal_totals_are_equal(self):
        for study in self.studies:
            for of_total in size.shapes(study).values():
                totals = [tasks * programs for tasks, programs in of_total]
                self.assertLess(max(totals), 1.05 * min(totals), study.size)
                self.assertLessEqual(max(programs for _, programs in of_total), data.sizes(study)["train"])

    def test_no_two_arms_are_one(self):
        for study in self.studies:
            *some, everything = tlp.sizes(study)
            self.assertEqual(everything, 0)
            self.assertLess(max(some), data.sizes(study)["train"], study.size)
            self.assertEqual(len(set(some)), 2)


class Controls(unittest.TestCase):
    def test_the_times_of_the_helper_alone_are_shuffled_within_its_tasks(self):
        records = sqlite3.connect(":memory:")
        records.executescript("CREATE TABLE target (id, key, text); CREATE TABLE task (id, target);"
                              "CREATE TABLE record (id, task, verdict, seconds, details)")
        records.executemany("INSERT INTO target VALUES (?, ?, ?)",
                            [(1, data.HERE, "llvm"), (2, "other", f"llvm -isa={data.OTHER}")])
        records.executemany("INSERT INTO task VALUES (?, ?)", [(1, 1), (2, 1), (3, 2)])
        records.executemany("INSERT INTO record VALUES (?, ?, ?, ?, ?)",
                            [(id, 1 + id % 3, int(id > 90), id, f"of {id}") for id in range(100)])

        def rows():
            return records.execute("SELECT task, id, seconds, details FROM record ORDER BY id").fetchall()

        before = rows()
        mtl.shuffle_helper(records)
        after = rows()
        self.assertEqual([row for row in after if row[0] == 3], [row for row in before if row[0] == 3])
        self.assertEqual(after[91:], before[91:])  # those that failed
        for task in (1, 2):
            was, now = ([row[2:] for row in of if row[0] == task] for of in (before, after))
            self.assertNotEqual(now, was)
            self.assertEqual(sorted(now), sorted(was))
        mtl.name_target_copy(records)
        self.assertEqual(records.execute("SELECT key FROM target ORDER BY id").fetchall(),
                         [(data.HERE,), (mtl.COPY,)])
        records.close()


class Running(unittest.TestCase):
    def test_a_claim_that_breaks_does_not_end_the_others(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "figures.json"
            nobody = ["--program", "/nowhere/nestwright", "--folder", folder, "--records", folder]
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                self.assertEqual(claims.main(["tuners", "sweep", *nobody, "--json", str(file)]), 1)
            results = json.loads(file.read_text())["claims"]
            self.assertEqual([result["claim"] for result in results], ["tuners", "sweep"])
            self.assertIn("FileNotFoundError", results[1]["error"])


if __name__ == "__main__":
    unittest.main()
