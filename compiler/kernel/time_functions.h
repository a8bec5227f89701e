// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A wavefront through time, for tiles whose shape the runtime decides: separates places from time, and gives
// the slopes of the sides of tiles.
//
//   T[i,k] from T[i-1,k-1], T[i+1,k-1]:  i + k, k  =>  place i, time k; i + k and k - i never decrease
//
//     parallelograms of i + k and k          diamonds of i + k and k - i
//      \ 2  \ 3  \ 4  \ 5  \                  2\  /3 \  /3 \  /3 \        numbers: a tile waits for
//       \    \    \    \    \                   \/    \/    \/    \       those with smaller numbers
//   k  --\----\----\----\----\                  /\ 2  /\ 2  /\ 2  /
//         \ 1  \ 2  \ 3  \ 4  \               1/  \  /1 \  /1 \  /
//
// Diamonds: the sides of a tile are a function that grows with the place and one that falls. Every dependence
// leads into the cone between them, but no line of constant time does, so all tiles along such a line may run
// at once. This is done for one place, the last one that is skewed, so that rows of cells stay long; the
// others stay skewed. Source: Bandishti, Pananilath, Bondhugula: Tiling stencil computations to maximize
// parallelism, SC 2012, theorem 1 and, for one dimension only, section 4.3.
#pragma once
#include "compiler/kernel/task_functions.h"

namespace pbc::kernel {

struct TimeFunctions {
  /// The functions of the wavefront, in its order, without what was added to places: `slope` times the time
  /// named `along`.
  std::vector<TaskFunction> functions;
  /// For diamonds: the place, and the factor `down` for which `down` times the time minus the place never
  /// decreases. -1: no diamonds.
  int place = -1, down = 0;
  std::string why; // why there are no diamonds
};

/// Nothing if the wavefront is not through time.
std::optional<TimeFunctions> timeFunctions(const Scheduled &, const TaskFunctions &);

/// Whether a kernel that is cut into tasks has diamonds.
bool hasDiamonds(const Scheduled &);

} // namespace pbc::kernel
