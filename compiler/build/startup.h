// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Handles the code that a unit runs before main(): the initialisers of its global variables.
//
//   double a = drand48(), b = drand48(), ... (10,000 of them)   =>   10,000 functions and one that calls them all
//
// The optimiser would inline all of them into the one caller and then take minutes for it. They run only once, so if
// there are many of them, they are not optimised.
#pragma once

namespace llvm {
class Module;
}

namespace pbc::build {

/// Excludes the initialisers from optimisation if there are more than a few hundred.
void leaveManyInitialisers(llvm::Module &);

} // namespace pbc::build
