# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Profiles of the machine at hand: ways to run the same program on it that differ as the paper's three machines do (petabricks-hetero 8)."""
import json
import os
import subprocess
from dataclasses import dataclass


@dataclass(frozen=True)
class Profile:
    """`devices`: the ids that programs may use (PB_DEVICES), or "none". `threads`: of the program, or None where its configuration decides."""
    name: str
    title: str
    devices: str
    threads: int | None

    def environment(self, **more):
        return {**os.environ, "PB_DEVICES": self.devices, **more}

    def options(self):
        return [f"--threads={self.threads}"] if self.threads else []


def at_hand(program):
    """The profiles of this machine, in the order of the tables: one thread and all threads without devices, then one for each device that
    a compiled program reports."""
    env = {name: value for name, value in os.environ.items() if name != "PB_DEVICES"}
    info = json.loads(subprocess.run([program, "--info"], env=env, capture_output=True, text=True, check=True).stdout)
    found = [Profile("one_thread", "one thread", "none", 1)]
    if os.cpu_count() > 1:
        found.append(Profile("all_threads", f"{os.cpu_count()} threads", "none", None))
    for device in info["machine"].get("devices", []):
        kind = "PoCL" if "PoCL" in device["driver"] else device["name"]
        found.append(Profile(device["id"].replace(":", "_"), f"{os.cpu_count()} threads and {device['id']} ({kind})", device["id"], None))
    return found


def machine(program):
    """What the machine is, in words."""
    info = json.loads(subprocess.run([program, "--info"], capture_output=True, text=True, check=True).stdout)["machine"]
    return f"{info['processor']}, {info['cores']} processors" + "".join(f"; {d['id']}: {d['name']}" for d in info.get("devices", []))
