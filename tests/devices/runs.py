#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What compiled programs do with devices, seen from outside: runs.py PBC. Traces of runs on the fake device say what
was copied and launched (petabricks-hetero 10; each check names its requirement)."""
import collections, json, os, subprocess, sys, tempfile

PBC = os.path.abspath(sys.argv[1])

CHAIN = """
main transform Chain
from A[n, n]
through T[n, n], U[n, n]
to B[n, n]
{
  to(T t) from(A a) { Plus(t, a); }
  to(U u) from(T t) using(V[n, n]) {
    if (n > 2) { Plus(V, t); Plus(u, V); }
    else Plus(u, t);
  }
  to(B b) from(U u) { Halves(b, u); }
}

transform Plus
from A[n, m]
to B[n, m]
{
  B.cell(x, y) from(A.cell(x, y) a) { return a + 1; }
}

transform Halves
from A[n, m]
to B[n, m]
{
  to(B b) from(A a) {
    spawn Plus(b.region(0, 0, n / 2, m), a.region(0, 0, n / 2, m));
    spawn Plus(b.region(n / 2, 0, n, m), a.region(n / 2, 0, n, m));
    sync;
  }
}
"""

# The same, but the second body looks at a cell.
LOOKS = CHAIN.replace("else Plus(u, t);", "else Plus(u, t);\n    u.cell(0, 0) = u.cell(0, 0) + 10;")

# Recursion down to a size that the processor does, and a transform that compares its inputs.
MIXED = """
main transform Mixed
from A[n]
to B[n]
{
  to(B b) from(A a) using(T[n], U[n]) { Twice(T, a); Known(U, T); Split(b, U); }
}

transform Split
from A[n]
to B[n]
{
  to(B b) from(A a) {
    if (n < 3) Twice(b, a);
    else { spawn Split(b.region(0, n / 2), a.region(0, n / 2)); Split(b.region(n / 2, n), a.region(n / 2, n)); }
  }
}

transform Twice
from A[n]
to B[n]
{
  B.cell(i) from(A.cell(i) a) { return 2 * a; }
}

memoized transform Known
from A[n]
to B[n]
{
  B.cell(i) from(A.cell(i) a) { return a + 1; }
}
"""

# Two steps that do not need each other, and one that needs both.
PAIR = """
main transform Pair
from A[n, n]
through T[n, n], U[n, n], V[n, n]
to B[n, n]
{
  T.cell(x, y) from(A.cell(x, y) a) { return a + 1; }
  U.cell(x, y) from(A.cell(x, y) a) { return a + 2; }
  V.cell(x, y) from(A.cell(x, y) a) { return a + 3; }
  B.cell(x, y) from(T.cell(x, y) t, U.cell(x, y) u, V.cell(x, y) v) { return t + u + v; }
}
"""

# One step again and again.
OFTEN = """
main transform Often
from A[n, n]
to B[n, n]
{
  to(B b) from(A a) { Plus(b, a); for (int k = 1; k < 60; ++k) if (b.cell(0, 0) > -1) Plus(b, b); }
}

transform Plus
from A[n, m]
to B[n, m]
{
  B.cell(x, y) from(A.cell(x, y) a) { return a + 1; }
}
"""

# One cell whose steps all items of a group share out, and a scan of one vector.
TEAMS = """
main transform Teams
from A[n]
to S[n+1]
{
  S.cell(0) from() { return 5; }
  fast rule Scan S.cell(i) from(A.cell(i-1) a, S.cell(i-1) s) { return s + a; }
}
transform Sum
from A[n]
to S
{
  fast rule Sum to(S s) from(A a) { s = 5; for (int i = 0; i < n; ++i) s += a.cell(i); }
}
"""

# An element that data choose.
ELEMENTS = """
main transform Elements
from A[n]
to B[n]
tunable array(3) float weights(0, 0, 9)
{
  rule Pick B.cell(i) from(A.cell(i) a) { return weights[int(a)]; }
}
"""

def compile(name, text):
    with open(f"{name}.pbcc", "w") as f:
        f.write(text)
    subprocess.run([PBC, f"{name}.pbcc", "-o", name], check=True)
    return json.loads(subprocess.run([f"./{name}", "--info"], capture_output=True, text=True, check=True).stdout)

def write(path, values, width=None):
    with open(path, "w") as f:
        f.write(f"SIZE {width} {len(values) // width}\n" if width else f"SIZE {len(values)}\n")
        f.write(" ".join(map(str, values)) + "\n")

def read(path):
    return [float(v) for v in open(path).read().split("\n", 1)[1].split()]

def on_devices(info, more=lambda transform: "", place="gpu"):
    return "".join(f'["{t["name"]}"]\nsequential_cutoff = 0\n' + more(t)
                   + "".join(f'"{s["key"]}" = [ {{ use = "{place}" }} ]\n' for s in t["sites"] if s.get("device"))
                   for t in info["transforms"])

def run(name, config, inputs, fake="", devices=1, threads=2, words=()):
    """Values of the output, and the trace's events."""
    with open("run.toml", "w") as f:
        f.write(config)
    command = [f"./{name}", *words, "--config=run.toml", f"--threads={threads}", "--trace=trace.json", *inputs, "out.txt"]
    environment = dict(os.environ, PB_DEVICES=",".join(f"fake:{k}" for k in range(devices)),
                       PB_FAKE_DEVICE=f"devices={devices} {fake}")
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=100)
    assert done.returncode == 0, (command, done.stderr)
    gives_way = "local=64" in fake # a group's memory is too small, which the program says
    assert done.stderr == "" or gives_way and " bytes of memory, and can have 64" in done.stderr, done.stderr
    return read("out.txt"), json.load(open("trace.json"))["traceEvents"]

def count(events):
    """Of copies and kernels, on all devices."""
    return collections.Counter(e["cat"] for e in events if e.get("cat") in ("copy-in", "copy-out", "copy-across", "kernel"))

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    n = 8
    write("in.txt", range(n * n), n)

    info = compile("chain", CHAIN)
    result, events = run("chain", on_devices(info), ["in.txt"])
    assert result == [v + 4 for v in range(n * n)], result
    # 102: five calls of three transforms, and only the first input and the last output move.
    moved = count(events)
    assert moved["kernel"] == 5, moved
    assert moved["copy-in"] == 1, moved
    assert moved["copy-out"] <= 2, moved  # one, or its halves
    # All kinds of threads and of work are in a trace.
    lanes = [e["args"]["name"] for e in events if e["name"] == "thread_name"]
    assert any(l.startswith("worker") for l in lanes), lanes
    assert {"work", "manage", "kernel", "copy-in", "copy-out"} <= {e.get("cat") for e in events}

    info = compile("looks", LOOKS)
    result, events = run("looks", on_devices(info), ["in.txt"])
    assert result == [v + 4 + (10 if v == 0 else 0) for v in range(n * n)], result
    moved = count(events)
    assert moved["copy-in"] > 1 and moved["copy-out"] > 1, moved  # the processor saw it, and what it wrote counts

    # An element that is none ends the program on the processor; on a device it is the nearest one.
    info = compile("elements", ELEMENTS)
    weights = lambda t: "weights = [ 1.5, 2.5, 3.5 ]\n"
    write("places.txt", [2, 0, 1, 3, -4, 1000])
    result, events = run("elements", on_devices(info, weights), ["places.txt"])
    assert result == [3.5, 1.5, 2.5, 3.5, 1.5, 3.5], result
    with open("run.toml", "w") as f:
        f.write(on_devices(info, weights))
    done = subprocess.run(["./elements", "--config=run.toml", "--devices=none", "places.txt", "out.txt"], capture_output=True,
                          text=True, timeout=100)
    assert done.returncode == 1 and "the tunable array weights has 3 elements; [3] is none of them" in done.stderr, done

    info = compile("mixed", MIXED)
    write("line.txt", range(23))
    for cutoff in (0, 4, 8, 100):
        config = on_devices(info).replace("sequential_cutoff = 0", f"sequential_cutoff = {cutoff}")
        result, events = run("mixed", config, ["line.txt"])
        assert result == [2 * (2 * v + 1) for v in range(23)], (cutoff, result)

    # 101: steps of one level go to different devices; what needs both goes to one of them.
    info = compile("pair", PAIR)
    for devices in (1, 2, 3):
        result, events = run("pair", on_devices(info), ["in.txt"], devices=devices)
        assert result == [3 * v + 6 for v in range(n * n)], result
        used = collections.Counter(e["pid"] for e in events if e.get("cat") == "kernel")
        assert len(used) == devices and sum(used.values()) == 4, used
        assert count(events)["copy-across"] == devices - 1 and count(events)["copy-out"] == 1, (devices, count(events))
    # A chain stays where it began.
    result, events = run("chain", on_devices(info := compile("chain", CHAIN)), ["in.txt"], devices=2)
    assert result == [v + 4 for v in range(n * n)], result

    # Groups share out the steps of one cell: one group where it is short or the device small, else several, and the
    # passes that put their parts together. Without local memory one item does everything (21).
    info = compile("teams", TEAMS)
    for length in (0, 1, 255, 256, 257, 9000):
        write("line.txt", [v % 7 for v in range(length)])
        sums = [5]
        for v in range(length):
            sums.append(sums[-1] + v % 7)
        for fake, parts in (("units=1", False), ("units=4", length == 9000), ("units=4 local=64", False)):
            config = on_devices(info, place="gpu_group")
            result, events = run("teams", config, ["line.txt"], fake=fake)
            assert result == sums, (length, fake)
            if length:  # of a scan without points nothing comes back: the program may end before its kernel does
                assert count(events)["kernel"] == (3 if parts else 1), (length, fake, count(events))
            result, events = run("teams", config, ["line.txt"], fake=fake, words=["--transform=Sum"])
            assert result == sums[-1:], (length, fake)
            assert count(events)["kernel"] == (2 if parts else 1), (length, fake, count(events))

    # 100: a device that is of no use is left alone, but for a try now and then.
    info = compile("often", OFTEN)
    measured = lambda t: "gpu_ratio = 65\n" if any(x["name"] == "gpu_ratio" for x in t["tunables"]) else ""
    result, events = run("often", on_devices(info, measured), ["in.txt"], fake="latency=5ms")
    assert result == [v + 60 for v in range(n * n)], result
    assert 1 <= count(events)["kernel"] < 30, count(events)

    # 65: --check asks for devices in a process of its own: their drivers' threads would not be in the runs' processes.
    info = compile("pair", PAIR)
    if any(d.startswith("opencl") for d in info["devices"]):
        done = subprocess.run(["./pair", "--check", "--devices=opencl", "in.txt"], capture_output=True, text=True, timeout=200)
        gpu = [line for line in done.stdout.splitlines() if ": gpu" in line]
        assert done.returncode == 0 and gpu and all("agrees" in line for line in gpu), done.stdout + done.stderr

    # --check says what it did not check: a device that refuses everything, or is not there.
    refused = subprocess.run(["./pair", "--check", "--devices=fake", "in.txt"], capture_output=True, text=True, timeout=200,
                             env=dict(os.environ, PB_FAKE_DEVICE="fail=launch:1+"))
    gpu = [line for line in refused.stdout.splitlines() if ": gpu" in line]
    assert gpu and all("agrees" in l and ", but rule" in l and "runs on the processor: fake device 0" in l for l in gpu), gpu
    missing = subprocess.run(["./pair", "--check", "--devices=foo", "in.txt"], capture_output=True, text=True, timeout=200)
    assert "where steps run is not compared: there is no device 'foo'" in missing.stdout, missing.stdout
    none = subprocess.run(["./pair", "--check", "--devices=none", "in.txt"], capture_output=True, text=True, timeout=200)
    assert "not compared" not in none.stdout, none.stdout

    # What happened is said once, also where the driver's words differ each time.
    info = compile("often", OFTEN)
    with open("run.toml", "w") as f:
        f.write(on_devices(info))
    done = subprocess.run(["./often", "--config=run.toml", "--devices=fake", "in.txt", "out.txt"], capture_output=True,
                          text=True, timeout=100, env=dict(os.environ, PB_FAKE_DEVICE="fail=memory:2+"))
    notes = done.stderr.splitlines()
    assert done.returncode == 0 and notes and len(set(n.split(": ")[2] for n in notes)) == len(notes), done.stderr
