// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/choice/spaces.h"
#include "compiler/poly/names.h"
#include <algorithm>
#include <fmt/format.h>

namespace pbc::choice {

namespace {

/// x0, x1, ...: the coordinates of a cell. User names are on the other side of a map or are parameters, and a
/// parameter called x0 would capture the coordinate, so a double underscore is added.
std::vector<std::string> cellNames(int rank) {
  std::vector<std::string> names;
  for (int d = 0; d < rank; ++d)
    names.push_back(fmt::format("x__{}", d));
  return names;
}

std::vector<std::string> mangled(const std::vector<std::string> &names) {
  std::vector<std::string> out;
  for (const auto &name : names)
    out.push_back(poly::mangle(name));
  return out;
}

} // namespace

Spaces::Spaces(const sema::Transform &t, const poly::Context &context) : transform_(t), context_(context) {
  parameters_ = t.sizeNames();
  for (const auto &tunable : t.tunables)
    if (tunable.isParameter())
      parameters_.push_back(poly::mangle(tunable.name));
  prefix_ = poly::parameterPrefix(parameters_);
}

isl::set Spaces::context() const {
  std::vector<std::string> conditions;
  for (const auto &m : transform_.matrices)
    for (const auto &e : m.extents)
      conditions.push_back(fmt::format("{} >= 0", e.isl));
  for (const auto &k : transform_.tunables)
    if (k.isParameter())
      conditions.push_back(fmt::format("{} <= {} <= {}", static_cast<long>(k.minimum), poly::mangle(k.name),
                                       static_cast<long>(k.maximum)));
  return context_.set(
      fmt::format("{}{{ : {} }}", prefix_, conditions.empty() ? "true" : poly::join(conditions, " and ")));
}

isl::set Spaces::sizesFrom(long least) const {
  std::vector<std::string> conditions;
  for (const auto &s : transform_.sizeNames())
    conditions.push_back(fmt::format("{} >= {}", s, least));
  for (const auto &m : transform_.matrices)
    for (const auto &e : m.extents)
      conditions.push_back(fmt::format("{} >= {}", e.isl, least));
  isl::set large = context_.set(
      fmt::format("{}{{ : {} }}", prefix_, conditions.empty() ? "true" : poly::join(conditions, " and ")));
  // A fixed extent, `Rgb[3, n]`, or a tunable with a small range is never that large; then only the sizes are
  // restricted.
  if (!large.intersect(context()).is_empty())
    return large.intersect(context());
  conditions.clear();
  for (const auto &s : transform_.sizeNames())
    conditions.push_back(fmt::format("{} >= {}", s, least));
  return context_
      .set(
          fmt::format("{}{{ : {} }}", prefix_, conditions.empty() ? "true" : poly::join(conditions, " and ")))
      .intersect(context());
}

isl::set Spaces::cells(int matrix) const { return cellsFrom(matrix, "0"); }

isl::set Spaces::declaredCells(int matrix) const {
  const auto &first = transform_.matrices[matrix].firstVersion;
  return cellsFrom(matrix, first ? first->isl : "0");
}

isl::set Spaces::cellsFrom(int matrix, const std::string &first) const {
  const auto &m = transform_.matrices[matrix];
  const auto names = cellNames(m.rank());
  std::vector<std::string> conditions;
  for (int d = 0; d < m.rank(); ++d)
    conditions.push_back(fmt::format("0 <= {} < {}", names[d], m.extents[d].isl));
  if (m.isVersioned)
    conditions.push_back(fmt::format("{} <= {}", first, names.back()));
  return context_.set(fmt::format("{}{{ {}[{}] : {} }}", prefix_, poly::mangle(m.name),
                                  poly::join(names, ", "),
                                  conditions.empty() ? "true" : poly::join(conditions, " and ")));
}

namespace {

/// The free variables that a rule uses for a cell's coordinates, if each coordinate is one of them.
std::vector<std::string> ownNames(const sema::Rule &r, const sema::Binding &b) {
  std::vector<std::string> names;
  for (const auto &coordinate : b.begin) {
    const auto &variables = r.freeVariables;
    const bool isNew = std::find(names.begin(), names.end(), coordinate.written) == names.end();
    if (isNew && std::find(variables.begin(), variables.end(), coordinate.written) != variables.end())
      names.push_back(coordinate.written);
  }
  return names.size() == b.begin.size() && b.isCell ? names : std::vector<std::string>();
}

} // namespace

poly::CellNames Spaces::names(int matrix) const {
  const auto &m = transform_.matrices[matrix];
  poly::CellNames out{m.name, {}, cells(matrix).intersect_params(context())};
  for (const auto &r : transform_.rules)
    for (const auto &b : r.outputs)
      if (b.matrix == matrix && out.dimensions.empty())
        out.dimensions = ownNames(r, b);
  if (!out.dimensions.empty())
    return out;
  for (const char *name : {"x", "y", "z", "t", "u", "v", "i", "j"})
    if (static_cast<int>(out.dimensions.size()) < m.rank() &&
        std::find(parameters_.begin(), parameters_.end(), name) == parameters_.end())
      out.dimensions.emplace_back(name);
  return out;
}

std::string Spaces::ruleTuple(const sema::Rule &r) const { return fmt::format("R{}", r.index); }

isl::set Spaces::pointsWhere(const sema::Rule &r, const std::string &condition) const {
  return context_.set(fmt::format("{}{{ {}[{}] : {} }}", prefix_, ruleTuple(r),
                                  poly::join(mangled(r.freeVariables), ", "),
                                  condition.empty() ? "true" : condition));
}

isl::set Spaces::points(const sema::Rule &r) const { return pointsWhere(r, ""); }

isl::set Spaces::inBounds(const sema::Rule &r, const sema::Binding &b) const {
  if (b.otherwise)
    return points(r);
  const auto &m = transform_.matrices[b.matrix];
  std::vector<std::string> conditions;
  for (int d = 0; d < m.rank(); ++d) {
    const std::string &begin = b.begin[d].isl, &end = b.end[d].isl, &extent = m.extents[d].isl;
    conditions.push_back(fmt::format("0 <= {} and {} <= {} and {} <= {}", begin, begin, end, end, extent));
  }
  return pointsWhere(r, poly::join(conditions, " and "));
}

isl::set Spaces::fits(const sema::Rule &r, const sema::Local &local) const {
  std::vector<std::string> conditions;
  for (const auto &e : local.extents)
    conditions.push_back(fmt::format("{} >= 0", e.isl));
  return pointsWhere(r, poly::join(conditions, " and "));
}

namespace {

std::string inIsl(const sema::Condition &c) {
  using Kind = sema::Condition::Kind;
  if (c.kind == Kind::Relation)
    return fmt::format("{} {} {}", c.left.isl, sema::symbol(c.op), c.right.isl);
  std::vector<std::string> parts;
  for (const auto &part : c.parts)
    parts.push_back(inIsl(part));
  return fmt::format("{}({})", c.kind == Kind::Not ? "not " : "",
                     poly::join(parts, c.kind == Kind::Any ? " or " : " and "));
}

} // namespace

isl::set Spaces::whereHolds(const sema::Rule &r) const {
  std::vector<std::string> conditions;
  for (const auto &c : r.where)
    conditions.push_back(inIsl(c));
  return pointsWhere(r, poly::join(conditions, " and "));
}

isl::map Spaces::access(const sema::Rule &r, const sema::Binding &b) const {
  const auto &m = transform_.matrices[b.matrix];
  const auto names = cellNames(m.rank());
  std::vector<std::string> conditions;
  for (int d = 0; d < m.rank(); ++d)
    conditions.push_back(fmt::format("{} <= {} < {}", b.begin[d].isl, names[d], b.end[d].isl));
  if (b.otherwise) // cells outside are not read
    for (int d = 0; d < m.rank(); ++d)
      conditions.push_back(fmt::format("0 <= {} < {}", names[d], m.extents[d].isl));
  return context_.map(fmt::format("{}{{ {}[{}] -> {}[{}] : {} }}", prefix_, ruleTuple(r),
                                  poly::join(mangled(r.freeVariables), ", "), poly::mangle(m.name),
                                  poly::join(names, ", "),
                                  conditions.empty() ? "true" : poly::join(conditions, " and ")));
}

} // namespace pbc::choice
