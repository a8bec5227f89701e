// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/component/component.h"
#include "compiler/kernel/transform/component/triangular.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/map.h>
#include <isl/set.h>

namespace pbc::kernel {
namespace {

/// A read of the matrix that may be outside of the band, as text; "" if there is none.
std::string readOutside(const Scheduled &kernel, int matrix, long below, long above) {
  const isl::set outside(kernel.context.ctx(),
                         fmt::format("{{ [c, r] : r - c > {} or c - r > {} }}", below, above));
  for (const Statement &s : kernel.statements)
    for (const Access &a : s.accesses) {
      if (a.buffer != matrix || a.isWrite)
        continue;
      const isl::map read = a.relation.intersect_domain(s.domain.intersect_params(kernel.context));
      const isl::set cells = isl::manage(isl_set_reset_tuple_id(read.range().release()));
      if (!cells.intersect(outside).is_empty())
        return s.name;
    }
  return "";
}

/// The loop along which the band moves, and how far its tiles may go so that at least half of the band is common to their rows.
Outcome tiled(const Scheduled &kernel, int matrix, long width) {
  const std::vector<LoopNode> loops = loopsOf(kernel.schedule.tree);
  for (auto inner = loops.rbegin(); inner != loops.rend(); ++inner) {
    const std::vector<int> below = statementsBelow(kernel, *inner);
    if (std::none_of(below.begin(), below.end(), [&](int s) {
          return usesBuffer(kernel.statements[static_cast<std::size_t>(s)], matrix);
        }))
      continue;
    for (const LoopNode &outer : around(*inner))
      if (boundsMove(kernel, *inner, outer))
        return tileInto(kernel, {outer.label}, {std::max(2L, (width + 1) / 2)}, {});
  }
  return {std::nullopt, ""};
}

Outcome applyBandBlocks(const Scheduled &kernel, const Arguments &arguments) {
  const std::string matrix = arguments.name("matrix");
  const int buffer = bufferIndex(kernel, matrix);
  const long below = *arguments.number("below"), above = *arguments.number("above");
  if (kernel.buffers[static_cast<std::size_t>(buffer)].rank != 2)
    return {std::nullopt, fmt::format("`{}` has no band: it is no matrix of two dimensions", matrix)};
  if (const std::string statement = readOutside(kernel, buffer, below, above); !statement.empty())
    return {std::nullopt,
            fmt::format("`{}` reads cells of `{}` outside of a band of {} below the diagonal and {} above it",
                        statement, matrix, below, above)};
  TriangleOutcome found = triangleOf(kernel, matrix);
  Scheduled made = kernel;
  if (!found.triangle) {
    Outcome tiles = tiled(kernel, buffer, below + above + 1);
    if (!tiles.kernel)
      return {std::nullopt, tiles.why.empty() ? found.why : tiles.why};
    made = std::move(*tiles.kernel);
    found = triangleOf(made, matrix);
    if (!found.triangle)
      return {std::nullopt, found.why};
  }
  return peeled(made, *found.triangle);
}

} // namespace

Transformation bandBlocksTransformation() {
  using Kind = Parameter::Kind;
  const auto diagonals = [](std::string_view name, std::string_view doc) {
    return Parameter{.name = name, .kind = Kind::Integer, .doc = doc, .least = 0, .most = 999999};
  };
  return {.name = "band_blocks",
          .doc = "makes full blocks of what tiles read of a band, apart from its edges",
          .parameters = {{.name = "matrix", .kind = Kind::Buffer, .doc = "the matrix"},
                         diagonals("below", "how many diagonals there are below the main one"),
                         diagonals("above", "how many there are above it")},
          .apply = applyBandBlocks};
}

} // namespace pbc::kernel
