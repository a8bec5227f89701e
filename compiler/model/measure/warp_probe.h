// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures what an instruction of a warp costs on one multiprocessor of a device: latency and gap of each unit and each level of memory.
//
//   measureWarps(device, 132, 1.98e9, sampling)
//     =>  {F32: latency 4 cycles, gap 0.25; two lines with the knee at 16 warps}, {Dram: 720, 1.8}, ..; banks {2 words apart: 2 turns}, ..
//
// One group runs on one multiprocessor, and on all of them for the memory that they share. The times of 1 to 128 chains, warps times chains
// of an item, give both figures (two_lines.h); those of memories' latencies are of one item that follows a path in an order that no cache knows.
// 32 items stand for a warp, also on devices without warps. Times are of the device's clock, for whole launches, and the difference of a short
// and a long one, so that launching does not count. Source: bottleneck-analysis.md 9.
#pragma once
#include "compiler/model/machine/warp_cost.h"
#include "compiler/model/measure/sampling.h"
#include "compiler/model/measure/two_lines.h"
#include <optional>
#include <vector>

namespace pb::device {
class Device;
}

namespace pbc::model {

struct MeasuredWarp {
  WarpCost cost;
  std::optional<TwoLines>
      lines; // cycles and warps; of an access of a warp to memory: 256 bytes, eight sectors
  std::vector<ChainTime> times; // from which they come
};

struct BankTurns {
  int apart = 1;    // words between the places of neighbouring items
  double turns = 1; // times as long as neighbouring places
};

struct MeasuredWarps {
  std::vector<MeasuredWarp> units; // in the order of WarpUnit, without those that the device does not have
  std::vector<BankTurns> banks;
};

/// `clock`: Hz. `sampling`: of each of about 130 times.
MeasuredWarps measureWarps(pb::device::Device &, int multiprocessors, double clock, const Sampling &);

/// So many of 32 banks are asked at once by 32 items whose places are so many words apart: what BankTurns should be.
int turnsOfBanks(int apart);

} // namespace pbc::model
