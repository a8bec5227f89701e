// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/gpu/gpu_rates.h"
#include "compiler/model/machine/rates.h"
#include <algorithm>
#include <fmt/format.h>

namespace pbc::search {
namespace {

using model::ResourceKind;
using model::Scope;

constexpr long kRegistersPerThread = 255, kUnrolled = 512, kDimensions = 3;

/// The memories' places in the machine's list; one that may be missing has none.
std::optional<std::size_t> placeOf(const model::Machine &machine, const char *name) {
  for (std::size_t m = 0; m < machine.memories.size(); ++m)
    if (machine.memories[m].name == name)
      return m;
  return std::nullopt;
}

std::size_t needed(const model::Machine &machine, const char *name) {
  const std::optional<std::size_t> place = placeOf(machine, name);
  if (!place)
    throw model::Problem(fmt::format("the description of {} has no memory '{}'", machine.name, name),
                         "add a [[memory]] of this name to the machine's file");
  return *place;
}

template <class T>
long limit(const model::Machine &machine, const std::optional<T> &value, const char *what) {
  if (!value)
    throw model::Problem(fmt::format("the description of {} does not say {}", machine.name, what),
                         "the device's data sheet has it; add it to the machine's file");
  return long(*value);
}

std::array<double, 3> byLevel(const model::Rates &rates, ResourceKind kind, bool countsNumbers) {
  std::array<double, 3> made{};
  const Scope scopes[] = {Scope::Lane, Scope::Unit, Scope::Machine};
  for (std::size_t level = 0; level < 3; ++level)
    made[level] =
        countsNumbers ? rates.numbers(kind, scopes[level]) : rates.instructions(kind, scopes[level]);
  return made;
}

} // namespace

std::string_view nameOf(GpuResource r) {
  constexpr std::string_view names[kGpuResources] = {"instructions",
                                                     "operations on floats",
                                                     "operations on doubles",
                                                     "words through memory units",
                                                     "bytes of the second cache",
                                                     "bytes of the device's memory"};
  return names[std::size_t(r)];
}

GpuRates gpuRatesOf(const model::Machine &machine) {
  if (machine.kind != model::MachineKind::Gpu)
    throw model::Problem(fmt::format("{} is no GPU", machine.name), "name the description of one");
  const model::Rates rates = model::ratesOf(machine);
  GpuRates made;
  made.name = machine.name;
  made.perSecond[std::size_t(GpuResource::Issue)] = byLevel(rates, ResourceKind::Issue, false);
  // A multiply-add counts as one operation, and so does each of its parts, which are not faster.
  made.perSecond[std::size_t(GpuResource::Float)] = byLevel(rates, ResourceKind::FmaF32, false);
  made.perSecond[std::size_t(GpuResource::Double)] = byLevel(rates, ResourceKind::FmaF64, false);
  made.perSecond[std::size_t(GpuResource::Words)] = byLevel(rates, ResourceKind::Load, true);
  const std::size_t local = needed(machine, "shared"), second = needed(machine, "L2"),
                    memory = needed(machine, "global");
  const std::optional<std::size_t> first = placeOf(machine, "L1");
  for (const Scope scope : {Scope::Unit, Scope::Machine}) {
    const auto level = std::size_t(scope == Scope::Unit ? GpuLevel::Unit : GpuLevel::Device);
    made.perSecond[std::size_t(GpuResource::SecondCache)][level] = rates.bytes(second, scope);
    made.perSecond[std::size_t(GpuResource::Memory)][level] = rates.bytes(memory, scope);
  }
  made.arithmetic = {rates.latency(ResourceKind::FmaF32), rates.latency(ResourceKind::FmaF64)};
  made.local = rates.latency(local);
  made.secondCache = rates.latency(second);
  // Where the first cache is not described, it is as fast as anything in a unit can be.
  made.firstCache = first ? std::min(rates.latency(*first), made.secondCache) : made.local;
  made.barrier = rates.barrier();
  made.units = machine.units;
  made.threadsPerUnit = limit(machine, machine.threadsPerUnit, "how many threads a unit has");
  made.groupsPerUnit = limit(machine, machine.blocksPerUnit, "how many groups of threads a unit has");
  made.threadsPerGroup = limit(machine, machine.threadsPerBlock, "how many threads a group has");
  made.registersPerUnit = limit(machine, machine.registers, "how many registers a unit has");
  const model::Memory &localMemory = machine.memories[local];
  made.localBytesPerUnit = long(localMemory.bytes);
  made.localBytesPerGroup = long(localMemory.bytesPerBlock.value_or(localMemory.bytes));
  // Local memory and the first cache may be one memory.
  made.firstCacheBytes = first ? machine.memories[*first].bytes : localMemory.bytes;
  made.secondCacheBytes = machine.memories[second].bytes;
  if (const std::optional<std::size_t> host = placeOf(machine, "host"))
    made.hostBytesPerSecond = rates.bytes(*host, Scope::Machine);
  return made;
}

MachineLimits gpuLimitsOf(const model::Machine &machine) {
  const model::Memory &local = machine.memories[needed(machine, "shared")];
  MachineLimits made;
  made.threadsInBlock = limit(machine, machine.threadsPerBlock, "how many threads a group has");
  made.blockDimensions = made.threadDimensions = kDimensions;
  made.unrolled = kUnrolled;
  made.unrolledInOneOrder = true;
  made.sharedBytes = long(local.bytesPerBlock.value_or(local.bytes));
  made.registersInThread = kRegistersPerThread;
  return made;
}

} // namespace pbc::search
