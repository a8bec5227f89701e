// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/block_operands.h"
#include "compiler/kernel/along.h"
#include "compiler/loop/statement.h"
#include <algorithm>
#include <isl/map.h>

namespace pbc::loop {

using kernel::Buffer;

namespace {

Distance distance(const kernel::Kernel &kernel, const kernel::Access &a, int dimension) {
  Distance all;
  for (int c = 0; c < kernel.buffers[static_cast<std::size_t>(a.buffer)].rank; ++c)
    if (const long n = kernel::coefficient(a, c, dimension))
      all.parts.push_back({c, n});
  return all;
}

/// Where the cell of the next row is, if it lies side by side with that of this row: 1 or -1; else 0.
int down(const kernel::Kernel &kernel, const kernel::Access &a, const kernel::RegisterTile &tile) {
  const Distance rows = distance(kernel, a, tile.y);
  const bool isBeside = rows.parts.size() == 1 && rows.parts.front().dimension == 0 &&
                        std::abs(rows.parts.front().factor) == 1 &&
                        kernel.buffers[static_cast<std::size_t>(a.buffer)].element == tile.element;
  return isBeside ? static_cast<int>(tile.isBackward ? -rows.parts.front().factor : rows.parts.front().factor)
                  : 0;
}

/// Whether both read the same cells of an input in the steps of one loop.
bool readsSameCells(const kernel::Kernel &kernel, const Registers::Reader &one,
                    const Registers::Reader &other) {
  const kernel::Statement &first = kernel.statements[static_cast<std::size_t>(one.statement)],
                          &second = kernel.statements[static_cast<std::size_t>(other.statement)];
  const kernel::Access &a = first.accesses[static_cast<std::size_t>(one.access)],
                       &b = second.accesses[static_cast<std::size_t>(other.access)];
  if (a.buffer != b.buffer || first.dimensions != second.dimensions ||
      kernel.buffers[static_cast<std::size_t>(a.buffer)].role != Buffer::Role::Input)
    return false;
  const auto cells = [](const kernel::Access &of) {
    return isl::manage(isl_map_reset_tuple_id(of.relation.copy(), isl_dim_in));
  };
  return cells(a).is_equal(cells(b));
}

} // namespace

Registers registers(const kernel::Kernel &kernel, const kernel::RegisterTile &tile) {
  Registers all{.y = tile.y,
                .x = tile.x,
                .element = tile.element,
                .scalars = tile.scalars,
                .isDeep = tile.isDeep,
                .isUneven = tile.moves,
                .isBackward = tile.isBackward};
  if (tile.behind)
    all.behind = parametersOnly(*tile.behind, kernel.context);
  all.size = {tile.shape.rows, tile.shape.vectors, tile.shape.depth, tile.shape.columns};
  for (const kernel::RegisterTile::Panel &p : tile.panels) {
    const kernel::Statement &s = kernel.statements[static_cast<std::size_t>(p.statement)];
    const kernel::Access &a = s.accesses[static_cast<std::size_t>(p.access)];
    const bool isOutput = kernel.buffers[static_cast<std::size_t>(a.buffer)].role == Buffer::Role::Output;
    const auto same = std::find_if(all.strips.begin(), all.strips.end(), [&](const Registers::Strip &strip) {
      return readsSameCells(kernel, strip.readers.front(), {p.statement, p.access});
    });
    if (same != all.strips.end()) {
      same->readers.push_back({p.statement, p.access});
      continue;
    }
    Distance across = distance(kernel, a, p.alongX ? tile.x : tile.y);
    for (Distance::Part &part : across.parts)
      part.factor *= tile.isBackward && !p.alongX ? -1 : 1;
    all.strips.push_back({{{p.statement, p.access}},
                          p.alongX,
                          isOutput,
                          p.isKept,
                          p.alongX && kernel::along(kernel, a, tile.x) == kernel::Along::Strided,
                          std::move(across),
                          distance(kernel, a, s.freeCount)});
  }
  for (std::size_t s = 0; s < kernel.statements.size(); ++s)
    for (std::size_t k = 0; k < kernel.statements[s].accesses.size() && !isOfCopy(kernel.statements[s]); ++k)
      if (const kernel::Access &a = kernel.statements[s].accesses[k];
          kernel.buffers[static_cast<std::size_t>(a.buffer)].rank > 0 &&
          kernel::along(kernel, a, tile.x) == kernel::Along::Strided)
        all.apart.push_back(
            {static_cast<int>(s), static_cast<int>(k), distance(kernel, a, tile.x), down(kernel, a, tile)});
  all.resumes = tile.resumes;
  if (tile.joined) {
    all.joinedBegin = parametersOnly(tile.joined->begin, kernel.context);
    all.joinedEnd = parametersOnly(tile.joined->end, kernel.context);
  }
  return all;
}

} // namespace pbc::loop
