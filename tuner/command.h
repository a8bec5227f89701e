// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `pbc tune ./prog`: the entry point of this library.
//
//   pbc tune ./sort --budget=20      ->  measures, shows its progress, writes sort.cfg
#pragma once

namespace pbc::tuner {

/// argv[0] is "tune". Returns the exit status: 0 (also after Ctrl-C), 1 for errors that the user can correct,
/// the command line parser's own for wrong options.
int tuneCommand(int argc, char **argv);

} // namespace pbc::tuner
