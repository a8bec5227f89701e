// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// pbc model measure: measures this machine and writes a file for the other models.
#include "compiler/model/command/command.h"
#include "compiler/model/machine/machine_file.h"
#include "compiler/model/measure/measure_machine.h"

#include "runtime/device/device.h"
#include "tuner/write_file.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>

namespace pbc::model {
namespace {

struct MeasureOptions {
  std::string device, output;
  double seconds = 10;
};

MeasuredDevice measuredDevice(const MeasureOptions &o) {
  std::vector<std::string> complaints;
  const auto devices = pb::device::openDevices(o.device, complaints);
  if (devices.empty()) {
    std::vector<std::string> names;
    for (const pb::device::DeviceName &d : pb::device::listDevices())
      names.push_back(fmt::format("{} ({})", d.id, d.about.name));
    throw Problem(fmt::format("no device '{}' could be opened{}{}", o.device, complaints.empty() ? "" : ": ",
                              fmt::join(complaints, "; ")),
                  names.empty() ? "this machine has no devices; without --device the processor is measured"
                                : fmt::format("there are {}", fmt::join(names, ", ")));
  }
  try {
    return measureDevice(*devices.front(), {o.seconds});
  } catch (const pb::device::DeviceError &e) {
    throw Problem(fmt::format("{} cannot be measured: {}", devices.front()->about().name, e.what()));
  }
}

/// The bandwidth of each memory with all units reading; single figures instead of a curve if only one was
/// measured.
Plot bandwidths(const Machine &m) {
  PlotSeries all{m.name, {}, true};
  for (const Memory &memory : m.memories)
    if (memory.bytesPerSecond)
      all.points.emplace_back(memory.bytes, memory.bytesPerSecond->value / 1e9);
  return {fmt::format("{}: bandwidth of its memories, all units", m.name),
          "size of the memory [bytes]",
          "bandwidth [GB/s]",
          true,
          true,
          {all}};
}

/// A missing figure is an empty place.
nlohmann::ordered_json cell(const std::optional<double> &value) {
  return value ? nlohmann::ordered_json(*value) : nullptr;
}

/// The best samples, per second and nanoseconds: they are what bounds use.
AnswerTable resourceTable(const Machine &m) {
  const bool isGpu = m.kind == MachineKind::Gpu;
  AnswerTable table{
      "Resources, best samples: instructions and numbers per second", {"resource", "latency [ns]"}, {}};
  std::vector<std::string> columns =
      isGpu ? std::vector<std::string>{"one lane", "one unit", "all units"}
            : std::vector<std::string>{"one unit", "all units", "numbers, one unit", "numbers, all units"};
  table.columns.insert(table.columns.end(), columns.begin(), columns.end());
  const auto best = [](const std::optional<Figure> &f, Better better, double factor) {
    return cell(f ? std::optional(fastest(*f, better) * factor) : std::nullopt);
  };
  for (const Resource &r : m.resources) {
    std::vector<nlohmann::ordered_json> row = {nameOf(r.kind), best(r.latency, Better::Lower, 1e9)};
    if (isGpu)
      row.push_back(best(r.instructions.lane, Better::Higher, 1));
    for (const Throughput *t : {&r.instructions, &r.numbers})
      if (t == &r.instructions || !isGpu) {
        row.push_back(best(t->unit, Better::Higher, 1));
        row.push_back(best(t->machine, Better::Higher, 1));
      }
    table.rows.push_back(row);
  }
  return table;
}

/// Median times, and whether they are those of one limit.
AnswerTable warpTable(const MeasuredWarps &warps) {
  AnswerTable table{"An instruction of a warp on one multiprocessor, cycles; memories: a sector of 32 bytes",
                    {"unit", "latency", "spread [%]", "gap", "spread [%]", "knee", "latency/gap",
                     "deviation [%]", "two lines"},
                    {}};
  for (const MeasuredWarp &one : warps.units) {
    const auto value = [](const std::optional<Figure> &f, bool ofSpread) {
      return cell(f ? std::optional(ofSpread ? 100 * f->spread : f->value) : std::nullopt);
    };
    std::vector<nlohmann::ordered_json> row = {nameOf(one.cost.unit), value(one.cost.latency, false),
                                               value(one.cost.latency, true), value(one.cost.gap, false),
                                               value(one.cost.gap, true)};
    if (const auto &lines = one.lines)
      row.insert(row.end(), {lines->knee, lines->latency / lines->gap, 100 * lines->deviation,
                             lines->holds()       ? "yes"
                             : lines->isSaturated ? "no"
                                                  : "never busy"});
    else
      row.insert(row.end(), 4, nullptr);
    table.rows.push_back(row);
  }
  return table;
}

AnswerTable bankTable(const MeasuredWarps &warps) {
  AnswerTable table{"Turns of the banks of a group's memory", {"words apart", "turns", "of 32 banks"}, {}};
  for (const BankTurns &one : warps.banks)
    table.rows.push_back({one.apart, one.turns, turnsOfBanks(one.apart)});
  return table;
}

Answer answerOf(const Machine &m, const MeasuredWarps &warps) {
  Answer a(fmt::format("{}: {} units of {} lanes", m.name, m.units, m.lanes));
  AnswerTable table{"Measured", {"figure", "value", "unit", "spread [%]", "best"}, {}};
  const auto add = [&](const std::string &name, const std::optional<Figure> &f, const char *unit) {
    if (f)
      table.rows.push_back({name, f->value, unit, 100 * f->spread, cell(f->best)});
  };
  add("clock", m.clock, "Hz");
  for (const Memory &memory : m.memories) {
    add(memory.name + " bandwidth, all units", memory.bytesPerSecond, "B/s");
    add(memory.name + " bandwidth, one unit", memory.unitBytesPerSecond, "B/s");
    add(memory.name + " bandwidth, a copy by one unit", memory.unitCopiedBytesPerSecond, "B/s");
    add(memory.name + " latency", memory.latency, "s");
  }
  add("barrier", m.barrier, "s");
  add(m.kind == MachineKind::Gpu ? "launch" : "start of threads", m.launch, "s");
  add("a branch guessed wrongly", m.mispredicted, "s");
  const auto count = [&](const std::string &name, double value, const char *unit) {
    table.rows.push_back({name, value, unit, 0.0, cell({})});
  };
  if (m.guessedRounds)
    count("loops whose exit is foreseen, up to", *m.guessedRounds, "rounds");
  if (m.window)
    count("instructions looked at", *m.window, "");
  if (m.pages) {
    count("pages whose places are known", m.pages->entries, "pages");
    add("a page whose place is not known", m.pages->latency, "s");
  }
  for (const auto &[stencil, time] : m.iteration)
    add(stencil + ", an iteration on a lane", time, "s");
  a.tables.push_back(table);
  if (!m.resources.empty())
    a.tables.push_back(resourceTable(m));
  if (!m.warp.empty()) {
    a.tables.push_back(warpTable(warps));
    if (!warps.banks.empty())
      a.tables.push_back(bankTable(warps));
  }
  a.plots.push_back(bandwidths(m));
  return a;
}

Answer answerMeasure(const MeasureOptions &o, const Common &common) {
  if (common.printed)
    throw Problem("nothing of a measurement is printed anywhere", "leave --printed away");
  if (!(o.seconds >= 0.1) || o.seconds > 600)
    throw Problem(fmt::format("--seconds must be from 0.1 to 600, not {}", o.seconds));
  if (!o.output.empty() && !o.output.ends_with(".toml"))
    throw Problem(fmt::format("the file of a machine ends in .toml, not {}", o.output),
                  "such as -o here.toml");
  const MeasuredDevice measured =
      o.device.empty() ? MeasuredDevice{measureProcessor({o.seconds}), {}} : measuredDevice(o);
  const Machine &m = measured.machine;
  const std::string text = machineText(m);
  readMachine(text, o.output); // a file that could not be read back would be useless
  Answer a = answerOf(m, measured.warps);
  for (const MeasuredWarp &one : measured.warps.units)
    if (!isCredible(one.cost))
      a.explain(fmt::format("The figures of '{}' are none that a GPU has, so that they are left out: this "
                            "device computes in another way.",
                            nameOf(one.cost.unit)));
  double largest = 0;
  std::string noisiest;
  for (const auto &row : a.tables.front().rows)
    if (const double spread = row[3].get<double>(); spread > largest)
      largest = spread, noisiest = row[0].get<std::string>();
  if (largest > 5)
    a.explain(fmt::format(
        "The least certain figure is '{}', with a spread of {:.0f} %: something else runs on this "
        "machine, or its clock moves.",
        noisiest, largest));
  if (o.output.empty()) {
    a.explain("-o FILE.toml keeps this for the other models.");
  } else {
    tuner::writeAtomically(o.output, text);
    a.explain(fmt::format("Written to {0}: use it with --machine={0}.", o.output));
  }
  if (o.device.empty())
    for (const pb::device::DeviceName &d : pb::device::listDevices())
      a.explain(fmt::format("There is also {}: --device={}.", d.about.name, d.id));
  return a;
}

} // namespace

void addMeasureCommand(CLI::App &parent, const Common &common, Question &question) {
  const auto options = std::make_shared<MeasureOptions>();
  CLI::App *app = parent.add_subcommand("measure", "measures this machine and writes its description");
  app->add_option("-o,--output", options->output, "the machine's file, FILE.toml");
  app->add_option("--device", options->device, "opencl:0, cuda:0, ... instead of the processor");
  app->add_option("--seconds", options->seconds, "about how long it may take; 10");
  app->callback([options, &common, &question] {
    question = [options, &common] { return answerMeasure(*options, common); };
  });
}

} // namespace pbc::model
