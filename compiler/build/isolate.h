// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Code for one processor, kept apart from the same code for another in the same program.
//
//   inline double half(double x)  in units for x86-64-v2 and x86-64-v4   =>   one of its own in each unit
//
// A linker keeps one of all inline functions of the same name, whatever processor it was made for: an older
// processor would run the newer one's instructions. So all functions become the unit's own, but for those of
// the namespace in which the units find each other. Variables stay what they are: they exist once.
#pragma once
#include <string>

namespace llvm {
class Module;
}

namespace pbc::build {

/// Before the optimiser. `shared`: the namespace whose functions other units call.
void isolate(llvm::Module &, const std::string &shared);

} // namespace pbc::build
