// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/processor/processor_core.h"
#include "compiler/emulate/processor/line_sources.h"
#include "compiler/model/problem.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace pbc::emulate {
namespace {

using model::ResourceKind;

/// Instructions that a core looks at to find one that can begin: of most that are made now, 224 to 512.
constexpr int kUsualWindow = 256;
/// Admissions of an instruction that takes no longer than the shortest.
constexpr int kParts = 2;

using Kind = Core::Kind;

struct Kinds {
  CpuUnit unit;
  ResourceKind f32, f64;
  Kind kind;
};
constexpr Kinds kKinds[] = {
    {CpuUnit::Loads, ResourceKind::Load, ResourceKind::Load, Kind::Near},
    {CpuUnit::Stores, ResourceKind::Store, ResourceKind::Store, Kind::Near},
    {CpuUnit::Ports, ResourceKind::FmaF32, ResourceKind::FmaF64, Kind::Arithmetic},
    {CpuUnit::Add, ResourceKind::AddF32, ResourceKind::AddF64, Kind::Arithmetic},
    {CpuUnit::Multiply, ResourceKind::MultiplyF32, ResourceKind::MultiplyF64, Kind::Arithmetic},
    {CpuUnit::Fma, ResourceKind::FmaF32, ResourceKind::FmaF64, Kind::Arithmetic},
    {CpuUnit::Divide, ResourceKind::DivideF32, ResourceKind::DivideF64, Kind::Special},
    {CpuUnit::Root, ResourceKind::SqrtF32, ResourceKind::SqrtF64, Kind::Special},
    {CpuUnit::Integers, ResourceKind::AddI32, ResourceKind::AddI64, Kind::Special}};
constexpr const char *kNames[] = {
    "loads",        "stores",   "arithmetic", "additions", "multiplications", "multiply-adds", "divisions",
    "square roots", "integers", "branches",   "gathers",   "scatters",        "pages"};
static_assert(std::size(kNames) == kCpuUnits);

class Reader {
public:
  explicit Reader(const model::Machine &m) : machine_(m), clock_(known(m.clock, "clock")) {}

  ProcessorCore all(int vectorBytes, int loopVectorBytes) const {
    ProcessorCore made;
    made.machine = machine_.name;
    made.clock = clock_;
    made.vectorBytes = vectorBytes;
    made.loopVectorBytes = loopVectorBytes;
    const double issue = rate(ResourceKind::Issue, false);
    made.core.width = std::max(1, static_cast<int>(std::lround(issue)));
    made.core.issue = cycles(made.core.width / issue);
    made.core.window = machine_.window.value_or(kUsualWindow);
    made.guessed = machine_.mispredicted ? machine_.guessedRounds.value_or(0) : 0;
    for (const Kinds &k : kKinds)
      for (const bool isDouble : {false, true}) {
        const ResourceKind kind = isDouble ? k.f64 : k.f32;
        made.rates[isDouble ? 1 : 0].push_back({rate(kind, false), rate(kind, true)});
      }
    for (const Kinds &k : kKinds)
      made.core.resources.push_back(
          {kNames[placeOf(k.unit)], {latency(k.unit, k.f64), gap(made, k.unit)}, k.kind});
    addOthers(made);
    for (std::size_t m = 0; m < machine_.memories.size(); ++m) {
      const model::Memory &memory = machine_.memories[m];
      if (m + 1 < machine_.memories.size())
        made.bytes.push_back(memory.bytes);
      if (m > 0)
        made.core.resources.push_back(
            {memory.name == "global" ? "memory" : memory.name, line(memory), Kind::Memory});
    }
    return made;
  }

private:
  /// What a machine's file may leave out.
  void addOthers(ProcessorCore &made) const {
    const auto inClock = [&](const std::optional<model::Figure> &f) {
      return f ? cycles(f->value * clock_) : 0;
    };
    const auto add = [&](CpuUnit unit, Cost cost, Kind kind) {
      made.core.resources.push_back({kNames[placeOf(unit)], cost, kind});
      made.rates[0].push_back({1, 1});
      made.rates[1].push_back({1, 1});
    };
    add(CpuUnit::Branches, {inClock(machine_.mispredicted), kCycle}, Kind::Other);
    const auto apart = [&](ResourceKind kind) {
      const model::Resource *r = find(kind);
      return r && r->numbers.unit
                 ? Cost{made.core.resources.front().cost.latency, cycles(clock_ / r->numbers.unit->value)}
                 : Cost{};
    };
    const Cost gather = apart(ResourceKind::Gather), scatter = apart(ResourceKind::Scatter);
    made.hasGathers = gather.gap > 0 && scatter.gap > 0;
    add(CpuUnit::Gathers, gather, Kind::Near);
    add(CpuUnit::Scatters, {0, scatter.gap}, Kind::Near);
    if (machine_.pages) {
      made.pageBytes = machine_.pages->bytes;
      made.knownPages = machine_.pages->entries;
      add(CpuUnit::Pages,
          {inClock(machine_.pages->latency), machine_.pages->rate
                                                 ? cycles(clock_ / machine_.pages->rate->value)
                                                 : inClock(machine_.pages->latency)},
          Kind::Memory);
    } else {
      add(CpuUnit::Pages, {}, Kind::Memory);
    }
  }

  double known(const std::optional<model::Figure> &figure, const std::string &name) const {
    if (!figure)
      throw model::Problem(fmt::format("the description of {} has no {}", machine_.name, name),
                           "measure it with pbc model measure, or add the figure to the machine's file");
    return figure->value;
  }

  const model::Resource *find(ResourceKind kind) const {
    const auto at = std::find_if(machine_.resources.begin(), machine_.resources.end(),
                                 [&](const model::Resource &r) { return r.kind == kind; });
    return at == machine_.resources.end() ? nullptr : &*at;
  }

  /// A cycle, of one core.
  double rate(ResourceKind kind, bool ofNumbers) const {
    const model::Resource *r = find(kind);
    if (ofNumbers && kind == ResourceKind::Issue)
      return 0;
    return known(!r          ? std::nullopt
                 : ofNumbers ? r->numbers.unit
                             : r->instructions.unit,
                 fmt::format("rate for {}{} of a unit", ofNumbers ? "numbers of " : "", nameOf(kind))) /
           clock_;
  }

  Time latency(CpuUnit unit, ResourceKind kind) const {
    if (unit == CpuUnit::Ports || unit == CpuUnit::Stores)
      return 0; // of ports, the operation has it; nobody waits for a store
    const model::Resource *r = find(kind);
    return cycles(known(r ? r->latency : std::nullopt, fmt::format("latency for {}", nameOf(kind))) * clock_);
  }

  /// Of one admission. What shares the ports is admitted by them.
  static Time gap(const ProcessorCore &made, CpuUnit unit) {
    if (unit == CpuUnit::Add || unit == CpuUnit::Multiply || unit == CpuUnit::Fma)
      return 0;
    const auto at = static_cast<std::size_t>(placeOf(unit));
    return cycles(1 / std::max(made.rates[0][at].instructions, made.rates[1][at].instructions) / kParts);
  }

  Cost line(const model::Memory &m) const {
    const auto &bandwidth = m.unitBytesPerSecond ? m.unitBytesPerSecond : m.bytesPerSecond;
    const double bytes = known(bandwidth, fmt::format("bandwidth for the memory '{}'", m.name));
    return {cycles(known(m.latency, fmt::format("latency for the memory '{}'", m.name)) * clock_),
            cycles(kLineBytes * clock_ / bytes)};
  }

  const model::Machine &machine_;
  const double clock_;
};

} // namespace

int ProcessorCore::admissions(CpuUnit unit, body::Scalar type, long numbers) const {
  const bool isWide = type == body::Scalar::F64 || type == body::Scalar::I64;
  const auto at = static_cast<std::size_t>(placeOf(unit));
  const bool isMemory = unit == CpuUnit::Loads || unit == CpuUnit::Stores;
  const Rate &own = rates[isWide && !isMemory ? 1 : 0][at];
  const double fastest = std::max(rates[0][at].instructions, rates[1][at].instructions);
  const double counted = static_cast<double>(numbers) * (isMemory && isWide ? 2 : 1);
  const double taken = std::max(1 / own.instructions, counted / own.numbers) * fastest * kParts;
  return std::max(1, static_cast<int>(std::lround(taken)));
}

ProcessorCore processorCoreOf(const model::Machine &machine, int vectorBytes, int loopVectorBytes) {
  if (machine.kind != model::MachineKind::Processor)
    throw model::Problem(fmt::format("{} is a GPU, and this is about a processor", machine.name),
                         "name a file of pbc model measure with --machine");
  return Reader(machine).all(vectorBytes, loopVectorBytes);
}

} // namespace pbc::emulate
