// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/measure/caches.h"
#include "compiler/model/measure/compute_probe.h"
#include "compiler/model/measure/core_probe.h"
#include "compiler/model/measure/measure_machine.h"
#include "compiler/model/measure/memory_probe.h"
#include "compiler/model/measure/resource_probe.h"
#include "compiler/model/measure/thread_probe.h"
#include "compiler/model/measure/widest_vectors.h"

#include "runtime/base/machine.h"

#include <algorithm>
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

namespace pbc::model {
namespace {

/// The number of processors on which this process may run.
int usableUnits() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return std::max(1, CPU_COUNT(&set));
  return 1;
}

double pagesInBytes(int which) {
  const long pages = sysconf(which), bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && bytes > 0 ? static_cast<double>(pages) * static_cast<double>(bytes) : 0;
}

/// So many bytes that hardly any of them stay in a cache, if that much memory is free.
double farBytes(const std::vector<Cache> &caches) {
  constexpr double kLeast = 16.0 * 1024 * 1024, kMost = 512.0 * 1024 * 1024;
  const double last = caches.empty() ? kLeast : caches.back().bytes;
  const double free = pagesInBytes(_SC_AVPHYS_PAGES);
  return std::clamp(std::min(4 * last, free / 4), kLeast, kMost);
}

class ProcessorProbe {
public:
  ProcessorProbe(int units, double seconds)
      : units_(units), each_{.least = 5, .most = 51, .seconds = seconds} {}

  /// `used`: bytes of one instance that the measurement reads. Keeps what was faster before.
  void measure(Memory &m, double used) const {
    const double each = m.scope == Scope::Unit ? used : used / units_;
    keepFaster(m.bytesPerSecond, readBandwidth(units_, static_cast<std::size_t>(each), each_),
               Better::Higher);
    keepFaster(m.unitBytesPerSecond, readBandwidth(1, static_cast<std::size_t>(used), each_), Better::Higher);
    keepFaster(m.latency, chaseLatency(static_cast<std::size_t>(used), each_), Better::Lower);
  }

private:
  int units_;
  Sampling each_;
};

} // namespace

Machine measureProcessor(const MeasureSettings &settings) {
  const pb::base::Machine about = pb::base::thisMachine();
  // The time is divided by the number of figures: three for each of four memories, and twice more for two of them, two more copies;
  // clock, barrier, start of threads, seven stencils. The 150 loops of resources have a quarter of it.
  const double each = settings.seconds * 0.75 / 38, eachLoop = settings.seconds * 0.25 / 150;
  const Sampling sampling{.least = 5, .most = 51, .seconds = each};
  Machine m;
  m.name = about.processor.empty() ? "this processor" : about.processor;
  m.kind = MachineKind::Processor;
  m.units = usableUnits();
  m.lanes = vectorLanes();
  m.source = fmt::format("measured by pbc model measure in at most about {:g} s on {} of {} processors; "
                         "sizes of memories, units and "
                         "lanes: from the system; spread: half of the middle 50 % of the samples, relative; "
                         "best: the fastest sample",
                         settings.seconds, m.units, about.cores);
  m.clock = clockRate(sampling);
  const ProcessorProbe probe(m.units, each);
  const std::vector<Cache> caches = cachesOf("/sys/devices/system/cpu/cpu0");
  for (const Cache &c : caches)
    m.memories.push_back({c.name, c.scope, c.bytes, {}, {}, {}, {}});
  m.memories.push_back(
      {"global", Scope::Machine, std::max(1.0, pagesInBytes(_SC_PHYS_PAGES)), {}, {}, {}, {}});
  // Half of each cache is used, so that the data stays there beside other data.
  for (Memory &memory : m.memories)
    probe.measure(memory, memory.name == "global" ? farBytes(caches) : memory.bytes / 2);
  const auto measureCopy = [&] {
    const auto bytes = static_cast<std::size_t>(farBytes(caches));
    keepFaster(m.memories.back().unitCopiedBytesPerSecond, copyBandwidth(bytes, Stores::InCaches, sampling),
               Better::Higher);
    keepFaster(m.memories.back().unitStreamedBytesPerSecond,
               copyBandwidth(bytes, Stores::PastCaches, sampling), Better::Higher);
  };
  measureCopy();
  // What disturbs a core and its own caches, such as its other thread, lasts for some time.
  const auto measureAgain = [&] {
    keepFaster(m.clock, clockRate(sampling), Better::Higher);
    for (Memory &memory : m.memories)
      if (memory.scope == Scope::Unit)
        probe.measure(memory, memory.bytes / 2);
  };
  m.barrier = barrierTime(m.units, sampling);
  m.launch = threadStartTime(m.units, sampling);
  double near = 32768;
  for (const Cache &c : caches)
    if (c.scope == Scope::Unit)
      near = c.bytes;
  measureAgain();
  // A search for a place where times rise takes many short samples.
  const Sampling ofStep{.least = 5, .most = 9, .seconds = each / 10};
  m.mispredicted = mispredictedTime(sampling);
  m.guessedRounds = guessedRounds(m.mispredicted->best.value_or(m.mispredicted->value), ofStep);
  m.window = windowSize(static_cast<std::size_t>(farBytes(caches)), ofStep);
  m.pages = knownPages(ofStep);
  m.resources = measureResources(m.units, {.least = 5, .most = 201, .seconds = eachLoop});
  measureAgain();
  measureCopy();
  m.iteration = iterationTimes(m.lanes, static_cast<std::size_t>(near / 2), sampling);
  return m;
}

} // namespace pbc::model
