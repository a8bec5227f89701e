// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `pbc explain ./prog [CHOICE]` and `pbc report ./prog`: what a tuning decided and why, on the terminal and
// as a page.
//
//   explainCommand(argc, argv)   with argv {"explain", "./sort", "Sort"}   ->  exit status
//
// Invariant: nothing is measured, and nothing but the page is written.
#pragma once
#include <string>

namespace pbc::tuner {

int explainCommand(int argc, char **argv);
int reportCommand(int argc, char **argv);

/// Whether `pbc explain` is asked about a compiled program rather than a source.
bool explainsProgram(int argc, char **argv);

} // namespace pbc::tuner
