// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a unit runs before main(): the initialisers of its global variables.
//
//   double a = drand48(), b = drand48(), ... (10,000 of them)   =>   10,000 functions and one that calls them all
//
// The optimiser puts all of them into the one, whose code it then takes minutes for. They run once, so where they
// are many they stay as they are.
#pragma once

namespace llvm {
class Module;
}

namespace pbc::build {

/// Keeps the optimiser off the initialisers if there are more than a few hundred.
void leaveManyInitialisers(llvm::Module &);

} // namespace pbc::build
