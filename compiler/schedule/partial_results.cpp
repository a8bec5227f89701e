// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/schedule/partial_results.h"
#include "compiler/choice/spaces.h"
#include "compiler/schedule/versions.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/map.h>
#include <isl/set.h>

namespace pbc::schedule {
namespace {

using sema::Binding;

bool isSame(const sema::Affine &a, const sema::Affine &b) { return a.isl == b.isl; }

/// The only dimension in which the two cells differ; nothing if there are several, or none.
std::optional<std::size_t> onlyDifference(const Binding &a, const Binding &b) {
  std::optional<std::size_t> found;
  for (std::size_t d = 0; d < a.begin.size(); ++d) {
    if (isSame(a.begin[d], b.begin[d]))
      continue;
    if (found)
      return std::nullopt;
    found = d;
  }
  return found;
}

/// The dimension of a temporary along which every rule that computes its cells from others of its cells goes; nothing if there is none, or bodies
/// that are not understood might ask where a cell lies.
std::optional<std::size_t> dimensionOfResults(const sema::Transform &t, const std::vector<body::Facts> &facts,
                                              int matrix) {
  const sema::Matrix &m = t.matrices[static_cast<std::size_t>(matrix)];
  if (m.role != sema::Role::Through || m.isVersioned || m.structure || m.rank() < 2)
    return std::nullopt;
  std::optional<std::size_t> found;
  for (const sema::Rule &r : t.rules) {
    const auto isOfMatrix = [&](const Binding &b) { return b.matrix == matrix; };
    if (std::none_of(r.inputs.begin(), r.inputs.end(), isOfMatrix) &&
        std::none_of(r.outputs.begin(), r.outputs.end(), isOfMatrix))
      continue;
    if (!facts[static_cast<std::size_t>(r.index)].liftable || r.library)
      return std::nullopt;
    for (const Binding &in : r.inputs) {
      if (isOfMatrix(in) && !in.isCell)
        return std::nullopt;
      for (const Binding &out : r.outputs) {
        if (!isOfMatrix(out))
          continue;
        if (!out.isCell)
          return std::nullopt;
        if (!isOfMatrix(in))
          continue;
        const auto along = onlyDifference(in, out);
        if (!along || (found && *found != *along))
          return std::nullopt;
        found = along;
      }
    }
  }
  return found;
}

/// Which dimension becomes the versions. Backwards, the first version is the last cell along it.
struct Direction {
  std::size_t dimension = 0;
  bool isBackward = false;
};

/// { B[x0, x1, x2] -> B[x0, x2, x1] } for the dimension 1; backwards, for an extent of n, { ... -> B[x0, x2, n - 1 - x1] }.
isl::map toLast(const isl::set &cells, const Direction &direction, const std::string &parameters,
                const std::string &extent) {
  std::string from, to;
  for (std::size_t d = 0; d < static_cast<std::size_t>(isl_set_dim(cells.get(), isl_dim_set)); ++d) {
    from += fmt::format("{}x{}", d ? ", " : "", d);
    if (d != direction.dimension)
      to += fmt::format("x{}, ", d);
  }
  to += direction.isBackward ? fmt::format("({}) - 1 - x{}", extent, direction.dimension)
                             : fmt::format("x{}", direction.dimension);
  const std::string text = fmt::format("{}{{ [{}] -> [{}] }}", parameters, from, to);
  isl_map *map = isl_map_read_from_str(isl_set_get_ctx(cells.get()), text.c_str());
  map = isl_map_set_tuple_id(map, isl_dim_in, isl_set_get_tuple_id(cells.get()));
  return isl::manage(isl_map_set_tuple_id(map, isl_dim_out, isl_set_get_tuple_id(cells.get())));
}

/// extent - less - value
sema::Affine fromTheEnd(const sema::Affine &extent, int less, const sema::Affine &value) {
  sema::Affine all = value;
  all.isl = fmt::format("(({}) - {} - ({}))", extent.isl, less, value.isl);
  all.cxx = fmt::format("(({}) - {} - ({}))", extent.cxx, less, value.cxx);
  all.names.insert(all.names.end(), extent.names.begin(), extent.names.end());
  return all;
}

template <class T>
void moveToLast(std::vector<T> &values, std::size_t dimension) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(dimension);
  std::rotate(at, at + 1, values.end());
}

/// A transform with what is known of it.
struct Candidate {
  sema::Transform transform;
  choice::Choices choices;
  TransformPlans plans;

  Candidate(const sema::Transform &t, const choice::Choices &c, const TransformPlans &p)
      : transform(t), choices(c), plans(p) {}

  /// The slots of each matrix; nothing for those that have no versions, or all of them.
  std::vector<std::optional<long>> slots() const {
    const std::vector<PlanOrder> orders(plans.plans.begin(), plans.plans.end());
    std::vector<std::optional<long>> all;
    for (int m = 0; m < static_cast<int>(transform.matrices.size()); ++m)
      all.push_back(mayHaveSlots(transform, m, choices.grid)
                        ? fewestSlots(transform, m, choices.grid, orders).slots
                        : std::nullopt);
    return all;
  }

  void makeVersions(int matrix, const Direction &direction, const poly::Context &context) {
    sema::Matrix &m = transform.matrices[static_cast<std::size_t>(matrix)];
    m.isVersioned = true;
    const std::size_t dimension = direction.dimension;
    const sema::Affine extent = m.extents[dimension];
    moveToLast(m.extents, dimension);
    for (sema::Rule &r : transform.rules)
      for (auto *list : {&r.outputs, &r.inputs})
        for (Binding &b : *list)
          if (b.matrix == matrix) {
            moveToLast(b.begin, dimension);
            moveToLast(b.end, dimension);
            if (direction.isBackward) {
              b.end.back() = fromTheEnd(extent, 0, b.begin.back()); // of a cell
              b.begin.back() = fromTheEnd(extent, 1, b.begin.back());
            }
          }
    const choice::Spaces spaces(transform, context);
    const isl::map moved = toLast(spaces.cells(matrix), direction, spaces.prefix(), extent.isl);
    choice::Grid &grid = choices.grid;
    for (choice::Application &a : grid.applications) {
      const sema::Rule &r = transform.rules[static_cast<std::size_t>(a.rule)];
      for (std::size_t k = 0; k < r.outputs.size(); ++k)
        if (r.outputs[k].matrix == matrix)
          a.writes[k] = a.writes[k].apply_range(moved);
      for (std::size_t k = 0; k < r.inputs.size(); ++k)
        if (r.inputs[k].matrix == matrix)
          a.reads[k] = a.reads[k].apply_range(moved);
    }
    for (choice::Piece &piece : grid.pieces)
      if (piece.matrix == matrix)
        piece.cells = piece.cells.apply(moved);
    grid.names[static_cast<std::size_t>(matrix)] = spaces.names(matrix);
    for (choice::Alternative &alternative : choices.alternatives)
      for (choice::Use &use : alternative.uses)
        moveOverwritten(use.overwritten, use.rule, matrix, moved);
    for (Plan &plan : plans.plans)
      for (Step &step : plan.steps)
        for (RuleUse &use : step.uses)
          moveOverwritten(use.overwritten, use.rule, matrix, moved);
  }

private:
  void moveOverwritten(std::vector<isl::map> &overwritten, int rule, int matrix,
                       const isl::map &moved) const {
    const sema::Rule &r = transform.rules[static_cast<std::size_t>(rule)];
    for (std::size_t k = 0; k < overwritten.size(); ++k)
      if (r.outputs[k].matrix == matrix)
        overwritten[k] = overwritten[k].apply_range(moved);
  }
};

bool hasMoreSlots(const std::vector<std::optional<long>> &now,
                  const std::vector<std::optional<long>> &before) {
  for (std::size_t m = 0; m < now.size(); ++m)
    if (before[m] && (!now[m] || *now[m] > *before[m]))
      return true;
  return false;
}

} // namespace

void makePartialResultsVersions(sema::Module &module, const std::vector<std::vector<body::Facts>> &facts,
                                std::vector<choice::Choices> &choices, std::vector<TransformPlans> &plans,
                                const poly::Context &context) {
  for (sema::Transform &t : module.transforms) {
    const auto at = static_cast<std::size_t>(t.index);
    bool isChanged = false;
    for (int m = 0; m < static_cast<int>(t.matrices.size()) && t.schedules.empty(); ++m) {
      const auto dimension = dimensionOfResults(t, facts[at], m);
      if (!dimension)
        continue;
      for (const bool isBackward : {false, true}) {
        Candidate candidate(t, choices[at], plans[at]);
        candidate.makeVersions(m, {*dimension, isBackward}, context);
        if (candidate.slots()[static_cast<std::size_t>(m)] != 1)
          continue;
        t = std::move(candidate.transform);
        choices[at] = std::move(candidate.choices);
        plans[at] = std::move(candidate.plans);
        isChanged = true;
        break;
      }
    }
    if (!isChanged)
      continue;
    // What the rules write is another cell now only where the other dimensions change, which may make another order better.
    Candidate again(t, choices[at], plans[at]);
    const auto before = again.slots();
    again.plans = plan(again.transform, facts[at], again.choices);
    if (again.choices.alternatives.size() != choices[at].alternatives.size() ||
        hasMoreSlots(again.slots(), before))
      continue;
    choices[at] = std::move(again.choices);
    plans[at] = std::move(again.plans);
  }
}

} // namespace pbc::schedule
