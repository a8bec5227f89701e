// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/energy/tiled_energy.h"

#include "compiler/model/bound.h"

#include <cmath>
#include <fmt/format.h>

namespace pbc::model {
namespace {

constexpr int64_t kMost = 1'000'000'000'000; // of an extent: products stay finite

void checkExtent(const char *what, int64_t value, int64_t least = 1) {
  if (value < least || value > kMost)
    throw Problem(fmt::format("{} is {}: it must be from {} to {}", what, value, least, kMost),
                  value < least ? "make it larger" : "make it smaller");
}

double hexagon(const EnergyRun &run) { // points of the tile in time and the first extent
  return static_cast<double>(run.tileSteps) *
         static_cast<double>(2 * run.tile1 + run.work.radius * (run.tileSteps - 2)) / 2;
}

/// Tile rows of a time-skewed program, each with the columns that it reaches.
double skewedTiles(const EnergyRun &run) {
  const int64_t rows = (run.steps + run.tileSteps - 1) / run.tileSteps;
  if (rows > 100'000'000)
    throw Problem(fmt::format("{} steps in tiles of {} are {} rows of tiles: too many to count", run.steps,
                              run.tileSteps, rows),
                  "make the tiles higher");
  double tiles = 0;
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t first = row * run.tileSteps, last = std::min(run.steps, first + run.tileSteps) - 1;
    const int64_t firstTile = first / run.tile1, lastTile = (last + run.size1 - 1) / run.tile1;
    tiles += static_cast<double>(lastTile - firstTile + 1);
  }
  return tiles;
}

} // namespace

const char *nameOf(EnergyCode code) {
  switch (code) {
  case EnergyCode::SmithWaterman:
    return "SmithWaterman";
  case EnergyCode::Jacobi1D:
    return "Jacobi1D";
  default:
    return "Jacobi2D";
  }
}

EnergyCode energyCode(const std::string &name) {
  for (const EnergyCode code : {EnergyCode::SmithWaterman, EnergyCode::Jacobi1D, EnergyCode::Jacobi2D})
    if (name == nameOf(code))
      return code;
  throw Problem(fmt::format("the energy of \"{}\" is not modelled", name),
                "modelled: SmithWaterman, Jacobi1D, Jacobi2D");
}

void check(const EnergyRun &run) {
  checkExtent("the first extent", run.size1);
  checkExtent("the number of steps", run.steps);
  checkExtent("the tile's first extent", run.tile1);
  checkExtent("the tile's number of steps", run.tileSteps);
  if (run.code == EnergyCode::Jacobi2D) {
    checkExtent("the second extent", run.size2);
    checkExtent("the tile's second extent", run.tile2);
    if (run.tileSteps % 2 != 0)
      throw Problem(
          fmt::format("a hexagon of {} steps: its lower and its upper half are equally high", run.tileSteps),
          "take an even number of steps");
    checkExtent("the radius of a stencil", run.work.radius);
    if (run.tile1 < run.work.radius)
      throw Problem(fmt::format("a tile of {} points: {} sees {} points to each side", run.tile1,
                                run.work.name, run.work.radius),
                    "make its first extent larger");
    return;
  }
  checkExtent("the sub-tile's extent", run.subTile);
  if (run.subTile > run.tile1)
    throw Problem(fmt::format("a sub-tile of {} in a tile of {}", run.subTile, run.tile1),
                  "make the sub-tile smaller");
  if (!(run.sharedFactor > 0 && run.sharedFactor < 1e6))
    throw Problem(fmt::format("the factor of words from shared memory is {}", run.sharedFactor),
                  "4 is printed, 1 is derived");
}

double volumeOfTile(const EnergyRun &run) {
  if (run.code == EnergyCode::Jacobi2D)
    return static_cast<double>(run.tile2) * hexagon(run); // (B.4)
  return static_cast<double>(run.tile1) * static_cast<double>(run.tileSteps);
}

Spendings spentByTile(const EnergyRun &run) {
  check(run);
  const auto tile1 = static_cast<double>(run.tile1), tile2 = static_cast<double>(run.tile2);
  const auto steps = static_cast<double>(run.tileSteps), sub = static_cast<double>(run.subTile);
  const double volume = volumeOfTile(run);
  Spendings spent;
  switch (run.code) {
  case EnergyCode::SmithWaterman:
    spent[Spent::GlobalShared] = 4.25 * (tile1 + steps);
    spent[Spent::SharedRegister] = volume + 5 * steps * tile1 / sub;
    spent[Spent::IntegerAdd] = spent[Spent::IntegerMaximum] = 5 * volume;
    break;
  case EnergyCode::Jacobi1D:
    spent[Spent::GlobalShared] = 2 * (2 * steps + tile1);
    spent[Spent::SharedRegister] = run.sharedFactor * (2 * tile1 + 4 * steps * tile1 / sub);
    spent[Spent::FloatAdd] = 2 * volume;
    spent[Spent::FloatMultiply] = volume;
    break;
  case EnergyCode::Jacobi2D:
    for (size_t i = 0; i < kSpents; ++i)
      spent.values()[i] = run.work.operations.values()[i] * volume;
    spent[Spent::GlobalShared] =
        run.work.words * 2 * tile2 * (tile1 + 2 * static_cast<double>(run.work.radius) * steps); // (B.3)
    spent[Spent::SharedRegister] = run.work.sharedWords * volume;
    break;
  }
  return spent;
}

double tilesOf(const EnergyRun &run, Mode mode) {
  check(run);
  const auto size1 = static_cast<double>(run.size1), steps = static_cast<double>(run.steps);
  const auto tile1 = static_cast<double>(run.tile1), tileSteps = static_cast<double>(run.tileSteps);
  switch (run.code) {
  case EnergyCode::SmithWaterman:
    return std::ceil(size1 / tile1) * std::ceil(steps / tileSteps);
  case EnergyCode::Jacobi1D:
    return mode == Mode::Corrected ? skewedTiles(run) : size1 * steps / volumeOfTile(run);
  default: { // (B.5)
    const double second = static_cast<double>(run.size2) + static_cast<double>(run.work.radius) * tileSteps;
    return steps * size1 * second / volumeOfTile(run);
  }
  }
}

Spendings spentByRun(const EnergyRun &run, double seconds, Mode mode) {
  if (!(seconds > 0 && std::isfinite(seconds)))
    throw Problem(fmt::format("a run of {} seconds", seconds), "give the time that the program takes");
  Spendings spent = spentByTile(run);
  const double tiles = tilesOf(run, mode);
  for (double &count : spent.values())
    count *= tiles;
  spent[Spent::Static] = seconds;
  const double points =
      static_cast<double>(run.size1) * static_cast<double>(run.size2) * static_cast<double>(run.steps);
  requireBound(tiles * volumeOfTile(run) >= points * (1 - 1e-9), [&] {
    return fmt::format("{} tiles of {} points do not compute {} points", tiles, volumeOfTile(run), points);
  });
  for (const double count : spent.values())
    requireBound(count >= 0 && std::isfinite(count), [&] { return fmt::format("{} are spent", count); });
  return spent;
}

} // namespace pbc::model
