// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The parts of pb_main that belong to one run: usage, configuration, input files, transform, output files.
//
//   configure(program, options, argv[0], &threads);              // defaults, baked configuration, file
//   int status = runCommand(program, sort, options, threads);    // load or make inputs, run, write
//
// Invariant: every argument and every output is checked before the transform runs.
#pragma once
#include "runtime/base/errors.h"
#include "runtime/program/inputs.h"
#include "runtime/program/options.h"
#include "runtime/program/unseen_inputs.h"

namespace pb::program {

/// A wrong number of arguments: the message is followed by the usage line.
struct UsageError : base::UserError {
  std::string usage;
  UsageError(const std::string &what, std::string u) : UserError(what), usage(std::move(u)) {}
};

/// "usage: sort [options] A B\n"
std::string usage(const Transform &);
/// The whole text of --help.
std::string help(const Program &, const Transform &);

/// Fills the slots: first with the defaults, then from the baked configuration, then from --config or
/// PROGRAM.cfg beside the program. `threads` is set when one of them says so. Throws base::UserError.
void configure(const Program &, const Options &, const std::string &self, int *threads);

/// --reset: writes the configuration that the program has without any file to --config or PROGRAM.cfg.
void resetConfiguration(const Program &, const Options &, const std::string &self);

/// Runs the transform as the options say. Returns the exit status.
int runCommand(const Program &, const Transform &, const Options &, int threads);

/// Runs `trials` times, or until there are enough samples (at least 3, half a second, at most 1000); returns
/// the median in seconds. Every run gets inputs that no run before has seen; the last one gets the instance's own, so
/// that the outputs belong to them.
double medianTime(Runner &, const Instance &, UnseenInputs, long trials = 0);

} // namespace pb::program
