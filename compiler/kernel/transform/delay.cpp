// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/delay.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/transform/cut.h"
#include "compiler/kernel/transform/late_updates.h"
#include "compiler/kernel/transform/named_values.h"
#include "compiler/kernel/transform/open_loops.h"
#include "compiler/kernel/transform/support.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

namespace pbc::kernel {
namespace {

/// The value after all steps of a block.
class Composed {
public:
  Composed(const Kernel &kernel, const Update &update, const std::string &name, const isl::set &late,
           long steps)
      : before_(kernel.statements[static_cast<std::size_t>(update.statement)]), update_(update) {
    made_ = before_;
    made_.name = name;
    made_.domain = late;
    made_.accesses.clear();
    made_.write = 0;
    made_.op.clear();
    for (const bool isWrite : {true, false}) {
      made_.accesses.push_back(before_.accesses[static_cast<std::size_t>(before_.write)]);
      made_.accesses.back().isWrite = isWrite;
    }
    for (Access &a : made_.accesses)
      a.relation = isl::manage(isl_map_set_tuple_name(a.relation.copy(), isl_dim_in, name.c_str()));
    const Scalar type = kernel.buffers[static_cast<std::size_t>(made_.accesses.front().buffer)].element;
    value_ = std::make_shared<const Expr>(Expr{Expr::Kind::Read, type, "", 1, {}});
    for (long step = 0; step < steps; ++step) {
      ExprPtr next = at(before_.value, step);
      if (!before_.op.empty())
        next = std::make_shared<const Expr>(Expr{Expr::Kind::Binary, type, before_.op, -1, {value_, next}});
      value_ = next->type == type
                   ? next
                   : std::make_shared<const Expr>(Expr{Expr::Kind::Cast, type, "", -1, {next}});
      places_.clear();
    }
    made_.value = value_;
  }

  const Statement &statement() const { return made_; }

private:
  ExprPtr at(const ExprPtr &e, long step) {
    if (e->kind == Expr::Kind::Read)
      return e->index == update_.cell ? value_ : readAt(*e, step);
    if (e->kind == Expr::Kind::Dimension && e->index == static_cast<int>(update_.dimension) && step) {
      const auto by =
          std::make_shared<const Expr>(Expr{Expr::Kind::Literal, Scalar::I64, std::to_string(step), -1, {}});
      return std::make_shared<const Expr>(Expr{Expr::Kind::Binary, Scalar::I64, "+", -1, {e, by}});
    }
    Expr changed = *e;
    for (ExprPtr &o : changed.operands)
      o = at(o, step);
    return std::make_shared<const Expr>(std::move(changed));
  }

  ExprPtr readAt(const Expr &read, long step) {
    const auto [place, isNew] = places_.emplace(read.index, static_cast<int>(made_.accesses.size()));
    if (isNew) {
      Access moved = before_.accesses[static_cast<std::size_t>(read.index)];
      moved.relation = stepsLater(before_, update_, step, made_.name).apply_range(moved.relation);
      made_.accesses.push_back(std::move(moved));
    }
    Expr changed = read;
    changed.index = place->second;
    return std::make_shared<const Expr>(std::move(changed));
  }

  const Statement &before_;
  const Update &update_;
  Statement made_;
  ExprPtr value_;
  std::map<int, int> places_; // of the accesses of the step, in the new statement
};

/// The dependences between the new instances. Which points of a block are late depends on the limits of tasks, so both the old and the new
/// instance stand for a point here, but for two points of one cell in one block.
isl::union_map between(const isl::union_map &before, const isl::union_map &toLate) {
  const isl::union_map from = before.apply_domain(toLate), to = before.apply_range(toLate),
                       both = from.apply_range(toLate);
  const isl::union_map self = isl::manage(isl_union_set_identity(both.domain().release()));
  return before.unite(from.subtract(toLate.reverse())).unite(to).unite(both.subtract(self)).coalesce();
}

/// The tree without declarations: updates use matrices only.
void undeclareAll(Subtree &tree) {
  while (std::holds_alternative<Declare>(tree.node)) {
    Subtree below = std::move(tree.children.front());
    tree = std::move(below);
  }
  for (Subtree &child : tree.children)
    undeclareAll(child);
}

Outcome applyDelay(const Scheduled &before, const Arguments &arguments) {
  if (std::string why = whyNotApart(before); !why.empty())
    return {std::nullopt, std::move(why)};
  const Scheduled kernel = withNamedValues(before);
  const LoopNode loop = *findLoop(kernel.schedule.tree, arguments.name("loop"));
  bool isRealised = loop.how.has_value();
  for (const LoopNode &other : loopsOf(kernel.schedule.tree))
    isRealised |= isAround(loop, other) && other.how;
  if (isRealised)
    return {std::nullopt, fmt::format("the loop over `{}`, or one inside, is realised already", loop.label)};
  if (std::string why = runsAtOnce(loop); !why.empty())
    return {std::nullopt, std::move(why)};
  const std::vector<Update> updates = updatesIn(kernel, loop);
  if (updates.empty())
    return {std::nullopt, fmt::format("no cell gets a new value, made of its old one alone with others, in "
                                      "each step of the loop over `{}`",
                                      loop.label)};
  const NewLabels labels = newLabels(kernel, arguments, {loop.label + "t", loop.label}, {loop.label});
  if (!labels.why.empty())
    return {std::nullopt, labels.why};
  const StepBlocks blocks(kernel, loop, *arguments.number("steps"));
  const isl::union_set all = isl::manage(isl_schedule_get_domain(kernel.schedule.tree.get()));
  Scheduled made = kernel;
  Subtree tree = *subtreeOf(kernel.schedule.tree);
  isl::union_map toLate = isl::manage(isl_union_map_empty_ctx(all.ctx().get()));
  const isl::union_set none = isl::manage(isl_union_set_empty_ctx(all.ctx().get()));
  isl::union_set late = none, rest = none;
  std::vector<TreeCopy> copies;
  for (const Update &update : updates) {
    Statement &old = made.statements[static_cast<std::size_t>(update.statement)];
    const std::string name = freshName(made, old.name + "_late");
    const UpdateParts parts = partsOf(kernel, update, loop, blocks, name);
    if (parts.late.intersect_params(kernel.context).is_empty())
      continue;
    const isl::set points = isl::manage(isl_set_set_tuple_name(parts.late.copy(), old.name.c_str()));
    if (!runBeside(tree, points, parts.late))
      return {std::nullopt, "the steps of its loops are cut already"};
    toLate = toLate.unite(isl::union_map(parts.toLate));
    late = late.unite(isl::union_set(parts.late));
    rest = rest.unite(isl::union_set(parts.rest));
    copies.push_back({isl::union_set(parts.late), "_late", ""});
    made.statements.push_back(Composed(kernel, update, name, parts.late, blocks.steps()).statement());
    made.statements[static_cast<std::size_t>(update.statement)].domain =
        poly::simplified(parts.early.unite(parts.rest));
  }
  if (copies.empty())
    return {std::nullopt,
            fmt::format("what a step of the loop over `{}` updates is needed in the next one", loop.label)};
  std::erase_if(made.statements, [](const Statement &s) { return s.domain.is_empty(); });
  isl::union_set domain = none;
  for (const Statement &s : made.statements)
    domain = domain.unite(isl::union_set(s.domain));
  Subtree &place = *find(tree, loop.label);
  const NewLoop block{labels.labels.front(), blocks.blockOf(place.loop()->function)};
  place.loop()->label = labels.labels.back();
  Subtree updated = place;
  undeclareAll(updated);
  const isl::union_set early = domain.subtract(late).subtract(rest);
  std::vector<Part> parts{{early, place}, {late, copiesOf(kernel, updated.children.front(), copies)}};
  if (!rest.is_empty())
    parts.push_back(
        {rest, copiesOf(kernel, updated, {{rest, "_rest", early.is_empty() ? labels.labels.back() : ""}})});
  place = loopAbove(block, inTurn(parts));
  made.schedule.tree =
      scheduleOf(isl::manage(isl_schedule_from_domain(domain.copy())), limitedTo(tree, domain));
  made.dependences = between(kernel.dependences, toLate);
  return withTree(made, made.schedule.tree);
}

bool hasLoopInside(const LoopNode &loop) {
  bool found = false;
  visit(loop.band.child(0), [&](const isl::schedule_node &node) { found |= loopAt(node).has_value(); });
  return found;
}

/// The outermost loops that update cells in loops inside.
std::vector<script::Step> loopsWorthTrying(const Scheduled &before, const Machine &) {
  std::vector<script::Step> all;
  if (!whyNotApart(before).empty())
    return all;
  const Scheduled kernel = withNamedValues(before);
  for (const LoopNode &loop : loopsOf(kernel.schedule.tree)) {
    const std::vector<LoopNode> outside = around(loop);
    const bool isOutermost = std::none_of(outside.begin(), outside.end(), [](const LoopNode &outer) {
      return outer.how || !isParallel(outer.band);
    });
    if (loop.how || isParallel(loop.band) || !isOutermost || !hasLoopInside(loop) ||
        updatesIn(kernel, loop).empty())
      continue;
    for (const long steps : {8L, 4L})
      all.push_back(script::step("delay", {loop.label}, {steps}));
  }
  return all;
}

} // namespace

Transformation delayTransformation() {
  using Kind = Parameter::Kind;
  return {.name = "delay",
          .doc =
              "lets each cell take the updates of several steps of a loop at once, where nothing else needs "
              "it meanwhile",
          .parameters =
              {{.name = "loop", .kind = Kind::Loop, .doc = "the loop over steps"},
               {.name = "steps", .kind = Kind::Integer, .doc = "how many at once", .least = 2, .most = 32}},
          .apply = applyDelay,
          .stage = Stage::Cuts,
          .target = Target::Processor,
          .alternatives = loopsWorthTrying};
}

} // namespace pbc::kernel
