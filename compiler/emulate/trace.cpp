// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/trace.h"
#include <algorithm>
#include <cstddef>

namespace pbc::emulate {

double Trace::timesOf(int instruction) const {
  double times = 1;
  for (const Repeat &loop : loops)
    if (loop.first <= instruction && instruction < loop.end)
      times *= static_cast<double>(loop.times);
  return times;
}

double Trace::length() const {
  double all = 0;
  for (std::size_t k = 0; k < instructions.size(); ++k)
    all += timesOf(static_cast<int>(k));
  return all;
}

namespace {

std::string wrongIn(const Instruction &i, const Trace &trace, int resources) {
  const auto isRegister = [&](int r) { return r >= 0 && r < trace.registers; };
  if (!i.isBarrier && (i.resource < 0 || i.resource >= resources))
    return "its resource does not exist";
  if (i.count < 1 || i.transactions < i.count)
    return "it has less than one transaction";
  if (!std::all_of(i.reads.begin(), i.reads.end(), isRegister) ||
      !std::all_of(i.writes.begin(), i.writes.end(), isRegister))
    return "one of its registers does not exist";
  if (i.region < 0 || i.region >= static_cast<int>(trace.regions.size()))
    return "its region does not exist";
  if (i.nearer && (i.nearer->resource < 0 || i.nearer->resource >= resources || !(i.nearer->rate >= 0) ||
                   i.nearer->rate > 1))
    return "the resource that serves a part of it does not exist, or serves a part that is none";
  if (std::any_of(i.needs.begin(), i.needs.end(),
                  [&](const Need &n) { return n.resource < 0 || n.resource >= resources || !(n.rate >= 0); }))
    return "a resource that it needs, too, does not exist, or is needed less than never";
  return "";
}

} // namespace

std::string verify(const Trace &trace, int resources) {
  for (std::size_t k = 0; k < trace.instructions.size(); ++k)
    if (const std::string wrong = wrongIn(trace.instructions[k], trace, resources); !wrong.empty())
      return "instruction " + std::to_string(k) + ": " + wrong;
  for (std::size_t k = 0; k < trace.loops.size(); ++k) {
    const Repeat &loop = trace.loops[k];
    const std::string name = "loop " + std::to_string(k);
    if (loop.first < 0 || loop.first >= loop.end || loop.end > static_cast<int>(trace.instructions.size()))
      return name + ": it has no instructions";
    if (loop.times < 1)
      return name + ": it does not run";
    for (std::size_t before = 0; before < k; ++before) {
      const Repeat &other = trace.loops[before];
      const bool isInside = other.first <= loop.first && loop.end <= other.end;
      if (!isInside && loop.first < other.end && other.first < loop.end)
        return name + ": it is neither inside of loop " + std::to_string(before) + " nor apart from it";
    }
  }
  return "";
}

} // namespace pbc::emulate
