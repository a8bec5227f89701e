// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/occupancy.h"
#include <algorithm>

namespace pbc::emulate {
namespace {

long roundedUp(long a, long unit) { return (a + unit - 1) / unit * unit; }

} // namespace

Occupancy occupancyOf(const Block &block, const Limits &limits) {
  const long warps = roundedUp(std::max(1L, block.threads), limits.warp) / limits.warp;
  long blocks = std::min(limits.blocks, limits.threads / (warps * limits.warp));
  if (block.registers > 0)
    blocks = std::min(blocks, limits.registers /
                                  (roundedUp(block.registers * limits.warp, limits.registerUnit) * warps));
  if (block.groupBytes > 0)
    blocks = std::min(blocks, limits.groupBytes / roundedUp(block.groupBytes, limits.byteUnit));
  return {blocks, blocks * warps,
          static_cast<double>(blocks * warps * limits.warp) / static_cast<double>(limits.threads)};
}

long mostRegisters(long threads, const Limits &limits) { return limits.registers / std::max(1L, threads); }

Phases phasesOf(long blocks, long atOnce, long multiprocessors) {
  const long together = atOnce * multiprocessors;
  if (together <= 0)
    return {};
  return {static_cast<double>(blocks) / static_cast<double>(together), (blocks + together - 1) / together};
}

} // namespace pbc::emulate
