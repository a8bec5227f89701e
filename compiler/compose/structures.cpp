// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/compose/structures.h"
#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace pbc::compose {
namespace {

using Half = sema::Structure::Half;

struct Row {
  bool (*has)(const sema::Structure &);
  const char *adaptor;
};

constexpr Row kRows[] = {
#define STRUCTURE(kind, has, adaptor) {[](const sema::Structure &s) { return has; }, adaptor},
#include "compiler/compose/structures.inc"
#undef STRUCTURE
};

} // namespace

std::vector<script::Adaptation> adaptationsOf(const sema::Transform &t, const kernel::Kernel &kernel) {
  std::vector<script::Adaptation> all;
  for (std::size_t m = 0; m < t.matrices.size(); ++m) {
    const std::optional<sema::Structure> &structure = t.matrices[m].structure;
    const auto buffer =
        std::find_if(kernel.buffers.begin(), kernel.buffers.end(),
                     [&](const kernel::Buffer &b) { return b.matrix == static_cast<int>(m); });
    if (!structure || buffer == kernel.buffers.end())
      continue;
    for (const Row &row : kRows)
      if (row.has(*structure))
        all.push_back({row.adaptor, {script::name(buffer->name)}, structure->span});
  }
  return all;
}

Decision decided(const script::Condition &condition, const sema::Transform &t) {
  using Kind = Decision::Kind;
  if (condition.kind == script::Condition::Kind::Predicate)
    return {Kind::IsChecked};
  const auto at = std::find_if(t.matrices.begin(), t.matrices.end(),
                               [&](const sema::Matrix &m) { return m.name == condition.matrix; });
  if (at == t.matrices.end() || !at->structure ||
      (at->structure->stored == Half::All && !at->structure->band))
    return {Kind::Fails, fmt::format("`{}` says nothing: the structure of `{}` leaves no cells out",
                                     script::claim(condition), condition.matrix)};
  // What a rule reads where nothing is stored is zero by the meaning of the structure, whatever the memory holds; of a symmetric
  // matrix it is the other half.
  return {at->structure->isMirrored ? Kind::IsChecked : Kind::Holds};
}

} // namespace pbc::compose
