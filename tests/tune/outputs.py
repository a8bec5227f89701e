#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is written, and what is left as it is; streams that are closed or break: outputs.py PBC."""
import os, signal, subprocess, sys, tempfile

from calls import check, run

PBC = os.path.abspath(sys.argv[1])
PROGRAM = """
transform Twice
from A[n]
to B[n]
{
  rule cells B.cell(i) from(A.cell(i) a) { return 2 * a; }
  rule all to(B b) from(A a) { for (int i = 0; i < n; ++i) b.cell(i) = a.cell(i) + a.cell(i); }
}
"""

def write(name, text):
    with open(name, "w") as f:
        f.write(text)

def left_alone(name, text, *command):
    """Refused before anything is measured."""
    write(name, text)
    done = run(PBC, "tune", *command)
    check(done.returncode == 1 and open(name).read() == text, f"{command}: {done.stderr}")
    os.remove(name)
    return done.stderr

def sources_and_files_of_others():
    said = left_alone("twice.pbcc", PROGRAM, "--kernels", "twice.pbcc", "-o", "twice.pbcc", "--budget=1")
    check("is the source and the program" in said, said)
    said = left_alone("twice2", PROGRAM, "--kernels", "twice2", "--budget=1")
    check("is the source and the program" in said, said)
    write("twice.pbcc", PROGRAM)
    said = left_alone("mine", "notes\n", "--kernels", "twice.pbcc", "-o", "mine", "--budget=1")
    check("mine: the program cannot be written there: what is there is something else" in said, said)
    said = left_alone("twice.cfg", "[server]\nport = 80\n", "./twice", "--n=1000", "--budget=1")
    check("has an entry 'server', which is nothing of twice" in said, said)
    said = left_alone("twice.cfg", "[Twice\n", "./twice", "--n=1000", "--budget=1")
    check("./twice.cfg:1:7: " in said or "./twice.cfg:2:1: " in said, said)
    said = left_alone("twice.front.html", "mine\n", "./twice", "--n=1000", "--budget=1", "--pareto=time,memory")
    check("the page cannot be written there" in said, said)

def streams():
    command = f"'{PBC}' tune ./twice --n=1000 --budget=1 --fresh"
    for ending in ("2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
        done = subprocess.run(["bash", "-c", f"{command} {ending}"], stdout=subprocess.DEVNULL)
        check(done.returncode == (1 if ">&-" in ending.replace("2>&-", "") else 0), f"{ending}: {done.returncode}")
        check(os.path.exists("twice.cfg"), ending)
        os.remove("twice.cfg")
    subprocess.run(["bash", "-c", f"{command} 2>&1 | head -1"], stdout=subprocess.DEVNULL)  # waits for both
    check(os.path.exists("twice.cfg"), "who reads our words has ended: no configuration was written")

def ignored_signals_stay_ignored():
    def ignore():
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    tuning = subprocess.Popen([PBC, "tune", "./twice", "--n=1000", "--budget=2", "--fresh"], preexec_fn=ignore,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    tuning.stderr.readline()
    tuning.send_signal(signal.SIGHUP)
    out, err = tuning.communicate(timeout=60)
    check(tuning.returncode == 0 and "stopped" not in out + err, out + err)

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    write("twice.pbcc", PROGRAM)
    done = run(PBC, "twice.pbcc", "-o", "twice")
    check(done.returncode == 0, done.stderr)
    sources_and_files_of_others()
    streams()
    ignored_signals_stay_ignored()
print("ok")
