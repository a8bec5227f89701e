// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// rounds(): gives tiles of a wavefront's points to the groups of a device's launches.
//
//   band y: band x: S                        L[x, y] from L[x - 1, y], L[x, y - 1]
//   rounds()     =>  rounds: band round = x + y: summand:1: band tile1 = y: summand:0: band tile0 = x: S
//   band k: band i: S                        T[i, k] from T[i - 1, k - 1], T[i + 1, k - 1]
//   rounds()     =>  rounds: band round = k: summand:1: band tile1 = k: tile:0: band tile0 = i + k: S
//
// A group has the tile of points [begin<k>, end<k>) of each function (group_tiles.h), whose sizes are arguments of the launch, so that
// one kernel serves every size. The host launches one diagonal of tiles after the other. Inside its tile the group goes from round to
// round; its items have the values of all functions but the last one, which follows from the round. loop/tile_loops.h makes the loops.
//
// It does not apply where points need no rounds (then `items` launches them all), or depend on others that are too far away.
#pragma once
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

Transformation roundsTransformation();

} // namespace pbc::kernel
