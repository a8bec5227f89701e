// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/trace.h"
#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <fmt/ranges.h>

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

Trace inTurns(const Trace &trace, long times) {
  Trace made = trace;
  if (!trace.instructions.empty() && times > 1)
    made.loops.insert(made.loops.begin(), {0, static_cast<int>(trace.instructions.size()), times});
  return made;
}

std::string textOf(const Trace &trace, const Core &core) {
  std::string text, indent;
  const auto registers = [](const std::vector<int> &all) {
    return all.empty() ? std::string("-") : fmt::format("r{}", fmt::join(all, " r"));
  };
  const auto where = [](const Region &region) {
    return region.origin.line.isKnown()
               ? fmt::format("{}, line {}", nameOf(region.kind), region.origin.line.number)
               : std::string(nameOf(region.kind));
  };
  for (std::size_t k = 0; k < trace.instructions.size(); ++k) {
    const auto at = static_cast<int>(k);
    for (const Repeat &loop : trace.loops)
      if (loop.first == at) {
        text += fmt::format("{}{} times {{\n", indent, loop.times);
        indent += "  ";
      }
    const Instruction &i = trace.instructions[k];
    if (i.isBarrier)
      text += fmt::format("{}barrier after {}\n", indent, registers(i.reads));
    else
      text += fmt::format("{}{} x{} in {}: {} = {}{}\n", indent,
                          core.resources[static_cast<std::size_t>(i.resource)].name, i.count, i.transactions,
                          registers(i.writes), registers(i.reads),
                          fmt::format("    ({})", where(trace.regions[static_cast<std::size_t>(i.region)])));
    for (const Repeat &loop : trace.loops)
      if (loop.end == at + 1) {
        indent.resize(indent.size() - 2);
        text += indent + "}\n";
      }
  }
  return text;
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
  double served = 0;
  for (const Share &share : i.nearer)
    served += share.rate;
  constexpr double kRounding = 1e-9;
  if (!(served <= 1 + kRounding) || static_cast<int>(i.nearer.size()) > kMostNearer ||
      std::any_of(i.nearer.begin(), i.nearer.end(), [&](const Share &s) {
        return s.resource < 0 || s.resource >= resources || !(s.rate >= 0);
      }))
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
