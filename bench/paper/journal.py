# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""A journal of experiments, so that scripts/results can be interrupted and goes on where it was.

    journal = Journal(Path("build/results"))
    tuned = journal.step("tune/sort/one_thread", {"program": hash, "seconds": 8}, lambda: tune(...))

A step is what it depends on and what came of it, in one file. It is made again only where what it depends on has changed.
"""
import json
import os
import time
from pathlib import Path


class OutOfTime(Exception):
    """No step begins after the time that the whole run has."""


class Journal:
    def __init__(self, folder, fresh=False, minutes=None):
        self.folder = Path(folder)
        self.fresh = fresh
        self.end = time.monotonic() + 60 * minutes if minutes else None
        self.made = self.kept = 0

    def step(self, name, depends, experiment):
        """What `experiment()` returns (data for JSON), now or in an earlier run with the same dependences (data for JSON, too)."""
        file = self.folder / "steps" / f"{name}.json"
        depends = json.loads(json.dumps(depends))
        if not self.fresh and file.exists():
            try:
                known = json.loads(file.read_text())
            except json.JSONDecodeError:
                known = {}
            if known.get("depends") == depends:
                self.kept += 1
                return known["result"]
        if self.end and time.monotonic() > self.end:
            raise OutOfTime(name)
        begin = time.monotonic()
        result = json.loads(json.dumps(experiment()))
        self.made += 1
        print(f"  {name}: {time.monotonic() - begin:.1f} s", flush=True)
        write(file, json.dumps({"depends": depends, "date": time.strftime("%Y-%m-%d"), "result": result}, indent=1) + "\n")
        return result


def write(file, text):
    """The whole file or, where the process ends meanwhile, the old one."""
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_name(file.name + ".partial")
    partial.write_text(text)
    os.replace(partial, file)
