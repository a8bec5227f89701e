// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/ways_to_read.h"
#include "compiler/kernel/along.h"
#include "compiler/kernel/cell_box.h"
#include "compiler/kernel/footprint.h"
#include <algorithm>
#include <isl/aff.h>

namespace pbc::kernel {
namespace {

/// Whether two reads of one statement move alike in all of its dimensions.
bool haveSameSlopes(const Kernel &kernel, const ReadOfMatrix &one, const ReadOfMatrix &other) {
  if (one.place.first != other.place.first)
    return false;
  const Statement &s = kernel.statements[static_cast<std::size_t>(one.place.first)];
  const Access &a = s.accesses[one.place.second], &b = s.accesses[other.place.second];
  const int rank = kernel.buffers[static_cast<std::size_t>(a.buffer)].rank;
  for (int d = 0; d < static_cast<int>(s.dimensions.size()); ++d) {
    if (!along(kernel, a, d) || !along(kernel, b, d))
      return false;
    for (int c = 0; c < rank; ++c)
      if (coefficient(a, c, d) != coefficient(b, c, d))
        return false;
  }
  return true;
}

bool moveAlike(const ReadOfMatrix &one, const ReadOfMatrix &other, const isl::set &context) {
  if (one.cells.is_equal(other.cells))
    return true;
  const std::optional<CellBox> a = boxAround(one.cells, context), b = boxAround(other.cells, context);
  if (!a || !b)
    return false;
  for (std::size_t d = 0; d < a->first.size(); ++d)
    if (!constantOf(isl::manage(isl_pw_aff_sub(a->first[d].copy(), b->first[d].copy()))))
      return false;
  return true;
}

} // namespace

std::vector<std::vector<ReadOfMatrix>> waysToRead(const Kernel &kernel,
                                                  const std::vector<ReadOfMatrix> &all) {
  std::vector<std::vector<ReadOfMatrix>> ways;
  for (const ReadOfMatrix &read : all) {
    auto way = std::find_if(ways.begin(), ways.end(),
                            [&](const auto &w) { return haveSameSlopes(kernel, w.front(), read); });
    if (way == ways.end()) // boxes are found more slowly
      way = std::find_if(ways.begin(), ways.end(),
                         [&](const auto &w) { return moveAlike(w.front(), read, kernel.context); });
    if (way == ways.end())
      ways.push_back({read});
    else
      way->push_back(read);
  }
  return ways;
}

} // namespace pbc::kernel
