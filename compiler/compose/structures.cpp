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

std::string whyUnknown(const script::Condition &condition, const sema::Transform &t) {
  const std::string text = script::text(condition);
  if (condition.kind == script::Condition::Kind::Predicate)
    return fmt::format(
        "`{}` would have to be found out each time the program runs, which no program does yet", text);
  const auto at = std::find_if(t.matrices.begin(), t.matrices.end(),
                               [&](const sema::Matrix &m) { return m.name == condition.matrix; });
  // What a rule reads where nothing is stored is zero by the meaning of the structure, whatever the memory holds.
  const bool isZero = at != t.matrices.end() && at->structure && !at->structure->isMirrored &&
                      (at->structure->stored != Half::All || at->structure->band);
  return isZero ? ""
                : fmt::format("`{}` is not known: the structure of `{}` does not say so", text,
                              condition.matrix);
}

} // namespace pbc::compose
