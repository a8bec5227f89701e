// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The worker side of tuning: `PROG --serve` answers one JSON request a line on standard input with one JSON
// line on standard output, until end of input. One process serves many candidates, so nothing is loaded
// twice.
//
// `pbc tune` takes `--channel=N` in place of the standard streams: a socket, open at descriptor N, which the program
// moves at once to a number that rule bodies cannot guess. Before each request stands a token that nobody knew before
// ("7:93be...", a number and 128 random bits), and the answer and all events about it begin with it
// (serve_channel.h): whatever else comes is ignored.
//
//   {"op":"prepare","sizes":{"w":1024,"h":768,"KW":7},"seed":1,"inputs":["photo.png","k.npy"]}
//       makes the inputs (random by seed; or, with "inputs", the leading part of these files), runs the
//       default configuration (or that of "config") once and keeps its outputs as the reference.
//   -> {"ok":true,"n":1024,"seconds":0.031}
//       "keep":"PREFIX": the outputs are written to PREFIX0.npy, PREFIX1.npy, ...; "reference":"PREFIX": such
//       files, of another program that computes the same, are the reference.
//       "values":"sorted": random inputs of that kind (values.h); "judge":true: the default runs a second
//       time, on inputs that are the same up to rounding, and the reply says whether its results are numbers
//       and the same again, "finite":true,"stable":true
//   {"op":"measure","config":"<TOML text>","trials":3,"limit":0.5}
//       fills selectors and tunables, restores the inputs, runs, compares the outputs of the first run with
//       the reference; then up to `trials` times; stops when `limit` seconds of these have passed (at least
//       one). A first run of less than 10 ms is not counted, nor are runs after it for as long as filling and
//       comparing matrices took (10 ms at most); each time is the median of the runs that fit into that time
//       again, 20 ms at most for all times together: as many as cost little beside that (run_times.h). The
//       configuration's number of threads counts from here on: others are started in their place, without an
//       end of the process.
//   -> {"ok":true,"agrees":true,"difference":1.2e-15,"seconds":[0.029,0.028,0.028]}
//      with "at":"B[4]: found 1, expected 4" where outputs disagree, or "changes":"A", an input that the run
//      wrote into, though the default does not (inputs are restored after each request)
//      and, of a transform with an accuracy_metric, "accuracy":0.93 of the first run, or null if it is no
//      number
//      "metrics":["energy","memory"] asks for more: "joules":[...], what each run took by the machine's
//      counters (a run is then as many runs as the counters can tell, and everything is for one of them), and
//      "bytes":N, the most memory that one more run has at once, the matrices that it is given included
//      "compare":false: the configuration has agreed before, nothing is filled, compared, restored (unless
//      the default writes into its inputs) or judged. That is a third of the time where runs are short.
//      "compare":"last": after all runs there is one more, whose outputs are compared, too: some are right
//      at first only
//   {"op":"meters"}      which of these this machine can measure
//   -> {"ok":true,"energy":["package-0"],"energy_window":0.05,"energy_problem":"","peak_memory":true}
//   Before an answer there may be lines about kernels for devices that are compiled meanwhile (times do not
//   contain that): {"event":"compiling","kernel":"rows_global"} and {"event":"compiled",...}.
//   {"op":"sizes"}       what the loaded or default inputs give, to start from
//   -> {"ok":true,"sizes":{"w":3264,"h":2448,"KW":7}}        (with "inputs" as in prepare)
//   {"op":"fit","config":"<TOML text>","where":"sort.cfg"}   what becomes of a file of any origin
//   (config/fit.h)
//   -> {"ok":true,"config":"<TOML of all slots now>","threads":0,"errors":[],"entries":[{"transform":"Sort",
//      "key":"choice","line":3,"column":1,"state":"unknown","problems":["..."],"instead":"..."}]}
//   "generator":"NAME" in prepare: inputs from that transform instead of random ones (default: the
//   transform's own `generator`, if any); "generator":null for random ones. Sizes that are not given are
//   those of the inputs, or 1024. "n" is the largest extent of any matrix. anything that does not fit:
//   {"ok":false,"error":"..."}, with "memory":true for lack of memory
//
// `difference` is the largest |a-b| / max(1, |b|) over all output elements (floats) or the number of
// differing elements (integers). A candidate that crashes, hangs or calls exit takes the process with it: the
// tuner counts that as its result and starts another.
#pragma once
#include "runtime/abi/program.h"

namespace pb::program {

/// Runs the loop above for one transform; returns the process's exit status. `threads`: unless a
/// configuration says otherwise. `descriptor`: of a socket; below 0: standard input and output. Whatever rule bodies
/// print goes to standard error, so that it cannot break the protocol.
int serve(const Program &, const Transform &, int threads, int descriptor = -1);

} // namespace pb::program
