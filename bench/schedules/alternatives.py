#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the schedules among which the rules of a program choose: alternatives.py PBC PROGRAM.pbcc [N [ROUNDS]]

For each rule with several schedules, the processor time of a run with each of them on one thread, in turns, as a multiple of the time with
the compiler's own. Medians of ROUNDS (3) rounds at n = N (1024). Processor time does not grow when others use the machine, as time on the
clock does.
"""
import json, os, statistics, subprocess, sys, tempfile


def processor_seconds(command):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)}: status {status}")
    return usage.ru_utime


def seconds_of_run(command, runs):
    """Without what the program needs besides: the difference between few runs and one."""
    return (processor_seconds(command + [f"--trials={runs}"]) - processor_seconds(command + ["--trials=1"])) / (runs - 1)


def main(pbc, source, n="1024", rounds="3"):
    with tempfile.TemporaryDirectory() as folder:
        program, config = os.path.join(folder, "prog"), os.path.join(folder, "choice.cfg")
        subprocess.run([pbc, source, "-o", program, "--no-devices"], check=True)
        info = json.loads(subprocess.run([program, "--info"], capture_output=True, text=True, check=True).stdout)
        for transform in info["transforms"]:
            for site in transform["sites"]:
                if not site["key"].startswith("place_"):
                    continue
                names = [a["name"] for a in site["alternatives"]]
                seconds = {name: [] for name in names}
                for number in range(int(rounds)):
                    for name in names if number % 2 == 0 else reversed(names):
                        with open(config, "w") as file:
                            file.write(f'["{transform["name"]}"]\n"{site["key"]}" = "{name}"\n')
                        command = [program, f"--transform={transform['name']}", f"--n={n}", "--threads=1", "--time", f"--config={config}"]
                        seconds[name].append(seconds_of_run(command, 9 if name == "cpu" else 3))
                own = statistics.median(seconds["cpu"])
                print(f"{transform['name']:<12} {own * 1e3:8.1f} ms  " + ", ".join(f"{name} {statistics.median(all_) / own:.2f}" for name, all_ in seconds.items()))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(os.path.abspath(sys.argv[1]), *sys.argv[2:])
