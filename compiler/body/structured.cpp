// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/structured.h"
#include <fmt/format.h>

namespace pbc::body {

std::vector<StructureRegion> regionsOf(const sema::Structure &structure, const std::string &x,
                                       const std::string &y) {
  using Value = StructureRegion::Value;
  using Half = sema::Structure::Half;
  std::vector<StructureRegion> all;
  if (structure.isUnit)
    all.push_back({Value::One, fmt::format("({}) = ({})", x, y)});
  if (structure.band) {
    all.push_back({Value::Zero, fmt::format("({}) - ({}) > ({})", y, x, structure.band->first.isl)});
    all.push_back({Value::Zero, fmt::format("({}) - ({}) > ({})", x, y, structure.band->second.isl)});
  }
  if (structure.stored != Half::All)
    all.push_back({structure.isMirrored ? Value::Mirrored : Value::Zero,
                   fmt::format("({}) {} ({})", x, structure.stored == Half::Lower ? ">" : "<", y)});
  all.push_back({Value::Stored, ""});
  return all;
}

} // namespace pbc::body
