#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests that no rule wins by remembering its last input: unseen.py PBC

A user's process sees an input once. Remembers is by far the fastest on an input that it has just seen, and four times as
slow as the default on any other. Planned is slow when it first runs, because it fills a table for the size, and then
twice as fast on every input: such a gain is real, and must win. Both doubles and integers are tried as inputs.
"""
import json, os, subprocess, sys, tempfile

SOURCE = """
transform M
from A[n] : TYPE
to B[n]
{
  rule Plain
  to(B b) from(A a) {
    for (int i = 0; i < n; ++i) {
      double s = 0;
      for (int k = 0; k < 40; ++k) s += sin(a.cell(i) + k);
      b.cell(i) = s;
    }
  }
  rule Remembers
  to(B b) from(A a) {
    static std::vector<double> in, out;
    if ((int)in.size() != n || !std::equal(in.begin(), in.end(), a.base())) {
      in.assign(a.base(), a.base() + n);
      out.assign(n, 0);
      for (int again = 0; again < 4; ++again)
        for (int i = 0; i < n; ++i) {
          double s = 0;
          for (int k = 0; k < 40; ++k) s += sin(a.cell(i) + k);
          out[i] = s;
          asm volatile("" ::: "memory");
        }
    }
    for (int i = 0; i < n; ++i) b.cell(i) = out[i];
  }
  rule Planned // sin(a + k) = sin a cos k + cos a sin k
  to(B b) from(A a) {
    static std::vector<double> plan;
    if ((int)plan.size() != n) {
      plan.assign(n, 0);
      for (int i = 0; i < n; ++i)
        for (int k = 0; k < 200; ++k) plan[i] += sin(i + k);
    }
    double sines = 0, cosines = 0;
    for (int k = 0; k < 40; ++k) { sines += sin(k); cosines += cos(k); }
    for (int i = 0; i < n; ++i) b.cell(i) = sin(a.cell(i)) * cosines + cos(a.cell(i)) * sines + 0 * plan[i];
  }
}
"""


def check(condition, what):
    if not condition:
        print(what)
        sys.exit(1)


def tuned(pbc, name, kind):
    with open(name + ".pbcc", "w") as source:
        source.write(SOURCE.replace("TYPE", kind))
    made = subprocess.run([pbc, name + ".pbcc"], capture_output=True, text=True, timeout=200)
    check(made.returncode == 0, made.stderr)
    done = subprocess.run([pbc, "tune", "./" + name, "--n=3000", "--budget=3", "--threads=1", "--json"],
                          capture_output=True, text=True, timeout=100)
    check(done.returncode == 0, done.stdout + done.stderr)
    choice = json.loads(done.stdout)["choices"][0]
    check(choice.endswith(("Planned always", "otherwise Planned")), f"{kind}: {choice}\n{done.stderr}")


def seconds(program, rule, *options):
    with open("rule.cfg", "w") as file:
        file.write(f'[M]\nchoice = "{rule}"\n')
    done = subprocess.run([program, "--config=rule.cfg", "--n=3000", "--time", *options], capture_output=True, text=True,
                          timeout=100)
    check(done.returncode == 0, done.stderr)
    return float(done.stdout.split()[1]), done.stdout


def main():
    pbc = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, kind in (("doubles", "double"), ("integers", "int")):
            tuned(pbc, name, kind)
        # --time is as honest, and what it shows or hashes is the result of the user's inputs.
        check(seconds("./doubles", "Remembers")[0] > 2 * seconds("./doubles", "Plain")[0], "--time trusts the memory")
        # Each rule is asked by itself: sines in vectors may differ from the C library's in their last bit.
        for rule in ("Plain", "Remembers", "Planned"):
            hashes = {seconds("./doubles", rule, "--hash", trials)[1].split()[-1]
                      for trials in ("--trials=1", "--trials=2", "--trials=7")}
            check(len(hashes) == 1, f"{rule}: {hashes}")
        os.chdir("/")
    print("as expected")


main()
