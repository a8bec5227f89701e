// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/late_updates.h"
#include "compiler/kernel/formula.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/transform/support.h"
#include <algorithm>
#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/map.h>
#include <isl/schedule_node.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <isl/val.h>

namespace pbc::kernel {
namespace {

isl::map fromStatement(const isl::map &relation, const std::string &statement) {
  return isl::manage(isl_map_set_tuple_name(relation.copy(), isl_dim_in, statement.c_str()));
}

int timesRead(const Expr &e, int access) {
  int n = e.kind == Expr::Kind::Read && e.index == access;
  for (const ExprPtr &o : e.operands)
    n += timesRead(*o, access);
  return n;
}

/// The dimension over which the loop runs, and the distance to its value; nothing for other functions.
std::optional<std::pair<unsigned, long>> dimensionOf(const isl::schedule_node &band, const Statement &s) {
  const std::optional<isl::pw_aff> value = member(band, 0, s.name);
  const std::optional<isl::aff> one = value ? formula(*value) : std::nullopt;
  if (!one)
    return std::nullopt;
  for (unsigned d = 0; d < s.dimensions.size(); ++d) {
    isl_local_space *space = isl_local_space_from_space(isl_aff_get_domain_space(one->get()));
    isl_aff *rest = isl_aff_sub(one->copy(), isl_aff_var_on_domain(space, isl_dim_set, d));
    const bool isShift = isl_aff_is_cst(rest) == isl_bool_true;
    const isl::val shift = isl::manage(isl_aff_get_constant_val(rest));
    isl_aff_free(rest);
    if (isShift && isl_val_is_int(shift.get()) == isl_bool_true)
      return std::pair{d, shift.num_si()};
  }
  return std::nullopt;
}

/// The cells of an access at the points of its statement.
isl::map cellsOf(const Access &a, const Statement &s) { return a.relation.intersect_domain(s.domain); }

std::optional<Update> updateIn(const Kernel &kernel, int index, const LoopNode &loop) {
  const Statement &s = kernel.statements[static_cast<std::size_t>(index)];
  const auto dimension = dimensionOf(loop.band, s);
  if (s.isOpaque || s.copy || s.write < 0 || !dimension)
    return std::nullopt;
  const Access &written = s.accesses[static_cast<std::size_t>(s.write)];
  const isl::map everywhere = isl::manage(isl_map_gist_domain(written.relation.copy(), s.domain.copy()));
  if (isl_map_involves_dims(everywhere.get(), isl_dim_in, dimension->first, 1) != isl_bool_false)
    return std::nullopt;
  Update made{index, dimension->first, dimension->second, -1};
  for (std::size_t a = 0; a < s.accesses.size(); ++a) {
    const Access &access = s.accesses[a];
    if (!isMatrix(kernel.buffers[static_cast<std::size_t>(access.buffer)]))
      return std::nullopt;
    if (access.isWrite || access.buffer != written.buffer ||
        !cellsOf(access, s).is_equal(cellsOf(written, s)))
      continue;
    if (made.cell >= 0)
      return std::nullopt;
    made.cell = static_cast<int>(a);
  }
  const bool isOfOld =
      s.op.empty() ? made.cell >= 0 && !s.value->operands.empty() && timesRead(*s.value, made.cell) == 1
                   : made.cell < 0 &&
                         s.value->type == kernel.buffers[static_cast<std::size_t>(written.buffer)].element;
  return isOfOld ? std::optional(made) : std::nullopt;
}

/// Pairs of points that differ in dimension d only.
isl::map alongDimension(const isl::set &domain, unsigned d) {
  isl_map *same = isl_map_universe(isl_space_map_from_set(isl_set_get_space(domain.get())));
  for (int k = 0, n = static_cast<int>(isl_map_dim(same, isl_dim_in)); k < n; ++k)
    if (k != static_cast<int>(d))
      same = isl_map_equate(same, isl_dim_in, k, isl_dim_out, k);
  return isl::manage(same);
}

/// { late[.., k, ..] -> S[.., l, ..] : k <= l < k + steps }
isl::map stepsFrom(const isl::set &domain, unsigned d, long steps, const std::string &late) {
  isl_map *all = alongDimension(domain, d).release();
  isl_local_space *space = isl_local_space_from_space(isl_map_get_space(all));
  for (const bool isFirst : {true, false}) {
    isl_constraint *limit = isl_constraint_alloc_inequality(isl_local_space_copy(space));
    limit = isl_constraint_set_coefficient_si(limit, isl_dim_in, static_cast<int>(d), isFirst ? -1 : 1);
    limit = isl_constraint_set_coefficient_si(limit, isl_dim_out, static_cast<int>(d), isFirst ? 1 : -1);
    all = isl_map_add_constraint(
        all, isl_constraint_set_constant_si(limit, isFirst ? 0 : static_cast<int>(steps) - 1));
  }
  isl_local_space_free(space);
  return fromStatement(isl::manage(all), late);
}

/// The same function wherever it has a value.
isl::union_pw_aff everywhere(const isl::union_pw_aff &f) {
  return isl::manage(isl_union_pw_aff_gist(f.copy(), f.domain().release()));
}

isl::union_pw_aff moved(const isl::union_pw_aff &f, long by) {
  const isl::union_set all = f.domain();
  isl_union_pw_aff *shift = isl_union_pw_aff_val_on_domain(all.copy(), isl::val(f.ctx(), by).release());
  return isl::manage(isl_union_pw_aff_add(f.copy(), shift));
}

/// The dependences between steps of the loop that have the same values of the loops around it.
isl::union_map withinLoop(const Scheduled &kernel, const LoopNode &loop) {
  isl::union_map all = kernel.dependences;
  for (const LoopNode &outer : around(loop))
    all = equalAt(all, everywhere(functionOf(outer)));
  const isl::union_set inside = isl::manage(isl_schedule_node_get_domain(loop.band.get()));
  const isl::union_set anywhere = isl::manage(isl_union_set_universe(inside.copy()));
  return all.intersect_domain(anywhere).intersect_range(anywhere);
}

/// The part of the constraints that says where the points lie beside the first step of their block.
isl::set besideBlock(const isl::set &points, unsigned d) {
  isl::set all = isl::manage(isl_set_empty(isl_set_get_space(points.get())));
  points.foreach_basic_set([&](const isl::basic_set &one) {
    const isl::set wide = isl::manage(isl_set_from_basic_set(
        isl_basic_set_drop_constraints_not_involving_dims(one.copy(), isl_dim_set, d, 1)));
    all = all.unite(isl_set_plain_is_universe(wide.get()) == isl_bool_true ? isl::set(one) : wide);
  });
  return poly::simplified(all);
}

/// The cells, by the first step of a block, that other points or other statements need, or wait for, in the block.
isl::set neededInBlock(const Statement &s, const Update &update, const LoopNode &loop,
                       const StepBlocks &blocks, const isl::union_map &dependences, const std::string &late) {
  const isl::map steps = stepsFrom(s.domain, update.dimension, blocks.steps(), late);
  isl_local_space *space = isl_local_space_from_space(isl_space_domain(isl_map_get_space(steps.get())));
  isl_aff *end = isl_aff_var_on_domain(space, isl_dim_set, update.dimension);
  end = isl_aff_add_constant_si(end, static_cast<int>(update.shift + blocks.steps() - 1));
  const isl::union_map last(isl::manage(isl_map_from_aff(end))),
      step = isl::manage(isl_union_map_from_union_pw_aff(everywhere(functionOf(loop)).release()));
  const isl::union_map inTime = isl::manage(isl_union_map_lex_ge_union_map(last.copy(), step.copy()));
  const isl::union_map others =
      dependences.subtract(isl::union_map(alongDimension(s.domain, update.dimension)));
  isl::set needed = isl::manage(isl_set_empty(isl_space_domain(isl_map_get_space(steps.get()))));
  isl::union_map(steps).apply_range(others).intersect(inTime).domain().foreach_set(
      [&](const isl::set &one) { needed = needed.unite(one); });
  return besideBlock(needed, update.dimension);
}

/// The points, by the first step of a block, that the statement has in all of its steps.
isl::set completeInBlock(const Statement &s, const Update &update, const StepBlocks &blocks,
                         const std::string &late) {
  isl::set made;
  for (const long k : {0L, blocks.steps() - 1}) {
    const isl::set here = s.domain.apply(stepsLater(s, update, k, late).reverse());
    made = made.is_null() ? here : made.intersect(here);
  }
  const isl::set missing = isl::manage(isl_set_complement(s.domain.copy()));
  const isl::set gaps =
      missing.apply(stepsFrom(s.domain, update.dimension, blocks.steps(), late).reverse()).intersect(made);
  return gaps.is_empty() ? made : made.subtract(gaps);
}

} // namespace

std::vector<Update> updatesIn(const Scheduled &kernel, const LoopNode &loop) {
  std::vector<Update> all;
  for (const int s : statementsBelow(kernel, loop))
    if (const auto update = updateIn(kernel, s, loop))
      all.push_back(*update);
  return all;
}

StepBlocks::StepBlocks(const Scheduled &kernel, const LoopNode &loop, long steps) : steps_(steps) {
  const isl::union_set points = isl::manage(isl_schedule_node_get_domain(loop.band.get()));
  const isl::union_set values =
      points.apply(isl::manage(isl_union_map_from_union_pw_aff(functionOf(loop).release())));
  const isl::set known = isl::manage(isl_set_from_union_set(values.copy())).intersect_params(kernel.context);
  const isl::val first = isl::manage(isl_set_dim_min_val(known.copy(), 0));
  first_ = isl_val_is_int(first.get()) == isl_bool_true ? first.num_si() : 0;
}

isl::union_pw_aff StepBlocks::blockOf(const isl::union_pw_aff &step) const {
  const isl::union_pw_aff place = moved(step, -first_);
  isl_union_pw_aff *block = isl_union_pw_aff_floor(
      isl_union_pw_aff_scale_down_val(place.copy(), isl::val(step.ctx(), steps_).release()));
  return moved(isl::manage(isl_union_pw_aff_scale_val(block, isl::val(step.ctx(), steps_).release())),
               first_);
}

isl::set StepBlocks::begins(const isl::set &points, const Update &update) const {
  isl_local_space *space = isl_local_space_from_space(isl_set_get_space(points.get()));
  isl_aff *step = isl_aff_var_on_domain(space, isl_dim_set, update.dimension);
  step = isl_aff_mod_val(isl_aff_add_constant_si(step, static_cast<int>(update.shift - first_)),
                         isl::val(points.ctx(), steps_).release());
  return points.intersect(isl::manage(isl_set_from_basic_set(isl_aff_zero_basic_set(step))));
}

isl::multi_aff StepBlocks::firstStep(const isl::set &points, const Update &update,
                                     const std::string &late) const {
  isl_multi_aff *first = isl_multi_aff_identity(isl_space_map_from_set(isl_set_get_space(points.get())));
  const int d = static_cast<int>(update.dimension);
  const isl::val size(points.ctx(), steps_);
  isl_aff *step =
      isl_aff_add_constant_si(isl_multi_aff_get_aff(first, d), static_cast<int>(update.shift - first_));
  isl_aff *block = isl_aff_scale_val(isl_aff_floor(isl_aff_scale_down_val(step, size.copy())), size.copy());
  block = isl_aff_add_constant_si(block, static_cast<int>(first_ - update.shift));
  first = isl_multi_aff_set_aff(first, d, block);
  return isl::manage(isl_multi_aff_set_tuple_name(first, isl_dim_out, late.c_str()));
}

isl::map stepsLater(const Statement &s, const Update &update, long steps, const std::string &late) {
  isl_multi_aff *moved = isl_multi_aff_identity(isl_space_map_from_set(isl_set_get_space(s.domain.get())));
  const int d = static_cast<int>(update.dimension);
  isl_aff *there = isl_aff_add_constant_si(isl_multi_aff_get_aff(moved, d), static_cast<int>(steps));
  return fromStatement(isl::manage(isl_map_from_multi_aff(isl_multi_aff_set_aff(moved, d, there))), late);
}

UpdateParts partsOf(const Scheduled &kernel, const Update &update, const LoopNode &loop,
                    const StepBlocks &blocks, const std::string &late) {
  const Statement &s = kernel.statements[static_cast<std::size_t>(update.statement)];
  const isl::set complete = completeInBlock(s, update, blocks, late),
                 needed = neededInBlock(s, update, loop, blocks, withinLoop(kernel, loop), late);
  const isl::multi_aff first = blocks.firstStep(s.domain, update, late);
  const auto pointsOf = [&](const isl::set &cells) {
    return isl::manage(isl_set_preimage_multi_aff(cells.copy(), first.copy()));
  };
  UpdateParts made;
  made.late = blocks.begins(poly::simplified(complete.subtract(needed)), update);
  made.toLate = isl::manage(isl_map_from_multi_aff(first.copy()))
                    .intersect_range(isl::manage(isl_set_complement(needed.copy())));
  made.early = poly::simplified(s.domain.intersect(pointsOf(needed)));
  made.rest = poly::simplified(s.domain.subtract(pointsOf(needed)).subtract(pointsOf(complete)));
  return made;
}

} // namespace pbc::kernel
