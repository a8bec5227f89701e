// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/device/gpu_core.h"
#include "compiler/model/problem.h"
#include <algorithm>
#include <fmt/format.h>

namespace pbc::emulate {
namespace {

using model::Machine;
using model::ResourceKind;
using model::WarpUnit;

constexpr int kWarp = 32;
constexpr double kBytesOfTurn = 128; // that the memory of a group serves at once

class Reader {
public:
  explicit Reader(const Machine &m) : machine_(m), clock_(known(m.clock, "clock")) {}

  GpuCore all() const {
    GpuCore made;
    made.machine = machine_.name;
    made.clock = clock_;
    made.multiprocessors = machine_.units;
    made.launch = machine_.launch ? machine_.launch->value : 0;
    const Limits usual;
    const model::Memory &shared = machine_.memory("shared");
    made.limits = {machine_.threadsPerUnit.value_or(static_cast<int>(usual.threads)),
                   machine_.blocksPerUnit.value_or(static_cast<int>(usual.blocks)),
                   machine_.registers.value_or(static_cast<int>(usual.registers)),
                   static_cast<long>(shared.bytes)};
    Core &core = made.core;
    core.schedulers = schedulers();
    core.policy = Core::Policy::RoundRobin;
    core.drains = false; // the trace says for what a barrier waits
    const model::WarpCost *barrier = warp(WarpUnit::Barrier);
    core.barrier = barrier            ? cycles(barrier->latency->value)
                   : machine_.barrier ? ofSeconds(machine_.barrier->value)
                                      : 0;
    // `otherwise`: from memories and resources.
    const auto add = [&](const char *name, WarpUnit unit, Core::Kind kind, const auto &otherwise) {
      const model::WarpCost *known = warp(unit);
      core.resources.push_back({name, known ? costOf(*known) : otherwise(), kind});
      if (!known || known->source == model::FigureSource::Assumed)
        made.assumed.emplace_back(name);
    };
    const auto ofUnit = [&](GpuUnit unit) {
      return core.resources[static_cast<std::size_t>(placeOf(unit))].cost;
    };
    add("DRAM", WarpUnit::Dram, Core::Kind::Memory, [&] { return memory("global"); });
    add("L2", WarpUnit::L2, Core::Kind::Memory, [&] { return memory("L2"); });
    add("L1", WarpUnit::L1, Core::Kind::Near, [&] { return ofUnit(GpuUnit::L2); });
    add("shared memory", WarpUnit::Shared, Core::Kind::Near,
        [&] { return Cost{latency(shared), gapOfShared()}; });
    add("f32", WarpUnit::F32, Core::Kind::Arithmetic, [&] { return arithmetic(ResourceKind::FmaF32, {}); });
    add("f64", WarpUnit::F64, Core::Kind::Arithmetic, [&] { return arithmetic(ResourceKind::FmaF64, {}); });
    add("integers", WarpUnit::Integer, Core::Kind::Special,
        [&] { return arithmetic(ResourceKind::AddI32, ResourceKind::FmaF32); });
    add("special functions", WarpUnit::Special, Core::Kind::Special,
        [&] { return arithmetic(ResourceKind::SqrtF32, {}); });
    add("shuffles", WarpUnit::Shuffle, Core::Kind::Near, [&] { return ofUnit(GpuUnit::Shared); });
    add("starts of groups", WarpUnit::Start, Core::Kind::Other, [] { return Cost{}; });
    add("lines of L1", WarpUnit::Lines, Core::Kind::Near,
        [&] { return Cost{0, 2 * ofUnit(GpuUnit::L1).gap}; });
    core.resources.back().cost.latency = ofUnit(GpuUnit::L1).latency;
    return made;
  }

private:
  double known(const std::optional<model::Figure> &figure, const std::string &name) const {
    if (!figure)
      throw model::Problem(
          fmt::format("the description of {} has no {}", machine_.name, name),
          "measure it with pbc model measure --device=NAME, or add the figure to the machine's file");
    return figure->value;
  }

  /// A file that was measured has no rate of instructions of any kind; no unit takes more of them than those for floats.
  int schedulers() const {
    const model::WarpCost *f32 = warp(WarpUnit::F32);
    const double warps =
        find(ResourceKind::Issue) || !f32 ? warpsACycle(ResourceKind::Issue) : 1 / f32->gap->value;
    return std::max(1, static_cast<int>(std::lround(warps)));
  }

  Time ofSeconds(double seconds) const { return cycles(seconds * clock_); }

  static Cost costOf(const model::WarpCost &known) {
    const Time gap = known.gap ? cycles(known.gap->value) : 0;
    return {known.latency ? cycles(known.latency->value) : gap, gap};
  }

  const model::WarpCost *warp(WarpUnit unit) const {
    const auto at = std::ranges::find(machine_.warp, unit, &model::WarpCost::unit);
    return at == machine_.warp.end() ? nullptr : &*at;
  }

  const model::Resource *find(ResourceKind kind) const {
    const auto at = std::find_if(machine_.resources.begin(), machine_.resources.end(),
                                 [&](const model::Resource &r) { return r.kind == kind; });
    return at == machine_.resources.end() ? nullptr : &*at;
  }

  /// Instructions of whole warps, of one multiprocessor.
  double warpsACycle(ResourceKind kind) const {
    const model::Resource *r = find(kind);
    return known(r ? r->instructions.unit : std::nullopt,
                 fmt::format("rate for {} of a unit", nameOf(kind))) /
           clock_ / kWarp;
  }

  /// Of one kind, or of another one where the file does not have it.
  Cost arithmetic(ResourceKind kind, std::optional<ResourceKind> otherwise) const {
    const model::Resource *r = find(kind);
    if (!r && otherwise)
      return arithmetic(*otherwise, {});
    return {ofSeconds(known(r ? r->latency : std::nullopt, fmt::format("latency for {}", nameOf(kind)))),
            cycles(1 / warpsACycle(kind))};
  }

  Time latency(const model::Memory &m) const {
    return ofSeconds(known(m.latency, fmt::format("latency for the memory '{}'", m.name)));
  }

  Cost memory(const char *name) const {
    const model::Memory &m = machine_.memory(name);
    const double bytes = known(m.bytesPerSecond, fmt::format("bandwidth for the memory '{}'", name));
    return {latency(m), cycles(kSectorBytes * machine_.units * clock_ / bytes)};
  }

  Time gapOfShared() const {
    const model::Resource *load = find(ResourceKind::Load);
    const double numbers =
        known(load ? load->numbers.unit : std::nullopt, "rate for numbers of load of a unit");
    return cycles(kBytesOfTurn / 4 / (numbers / clock_));
  }

  const Machine &machine_;
  const double clock_;
};

} // namespace

GpuCore gpuCoreOf(const Machine &machine) {
  if (machine.kind != model::MachineKind::Gpu)
    throw model::Problem(
        fmt::format("{} is a processor, and the kernels are those for devices", machine.name),
        "name a GPU with --machine, as h100");
  return Reader(machine).all();
}

} // namespace pbc::emulate
