#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The journal, the comparisons and the page of scripts/results, on data of this test."""
import json
import math
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))
from paper import benchmarks, experiments, page, profiles  # noqa: E402, after the path
from paper.journal import Journal, OutOfTime  # noqa: E402
from paper.names import Unknown  # noqa: E402


def never():
    raise AssertionError("this step is known")


class JournalTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def journal(self, **options):
        return Journal(self.folder.name, **options)

    def test_a_step_is_made_once(self):
        self.assertEqual(self.journal().step("a/b", {"n": 4}, lambda: {"seconds": 2.5}), {"seconds": 2.5})
        again = self.journal()
        self.assertEqual(again.step("a/b", {"n": 4}, never), {"seconds": 2.5})
        self.assertEqual((again.made, again.kept), (0, 1))

    def test_it_is_made_again_where_what_it_depends_on_has_changed_or_the_journal_is_fresh(self):
        self.journal().step("a", {"n": 4}, lambda: 1)
        self.assertEqual(self.journal().step("a", {"n": 5}, lambda: 2), 2)
        self.assertEqual(self.journal(fresh=True).step("a", {"n": 5}, lambda: 3), 3)

    def test_tuples_and_lists_are_the_same_dependence(self):
        self.journal().step("a", {"widths": (3, 5)}, lambda: 1)
        self.assertEqual(self.journal().step("a", {"widths": (3, 5)}, never), 1)

    def test_a_file_that_is_broken_counts_as_unknown(self):
        self.journal().step("a", {}, lambda: 1)
        Path(self.folder.name, "steps", "a.json").write_text("{")
        self.assertEqual(self.journal().step("a", {}, lambda: 2), 2)

    def test_an_experiment_that_is_interrupted_leaves_nothing(self):
        def interrupted():
            raise KeyboardInterrupt
        with self.assertRaises(KeyboardInterrupt):
            self.journal().step("a", {}, interrupted)
        self.assertEqual(self.journal().step("a", {}, lambda: 2), 2)

    def test_when_the_time_is_over_only_known_steps_are_there(self):
        self.journal().step("a", {}, lambda: 1)
        late = self.journal(minutes=1e-9)
        self.assertEqual(late.step("a", {}, never), 1)
        with self.assertRaises(OutOfTime):
            late.step("b", {}, never)


class ComparedTest(unittest.TestCase):
    def test_medians_of_rounds_and_none_for_what_takes_too_long(self):
        samples = {"fast": iter([3.0, 1.0, 2.0]), "slow": iter([math.inf])}
        self.assertEqual(experiments.compared({name: (lambda s=s: next(s)) for name, s in samples.items()}, 3), {"fast": 2.0, "slow": None})


class BenchmarksTest(unittest.TestCase):
    def test_the_seven_are_there_with_their_libraries(self):
        self.assertEqual(len(benchmarks.ALL), 7)
        for b in benchmarks.ALL:
            self.assertTrue(b.source.exists(), b.name)
            self.assertGreater(b.lines(), 10, b.name)
            self.assertEqual(list(b.sizes), sorted(b.sizes))

    def test_an_unknown_one_is_an_error(self):
        with self.assertRaisesRegex(Unknown, "benchmark 'sorting': there are black_scholes, "):
            benchmarks.named(["sort", "sorting"])


class TunedTest(unittest.TestCase):
    def test_it_begins_without_an_earlier_configuration(self):
        with tempfile.TemporaryDirectory() as folder:
            # A compiler whose tuner would keep what is there.
            pbc = Path(folder, "pbc")
            pbc.write_text("""#!/usr/bin/env python3
import json, pathlib, sys
output = pathlib.Path(next(a for a in sys.argv if a.startswith("--output="))[9:])
found = {"seconds": 1.0, "measurements": 2, "choices": [], "default_seconds": 3.0}
if not output.exists():
    found["tuned_seconds"] = 1.5
    output.write_text("new")
print(json.dumps(found))
""")
            pbc.chmod(0o755)
            configuration = Path(folder, "a.cfg")
            configuration.write_text("old")
            found = experiments.tuned(pbc, "program", ["--n=4"], profiles.Profile("one_thread", "one thread", "none", 1), 1, "quick", configuration)
            self.assertEqual((found["tuned_seconds"], found["text"]), (1.5, "new"))


DATA = {
    "command": "scripts/results", "date": "2026-01-02", "commit": "abc", "machine": "a machine", "patience": 10, "complete": False,
    "profiles": [{"name": "one_thread", "title": "one thread"}, {"name": "all_threads", "title": "2 threads"}],
    "widths": {"one_thread": [{"n": 100, "width": 3, "tuned": 1.04, "forced": {"2-D": 1.0, "separable": None}}]},
    "benchmarks": [{
        "name": "sort", "title": "Sort", "size": 1024, "published": [920, 7, 3.56], "lines": 100, "configurations": 445, "kernels": 1,
        "tuned": {p: {"seconds": 20, "measurements": 9, "choices": ["Sort: RadixSort always"], "kernels_compiled": 2, "default_seconds": 6, "tuned_seconds": 2}
                  for p in ("one_thread", "all_threads")},
        "cross": {"one_thread": {"one_thread": 2.0, "all_threads": None, "default": 6.0}, "all_threads": {"one_thread": 1.0, "all_threads": 2.0, "default": 6.0}},
        "sizes": {"one_thread": [{"n": 1024, "seconds": 2.0, "rival": {"name": "std::sort", "seconds": 4.0}}, {"n": 2048, "seconds": None, "rival": None}]},
        "library": [{"n": 1024, "seconds": 2.0, "rival": {"name": "vqsort", "seconds": 2.0}}],
        "full": {"quick": {"seconds": 20}, "full": {"seconds": 60}, "times": {"quick": 2.0, "full": 1.0}},
    }],
}


class PageTest(unittest.TestCase):
    def setUp(self):
        self.text = page.page(DATA)

    def test_says_that_it_is_not_complete(self):
        self.assertIn("not all experiments were made", self.text)
        self.assertNotIn("not all experiments", page.page({**DATA, "complete": True}))

    def test_properties_beside_those_of_the_paper(self):
        self.assertIn("| Sort | 1024 | 10^445 | 10^920 | 1 | 7 | 100 | 20 s | 3.56 h | 2 |", self.text)

    def test_slow_downs_and_how_many_natives_are_best(self):
        self.assertIn("| Sort | one_thread | 2 s  | 1.00 | > 5.0 | 3.00 | - |", self.text)
        self.assertIn("| Sort | all_threads | 2 s  | 0.50 | 1.00 | 3.00 | - |", self.text)
        self.assertIn("within 5 % of it, in 1 of 2 rows. Some configuration is at least three times as slow as the native one for 1 benchmarks: Sort (5.0).", self.text)

    def test_widths_within_five_percent(self):
        self.assertIn("within 5 % of the best mapping at 1 of 1 widths", self.text)
        self.assertIn("| 3 | 1.04 s  | 1.04 | 2-D | 1 s  | > 10 s |", self.text)

    def test_rivals(self):
        self.assertIn("| Sort | one_thread | 1024 | 2 s  | std::sort | 4 s  | 0.50 |", self.text)
        self.assertIn("| Sort | one_thread | 2048 | - | - | - | - |", self.text)
        self.assertIn("Faster than the rival at some size: Sort.", self.text)
        self.assertIn("| Sort | 1024 | 2 s  | vqsort | 2 s  | 1.00 |", self.text)

    def test_longer_tunings(self):
        self.assertIn("| Sort | 20 s | 60 s | 2 s  | 1 s  | 0.50 |", self.text)

    def test_data_without_any_experiment_have_a_page(self):
        empty = json.loads(json.dumps(DATA))
        empty["widths"] = {}
        for key in ("tuned", "cross", "sizes"):
            empty["benchmarks"][0][key] = {}
        del empty["benchmarks"][0]["library"], empty["benchmarks"][0]["full"]
        self.assertIn("Not measured.", page.page(empty))


if __name__ == "__main__":
    unittest.main()
