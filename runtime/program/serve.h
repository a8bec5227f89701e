// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The worker side of tuning: `PROG --serve` answers each JSON request, a line on standard input, with one
// JSON line on standard output, until end of input. One process serves many candidates, so nothing is loaded
// twice.
//
// `pbc tune` uses `--channel=N` instead of the standard streams: a socket, open at descriptor N, which the program
// moves at once to a descriptor that rule bodies cannot guess. Each request begins with a new token ("7:93be...", a
// number and 128 random bits), and its answer and all events about it begin with the same token (serve_channel.h).
// The tuner ignores all other lines.
//
//   {"op":"prepare","sizes":{"w":1024,"h":768,"KW":7},"seed":1,"inputs":["photo.png","k.npy"]}
//   -> {"ok":true,"n":1024,"seconds":0.031}
//
// Makes the inputs (random by the seed or, with "inputs", the leading part of these files), runs the default
// configuration (or that of "config") once, and keeps its outputs as the reference. Sizes that are not given
// are those of the inputs, or 1024; the "n" of the reply is the largest extent of any matrix. Options:
//
// * "keep":"PREFIX": the outputs are written to PREFIX0.npy, PREFIX1.npy, ...
// * "reference":"PREFIX": the reference is read from such files, which another program for the same task has written.
// * "values":"sorted": random inputs of that kind (values.h).
// * "judge":true: the default runs a second time, on inputs that are the same up to rounding, and the reply
//   says whether its results are numbers and whether they are the same again: "finite":true,"stable":true.
// * "generator":"NAME": inputs come from that transform (by default the transform's own `generator`, if any);
//   "generator":null: inputs are random.
//
//   {"op":"measure","config":"<TOML text>","trials":3,"limit":0.5}
//   -> {"ok":true,"agrees":true,"difference":1.2e-15,"seconds":[0.029,0.028,0.028]}
//
// Sets selectors and tunables, restores the inputs, runs, and compares the outputs of the first run with the
// reference. Then it measures up to `trials` times, at least once, and stops when these have taken `limit`
// seconds. A first run of less than 10 ms is not counted, and neither are runs after it for as long as filling
// and comparing matrices took (10 ms at most). Each time is the median of as many runs as fit into that time
// again, with 20 ms at most for all times together, so that they cost little in comparison (run_times.h). The
// configuration's number of threads applies from here on: the process replaces its threads. Every run but the compared
// one gets inputs of its own, the same but for a few elements (unseen_inputs.h).
//
// The reply has "at":"B[4]: found 1, expected 4" if outputs disagree, or "changes":"A" for an input that the
// run wrote into, though the default does not (inputs are restored after each request). For a transform with
// an accuracy_metric it has "accuracy":0.93 of the first run, or null if that is no number. Options:
//
// * "metrics":["energy","memory"] asks for more values: "joules":[...], the energy of each run by the machine's
//   counters (then each measurement repeats the run as often as the counters need, and all values are per run),
//   and "bytes":N, the most memory that one more run holds at once, including the matrices that it is given.
// * "compare":false: the configuration has agreed before, so matrices are not filled, compared or restored
//   (unless the default writes into its inputs), and nothing is judged. This takes a third of the time for short runs.
// * "compare":"last": after all runs there is one more run, whose outputs are compared as well, because some
//   candidates are right only at first.
//
//   {"op":"meters"}      which of these values this machine can measure
//   -> {"ok":true,"energy":["package-0"],"energy_window":0.05,"energy_problem":"","peak_memory":true}
//
//   {"op":"sizes"}       the sizes that the loaded or default inputs give (with "inputs" as in prepare)
//   -> {"ok":true,"sizes":{"w":3264,"h":2448,"KW":7}}
//
//   {"op":"fit","config":"<TOML text>","where":"sort.cfg"}   how a file of any origin is used here (config/fit.h)
//   -> {"ok":true,"config":"<TOML of all slots now>","threads":0,"errors":[],"entries":[{"transform":"Sort",
//      "key":"choice","line":3,"column":1,"state":"unknown","problems":["..."],"instead":"..."}]}
//
// A request that cannot be answered gets {"ok":false,"error":"..."}, with "memory":true for lack of memory.
// Before an answer there may be lines about kernels for devices that are being compiled (times do not
// include this): {"event":"compiling","kernel":"rows_global"} and {"event":"compiled",...}.
//
// `difference` is the largest |a-b| / max(1, |b|) over all output elements (floats) or the number of
// differing elements (integers). A candidate that crashes, hangs or calls exit ends the process: the tuner
// counts that as its result and starts another process.
#pragma once
#include "runtime/abi/program.h"

namespace pb::program {

/// Runs the loop above for one transform; returns the process's exit status. `threads`: the number of threads
/// unless a configuration gives one. `descriptor`: that of a socket; below 0: standard input and output. The output
/// of rule bodies goes to standard error, so that it cannot break the protocol.
int serve(const Program &, const Transform &, int threads, int descriptor = -1);

} // namespace pb::program
