// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Keeps code for one processor apart from the same code for another one in the same program.
//
//   inline double half(double x)  in units for x86-64-v2 and x86-64-v4   =>   one of its own in each unit
//
// A linker keeps one of all inline functions of the same name, whatever processor it was compiled for, so an
// older processor could run the newer one's instructions. Therefore all functions become local to the unit,
// except those of the namespace that the units share. Variables are not changed: each exists once.
#pragma once
#include <string>

namespace llvm {
class Module;
}

namespace pbc::build {

/// To be called before the optimiser. `shared`: the namespace whose functions other units call.
void isolate(llvm::Module &, const std::string &shared);

} // namespace pbc::build
