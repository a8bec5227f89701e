// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/time/stencil_time.h"

#include <fmt/format.h>

namespace pbc::model {
namespace {

constexpr double kWordBytes = 4;

/// The memory that holds a tile: the multiprocessor's shared memory, or the largest cache of one core of a
/// processor.
const Memory &fastMemory(const Machine &machine) {
  if (machine.kind == MachineKind::Gpu)
    return machine.memory("shared");
  const Memory *largest = nullptr;
  for (const Memory &m : machine.memories)
    if (m.scope == Scope::Unit && (!largest || m.bytes > largest->bytes))
      largest = &m;
  if (!largest)
    throw Problem(fmt::format("the description of {} has no memory that a core has to itself", machine.name),
                  "add a table [[memory]] with scope = \"unit\"");
  return *largest;
}

[[noreturn]] void missing(const Machine &machine, const std::string &key, const std::string &meaning) {
  throw Problem(fmt::format("the description of {} has no '{}': {}", machine.name, key, meaning),
                "add it to the machine's file, or measure the machine with pbc model measure");
}

} // namespace

StencilMachine stencilMachine(const Machine &machine) {
  const Memory &fast = fastMemory(machine), &far = machine.memory("global");
  StencilMachine m;
  m.name = machine.name;
  m.units = machine.units;
  m.lanes = machine.lanes;
  m.unitWords = static_cast<long>(fast.bytes / kWordBytes);
  m.blockWords = static_cast<long>(fast.bytesPerBlock.value_or(fast.bytes) / kWordBytes);
  if (!far.bytesPerSecond)
    missing(machine, "bytes_per_second", "what its global memory transfers");
  m.secondsPerWord = kWordBytes / far.bytesPerSecond->value;
  if (machine.kind == MachineKind::Processor) {
    // One thread computes a tile, so there is no barrier within it; the threads of all units wait for each
    // other after each wavefront. Other tiles wait in a queue.
    if (!machine.barrier)
      missing(machine, "barrier", "the time of a barrier of a thread on each core, in seconds");
    m.launch = machine.barrier->value;
    m.barrier = 0;
    m.blocksPerUnit = 1;
    return m;
  }
  if (!machine.launch)
    missing(machine, "launch", "the time to start a wavefront, in seconds");
  m.launch = machine.launch->value;
  if (!machine.barrier)
    missing(machine, "barrier", "the time of a barrier of a block, in seconds");
  m.barrier = machine.barrier->value;
  if (!machine.blocksPerUnit)
    missing(machine, "blocks_per_unit", "how many blocks a unit can hold");
  m.blocksPerUnit = *machine.blocksPerUnit;
  return m;
}

} // namespace pbc::model
