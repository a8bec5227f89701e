// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/tile.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/transform/open_loops.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/val.h>

namespace pbc::kernel {
namespace {

/// size * floor(place / size)
isl::union_pw_aff firstOfTile(const isl::union_pw_aff &place, long size) {
  const isl::val s(place.ctx(), size);
  isl_union_pw_aff *tile = isl_union_pw_aff_floor(isl_union_pw_aff_scale_down_val(place.copy(), s.copy()));
  return isl::manage(isl_union_pw_aff_scale_val(tile, s.copy()));
}

Outcome applyTile(const Scheduled &kernel, const Arguments &arguments) {
  const std::vector<std::string> names = arguments.names("loops");
  const std::vector<long> sizes = arguments.numbers("sizes");
  if (sizes.size() != names.size())
    return {std::nullopt,
            fmt::format(
                "its {} ({}) need{} {}, and {} {} given: a size is at least 1, or 0 where a loop is not cut",
                counted(names.size(), "loop"), quoted(names), names.size() == 1 ? "s" : "",
                counted(names.size(), "size"), sizes.size(), sizes.size() == 1 ? "is" : "are")};
  if (std::all_of(sizes.begin(), sizes.end(), [](long size) { return size == 0; }))
    return {std::nullopt,
            "all sizes are 0, which leaves the loops as they are: a size of at least 1 cuts one"};
  const Nest nest = nestOf(kernel, names);
  if (nest.loops.empty())
    return {std::nullopt, nest.why};
  for (const LoopNode &loop : nest.loops)
    if (loop.how)
      return {std::nullopt, alreadyRealised(loop)};
  if (!isPermutable(nest.loops.front().top, functionsOf(nest.loops), kernel.dependences))
    return {std::nullopt,
            "a dependence goes backwards in one of its loops, so that tiles would need each other"};
  std::vector<std::string> tiles, points;
  for (std::size_t k = 0; k < names.size(); ++k)
    if (sizes[k] > 0) {
      tiles.push_back(names[k] + "t");
      points.push_back(names[k]);
    }
  std::vector<std::string> byDefault = tiles;
  byDefault.insert(byDefault.end(), points.begin(), points.end());
  const NewLabels made = newLabels(kernel, arguments, byDefault, points);
  if (!made.why.empty())
    return {std::nullopt, made.why};
  std::vector<NewLoop> loops, inner;
  for (const LoopNode &loop : nest.loops)
    inner.push_back(asBefore(loop));
  std::size_t cut = 0;
  for (std::size_t k = 0; k < names.size(); ++k)
    if (sizes[k] > 0) {
      NewLoop &point = inner[nest.positions[k]];
      loops.push_back({made.labels[cut], firstOfTile(point.function, sizes[k])});
      point.label = made.labels[tiles.size() + cut++];
    }
  loops.insert(loops.end(), inner.begin(), inner.end());
  return withTree(kernel, replaceLoops(nest.loops, loops));
}

/// Squares, and strips that are long where cells are contiguous.
std::vector<std::vector<long>> sizesOf(std::size_t loops) {
  std::vector<std::vector<long>> all;
  for (const long size : {64L, 32L, 16L, 8L})
    all.emplace_back(loops, size);
  for (const long height : {32L, 8L})
    for (const long length : {512L, 128L}) {
      all.emplace_back(loops, height);
      all.back().back() = length;
    }
  if (loops > 2)
    for (const long height : {32L, 8L}) { // the outermost and the innermost loop are not cut
      all.emplace_back(loops, height);
      all.back().front() = all.back().back() = 0;
    }
  return all;
}

/// Tiles whose cells lie in half of the second cache come first, the larger ones before the smaller ones.
std::vector<script::Step> tilesWorthTrying(const Scheduled &kernel, const Machine &machine) {
  std::vector<script::Step> all;
  if (kernel.schedule.taskOrder == TaskOrder::Wavefront)
    return all; // its tasks are tiles
  const long room = machine.secondCache / 2 / std::max(bytesOfPoint(kernel), 1L);
  for (const OpenNest &nest : openNests(kernel)) {
    if (nest.loops.size() < 2 || nest.isInTiles)
      continue;
    const auto cells = [&](const std::vector<long> &sizes) {
      long product = 1;
      for (const long size : sizes)
        product *= std::max(size, 1L);
      return product;
    };
    std::vector<std::vector<long>> sizes = sizesOf(nest.loops.size());
    std::stable_sort(sizes.begin(), sizes.end(), [&](const auto &a, const auto &b) {
      const bool fitsA = cells(a) <= room, fitsB = cells(b) <= room;
      return fitsA != fitsB ? fitsA : fitsA ? cells(a) > cells(b) : cells(a) < cells(b);
    });
    for (const std::vector<long> &one : sizes)
      all.push_back(script::step("tile", labelsOf(nest.loops), one));
  }
  return all;
}

} // namespace

Transformation tileTransformation() {
  using Kind = Parameter::Kind;
  return {.name = "tile",
          .doc = "cuts loops that lie directly in each other into tiles",
          .parameters = {{.name = "loops", .kind = Kind::Loops, .doc = "the loops"},
                         {.name = "sizes",
                          .kind = Kind::Integers,
                          .doc = "a size for each loop; 0: this loop is not cut",
                          .least = 0,
                          .most = 999999999}},
          .apply = applyTile,
          .stage = Stage::Cuts,
          .alternatives = tilesWorthTrying};
}

} // namespace pbc::kernel
