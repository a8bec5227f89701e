// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/term_by_term.h"
#include "compiler/kernel/dependences.h"
#include "compiler/kernel/formula.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/transform/cut.h"
#include "compiler/kernel/transform/open_loops.h"
#include "compiler/kernel/transform/point_sum.h"
#include "compiler/kernel/transform/support.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

namespace pbc::kernel {
namespace {

/// PointSum::needed, of one statement.
std::optional<isl::pw_aff> whereNeeded(const Scheduled &kernel, const PointSum &sum, const Statement &term,
                                       const LoopNode &points) {
  const Statement &last = kernel.statements[static_cast<std::size_t>(sum.last)];
  const Access &cell = last.accesses[static_cast<std::size_t>(last.write)];
  for (const Access &a : term.accesses) {
    if (a.isWrite || a.buffer != cell.buffer)
      continue;
    isl::union_map writers =
        isl::union_map(a.relation.intersect_domain(term.domain)
                           .apply_range(cell.relation.intersect_domain(last.domain).reverse()));
    for (const LoopNode &loop : around(points))
      writers = equalAt(writers, functionOf(loop));
    if (writers.is_empty())
      continue;
    const isl::union_map turn = isl::manage(isl_union_map_from_union_pw_aff(functionOf(points).release()));
    const isl::map when = isl::manage(isl_map_from_union_map(writers.apply_range(turn).release()));
    if (isl_map_is_single_valued(when.get()) != isl_bool_true)
      continue;
    const isl::pw_aff value = isl::manage(isl_pw_multi_aff_from_map(when.copy())).at(0);
    if (const auto one = formula(value))
      return isl::manage(isl_pw_aff_from_aff(one->copy()));
  }
  return std::nullopt;
}

isl::union_pw_aff functionOn(const LoopNode &loop, const isl::union_set &instances) {
  return isl::manage(isl_union_pw_aff_intersect_domain(functionOf(loop).release(), instances.copy()));
}

/// The loops where all points of a term add it up together.
Outcome inTurns(SumInCells made, const Arguments &arguments) {
  Scheduled &kernel = made.kernel;
  const PointSum &sum = made.sum;
  const LoopNode points = *findLoop(kernel.schedule.tree, arguments.name("points")),
                 terms = *findLoop(kernel.schedule.tree, arguments.name("terms"));
  // What other points need of a point it computes in its turn; if they need nothing, all points do so at the end.
  const std::optional<isl::pw_aff> &needed = sum.needed;
  if (!needed && !isParallel(points.band))
    return {std::nullopt,
            fmt::format("no term reads what other points along `{}` have computed", points.label)};
  std::vector<std::string> labels{points.label + "_first", terms.label, points.label};
  if (!needed)
    labels.push_back(points.label + "_last");
  const NewLabels loops = newLabels(kernel, arguments, labels, {points.label, terms.label});
  if (!loops.why.empty())
    return {std::nullopt, loops.why};
  isl::union_pw_aff turns, inside;
  for (const int s : sum.terms) {
    const Statement &term = kernel.statements[static_cast<std::size_t>(s)];
    isl::union_pw_aff turn = functionOn(terms, isl::union_set(term.domain));
    if (needed) {
      // All statements of a term run in the turn of the same point.
      if (isl_pw_aff_dim(needed->get(), isl_dim_in) != static_cast<isl_size>(term.dimensions.size()))
        return {std::nullopt, "its terms have loops of their own"};
      const isl::pw_aff own = isl::manage(
          isl_pw_aff_set_tuple_id(needed->copy(), isl_dim_in, isl_set_get_tuple_id(term.domain.get())));
      turn = isl::union_pw_aff(own.intersect_domain(term.domain));
    }
    const isl::union_pw_aff across = functionOn(points, isl::union_set(term.domain));
    turns = turns.is_null() ? turn : turns.union_add(turn);
    inside = inside.is_null() ? across : inside.union_add(across);
  }
  Subtree each = sum.eachTerm;
  for (const std::string &scalar : sum.scalarsOfTerms)
    each = {Declare{scalar}, {each}, {}};
  const isl::union_pw_aff ofLast = functionOn(points, sum.instancesOfLast);
  const Subtree allTerms = loopAbove({loops.labels[2], inside}, each);
  std::vector<Part> parts{
      {sum.instancesOfFirst,
       loopAbove({loops.labels[0], functionOn(points, sum.instancesOfFirst)}, sum.atFirst)}};
  if (needed) {
    const Subtree turn = inTurn({{sum.instancesOfLast, sum.atLast}, {sum.instancesOfTerms, allTerms}});
    parts.push_back({sum.instancesOfTerms.unite(sum.instancesOfLast),
                     loopAbove({loops.labels[1], turns.union_add(ofLast)}, turn)});
  } else {
    parts.push_back({sum.instancesOfTerms, loopAbove({loops.labels[1], turns}, allTerms)});
    parts.push_back({sum.instancesOfLast, loopAbove({loops.labels[3], ofLast}, sum.atLast)});
  }
  // In the order so far: all terms of a point, then those of the next one.
  kernel.dependences = dependences(kernel);
  Subtree tree = *subtreeOf(kernel.schedule.tree);
  *find(tree, points.label) = inTurn(parts);
  return withTree(kernel, scheduleOf(kernel.schedule.tree, tree));
}

Outcome applyTermByTerm(const Scheduled &kernel, const Arguments &arguments) {
  const LoopNode points = *findLoop(kernel.schedule.tree, arguments.name("points")),
                 terms = *findLoop(kernel.schedule.tree, arguments.name("terms"));
  for (const LoopNode *loop : {&points, &terms})
    if (loop->how)
      return {std::nullopt, alreadyRealised(*loop)};
  if (std::string why = whyNotApart(kernel); !why.empty())
    return {std::nullopt, std::move(why)};
  if (const std::string elsewhere = runsElsewhere(kernel, points); !elsewhere.empty())
    return {std::nullopt,
            fmt::format("`{}` runs outside of the loop over `{}`, too", elsewhere, points.label)};
  PointSum sum;
  Subtree tree = *subtreeOf(kernel.schedule.tree);
  if (std::string why = takeApart(kernel, *find(tree, points.label), terms.label, sum); !why.empty())
    return {std::nullopt, std::move(why)};
  for (const int s : sum.terms)
    if (!sum.needed)
      sum.needed = whereNeeded(kernel, sum, kernel.statements[static_cast<std::size_t>(s)], points);
  std::vector<int> behind = sum.terms;
  behind.push_back(sum.last);
  if (readsInPlace(kernel, sum, behind))
    return {std::nullopt, "its terms read an input where it writes, and the two may be one matrix"};
  Outcome early{std::nullopt,
                "its first value takes several statements, and its terms cannot be added up before it"};
  if (std::optional<SumInCells> made = fromFirstValue(kernel, sum))
    early = inTurns(std::move(*made), arguments);
  if (early.kernel || readsInPlace(kernel, sum, sum.first))
    return early;
  std::optional<SumInCells> late = fromNeutralValue(kernel, points.label, sum);
  return late ? inTurns(std::move(*late), arguments) : early;
}

/// The loops over points that have one other loop inside, which is one of the body.
std::vector<script::Step> sumsWorthTrying(const Scheduled &kernel, const Machine &) {
  std::vector<script::Step> all;
  for (const LoopNode &loop : innermostLoops(kernel))
    if (const std::vector<LoopNode> outside = around(loop);
        !outside.empty() && !isOverPoints(kernel, loop) && isOverPoints(kernel, outside.front()))
      all.push_back(script::step("term_by_term", {outside.front().label, loop.label}));
  return all;
}

} // namespace

Transformation termByTermTransformation() {
  using Kind = Parameter::Kind;
  return {.name = "term_by_term",
          .doc = "adds up the sums of all points term by term, in the cells that the points write",
          .parameters = {{.name = "points", .kind = Kind::Loop, .doc = "the innermost loop over points"},
                         {.name = "terms",
                          .kind = Kind::Loop,
                          .doc = "the loop over the terms of a point's sum"}},
          .apply = applyTermByTerm,
          .stage = Stage::Cuts,
          .alternatives = sumsWorthTrying};
}

} // namespace pbc::kernel
