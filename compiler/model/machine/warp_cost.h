// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What an instruction of a warp costs on one multiprocessor of a GPU: the figures that `pbc emulate` goes by.
//
//   [warp.f32]                                     4 cycles until the result can be used, four warps in a cycle
//   source = "measured"
//   latency = { value = 4.01, spread = 0.001 }
//   gap = 0.25
//   deviation = 0.02
//
// Figures are cycles of the machine's clock. A gap is the time between two admissions: of a sector of 32 bytes (dram: of the multiprocessor's
// share of the whole memory, l2, l1), of a turn of the banks (shared), of an instruction of a whole warp (all others); a barrier has none. `start`
// is no instruction: its gap is the time between the starts of two warps, of groups of eight; `lines` is what each line of 128 bytes costs
// in L1 that an access touches. Both have no latency. Source:
// bottleneck-analysis.md 2, 9.
#pragma once
#include "compiler/model/machine/figure.h"
#include <optional>
#include <string>
#include <vector>

namespace pbc::model {

/// Where the time of an instruction is spent. `Integer`: additions and logic; `Special`: approximations of functions.
enum class WarpUnit { Dram, L2, L1, Shared, F32, F64, Integer, Special, Shuffle, Barrier, Start, Lines };
inline constexpr int kWarpUnits = static_cast<int>(WarpUnit::Lines) + 1;

/// As in a machine's file: "dram".
const char *nameOf(WarpUnit);
const std::vector<std::string> &warpUnitNames();

/// From where figures come; what is assumed was neither measured nor found in print.
enum class FigureSource { Measured, Public, Assumed };
const char *nameOf(FigureSource);
const std::vector<std::string> &figureSourceNames();

/// What a machine's file may say: other figures are mistakes, of a file or of a measurement.
inline constexpr double kLeastLatency = 0.5, kLeastGap = 1e-3, kMostCycles = 1e6;

struct WarpCost {
  WarpUnit unit = WarpUnit::F32;
  FigureSource source = FigureSource::Assumed;
  std::optional<Figure> latency, gap; // cycles
  /// How far the times of few and of many warps are at most from the two lines that latency and gap make of them, as a share: with
  /// more than 0.05 something else is a limit, too.
  std::optional<double> deviation = {};
};

/// Whether it has a latency and a gap.
bool hasLatency(WarpUnit);
bool hasGap(WarpUnit);

/// Whether the figures are those that a machine may have.
bool isCredible(const WarpCost &);

} // namespace pbc::model
