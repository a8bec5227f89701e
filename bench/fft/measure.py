# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The standard library's Fourier transform, tuned, against the faster of SciPy's and FFTW's."""
import math
from pathlib import Path
from peers import best_of
from samples import Limits, call, compared, in_turns, seconds

HERE = Path(__file__).resolve().parent


def measure(tools):
    peers = tools.peers.transforms()
    if not peers:
        print("  fft: neither SciPy nor pyFFTW is there: bench/install-peers fetches both", flush=True)
        return
    program = tools.work / "fft"
    call(tools.pbc, HERE / "fft.pbcc", "-o", program)
    limits = Limits(tools)
    for n in (1 << 12, 1 << 20):  # other sizes have one algorithm yet
        for threads in (1, 2):
            configuration = tools.work / f"fft_{n}_{threads}.cfg"
            call(tools.pbc, "tune", program, f"--n={n}", "--budget=10", f"--threads={threads}", f"--output={configuration}", timeout=200)
            runs = {peer: lambda name=name, peer=peer: seconds(tools.peers.python, HERE / "peer.py", name, n, threads) for name, peer in peers.items()}
            ours, *theirs = in_turns(tools.rounds, lambda: seconds(program, f"--config={configuration}", "--time", f"--threads={threads}", f"--size=n={n}"), *runs.values())
            samples = dict(zip(runs, theirs))
            best = best_of(samples)
            # The usual count of operations of a transform.
            compared(f"fft: {n} complex numbers, {threads} thread{'s'[: threads > 1]}", ours, samples[best], None,
                     lambda seconds: limits.share(seconds, threads, operations=5 * n * math.log2(n)), best)
