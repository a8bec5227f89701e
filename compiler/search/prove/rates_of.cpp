// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/prove/rates_of.h"
#include "compiler/model/machine/rates.h"
#include <algorithm>

namespace pbc::search {
namespace {

using model::ResourceKind;
using model::Scope;

struct Kinds {
  ResourceKind add, multiply, fma, divide, root;
};
constexpr Kinds kKinds[kNumbers] = {{ResourceKind::AddF32, ResourceKind::MultiplyF32, ResourceKind::FmaF32,
                                     ResourceKind::DivideF32, ResourceKind::SqrtF32},
                                    {ResourceKind::AddF64, ResourceKind::MultiplyF64, ResourceKind::FmaF64,
                                     ResourceKind::DivideF64, ResourceKind::SqrtF64}};

/// More than any processor takes: most take one. For machines whose file does not say it.
constexpr double kJumpsInCycle = 2;

double jumpsOf(const model::Machine &machine, const model::Rates &rates) {
  return std::ranges::find(machine.resources, ResourceKind::Jump, &model::Resource::kind) ==
                 machine.resources.end()
             ? kJumpsInCycle * model::kRateMargin * rates.clock()
             : rates.instructions(ResourceKind::Jump, Scope::Unit);
}

} // namespace

Rates ratesOf(const model::Machine &machine, const pb::base::Machine &processor) {
  const model::Rates rates = model::ratesOf(machine);
  Rates made;
  for (std::size_t n = 0; n < kNumbers; ++n) {
    const Kinds &kinds = kKinds[n];
    const double add = rates.numbers(kinds.add, Scope::Unit), fma = rates.numbers(kinds.fma, Scope::Unit);
    made.arithmetic[n] = {add,
                          add + fma,
                          std::max(fma, rates.numbers(kinds.multiply, Scope::Unit)),
                          rates.numbers(kinds.divide, Scope::Unit),
                          rates.numbers(kinds.root, Scope::Unit),
                          std::min(rates.latency(kinds.add), rates.latency(kinds.fma)),
                          std::min(rates.latency(kinds.multiply), rates.latency(kinds.fma)),
                          rates.instructions(kinds.add, Scope::Unit) +
                              rates.instructions(kinds.fma, Scope::Unit),
                          std::max(1.0, double(processor.vectorBytes) / model::bytesOfNumber(kinds.fma)),
                          rates.instructions(kinds.add, Scope::Unit),
                          std::max(rates.instructions(kinds.fma, Scope::Unit),
                                   rates.instructions(kinds.multiply, Scope::Unit))};
  }
  made.loads = rates.instructions(ResourceKind::Load, Scope::Unit);
  made.stores = rates.instructions(ResourceKind::Store, Scope::Unit);
  made.issue = rates.instructions(ResourceKind::Issue, Scope::Unit);
  made.jumps = jumpsOf(machine, rates);
  made.vectorBytes = std::max(64.0, double(processor.vectorBytes));
  // Registers of vectors, and sixteen others of eight bytes.
  double bytes =
      std::max(32.0, double(processor.vectorRegisters)) * std::max(64.0, double(processor.vectorBytes)) +
      16 * 8;
  made.levels.push_back({"registers", bytes, 0});
  for (std::size_t m = 0; m < machine.memories.size(); ++m) {
    const model::Memory &memory = machine.memories[m];
    bytes += memory.bytes;
    double rate = rates.bytes(m, Scope::Unit);
    // Loads and stores use ports of their own.
    if (m == 0)
      rate += rates.numbers(ResourceKind::Store, Scope::Unit) * model::bytesOfNumber(ResourceKind::Store);
    made.levels.push_back(
        {memory.name, bytes, rate, rates.copiedBytes(m).value_or(0), rates.streamedBytes(m).value_or(0)});
  }
  return made;
}

Rates together(Rates rates, int cores) {
  for (Rates::Arithmetic &a : rates.arithmetic)
    for (double *rate : {&a.additions, &a.allAdditions, &a.multiplications, &a.divisions, &a.roots,
                         &a.instructions, &a.additionInstructions, &a.multiplicationInstructions})
      *rate *= cores;
  for (double *rate : {&rates.loads, &rates.stores, &rates.issue, &rates.jumps})
    *rate *= cores;
  for (Rates::Level &level : rates.levels)
    for (double *one :
         {&level.bytes, &level.bytesPerSecond, &level.copiedBytesPerSecond, &level.streamedBytesPerSecond})
      *one *= cores;
  return rates;
}

Rates ratesOfCores(const model::Machine &machine, const pb::base::Machine &processor, int cores) {
  const model::Rates rates = model::ratesOf(machine);
  Rates made = together(ratesOf(machine, processor), cores);
  double bytes = made.levels.front().bytes; // of registers
  for (std::size_t m = 0; m < machine.memories.size(); ++m) {
    const bool isShared = machine.memories[m].scope == model::Scope::Machine;
    Rates::Level &level = made.levels[m + 1];
    bytes += machine.memories[m].bytes * (isShared ? 1 : cores);
    level.bytes = bytes;
    if (isShared)
      level.bytesPerSecond = std::min(level.bytesPerSecond, rates.bytes(m, model::Scope::Machine));
  }
  return made;
}

} // namespace pbc::search
