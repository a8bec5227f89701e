// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Goes on as fast as in a part that was gone through, where the states of a core do not repeat within a reasonable time.
//
//   between the states 1000 cycles, warp 0 was carried out 3.2 rounds, warp 1 2.9; 96 rounds of warp 0 are left
//     =>  30 times more: 30000 cycles, warp 0 is 96 rounds further, warp 1 87
//
// Warps stay at their places in the round; those of a block that has a barrier in the loop stay together. This is an estimate.
#pragma once
#include "compiler/emulate/core_state.h"
#include "compiler/emulate/program.h"

namespace pbc::emulate {

/// `blockOf`: of each warp, in the order of the state. False: a warp has left a loop between the states, or nothing can be gained.
bool flow(const CoreState &then, CoreState &now, const Program &, const std::vector<int> &blockOf);

} // namespace pbc::emulate
