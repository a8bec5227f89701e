#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests pbc tune --objective and --pareto as a user runs them: objectives.py PBC

The program sums prefixes of squares: Table with a large table and quickly, Lean without a table and slowly, and Wasteful
with the table and slowly, so that it is never the best. Energy is that of a simulated counter (PB_POWERCAP): a process adds
as many joules as the program's processes have used seconds, and Lean is recognised by its time.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import time

SOURCE = r"""
main transform Squares
from A[n]
to B[n]
{
  rule Wasteful to(B b) from(A a) {
    std::vector<double> table(64 * n, 1.0);
    for (long i = 0; i < n; ++i) {
      double s = 0;
      for (int k = 0; k < 64; ++k)
        s += a.cell(i) * table[64 * i + k];
      for (int k = 0; k < 300; ++k)
        s = std::sqrt(s * s + 1) * 0.9999 + table[(i * 7 + k) % n] * 0;
      b.cell(i) = 1;
      table[i] = s;
    }
    b.cell(0) += table[n / 2] * 0;
  }
  rule Table to(B b) from(A a) {
    std::vector<double> table(64 * n, 1.0);
    for (long i = 0; i < n; ++i)
      b.cell(i) = table[64 * i] + 0 * a.cell(i);
  }
  rule Lean to(B b) from(A a) {
    for (long i = 0; i < n; ++i) {
      double s = a.cell(i);
      for (int k = 0; k < 300; ++k)
        s = std::sqrt(s * s + 1) * 0.9999;
      b.cell(i) = 1 + s * 0;
    }
  }
}
"""

# Adds what the program's processes have used. It must not need much itself: on a busy machine it would come too late.
METER = r"""
import os, sys, time
zone = sys.argv[1]
tick = os.sysconf("SC_CLK_TCK")
others = set(os.listdir("/proc"))
seen, total = {}, 0.0
print("ready", flush=True)
while True:
    for pid in filter(str.isdigit, set(os.listdir("/proc")) - others):
        try:
            fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
            name = open(f"/proc/{pid}/comm").read().strip()
        except OSError:
            continue
        if name != "squares":
            continue
        used = (int(fields[11]) + int(fields[12])) / tick
        total += max(used - seen.get(pid, used), 0)
        seen[pid] = used
    with open(zone + "/next", "w") as file:
        file.write(f"{int(total * 1e6)}\n")
    os.replace(zone + "/next", zone + "/energy_uj")
    time.sleep(0.001)
"""


def expect(condition, text):
    if not condition:
        sys.exit(f"objectives.py: {text}")


def run(*command, status=0, **environment):
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, env={**os.environ, **environment})
    expect(done.returncode == status, f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def read(path):
    with open(path) as file:
        return file.read()


def tune(pbc, *words, status=0, n=8000, **environment):
    """Ends after its trials, long before the budget, so that a busy machine finds the same."""
    return run(pbc, "tune", "./squares", f"--n={n}", "--threads=1", "--budget=100", "--trials=12", *words, status=status, **environment)


def used_at_the_full_size(result):
    return [re.search(r"(\w+)( always)?$", point["choices"][0])[1] for point in result["front"]]


def memory(pbc):
    result = json.loads(tune(pbc, "--objective=memory", "--json").stdout)
    expect(result["objective"] == "memory" and result["choices"][0].endswith("Lean always"), f"{result}")
    before, after = result["default_metrics"]["memory"], result["tuned_metrics"]["memory"]
    counted_late = 256 << 10 # what runtime/program/peak_memory.h says of memory that is not in matrices
    expect(before > 64 * 8 * 8000 - counted_late and after < before / 10, f"{result}")
    expect(result["default_seconds"] < 1 and result["speedup"] > 10, f"{result}")
    expect('objective = "memory"' in read("squares.cfg"), read("squares.cfg"))
    words = run(pbc, "explain", "./squares", "Squares").stdout
    expect(re.search(r"winner +Lean, [\d.]+ kB at n=8000", words) and "times as much" in words, words)
    page = read("squares.tune.html")
    expect("memory, of a run" in page and "times as economical" in page, page[:2000])
    # Goes on from there: the objective is that of the file.
    again = json.loads(tune(pbc, "--refresh", "--objective=memory", "--json").stdout) \
        if "nothing has changed" not in tune(pbc, "--refresh").stdout else result
    expect(again["objective"] == "memory", f"{again}")


def front(pbc):
    result = json.loads(tune(pbc, "--pareto=time,memory", "--json").stdout)
    used = used_at_the_full_size(result)
    expect(used[0] == "Table" and used[-1] == "Lean" and "Wasteful" not in used, f"{result}")
    expect(all(a["seconds"] < b["seconds"] and a["bytes"] > b["bytes"]
               for a, b in zip(result["front"], result["front"][1:])), f"{result}")
    for point in result["front"]:
        run("./squares", "--n=100", "--check", f"--config={point['configuration']}")
    expect(read("squares.cfg") == read(result["front"][0]["configuration"]), "the first is not the configuration")
    page = read("squares.front.html")
    expect("<svg" in page and "http" not in page.replace("http-equiv", "") and page.count("<circle") == len(used) + 1, page)
    # A smaller front leaves nothing of the one before.
    extra = f"squares.front/{len(used) + 1}.cfg"
    with open(extra, "w") as file:
        file.write("# Made by pbc tune long ago\n")
    text = tune(pbc, "--pareto=time,memory").stdout
    expect(not os.path.exists(extra), "an old point is still there")
    own = "squares.front/notes.cfg" # a file that the tuner has not written stays
    with open(own, "w") as file:
        file.write("threads = 1\n")
    words = tune(pbc, "--pareto=time,memory", status=1).stderr
    expect(f"{own}: is not of an earlier front" in words and read(own) == "threads = 1\n", words)
    os.remove(own)
    for k, objective in ((1, "time"), (len(used), "memory")):
        expect(f'objective = "{objective}"' in read(f"squares.front/{k}.cfg"), read(f"squares.front/{k}.cfg"))
    expect("front" in text and "squares.front/1.cfg" in text and re.search(r"default +\S+ \S+ +\S+ [kM]B", text), text)


def energy(pbc, folder):
    words = tune(pbc, "--objective=energy", status=1, PB_POWERCAP="/nowhere").stderr
    expect("energy cannot be measured" in words and "/nowhere/intel-rapl:0" in words, words)
    zone = f"{folder}/powercap/intel-rapl:0"
    os.makedirs(zone)
    for name, text in (("name", "package-0"), ("energy_uj", "0"), ("max_energy_range_uj", "1000000000000")):
        with open(f"{zone}/{name}", "w") as file:
            file.write(text + "\n")
    meter = subprocess.Popen([sys.executable, "-c", METER, zone], stdout=subprocess.PIPE, text=True)
    try:
        meter.stdout.readline()
        done = tune(pbc, "--objective=energy*time", "--json", n=30000, PB_POWERCAP=f"{folder}/powercap")
    finally:
        meter.kill()
        meter.wait()
    result = json.loads(done.stdout)
    expect("energy is that of package-0" in done.stderr, done.stderr)
    expect(result["objective"] == "energy*time" and result["default_metrics"]["energy"] > 0, f"{result}")
    expect(re.search(r"Table( always)?$", result["choices"][0]), f"{result}")


def refused(pbc):
    for words, text in ((["--objective=power"], "there is no objective 'power'"),
                        (["--objective=accuracy"], "accuracy is a constraint"),
                        (["--pareto=time"], "does not name two objectives"),
                        (["--pareto=time,memory", "--refresh"], "a front has many"),
                        (["--pareto=time,memory", "--objective=time"], "excludes"),
                        (["--objective=memory", "--record=x.json"], "excludes")):
        done = tune(pbc, *words, status=1)
        expect(text in done.stderr, f"{words}: {done.stderr}")


def main():
    pbc = os.path.abspath(sys.argv[1])
    os.environ["PB_DEVICES"] = "none"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("squares.pbcc", "w") as file:
            file.write(SOURCE)
        run(pbc, "squares.pbcc", "-o", "squares")
        refused(pbc)
        memory(pbc)
        front(pbc)
        energy(pbc, folder)


if __name__ == "__main__":
    main()
