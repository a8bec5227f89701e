// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// pbc model area: the area of a GPU by its parts.
#include "compiler/model/area/area.h"
#include "compiler/model/command/command.h"
#include "compiler/model/machine/machine_file.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>

namespace pbc::model {
namespace {

struct AreaOptions {
  std::string machine;
  std::optional<int> units, lanes;
  std::optional<double> registers, shared, first, second; // kB
  bool noCaches = false, published = false;
};

struct NamedChip {
  std::string name;
  Chip chip;
  std::optional<double> published;
};

NamedChip chipOfOptions(const AreaOptions &o) {
  NamedChip out{"a chip", {}, {}};
  if (!o.machine.empty()) {
    const Machine machine = findMachine(o.machine);
    out.name = machine.name;
    Machine complete = machine;
    if (o.registers)
      complete.registersPerLane = *o.registers * 1024;
    out.chip = chipOf(complete);
    if (!o.units && !o.lanes && !o.registers && !o.shared && !o.first && !o.second && !o.noCaches)
      out.published = machine.publishedArea;
    else
      out.name += ", changed";
  } else if (!o.units || !o.lanes || !o.shared) {
    throw Problem("which chip? Without --machine, --units, --lanes and --shared are needed",
                  "--machine=gtx980, or --units=16 --lanes=128 --shared=96, and --l1, --l2 if it has caches");
  }
  out.chip.units = o.units.value_or(out.chip.units);
  out.chip.lanes = o.lanes.value_or(out.chip.lanes);
  out.chip.registersKb = o.registers.value_or(out.chip.registersKb);
  out.chip.sharedKb = o.shared.value_or(out.chip.sharedKb);
  if (o.first)
    out.chip.firstCacheKb = o.first;
  if (o.second)
    out.chip.secondCacheKb = o.second;
  if (o.noCaches && (o.first || o.second))
    throw Problem("--no-caches leaves out what --l1 and --l2 ask for", "give one or the other");
  if (o.noCaches)
    out.chip = withoutCaches(out.chip);
  return out;
}

/// Adds a row: the chip with more of one thing.
void addChange(AnswerTable &table, const std::string &what, const Chip &changed, double before, Mode mode) {
  const double after = chipArea(changed, mode).total();
  table.rows.push_back({what, after, after - before, 100 * (after / before - 1)});
}

AnswerTable changesOf(const Chip &chip, double total, Mode mode) {
  AnswerTable table{"What a change costs", {"change", "area [mm2]", "more [mm2]", "more [%]"}, {}};
  Chip units = chip, lanes = chip, registers = chip, shared = chip;
  units.units += 1;
  if (chip.secondCacheKb) // a unit brings its slice
    units.secondCacheKb = *chip.secondCacheKb / chip.units * units.units;
  lanes.lanes += 32;
  registers.registersKb *= 2;
  shared.sharedKb *= 2;
  addChange(table, "one unit more", units, total, mode);
  addChange(table, "32 lanes more in each unit", lanes, total, mode);
  addChange(table, "twice the registers", registers, total, mode);
  addChange(table, "twice the shared memory", shared, total, mode);
  if (chip.firstCacheKb || chip.secondCacheKb)
    addChange(table, "no caches", withoutCaches(chip), total, mode);
  return table;
}

Plot areaOverUnits(const NamedChip &named, Mode mode) {
  Plot plot{fmt::format("Area of {} with other numbers of units", named.name),
            "units",
            "area [mm²]",
            false,
            false,
            {}};
  const Chip &chip = named.chip;
  const int last = std::max(2 * chip.units, 8), step = std::max(1, last / 32);
  std::vector<PlotSeries> parts;
  for (const ChipArea::Part &part : chipArea(chip, mode).parts())
    parts.push_back({part.name, {}, true});
  PlotSeries all{"whole chip", {}, true};
  for (int units = step; units <= last; units += step) {
    Chip other = chip;
    other.units = units;
    if (chip.secondCacheKb)
      other.secondCacheKb = *chip.secondCacheKb / chip.units * units;
    const ChipArea area = chipArea(other, mode);
    all.points.emplace_back(units, area.total());
    for (size_t i = 0; i < parts.size(); ++i)
      parts[i].points.emplace_back(units, area.parts()[i].area);
  }
  plot.series.push_back(all);
  for (PlotSeries &part : parts)
    if (part.points.back().second > 0)
      plot.series.push_back(std::move(part));
  return plot;
}

Answer areaOfChip(const NamedChip &named, Mode mode) {
  const Chip &chip = named.chip;
  const ChipArea area = chipArea(chip, mode);
  const double total = area.total();
  Answer answer(fmt::format("Area of {}: {} units of {} lanes", named.name, chip.units, chip.lanes));
  answer.figure("area", total, "mm2", mode == Mode::Printed ? "C.6 as printed" : "C.6");
  answer.figure("without caches", chipArea(withoutCaches(chip), mode).total(), "mm2", "C.6");
  if (mode == Mode::Printed)
    answer.figure("short form", shortArea(chip), "mm2", "C.7 as printed");
  if (named.published)
    answer.figure("published", *named.published, "mm2", "machine file");
  AnswerTable shares{"Parts", {"part", "area [mm2]", "share [%]"}, {}};
  for (const ChipArea::Part &part : area.parts())
    shares.rows.push_back({part.name, part.area, 100 * part.area / total});
  answer.tables.push_back(shares);
  answer.tables.push_back(changesOf(chip, total, mode));

  const auto parts = area.parts();
  const auto largest = std::ranges::max_element(parts, {}, &ChipArea::Part::area);
  answer.explain(
      fmt::format("The largest part is {}: {:.1f} % of the area. Lanes with their registers, which compute, "
                  "have {:.1f} %.",
                  largest->name, 100 * largest->area / total, 100 * (area.lanes + area.registers) / total));
  const double caches = area.firstCache + area.secondCache;
  if (caches > 0) {
    const double unit = chipArea(withoutCaches(chip), mode).total() / chip.units;
    answer.explain(fmt::format("Without its {:.1f} mm2 of caches there is room for {:.0f} more such units.",
                               caches, std::floor(caches / unit)));
  }
  if (named.published)
    answer.explain(fmt::format("The published area is {:g} mm2: the model differs by {:+.3f} %.",
                               *named.published, 100 * (total / *named.published - 1)));
  answer.explain("The coefficients are of NVIDIA's Maxwell in TSMC's 28 nm: of chips in another process, "
                 "proportions may "
                 "hold, areas do not.");
  for (const std::string &note : extrapolations(chip))
    answer.explain(note);
  answer.plots.push_back(areaOverUnits(named, mode));
  return answer;
}

/// Tables of the source, compared with the model (section 3.3).
Answer publishedAreas(Mode mode) {
  Answer answer("Areas that are published, and the model's");
  AnswerTable chips{
      "Chips",
      {"chip", "published [mm2]", "C.6 [mm2]", "differs [%]", "C.7 [mm2]", "without caches [mm2]"},
      {}};
  double furthest = 0;
  for (const char *name : {"gtx980", "titanx"}) {
    const Machine machine = findMachine(name);
    const Chip chip = chipOf(machine);
    const double area = chipArea(chip, mode).total(), published = machine.publishedArea.value_or(NAN);
    furthest = std::max(furthest, std::abs(100 * (area / published - 1)));
    chips.rows.push_back({machine.name, published, area, 100 * (area / published - 1), shortArea(chip),
                          chipArea(withoutCaches(chip), mode).total()});
  }
  answer.tables.push_back(chips);
  AnswerTable blocks{"Blocks of the GTX 980", {"block", "measured [mm2]", "C.6 [mm2]"}, {}};
  const ChipArea area = chipArea(chipOf(findMachine("gtx980")), mode);
  blocks.rows = {{"L2", 105.0, area.secondCache},
                 {"L1 of a pair of units", 7.34, area.firstCache / 8},
                 {"shared memory of a unit", 1.27, area.shared / 16}};
  answer.tables.push_back(blocks);
  AnswerTable designs{"Designs without caches (table C.2)",
                      {"design for", "units", "lanes", "shared [kB]", "published [mm2]", "C.6 [mm2]"},
                      {}};
  struct Row {
    const char *name;
    int units, lanes;
    double shared, published;
  };
  for (const Row &row : {Row{"Jacobi 2D", 32, 128, 24, 438},
                         {"Heat 2D", 22, 256, 12, 447},
                         {"Gradient 2D", 28, 160, 24, 431},
                         {"Laplacian 2D", 28, 160, 12, 426},
                         {"Heat 3D", 18, 288, 192, 447},
                         {"Laplacian 3D", 8, 896, 96, 446}}) {
    Chip chip;
    chip.units = row.units;
    chip.lanes = row.lanes;
    chip.sharedKb = row.shared;
    designs.rows.push_back(
        {row.name, row.units, row.lanes, row.shared, row.published, chipArea(chip, mode).total()});
  }
  answer.tables.push_back(designs);
  PlotSeries whole{"chips", {}, false}, bare{"designs without caches", {}, false}, equal{"equal", {}, true};
  for (const auto &row : chips.rows)
    whole.points.emplace_back(row[1].get<double>(), row[2].get<double>());
  for (const auto &row : designs.rows)
    bare.points.emplace_back(row[4].get<double>(), row[5].get<double>());
  for (const auto &[published, modelled] : whole.points)
    equal.points.emplace_back(published, published);
  answer.plots.push_back({"Areas: the model over what is published",
                          "published [mm2]",
                          "model [mm2]",
                          false,
                          false,
                          {whole, bare, equal}});
  answer.explain(fmt::format(
      "The model is within {:.2f} % of both chips. They differ in the number of units only, so this tests "
      "little more than proportionality.",
      furthest));
  answer.explain("Table C.2 is cut to whole mm2.");
  return answer;
}

} // namespace

void addAreaCommand(CLI::App &parent, const Common &common, Question &question) {
  const auto options = std::make_shared<AreaOptions>();
  CLI::App *app = parent.add_subcommand("area", "the area of a GPU, part by part");
  app->add_option("--machine", options->machine, "gtx980, titanx, or a machine's file");
  app->add_option("--units", options->units, "multiprocessors; these options replace the machine's figures");
  app->add_option("--lanes", options->lanes, "lanes of a unit");
  app->add_option("--registers", options->registers, "kB of registers of a lane; 2");
  app->add_option("--shared", options->shared, "kB of shared memory of a unit");
  app->add_option("--l1", options->first, "kB of L1 of a pair of units; absent: no L1");
  app->add_option("--l2", options->second, "kB of L2 of the chip; absent: no L2");
  app->add_flag("--no-caches", options->noCaches, "leaves out the machine's caches");
  CLI::Option *published =
      app->add_flag("--published", options->published, "what is published, beside the model");
  for (const char *of :
       {"--machine", "--units", "--lanes", "--registers", "--shared", "--l1", "--l2", "--no-caches"})
    published->excludes(app->get_option(of));
  app->callback([options, &common, &question] {
    question = [options, &common] {
      return options->published ? publishedAreas(common.mode())
                                : areaOfChip(chipOfOptions(*options), common.mode());
    };
  });
}

} // namespace pbc::model
