// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/device/start.h"
#include <algorithm>

namespace pbc::emulate {

Trace withStart(Trace trace, const Core &core) {
  const Cost &cost = core.resources[static_cast<std::size_t>(placeOf(GpuUnit::Start))].cost;
  if (cost.gap == 0 || trace.instructions.empty())
    return trace;
  constexpr int kBefore = 2;
  for (Repeat &loop : trace.loops) {
    loop.first += kBefore;
    loop.end += kBefore;
  }
  const int started = trace.registers++;
  const int region = placeOf(Region{Region::Kind::Starts}, trace.regions);
  trace.instructions.insert(
      trace.instructions.begin(),
      {Instruction{.resource = placeOf(GpuUnit::Start), .writes = {started}, .region = region},
       Instruction{.reads = {started}, .isBarrier = true}});
  return trace;
}

Wave waveOf(long groups, long fit, long multiprocessors) {
  const long each = (groups + multiprocessors - 1) / multiprocessors; // of the multiprocessor that has most
  Wave wave;
  wave.atOnce = std::clamp(each, 1L, std::max(1L, fit));
  wave.waves = (each + wave.atOnce - 1) / wave.atOnce;
  return wave;
}

} // namespace pbc::emulate
