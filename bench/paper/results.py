# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What scripts/results does: all experiments in an order in which each stage is complete for all benchmarks before the next one begins."""
import json
import shutil
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path
from paper import benchmarks, experiments, page, profiles
from paper.journal import Journal, OutOfTime, write
from paper.names import chosen
from paper.programs import Programs, commit, content
from peers import Peers
from samples import ROOT

HERE = Path(__file__).resolve().parent


class Results:
    def __init__(self, options, command):
        self.options = options
        self.effort = experiments.QUICK if options.quick else experiments.USUAL
        self.output = options.output or ROOT / "docs" / "results" / ("quick" if options.quick else "")
        self.work = options.work / ("quick" if options.quick else "usual")
        self.journal = Journal(self.work, options.fresh, options.minutes or (5 if options.quick else 40))
        self.programs = Programs(options.pbc, Peers(options.peers.resolve()), self.work / "programs")
        self.chosen = benchmarks.named([n for n in options.only.split(",") if n])
        self.command = command
        self.built, self.configurations = {}, {}

    def run(self):
        """0 where all experiments were made, 3 where the time was over before."""
        begin = time.monotonic()
        self._build()
        found = profiles.at_hand(self.built[self.chosen[0].name])
        self.profiles = chosen("profile", {p.name: p for p in found}, [n for n in self.options.profiles.split(",") if n])
        self.data = {
            "command": self.command, "date": time.strftime("%Y-%m-%d"), "commit": commit(), "machine": profiles.machine(self.built[self.chosen[0].name]),
            "patience": self.effort.patience, "profiles": [{"name": p.name, "title": p.title} for p in self.profiles], "widths": {},
            "benchmarks": [{"name": b.name, "title": b.title, "size": b.sizes[b.tuned], "published": b.published, "lines": b.lines(), "tuned": {}, "cross": {}, "sizes": {},
                            **experiments.properties(self.built[b.name])} for b in self.chosen],
        }
        complete = True
        try:
            for stage in (self._tune, self._cross, self._sizes, self._libraries, self._widths, *([self._full] if self.options.full else [])):
                stage()
        except OutOfTime as at:
            complete = False
            print(f"scripts/results: the time is over before {at}; the same command goes on from here", file=sys.stderr)
        finally:
            self._write(complete)
        print(f"{self.journal.made} experiments made, {self.journal.kept} known before, {(time.monotonic() - begin) / 60:.1f} minutes: {self.output / 'index.md'}")
        return 0 if complete else 3

    def _build(self):
        for b in self.chosen:
            self.built[b.name] = self.programs.benchmark(b)
        self.hashes = {b.name: content(self.built[b.name]) for b in self.chosen}

    def _each(self):
        for b, row in zip(self.chosen, self.data["benchmarks"]):
            for p in self.profiles:
                yield b, row, p

    def _depends(self, benchmark, **more):
        return {"program": self.hashes[benchmark.name], "machine": self.data["machine"], "effort": asdict(self.effort), **more}

    def _tune(self):
        for b, row, p in self._each():
            file = self.work / "configurations" / f"{b.name}-{p.name}.cfg"
            file.parent.mkdir(parents=True, exist_ok=True)
            n = b.sizes[b.tuned]
            row["tuned"][p.name] = t = self.journal.step(f"tune/{b.name}/{p.name}", self._depends(b, n=n), lambda: experiments.tuned(
                self.options.pbc, self.built[b.name], b.arguments(n), p, self.effort.seconds, "quick", file))
            write(file, t["text"])
            self.configurations[b.name, p.name] = file

    def _cross(self):
        for b, row, p in self._each():
            all = {q.name: self.configurations[b.name, q.name] for q in self.profiles}
            all["default"] = None
            if p.devices != "none":
                all["device_only"] = experiments.device_only(self.built[b.name], self.work / "configurations" / b.name)
            row["cross"][p.name] = self.journal.step(
                f"cross/{b.name}/{p.name}", self._depends(b, configurations={n: f and content(f) for n, f in all.items()}),
                lambda: experiments.cross(self.built[b.name], b.arguments(b.sizes[b.tuned]), p, all, self.effort))

    def _sizes(self):
        rivals = {}
        for b, row, p in self._each():
            if p.devices != "none":
                continue  # a rival that runs on the same device is not known
            if b.name not in rivals:
                rivals[b.name] = self.programs.rivals(b)
            row["sizes"][p.name] = self.journal.step(
                f"sizes/{b.name}/{p.name}", self._depends(b, configuration=content(self.configurations[b.name, p.name]), rivals=[n for n, _ in rivals[b.name]]),
                lambda: experiments.by_size(self.built[b.name], b, p, self.configurations[b.name, p.name], rivals[b.name], self.effort))

    def _libraries(self):
        p = self.profiles[min(1, len(self.profiles) - 1)]
        for b, row in zip(self.chosen, self.data["benchmarks"]):
            if not (found := self.programs.with_library(b)):
                continue
            program, environment, rival = found
            file = self.work / "configurations" / f"{b.name}-with-library.cfg"

            def experiment():
                experiments.tuned(self.options.pbc, program, b.arguments(b.sizes[b.tuned]), p, self.effort.seconds, "quick", file, **environment)
                return experiments.by_size(program, b, p, file, [rival], self.effort, **environment)
            row["library"] = self.journal.step(f"library/{b.name}/{p.name}", self._depends(b, with_library=content(program)), experiment)

    def _widths(self):
        convolution = next((b for b in self.chosen if b.name == "convolution"), None)
        if not convolution:
            return
        n = convolution.sizes[convolution.tuned]
        for p in self.profiles:
            rows = []
            for width in self.effort.widths:
                rows.append(self.journal.step(f"widths/{p.name}/{width}", self._depends(convolution, n=n, width=width),
                                              lambda: self._width(convolution, p, n, width)))
                self.data["widths"][p.name] = rows

    def _width(self, benchmark, profile, n, width):
        folder = self.work / "configurations" / "widths"
        program, arguments = self.built[benchmark.name], [f"--size=w={n}", f"--size=h={n}", f"--size=kw={width}"]
        native = folder / f"{profile.name}-{width}.cfg"
        native.parent.mkdir(parents=True, exist_ok=True)
        experiments.tuned(self.options.pbc, program, arguments, profile, self.effort.width_seconds, "quick", native)
        names = [n for n in experiments.FORCED if profile.devices != "none" or experiments.FORCED[n][1] == "cpu"]
        files = {"tuned": native, **{n: experiments.mapping(folder / f"{k}.cfg", n) for k, n in enumerate(names)}}
        seconds = experiments.cross(program, arguments, profile, files, self.effort)
        return {"n": n, "width": width, "tuned": seconds.pop("tuned"), "forced": seconds}

    def _full(self):
        p = self.profiles[min(1, len(self.profiles) - 1)]
        for b, row in zip(self.chosen, self.data["benchmarks"]):
            row["full"] = self.journal.step(f"full/{b.name}/{p.name}", self._depends(b, quick=content(self.configurations[b.name, p.name])), lambda: self._longer(b, p))

    def _longer(self, b, p):
        file = self.work / "configurations" / f"{b.name}-{p.name}-full.cfg"
        n = b.sizes[b.tuned]
        longer = experiments.tuned(self.options.pbc, self.built[b.name], b.arguments(n), p, self.effort.full_seconds or 60, "full", file)
        times = experiments.cross(self.built[b.name], b.arguments(n), p, {"quick": self.configurations[b.name, p.name], "full": file}, self.effort)
        return {"quick": {"seconds": self.effort.seconds}, "full": {"seconds": longer["seconds"]}, "times": times}

    def _write(self, complete):
        self.data["complete"] = complete
        write(self.output / "results.json", json.dumps(self.data, indent=1) + "\n")
        write(self.output / "index.md", page.page(self.data))
        python = self.programs.peers.python if self.programs.peers.python.exists() else shutil.which("python3")
        drawn = subprocess.run([python, HERE / "plots.py", self.output / "results.json", self.output], capture_output=True, text=True)
        if drawn.returncode:
            print(f"scripts/results: no plots: {drawn.stderr.strip().splitlines()[-1]}; bench/install-peers installs matplotlib", file=sys.stderr)
