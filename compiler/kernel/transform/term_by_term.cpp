// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/term_by_term.h"
#include "compiler/kernel/dependences.h"
#include "compiler/kernel/formula.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/transform/cut.h"
#include "compiler/kernel/transform/open_loops.h"
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

/// The statements of a point: the first value of its sum, the terms, and what becomes of the sum.
struct PointSum {
  int first = -1, last = -1;
  std::vector<int> terms;
  int scalar = -1;                       // the Local that adds up
  std::vector<std::string> otherScalars; // of a term
  isl::union_set instancesOfFirst, instancesOfTerms, instancesOfLast;
  Subtree eachTerm; // what is inside of the loop over terms
};

/// What the loop over points has inside: declarations, and below them the parts.
struct Body {
  std::vector<std::string> scalars;
  const Subtree *parts;
};

Body bodyOf(const Subtree &points) {
  Body body{{}, &points.children.front()};
  for (; std::holds_alternative<Declare>(body.parts->node); body.parts = &body.parts->children.front())
    body.scalars.push_back(std::get<Declare>(body.parts->node).local);
  return body;
}

int onlyStatement(const Kernel &kernel, const isl::union_set &instances) {
  const std::vector<std::string> names = statementsOf(instances);
  return names.size() == 1 ? statementIndex(kernel, names.front()) : -1;
}

const Access &writeOf(const Statement &s) { return s.accesses[static_cast<std::size_t>(s.write)]; }

/// Takes the body apart; a sentence if it has another form.
std::string takeApart(const Scheduled &kernel, const Subtree &points, const std::string &terms,
                      PointSum &sum) {
  std::string form = "its body is not a value, a loop that changes it, and an assignment of it";
  const Body body = bodyOf(points);
  if (!std::holds_alternative<Subtree::Parts>(body.parts->node) || body.parts->children.size() != 3)
    return form;
  const Subtree &loop = body.parts->children[1];
  if (!loop.loop() || loop.loop()->label != terms)
    return form;
  sum.instancesOfFirst = body.parts->instances[0];
  sum.instancesOfTerms = body.parts->instances[1];
  sum.instancesOfLast = body.parts->instances[2];
  sum.first = onlyStatement(kernel, sum.instancesOfFirst);
  sum.last = onlyStatement(kernel, sum.instancesOfLast);
  if (sum.first < 0 || sum.last < 0)
    return form;
  sum.eachTerm = loop.children.front();
  for (const std::string &name : statementsOf(sum.instancesOfTerms))
    sum.terms.push_back(statementIndex(kernel, name));
  const Statement &first = kernel.statements[static_cast<std::size_t>(sum.first)],
                  &last = kernel.statements[static_cast<std::size_t>(sum.last)];
  for (const Statement *s : {&first, &last})
    if (s->isOpaque || s->write < 0 || !s->op.empty() ||
        static_cast<int>(s->dimensions.size()) != s->freeCount)
      return form;
  sum.scalar = writeOf(first).buffer;
  const Buffer &scalar = kernel.buffers[static_cast<std::size_t>(sum.scalar)],
               &written = kernel.buffers[static_cast<std::size_t>(writeOf(last).buffer)];
  if (scalar.role != Buffer::Role::Local || !usesBuffer(last, sum.scalar))
    return form;
  if (written.role != Buffer::Role::Output || written.element != scalar.element)
    return "the cell that it writes has another type than the sum";
  for (const std::string &name : body.scalars)
    if (const int b = bufferIndex(kernel, name); b != sum.scalar) {
      if (usesBuffer(first, b) || usesBuffer(last, b))
        return fmt::format("`{}` is handed on between the parts of its body", name);
      sum.otherScalars.push_back(name);
    }
  for (const int s : sum.terms) {
    const Statement &term = kernel.statements[static_cast<std::size_t>(s)];
    if (term.isOpaque || term.write < 0 ||
        isMatrix(kernel.buffers[static_cast<std::size_t>(writeOf(term).buffer)]))
      return form;
  }
  return "";
}

/// Whether a statement behind the first one reads an input at the place of the cell, and nowhere else: a caller may give one matrix for
/// both, and the cell has the first value of the sum there already. What is read elsewhere, too, the call has copied.
bool readsInPlace(const Scheduled &kernel, const PointSum &sum) {
  const auto sameSpace = [](const isl::map &relation) {
    return isl::manage(
        isl_map_reset_tuple_id(isl_map_reset_tuple_id(relation.copy(), isl_dim_in), isl_dim_out));
  };
  const Access &cell = writeOf(kernel.statements[static_cast<std::size_t>(sum.last)]);
  std::vector<int> behind = sum.terms;
  behind.push_back(sum.last);
  for (const int s : behind) {
    const Statement &one = kernel.statements[static_cast<std::size_t>(s)];
    const auto free = static_cast<unsigned>(one.freeCount);
    for (const Access &a : one.accesses) {
      if (kernel.buffers[static_cast<std::size_t>(a.buffer)].role != Buffer::Role::Input ||
          isl_map_dim(a.relation.get(), isl_dim_out) != isl_map_dim(cell.relation.get(), isl_dim_out))
        continue;
      const isl::map of =
          isl::manage(isl_map_project_out(a.relation.intersect_domain(one.domain).release(), isl_dim_in, free,
                                          static_cast<unsigned>(one.dimensions.size()) - free));
      if (sameSpace(of).is_subset(sameSpace(cell.relation)))
        return true;
    }
  }
  return false;
}

/// Lets a statement use the cell that `last` writes in place of the scalar.
void addUpInCell(Statement &s, int scalar, const Statement &last) {
  const Access &cell = writeOf(last);
  const auto more = static_cast<unsigned>(s.dimensions.size() - last.dimensions.size());
  isl_map *place = isl_map_insert_dims(cell.relation.copy(), isl_dim_in,
                                       static_cast<unsigned>(last.dimensions.size()), more);
  place = isl_map_set_tuple_name(place, isl_dim_in, s.name.c_str());
  place = isl_map_intersect_domain(place, s.domain.copy());
  const isl::map there = isl::manage(place);
  for (Access &a : s.accesses)
    if (a.buffer == scalar)
      a = {cell.buffer, a.isWrite, there};
}

/// For each term, the value of the loop over points at which the cell gets its last value that the term reads; nothing if no term reads
/// what other points have computed.
std::optional<isl::pw_aff> whereNeeded(const Scheduled &kernel, const PointSum &sum, const Statement &term,
                                       const LoopNode &points) {
  const Statement &last = kernel.statements[static_cast<std::size_t>(sum.last)];
  const Access &cell = writeOf(last);
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

isl::union_pw_aff functionOn(const LoopNode &loop, const isl::set &instances) {
  return isl::manage(
      isl_union_pw_aff_intersect_domain(functionOf(loop).release(), isl::union_set(instances).release()));
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
  Subtree tree = *subtreeOf(kernel.schedule.tree);
  Subtree *place = find(tree, points.label);
  PointSum sum;
  if (std::string why = takeApart(kernel, *place, terms.label, sum); !why.empty())
    return {std::nullopt, std::move(why)};
  if (readsInPlace(kernel, sum))
    return {std::nullopt, "its terms read an input where it writes, and the two may be one matrix"};
  // What other points need of a point it computes in its turn; if they need nothing, all points do so at the end.
  std::optional<isl::pw_aff> needed;
  for (const int s : sum.terms)
    if (!needed)
      needed = whereNeeded(kernel, sum, kernel.statements[static_cast<std::size_t>(s)], points);
  if (!needed && !isParallel(points.band))
    return {std::nullopt,
            fmt::format("no term reads what other points along `{}` have computed", points.label)};
  std::vector<std::string> labels{points.label + "_first", terms.label, points.label};
  if (!needed)
    labels.push_back(points.label + "_last");
  const NewLabels made = newLabels(kernel, arguments, labels, {points.label, terms.label});
  if (!made.why.empty())
    return {std::nullopt, made.why};
  Scheduled changed = kernel;
  const Statement last = kernel.statements[static_cast<std::size_t>(sum.last)];
  std::vector<int> all = sum.terms;
  all.insert(all.end(), {sum.first, sum.last});
  for (const int s : all)
    addUpInCell(changed.statements[static_cast<std::size_t>(s)], sum.scalar, last);

  const isl::set first = kernel.statements[static_cast<std::size_t>(sum.first)].domain;
  isl::union_pw_aff turns, inside;
  for (const int s : sum.terms) {
    const Statement &term = kernel.statements[static_cast<std::size_t>(s)];
    isl::union_pw_aff turn = functionOn(terms, term.domain);
    if (needed) {
      // All statements of a term run in the turn of the same point.
      if (isl_pw_aff_dim(needed->get(), isl_dim_in) != static_cast<isl_size>(term.dimensions.size()))
        return {std::nullopt, "its terms have loops of their own"};
      const isl::pw_aff own = isl::manage(
          isl_pw_aff_set_tuple_id(needed->copy(), isl_dim_in, isl_set_get_tuple_id(term.domain.get())));
      turn = isl::union_pw_aff(own.intersect_domain(term.domain));
    }
    const isl::union_pw_aff across = functionOn(points, term.domain);
    turns = turns.is_null() ? turn : turns.union_add(turn);
    inside = inside.is_null() ? across : inside.union_add(across);
  }
  Subtree each = sum.eachTerm;
  for (const std::string &scalar : sum.otherScalars)
    each = {Declare{scalar}, {each}, {}};
  const Subtree leaf{Subtree::Leaf{}, {}, {}};
  const isl::union_pw_aff ofLast = functionOn(points, last.domain);
  const Subtree allTerms = loopAbove({made.labels[2], inside}, each);
  std::vector<Part> parts{
      {sum.instancesOfFirst, loopAbove({made.labels[0], functionOn(points, first)}, leaf)}};
  if (needed) {
    const Subtree turn = inTurn({{sum.instancesOfLast, leaf}, {sum.instancesOfTerms, allTerms}});
    parts.push_back({sum.instancesOfTerms.unite(sum.instancesOfLast),
                     loopAbove({made.labels[1], turns.union_add(ofLast)}, turn)});
  } else {
    parts.push_back({sum.instancesOfTerms, loopAbove({made.labels[1], turns}, allTerms)});
    parts.push_back({sum.instancesOfLast, loopAbove({made.labels[3], ofLast}, leaf)});
  }
  *place = inTurn(parts);
  // In the order so far: all terms of a point, then those of the next one.
  changed.dependences = dependences(changed);
  return withTree(changed, scheduleOf(kernel.schedule.tree, tree));
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
