// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/area/area.h"

#include "compiler/model/bound.h"

#include <cmath>
#include <fmt/format.h>

namespace pbc::model {
namespace {

// Section 3.1: per kB (b...) and fixed (a...), mm2.
constexpr double kLane = 0.04282;                                // beta_VU, per lane
constexpr double kRegistersKb = 0.004305, kRegisters = 0.001947; // per lane
constexpr double kSharedKb = 0.01565, kShared = 0.09281;         // per unit
constexpr double kFirstKb = 0.1604, kFirst = 0.08204;            // per pair of units
constexpr double kSecondKb = 0.04197, kSecond = 0.7685;          // per unit's slice
constexpr double kOverhead = 6.4156;                             // per unit

constexpr double kMostUnits = 1e5, kMostLanes = 1e5, kMostKb = 1e9;

void checkRange(const char *what, double value, double least, double most, const char *unit) {
  if (!(value >= least && value <= most))
    throw Problem(
        fmt::format("a chip with {} {}{}: from {} to {:g} can be computed", value, what, unit, least, most),
        fmt::format("give the number of {} of a chip that could be built", what));
}

void check(const Chip &chip) {
  checkRange("units", chip.units, 1, kMostUnits, "");
  checkRange("lanes", chip.lanes, 1, kMostLanes, " a unit");
  checkRange("kB of registers", chip.registersKb, 0, kMostKb, " a lane");
  checkRange("kB of shared memory", chip.sharedKb, 0, kMostKb, " a unit");
  if (chip.firstCacheKb)
    checkRange("kB of L1", *chip.firstCacheKb, 0, kMostKb, " a pair of units");
  if (chip.secondCacheKb)
    checkRange("kB of L2", *chip.secondCacheKb, 0, kMostKb, "");
}

} // namespace

std::array<ChipArea::Part, 6> ChipArea::parts() const {
  return {{{"lanes", lanes},
           {"registers", registers},
           {"shared memory", shared},
           {"L1", firstCache},
           {"L2", secondCache},
           {"overhead", overhead}}};
}

double ChipArea::total() const { return lanes + registers + shared + firstCache + secondCache + overhead; }

ChipArea chipArea(const Chip &chip, Mode mode) {
  check(chip);
  const double units = chip.units, lanes = units * chip.lanes;
  ChipArea area;
  area.lanes = lanes * kLane;
  area.registers = lanes * (kRegistersKb * chip.registersKb + kRegisters);
  area.shared = units * (kSharedKb * chip.sharedKb + kShared);
  if (chip.firstCacheKb)
    area.firstCache = units / 2 * (kFirstKb * *chip.firstCacheKb + kFirst);
  if (chip.secondCacheKb) // each unit has a slice, with a fixed part of its own (E6)
    area.secondCache = kSecondKb * *chip.secondCacheKb + kSecond * (mode == Mode::Corrected ? units : 1);
  area.overhead = units * kOverhead;
  for (const ChipArea::Part &part : area.parts())
    requireBound(part.area >= 0 && std::isfinite(part.area),
                 [&] { return fmt::format("{} take {} mm2", part.name, part.area); });
  return area;
}

double shortArea(const Chip &chip) {
  check(chip);
  const double units = chip.units, lanes = units * chip.lanes;
  return 0.0447 * lanes + 0.0043 * chip.registersKb * lanes + 0.015 * chip.sharedKb * units +
         0.08 * chip.firstCacheKb.value_or(0) * units + 0.041 * chip.secondCacheKb.value_or(0) +
         7.317 * units;
}

Chip chipOf(const Machine &machine) {
  if (machine.kind != MachineKind::Gpu)
    throw Problem(
        fmt::format("{} is no GPU: the area model knows units of lanes with shared memory", machine.name),
        "name a GPU, or give --units, --lanes and --shared");
  Chip chip;
  chip.units = machine.units;
  chip.lanes = machine.lanes;
  chip.sharedKb = machine.memory("shared").bytes / 1024;
  if (!machine.registersPerLane)
    throw Problem(fmt::format("the description of {} does not say how many bytes of registers a lane has",
                              machine.name),
                  "add the figure to its machine file, or give --registers");
  chip.registersKb = *machine.registersPerLane / 1024;
  if (machine.firstCachePerPair)
    chip.firstCacheKb = *machine.firstCachePerPair / 1024;
  if (machine.secondCache)
    chip.secondCacheKb = *machine.secondCache / 1024;
  return chip;
}

Chip withoutCaches(Chip chip) {
  chip.firstCacheKb.reset();
  chip.secondCacheKb.reset();
  return chip;
}

std::vector<std::string> extrapolations(const Chip &chip) {
  std::vector<std::string> out;
  const auto note = [&](const char *what, double kb, double least, double most) {
    if (kb < least || kb > most)
      out.push_back(fmt::format(
          "The area of {:g} kB of {} is extrapolated: the coefficients were fitted from {:g} to {:g} kB.", kb,
          what, least, most));
  };
  note("registers a lane", chip.registersKb, 0.5, 8);
  note("shared memory a unit", chip.sharedKb, 24, 384);
  if (chip.firstCacheKb)
    note("L1 a pair of units", *chip.firstCacheKb, 3, 96);
  if (chip.secondCacheKb)
    note("L2 a unit", *chip.secondCacheKb / chip.units, 32, 512);
  return out;
}

} // namespace pbc::model
