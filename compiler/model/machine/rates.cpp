// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/machine/rates.h"

#include <algorithm>
#include <fmt/format.h>

namespace pbc::model {
namespace {

using RateLevels = std::array<std::optional<double>, 3>;

std::optional<double> rateLimit(const std::optional<Figure> &f) {
  return f ? std::optional(fastest(*f, Better::Higher) * kRateMargin) : std::nullopt;
}
std::optional<double> latencyLimit(const std::optional<Figure> &f) {
  return f ? std::optional(fastest(*f, Better::Lower) * kLatencyMargin) : std::nullopt;
}

/// Limits of levels without a figure: a part has no higher rate than the whole, and the whole at most that of
/// its units. If the units together reached more than one of them alone, each of them reached its share, and
/// what was measured of one alone was disturbed.
RateLevels completed(const std::optional<double> &lane, std::optional<double> unit,
                     std::optional<double> machine, int units) {
  if (!machine && unit)
    machine = *unit * units;
  if (!unit)
    unit = machine;
  else
    unit = std::max(*unit, *machine / units);
  return {lane ? lane : unit, unit, machine};
}

RateLevels limits(const Throughput &t, int units) {
  return completed(rateLimit(t.lane), rateLimit(t.unit), rateLimit(t.machine), units);
}

/// The most numbers that one instruction has.
double numbersOfInstruction(ResourceKind kind, const Machine &m) {
  constexpr double kNumbersOfAccess = 4; // 16 bytes, the largest access of a lane
  if (m.kind == MachineKind::Processor)
    return std::max(1.0, 4.0 * m.lanes / bytesOfNumber(kind));
  return kind == ResourceKind::Load || kind == ResourceKind::Store ? kNumbersOfAccess : 1;
}

const char *scopeName(Scope scope) {
  return scope == Scope::Lane ? "a lane" : scope == Scope::Unit ? "a unit" : "all units";
}

} // namespace

double Rates::known(const std::optional<double> &value, const std::string &figure) const {
  if (!value)
    throw Problem(fmt::format("the description of {} has no {}", machine_, figure),
                  fmt::format("measure it with {}, or add the figure to the machine's file", command_));
  return *value;
}

double Rates::clock() const { return known(clock_, "clock"); }
double Rates::barrier() const { return known(barrier_, "barrier"); }
double Rates::launch() const { return known(launch_, "launch"); }

double Rates::instructions(ResourceKind kind, Scope scope) const {
  const auto &value =
      resources_[static_cast<std::size_t>(kind)].instructions[static_cast<std::size_t>(scope)];
  return value ? *value : known(value, fmt::format("rate for {} of {}", nameOf(kind), scopeName(scope)));
}

double Rates::numbers(ResourceKind kind, Scope scope) const {
  const auto &value = resources_[static_cast<std::size_t>(kind)].numbers[static_cast<std::size_t>(scope)];
  return value ? *value
               : known(value, fmt::format("rate for numbers of {} of {}", nameOf(kind), scopeName(scope)));
}

double Rates::latency(ResourceKind kind) const {
  const auto &value = resources_[static_cast<std::size_t>(kind)].latency;
  return value ? *value : known(value, fmt::format("latency for {}", nameOf(kind)));
}

double Rates::bytes(std::size_t memory, Scope scope) const {
  const OfMemory &m = memories_.at(memory);
  const auto &value = m.bytes[static_cast<std::size_t>(scope)];
  return value ? *value : known(value, fmt::format("bandwidth for the memory '{}'", m.name));
}

double Rates::latency(std::size_t memory) const {
  const OfMemory &m = memories_.at(memory);
  return m.latency ? *m.latency : known(m.latency, fmt::format("latency for the memory '{}'", m.name));
}

Rates ratesOf(const Machine &m) {
  Rates rates;
  rates.machine_ = m.name;
  rates.command_ = m.kind == MachineKind::Gpu ? "pbc model measure --device=NAME" : "pbc model measure";
  if (m.clock)
    rates.clock_ = fastest(*m.clock, Better::Higher);
  rates.barrier_ = latencyLimit(m.barrier);
  rates.launch_ = latencyLimit(m.launch);
  for (const Resource &r : m.resources) {
    Rates::OfResource &of = rates.resources_[static_cast<std::size_t>(r.kind)];
    of.latency = latencyLimit(r.latency);
    of.instructions = limits(r.instructions, m.units);
    of.numbers = limits(r.numbers, m.units);
    if (bytesOfNumber(r.kind) > 0)
      for (std::size_t level = 0; level < of.numbers.size(); ++level)
        if (of.instructions[level]) {
          const double most = *of.instructions[level] * numbersOfInstruction(r.kind, m);
          of.numbers[level] = std::min(of.numbers[level].value_or(most), most);
        }
  }
  for (const Memory &memory : m.memories)
    rates.memories_.push_back(
        {memory.name,
         completed({}, rateLimit(memory.unitBytesPerSecond), rateLimit(memory.bytesPerSecond), m.units),
         rateLimit(memory.unitCopiedBytesPerSecond), rateLimit(memory.unitStreamedBytesPerSecond),
         latencyLimit(memory.latency)});
  return rates;
}

} // namespace pbc::model
