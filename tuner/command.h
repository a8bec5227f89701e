// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `pbc tune ./prog`: the one door into this library.
//
//   pbc tune ./sort --budget=20      ->  measures, shows how it goes, writes sort.cfg
//
// Source: docs/architecture.md section 10.
#pragma once

namespace pbc::tuner {

/// argv[0] is "tune"; returns the exit status: 0 (also after Ctrl-C), 1 for what the user can put right, the
/// command line's own for wrong options.
int tuneCommand(int argc, char **argv);

} // namespace pbc::tuner
