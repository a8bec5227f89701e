// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/schedule/versions.h"
#include "compiler/schedule/in_order.h"
#include "compiler/schedule/through_time.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/constraint.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_map.h>

namespace pbc::schedule {

namespace {

/// If dependences reach further back, folding does not pay.
constexpr long kMostSlots = 8;
/// Versions that share a slot when there are so many share it with any smaller number, too: what keeps them apart here always does.
constexpr long kMultipleOfAllCounts = 840;
/// Most matrices that can be folded have no more slots.
constexpr long kCommonSlots = 2;

/// Whether each point accesses one version: { point -> cell } has one last coordinate for each point.
bool isOneVersion(const sema::Binding &b, const sema::Matrix &m, const isl::map &cells) {
  const int last = m.rank() - 1;
  if (b.isCell || std::find(b.viewDims.begin(), b.viewDims.end(), last) == b.viewDims.end())
    return true;
  isl_map *version = isl_map_project_out(cells.copy(), isl_dim_out, 0, static_cast<unsigned>(last));
  const bool isOne = isl_map_is_single_valued(version) == isl_bool_true;
  isl_map_free(version);
  return isOne;
}

/// { cell -> later version of the same cell in the same slot }
isl::map sharingSlot(const isl::set &cells, long slots) {
  isl_space *space = isl_space_map_from_set(isl_set_get_space(cells.get()));
  const int rank = static_cast<int>(isl_set_dim(cells.get(), isl_dim_set));
  isl_map *shared = isl_map_universe(isl_space_copy(space));
  for (int d = 0; d + 1 < rank; ++d)
    shared = isl_map_equate(shared, isl_dim_in, d, isl_dim_out, d);
  // v' = v + slots * q, q >= 1
  isl_constraint *step = isl_constraint_alloc_equality(
      isl_local_space_from_space(isl_space_add_dims(isl_space_copy(space), isl_dim_out, 1)));
  step = isl_constraint_set_coefficient_si(step, isl_dim_in, rank - 1, 1);
  step = isl_constraint_set_coefficient_si(step, isl_dim_out, rank - 1, -1);
  step = isl_constraint_set_coefficient_si(step, isl_dim_out, rank, static_cast<int>(slots));
  isl_map *steps = isl_map_universe(isl_space_add_dims(space, isl_dim_out, 1));
  steps = isl_map_add_constraint(steps, step);
  steps = isl_map_lower_bound_si(steps, isl_dim_out, static_cast<unsigned>(rank), 1);
  steps = isl_map_project_out(steps, isl_dim_out, static_cast<unsigned>(rank), 1);
  steps = isl_map_set_tuple_id(steps, isl_dim_out, isl_set_get_tuple_id(cells.get()));
  return isl::manage(isl_map_intersect(shared, steps));
}

/// { cell -> the same cell in any version }
isl::map ofAnyVersion(const isl::set &cells) {
  isl_space *space = isl_space_map_from_set(isl_set_get_space(cells.get()));
  const int rank = static_cast<int>(isl_set_dim(cells.get(), isl_dim_set));
  isl_map *same = isl_map_universe(space);
  for (int d = 0; d + 1 < rank; ++d)
    same = isl_map_equate(same, isl_dim_in, d, isl_dim_out, d);
  return isl::manage(same);
}

/// Two accesses that keep versions from sharing a slot: the second one would overwrite too early what the first one needs.
struct Conflict {
  enum class Kind {
    NothingSaved, // every version has a slot of its own
    OtherPoints,  // points of one step replace, in place, what other points of the step read
    OtherStep,    // no step waits for the other one
    SpawnedPoints,
    Order
  };
  Kind kind;
  int first = 0, second = 0; // rules
};

/// "with one slot, `b` would overwrite what `a` still reads"
std::string words(const Conflict &c, long slots, const sema::Transform &t) {
  const std::string &first = t.rules[c.first].label, &second = t.rules[c.second].label;
  const std::string with = slots == 1 ? "in one slot" : fmt::format("in {} slots", slots);
  switch (c.kind) {
  case Conflict::Kind::NothingSaved:
    return "";
  case Conflict::Kind::OtherPoints:
    return fmt::format("{}, `{}` would overwrite cells that `{}` reads at other points of its step, "
                       "which tiles through time do not allow",
                       with, second, first);
  case Conflict::Kind::OtherStep:
    return fmt::format("{}, `{}` would overwrite cells before another step, with `{}`, is done with them",
                       with, second, first);
  case Conflict::Kind::SpawnedPoints:
    return fmt::format("the points of `{}` call transforms and run at the same time", second);
  case Conflict::Kind::Order:
    return fmt::format("{}, `{}` would overwrite cells before `{}` is done with them", with, second, first);
  }
  return "";
}

/// The plan's uses that access one matrix.
class Touching {
public:
  Touching(const sema::Transform &t, int matrix, const choice::Grid &grid, const PlanOrder &order)
      : t_(t), grid_(grid), order_(order) {
    const Plan &plan = order.plan();
    for (std::size_t s = 0; s < plan.steps.size(); ++s)
      for (const auto &use : plan.steps[s].uses) {
        const auto &r = t.rules[use.rule];
        const auto &application = grid.applications[use.rule];
        std::optional<isl::map> own; // the cells that a point writes
        for (std::size_t o = 0; o < r.outputs.size(); ++o)
          if (r.outputs[o].matrix == matrix) {
            const isl::map cells = application.writes[o].intersect_domain(use.domain);
            writes_.push_back({s, use.rule, -1, r.returnStyle, cells, std::nullopt});
            own = own ? own->unite(cells) : cells;
          }
        for (std::size_t i = 0; i < r.inputs.size(); ++i)
          if (r.inputs[i].matrix == matrix) {
            const isl::map cells = application.reads[i].intersect_domain(use.domain);
            reads_.push_back({s, use.rule, static_cast<int>(i), r.returnStyle, cells,
                              own ? cells.subtract(own->apply_range(ofAnyVersion(cells.range()))) : cells});
          }
      }
  }

  /// What keeps the versions from lying in so many slots; nothing if they may.
  std::optional<Conflict> conflictIn(long slots) const {
    if (writes_.empty())
      return Conflict{Conflict::Kind::NothingSaved};
    const isl::set cells = written();
    const isl::map later = sharingSlot(cells, slots);
    if (cells.apply(later).intersect(cells).is_empty())
      return Conflict{Conflict::Kind::NothingSaved};
    // A cell that a read needs must be overwritten only afterwards, and a write must overwrite only older
    // versions.
    for (const auto &w : writes_)
      for (const auto *earlier : {&reads_, &writes_})
        for (const auto &one : *earlier)
          if (const auto kind = conflict(one, w, later, slots == 1))
            return Conflict{*kind, one.rule, w.rule};
    return std::nullopt;
  }

  /// Adds what readingsInTheWay() asks for; false if something else is in the way, too.
  bool addReadingsInTheWay(std::set<Reading> &all) const {
    if (writes_.empty())
      return false;
    const isl::map later = sharingSlot(written(), 1);
    for (const auto &w : writes_) {
      for (const auto &one : writes_)
        if (conflict(one, w, later, true))
          return false;
      for (const auto &one : reads_)
        if (const auto kind = conflict(one, w, later, true)) {
          if (*kind != Conflict::Kind::Order)
            return false;
          all.insert({one.rule, one.input});
        }
    }
    return true;
  }

private:
  isl::set written() const {
    isl::set cells = writes_.front().cells.range();
    for (const auto &w : writes_)
      cells = cells.unite(w.cells.range());
    return cells;
  }

  struct Access {
    std::size_t step;
    int rule;
    int input;                         // of the rule; -1 for a write
    bool returnsValue;                 // a point has read everything when it writes
    isl::map cells;                    // { point -> cell }
    std::optional<isl::map> elsewhere; // of a read: those of which the point writes no version
  };

  static isl::map pairsOf(const isl::map &first, const isl::map &second, const isl::map &shared) {
    return first.apply_range(shared).apply_range(second.reverse());
  }

  /// Nothing if every point of `first` runs before all points of `second` whose cell shares the slot. `inPlace`: a point may write
  /// what it has read itself; no other point of its step may read that if the step's points may be tiled in time, which they could
  /// no more if they had to wait for each other.
  std::optional<Conflict::Kind> conflict(const Access &first, const Access &second, const isl::map &shared,
                                         bool inPlace) const {
    if (inPlace && first.step == second.step && first.elsewhere &&
        !pairsOf(*first.elsewhere, second.cells, shared).is_empty() &&
        order_.mayGoThroughTime(t_, grid_, first.step))
      return Conflict::Kind::OtherPoints;
    isl::map pairs = pairsOf(first.cells, second.cells, shared);
    if (first.rule == second.rule && first.returnsValue)
      pairs = pairs.subtract(isl::manage(isl_map_identity(isl_map_get_space(pairs.get()))));
    if (pairs.is_empty())
      return std::nullopt;
    if (first.step != second.step)
      return order_.isBefore(first.step, second.step) ? std::nullopt
                                                      : std::optional(Conflict::Kind::OtherStep);
    const Step &step = order_.plan().steps[first.step];
    if (step.callsTransforms && step.dependences.is_empty())
      return Conflict::Kind::SpawnedPoints;
    if (allEndLater(isl::union_map(pairs),
                    inPlace ? order_.certainPlaces(first.step) : order_.places(first.step)))
      return std::nullopt;
    return Conflict::Kind::Order;
  }

  const sema::Transform &t_;
  const choice::Grid &grid_;
  const PlanOrder &order_;
  std::vector<Access> writes_, reads_;
};

void fold(sema::Transform &t, int matrix, long slots) {
  auto &m = t.matrices[matrix];
  m.isVersioned = true;
  const std::size_t last = m.extents.size() - 1;
  const auto number = std::to_string(slots);
  m.extents[last] = {number, number, number, m.extents[last].span};
  for (auto &r : t.rules)
    for (auto *list : {&r.outputs, &r.inputs})
      for (auto &b : *list)
        if (b.matrix == matrix) {
          auto &version = b.begin[last];
          if (slots == 1) {
            version = {"0", "0", version.written, version.span};
            b.end[last] = {"1", "1", version.written, version.span};
            continue;
          }
          version = {fmt::format("(({}) mod {})", version.isl, slots),
                     fmt::format("(({}) % {})", version.cxx, slots), version.written, version.span};
          b.end[last] = {fmt::format("({} + 1)", version.isl), fmt::format("({} + 1)", version.cxx),
                         version.written, version.span};
        }
}

} // namespace

bool mayHaveSlots(const sema::Transform &t, int matrix, const choice::Grid &grid) {
  const auto &m = t.matrices[matrix];
  if (m.role != sema::Role::Through || !(m.isVersioned || isLikeVersioned(m)))
    return false;
  for (const auto &r : t.rules) {
    const auto &application = grid.applications[r.index];
    for (std::size_t o = 0; o < r.outputs.size(); ++o)
      if (r.outputs[o].matrix == matrix && !isOneVersion(r.outputs[o], m, application.writes[o]))
        return false;
    for (std::size_t i = 0; i < r.inputs.size(); ++i)
      if (r.inputs[i].matrix == matrix && !isOneVersion(r.inputs[i], m, application.reads[i]))
        return false;
  }
  return true;
}

PlanOrder::PlanOrder(const Plan &plan) : plan_(&plan) {
  for (const Step &step : plan.steps) {
    std::set<int> before(step.after.begin(), step.after.end());
    for (const int b : step.after)
      before.insert(before_[static_cast<std::size_t>(b)].begin(), before_[static_cast<std::size_t>(b)].end());
    before_.push_back(std::move(before));
  }
  places_.resize(plan.steps.size());
  certainPlaces_.resize(plan.steps.size());
  throughTime_.resize(plan.steps.size());
}

const isl::union_map &PlanOrder::places(std::size_t step) const {
  if (!places_[step])
    places_[step] = isl::manage(isl_schedule_get_map(plan_->steps[step].order.get()));
  return *places_[step];
}

const isl::union_map &PlanOrder::certainPlaces(std::size_t step) const {
  if (!certainPlaces_[step])
    certainPlaces_[step] = placesInOrder(plan_->steps[step].order);
  return *certainPlaces_[step];
}

bool PlanOrder::mayGoThroughTime(const sema::Transform &t, const choice::Grid &grid, std::size_t step) const {
  if (!throughTime_[step])
    throughTime_[step] = schedule::mayGoThroughTime(t, grid, plan_->steps[step]);
  return *throughTime_[step];
}

Storage fewestSlots(const sema::Transform &t, int matrix, const choice::Grid &grid,
                    const std::vector<PlanOrder> &plans) {
  std::vector<Touching> touching;
  for (const PlanOrder &p : plans)
    touching.emplace_back(t, matrix, grid, p);
  const auto conflictIn = [&](long slots) {
    std::optional<Conflict> conflict;
    for (const Touching &at : touching)
      if (!conflict)
        conflict = at.conflictIn(slots);
    return conflict;
  };
  Storage found;
  for (long slots = 1; slots <= kMostSlots; ++slots) {
    if (slots == kCommonSlots + 1)
      if (const auto always = conflictIn(kMultipleOfAllCounts);
          always && always->kind != Conflict::Kind::NothingSaved) {
        found.whyNotFewer = words(*always, kMostSlots, t);
        return found;
      }
    const auto conflict = conflictIn(slots);
    if (!conflict) {
      found.slots = slots;
      return found;
    }
    if (conflict->kind != Conflict::Kind::NothingSaved)
      found.whyNotFewer = words(*conflict, slots, t);
  }
  return found;
}

std::optional<std::set<Reading>> readingsInTheWay(const sema::Transform &t, int matrix,
                                                  const choice::Grid &grid,
                                                  const std::vector<PlanOrder> &plans) {
  std::set<Reading> all;
  for (const PlanOrder &p : plans)
    if (!Touching(t, matrix, grid, p).addReadingsInTheWay(all))
      return std::nullopt;
  return all;
}

namespace {

/// Whether a body that is not lifted asks if an optional input lies inside its matrix: the position among
/// fewer slots does not show this.
bool isAskedForInside(const sema::Transform &t, const std::vector<body::Facts> &facts, int matrix) {
  return std::any_of(t.rules.begin(), t.rules.end(), [&](const sema::Rule &r) {
    return !facts[r.index].liftable &&
           std::any_of(r.inputs.begin(), r.inputs.end(),
                       [&](const sema::Binding &b) { return b.matrix == matrix && b.otherwise; });
  });
}

} // namespace

Folded foldVersions(const sema::Module &module, const std::vector<std::vector<body::Facts>> &facts,
                    const std::vector<choice::Choices> &choices, const std::vector<TransformPlans> &plans) {
  Folded folded{module, {}};
  for (auto &t : folded.module.transforms) {
    std::vector<Storage> &storage = folded.storage.emplace_back();
    const std::vector<PlanOrder> all(plans[t.index].plans.begin(), plans[t.index].plans.end());
    for (int m = 0; m < static_cast<int>(t.matrices.size()); ++m) {
      Storage &of = storage.emplace_back();
      const sema::Matrix &matrix = t.matrices[m];
      if (matrix.role != sema::Role::Through || !(matrix.isVersioned || isLikeVersioned(matrix)))
        continue;
      if (!mayHaveSlots(t, m, choices[t.index].grid))
        of.whyNotFewer = "a rule accesses several versions at one point";
      else if (isAskedForInside(t, facts[t.index], m))
        of.whyNotFewer = "C++ code asks whether versions exist";
      else
        of = fewestSlots(module.transforms[t.index], m, choices[t.index].grid, all);
      of.versions = matrix.extents.back();
      if (of.slots)
        fold(t, m, *of.slots);
    }
  }
  return folded;
}

} // namespace pbc::schedule
