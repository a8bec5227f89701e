// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/time/wavefront.h"

#include "compiler/model/time/whole.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>

namespace pbc::model {
namespace {

constexpr long kMostWavefronts = 10'000'000; // along one side

void checkSide(const char *what, long value) {
  if (value < 1 || value > 1'000'000'000)
    throw Problem(fmt::format("{} must be from 1 to 1000000000, not {}", what, value));
}

void checkWavefronts(long count) {
  if (count > kMostWavefronts)
    throw Problem(
        fmt::format("{} wavefronts are too many to count one by one, at most {}", count, kMostWavefronts),
        "make the tiles larger");
}

/// 32, 64, 96, 128, 192, 256, 384, ...: the first one that covers `extent` is the last.
std::vector<long> sides(long extent) {
  std::vector<long> out = {32};
  for (long power = 64; out.back() < extent; power *= 2) {
    out.push_back(power);
    if (power < extent)
      out.push_back(power + power / 2);
  }
  return out;
}

} // namespace

std::vector<long> tableWavefronts(long rows, long columns) {
  checkSide("the number of rows of tiles", rows);
  checkSide("the number of columns of tiles", columns);
  checkWavefronts(rows + columns - 1);
  std::vector<long> widths;
  for (long i = 1; i < rows + columns; ++i)
    widths.push_back(std::min({i, rows, columns, rows + columns - i}));
  return widths;
}

std::vector<long> skewedWavefronts(long extent, long steps, long width, long height) {
  checkSide("the extent", extent);
  checkSide("the number of steps", steps);
  checkSide("the width of a tile", width);
  checkSide("the height of a tile", height);
  const long rows = roundedUp(steps, height);
  const long count = (steps - 1 + extent - 1) / width + rows;
  checkWavefronts(count);
  // A row of tiles has columns `first` to `last`, each in the wavefront column + row: marks the beginning and
  // the end, and sums up.
  std::vector<long> change(static_cast<std::size_t>(count) + 1, 0);
  for (long row = 0; row < rows; ++row) {
    const long begin = row * height, last = std::min(steps, begin + height) - 1;
    ++change[static_cast<std::size_t>(begin / width + row)];
    --change[static_cast<std::size_t>((last + extent - 1) / width + row + 1)];
  }
  std::vector<long> widths;
  long now = 0;
  for (long i = 0; i < count; ++i)
    if ((now += change[static_cast<std::size_t>(i)]) > 0)
      widths.push_back(now);
  return widths;
}

double wavefrontTime(const StencilMachine &m, const std::vector<long> &widths, long resident, double group) {
  double total = 0;
  for (const long width : widths)
    total += static_cast<double>(roundedUp(roundedUp(width, resident), m.units)) * group + m.launch;
  return total;
}

ResidentChoice bestResident(const StencilMachine &m, const std::vector<long> &widths, long least, long most,
                            double transfer, double compute) {
  std::map<long, long> occurs; // of each width: there are few widths, but many wavefronts
  for (const long width : widths)
    ++occurs[width];
  ResidentChoice best;
  best.total = std::numeric_limits<double>::infinity();
  for (long k = least; k <= most; ++k) {
    const double group = groupTime(1, k, 1, transfer, compute, false);
    double total = static_cast<double>(widths.size()) * m.launch;
    for (const auto &[width, times] : occurs)
      total += static_cast<double>(times * roundedUp(roundedUp(width, k), m.units)) * group;
    if (total < best.total)
      best = {k, group, total};
  }
  return best;
}

double subtiledCompute(const StencilMachine &m, const SubtiledTile &tile, double iteration) {
  const long columns = roundedUp(tile.width, tile.subWidth), rows = roundedUp(tile.height, tile.subHeight);
  long turns = 0;
  for (long d = 1; d < columns + rows; ++d)
    turns += roundedUp(std::min({d, columns, rows, columns + rows - d}), m.lanes);
  return static_cast<double>(turns) * static_cast<double>(tile.subWidth * tile.subHeight) * iteration +
         static_cast<double>(columns + rows - 1) * m.barrier;
}

TableTime tableTime(const StencilMachine &m, long rows, long columns, const SubtiledTile &tile,
                    double iteration, long resident, Mode mode) {
  checkSide("S1", rows);
  checkSide("S2", columns);
  for (const auto &[what, value] :
       {std::pair("tS", tile.width), {"tT", tile.height}, {"sS", tile.subWidth}, {"sT", tile.subHeight}})
    if (value < 1 || value > 1 << 20)
      throw Problem(fmt::format("{} must be from 1 to {}, not {}", what, 1 << 20, value));
  if (tile.subWidth > tile.width || tile.subHeight > tile.height)
    throw Problem(fmt::format("a subtile of {} x {} does not fit in a tile of {} x {}", tile.subWidth,
                              tile.subHeight, tile.width, tile.height));
  if (!(iteration > 0))
    throw Problem(fmt::format("the time of an iteration must be positive, not {} s", iteration));
  TableTime t;
  // The lower and the right border of every column and row of subtiles.
  t.tileWords = 2 * (tile.width + tile.height);
  const long most = t.tileWords > m.blockWords ? 0 : std::min(m.blocksPerUnit, m.unitWords / t.tileWords);
  if (most == 0)
    throw Problem(fmt::format("a tile of {} x {} needs {} words of fast memory; on {} a block may have {}",
                              tile.width, tile.height, t.tileWords, m.name, m.blockWords),
                  "make the tile smaller");
  if (resident < 0 || resident > most)
    throw Problem(fmt::format("k must be from 1 to {}, not {}", most, resident));
  t.widths = tableWavefronts(roundedUp(rows, tile.width), roundedUp(columns, tile.height));
  const long widest = *std::ranges::max_element(t.widths);
  if (mode == Mode::Printed)
    std::ranges::fill(t.widths, widest);
  t.movedWords =
      4.25 * static_cast<double>(tile.width + tile.height); // 2.3: scores of both sides, and letters
  const long streams = mode == Mode::Printed ? 1 : std::min(m.units, widest);
  t.transfer = t.movedWords * m.secondsPerWord * static_cast<double>(streams) + 2 * m.barrier;
  t.compute = subtiledCompute(m, tile, iteration);
  const ResidentChoice best = bestResident(m, t.widths, resident == 0 ? 1 : resident,
                                           resident == 0 ? most : resident, t.transfer, t.compute);
  t.resident = best.resident;
  t.group = best.group;
  t.total = best.total;
  t.ideal = static_cast<double>(rows) * static_cast<double>(columns) * iteration /
            static_cast<double>(m.units * m.lanes);
  return t;
}

void forEachRectangle(const StencilMachine &m, long extent, long steps, long factor,
                      const std::function<void(const SubtiledTile &)> &take) {
  constexpr long kManyWavefronts = 100'000;
  for (const long height : sides(steps))
    for (const long width : sides(extent)) {
      if (2 * (width + factor * height) > m.blockWords || extent / width + steps / height > kManyWavefronts)
        continue;
      for (long sub = 1; sub <= 16; sub *= 2)
        take({width, height, sub, sub});
    }
}

} // namespace pbc::model
