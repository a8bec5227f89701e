// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How wide the vectors are that LLVM makes of loops on this machine.
//
//   loopVectorBytes()  =>  64 where AVX-512 costs nothing, 32 on processors that LLVM prefers to use by halves
#pragma once

namespace pbc::build {

/// In bytes; 0 if LLVM has no code generator for this machine. The widest vectors that the machine has are pb::base::Machine::vectorBytes.
int loopVectorBytes();

} // namespace pbc::build
