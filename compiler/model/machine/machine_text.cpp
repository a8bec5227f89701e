// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes a description as text.
#include "compiler/model/machine/machine_file.h"

#include "tuner/space/toml.h"

#include <fmt/format.h>

namespace pbc::model {
namespace {

/// The shortest text that reads back as the same number.
std::string number(double value) { return fmt::format("{}", value); }

class MachineWriter {
public:
  std::string write(const Machine &m) {
    line("name", tuner::tomlText(m.name));
    line("kind", m.kind == MachineKind::Gpu ? "\"gpu\"" : "\"processor\"");
    if (!m.source.empty())
      line("source", tuner::tomlText(m.source));
    line("units", std::to_string(m.units));
    line("lanes", std::to_string(m.lanes));
    figure("clock", m.clock);
    count("registers", m.registers);
    count("threads_per_unit", m.threadsPerUnit);
    count("blocks_per_unit", m.blocksPerUnit);
    count("threads_per_block", m.threadsPerBlock);
    figure("barrier", m.barrier);
    figure("launch", m.launch);
    plain("registers_per_lane", m.registersPerLane);
    plain("first_cache_per_pair", m.firstCachePerPair);
    plain("second_cache", m.secondCache);
    plain("published_area", m.publishedArea);
    count("window", m.window);
    figure("mispredicted", m.mispredicted);
    count("guessed_rounds", m.guessedRounds);
    if (m.pages)
      write(*m.pages);
    for (const Memory &memory : m.memories)
      write(memory);
    for (const Resource &resource : m.resources)
      write(resource);
    for (const WarpCost &cost : m.warp)
      write(cost);
    if (!m.iteration.empty())
      text_ += "\n[iteration]\n";
    for (const auto &[name, time] : m.iteration)
      figure(tuner::tomlKey(name), time);
    for (const auto &[way, energies] : m.energy) {
      text_ += fmt::format("\n[energy.{}]\n", tuner::tomlKey(way));
      for (const auto &[name, joules] : energies)
        line(tuner::tomlKey(name), number(joules));
    }
    return text_;
  }

private:
  void write(const Memory &memory) {
    static const char *const kScopes[] = {"lane", "unit", "machine"};
    text_ += "\n[[memory]]\n";
    line("name", tuner::tomlText(memory.name));
    line("scope", fmt::format("\"{}\"", kScopes[static_cast<int>(memory.scope)]));
    line("bytes", number(memory.bytes));
    plain("bytes_per_block", memory.bytesPerBlock);
    figure("bytes_per_second", memory.bytesPerSecond);
    figure("unit_bytes_per_second", memory.unitBytesPerSecond);
    figure("unit_copied_bytes_per_second", memory.unitCopiedBytesPerSecond);
    figure("unit_streamed_bytes_per_second", memory.unitStreamedBytesPerSecond);
    figure("latency", memory.latency);
  }

  void write(const PageTable &pages) {
    text_ += "\n[pages]\n";
    line("bytes", number(pages.bytes));
    line("entries", std::to_string(pages.entries));
    figure("latency", pages.latency);
    figure("rate", pages.rate);
  }

  void write(const Resource &resource) {
    text_ += "\n[[resource]]\n";
    line("name", tuner::tomlText(nameOf(resource.kind)));
    figure("latency", resource.latency);
    figure("lane", resource.instructions.lane);
    figure("unit", resource.instructions.unit);
    figure("machine", resource.instructions.machine);
    figure("lane_numbers", resource.numbers.lane);
    figure("unit_numbers", resource.numbers.unit);
    figure("machine_numbers", resource.numbers.machine);
  }

  void write(const WarpCost &cost) {
    text_ += fmt::format("\n[warp.{}]\n", nameOf(cost.unit));
    line("source", tuner::tomlText(nameOf(cost.source)));
    figure("latency", cost.latency);
    figure("gap", cost.gap);
    plain("deviation", cost.deviation);
  }

  void line(const std::string &name, const std::string &value) { text_ += name + " = " + value + "\n"; }
  void count(const std::string &name, const std::optional<int> &value) {
    if (value)
      line(name, std::to_string(*value));
  }
  void plain(const std::string &name, const std::optional<double> &value) {
    if (value)
      line(name, number(*value));
  }
  void figure(const std::string &name, const std::optional<Figure> &f) {
    if (!f)
      return;
    if (f->spread == 0 && !f->best)
      return line(name, number(f->value));
    std::string text = "{ value = " + number(f->value);
    if (f->spread != 0)
      text += ", spread = " + number(f->spread);
    if (f->best)
      text += ", best = " + number(*f->best);
    line(name, text + " }");
  }

  std::string text_;
};

} // namespace

std::string machineText(const Machine &machine) { return MachineWriter().write(machine); }

} // namespace pbc::model
