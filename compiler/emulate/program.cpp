// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/program.h"
#include <algorithm>
#include <cmath>
#include <cstddef>

namespace pbc::emulate {
namespace {

/// New numbers of the registers that are read somewhere and written somewhere; -1 for others, which nobody waits for.
std::vector<int> numbersOf(const Trace &trace) {
  std::vector<bool> isRead(static_cast<std::size_t>(trace.registers), false), isWritten = isRead;
  for (const Instruction &i : trace.instructions) {
    for (const int r : i.reads)
      isRead[static_cast<std::size_t>(r)] = true;
    for (const int r : i.writes)
      isWritten[static_cast<std::size_t>(r)] = true;
  }
  std::vector<int> numbers;
  int next = 0;
  for (std::size_t r = 0; r < isRead.size(); ++r)
    numbers.push_back(isRead[r] && isWritten[r] ? next++ : -1);
  return numbers;
}

} // namespace

Program::Program(const Trace &from) : trace(from) {
  const std::vector<int> numbers = numbersOf(trace);
  const auto listed = [&](std::vector<int> all) {
    for (int &r : all)
      r = numbers[static_cast<std::size_t>(r)];
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    std::erase(all, -1);
    registers.insert(registers.end(), all.begin(), all.end());
    const auto end = static_cast<int>(registers.size());
    return Part{end - static_cast<int>(all.size()), end};
  };
  registerCount = static_cast<int>(numbers.size() -
                                   static_cast<std::size_t>(std::count(numbers.begin(), numbers.end(), -1)));
  std::vector<std::vector<int>> ends(trace.instructions.size());
  for (std::size_t k = trace.loops.size(); k-- > 0;)
    ends[static_cast<std::size_t>(trace.loops[k].end - 1)].push_back(static_cast<int>(k));
  for (std::vector<int> &behind :
       ends) // of two loops with the same end, the later one in the list is the inner one
    std::stable_sort(behind.begin(), behind.end(), [&](int a, int b) {
      return trace.loops[static_cast<std::size_t>(a)].first > trace.loops[static_cast<std::size_t>(b)].first;
    });
  for (std::size_t k = 0; k < trace.instructions.size(); ++k) {
    const Instruction &i = trace.instructions[k];
    Step step{
        .resource = i.resource, .count = i.count, .transactions = i.transactions, .isBarrier = i.isBarrier};
    double left = 1; // of the accesses
    for (std::size_t n = 0; n < i.nearer.size(); ++n) {
      step.nearer[n] = i.nearer[n].resource;
      step.rates[n] = left > 0 ? std::min(1.0, i.nearer[n].rate / left) : 0;
      left -= i.nearer[n].rate;
      nearerAccesses[n] += trace.timesOf(static_cast<int>(k)) * i.nearer[n].rate;
    }
    step.reads = listed(i.reads);
    step.writes = listed(i.writes);
    step.ends.first = static_cast<int>(loopEnds.size());
    loopEnds.insert(loopEnds.end(), ends[k].begin(), ends[k].end());
    step.ends.end = static_cast<int>(loopEnds.size());
    steps.push_back(step);
  }
}

std::vector<StepCost> stepCosts(const Program &program, const Costs &costs, int place) {
  std::vector<StepCost> all;
  all.reserve(program.steps.size());
  for (std::size_t k = 0; k < program.steps.size(); ++k) {
    const Program::Step &step = program.steps[k];
    const Instruction &i = program.trace.instructions[k];
    if (step.isBarrier) {
      all.emplace_back();
      continue;
    }
    const int nearer = place < 0 ? -1 : step.nearer[place];
    const Cost &cost = costs.of(i.region, nearer < 0 ? step.resource : nearer);
    const int transactions =
        nearer < 0 ? i.transactions
                   : std::max(1, static_cast<int>(std::lround(
                                     i.transactions * i.nearer[static_cast<std::size_t>(place)].each)));
    all.push_back({transactions * cost.gap, (transactions - 1) * cost.gap + cost.latency, transactions});
  }
  return all;
}

} // namespace pbc::emulate
