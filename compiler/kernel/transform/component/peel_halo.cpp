// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/dependences.h"
#include "compiler/kernel/iterations.h"
#include "compiler/kernel/subtree.h"
#include "compiler/kernel/transform/component/component.h"
#include "compiler/kernel/transform/cut.h"
#include "compiler/kernel/where_holds.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

namespace pbc::kernel {
namespace {

bool readsBuffer(const Statement &s, const Expr &e, int buffer) {
  if (e.kind == Expr::Kind::Read && s.accesses[static_cast<std::size_t>(e.index)].buffer == buffer)
    return true;
  return std::any_of(e.operands.begin(), e.operands.end(),
                     [&](const ExprPtr &o) { return readsBuffer(s, *o, buffer); });
}

/// The instances at which all conditional reads of the buffer are made; nothing if there are no such reads.
std::optional<isl::set> interiorOf(const Kernel &kernel, const Statement &s, const Expr &e, int buffer) {
  std::optional<isl::set> all;
  const auto add = [&](const std::optional<isl::set> &one) {
    if (one)
      all = all ? all->intersect(*one) : *one;
  };
  if (e.kind == Expr::Kind::Select && readsBuffer(s, *e.operands[1], buffer))
    add(whereHolds(kernel, s, *e.operands[0]));
  for (const ExprPtr &o : e.operands)
    add(interiorOf(kernel, s, *o, buffer));
  return all;
}

/// The instances of all statements at which the buffer is read without conditions; nothing if none has any.
std::optional<isl::union_set> interiorOf(const Scheduled &kernel, int buffer) {
  std::optional<isl::union_set> all;
  for (const Statement &s : kernel.statements) {
    if (s.isOpaque || s.copy)
      continue;
    if (const std::optional<isl::set> own = interiorOf(kernel, s, *s.value, buffer)) {
      const isl::union_set here(own->intersect(s.domain));
      all = all ? all->unite(here) : here;
    }
  }
  return all;
}

/// The value at instances of `domain`: conditions that always hold there are left out.
ExprPtr withoutConditions(const Kernel &kernel, const Statement &s, const isl::set &domain,
                          const ExprPtr &e) {
  if (e->kind == Expr::Kind::Select)
    if (const auto where = whereHolds(kernel, s, *e->operands[0]); where && domain.is_subset(*where))
      return withoutConditions(kernel, s, domain, e->operands[1]);
  auto made = std::make_shared<Expr>(*e);
  for (ExprPtr &o : made->operands)
    o = withoutConditions(kernel, s, domain, o);
  return made;
}

/// Numbers the accesses of a value anew, in the order in which it reads them.
ExprPtr renumbered(const Statement &before, const ExprPtr &e, std::vector<Access> &accesses) {
  auto made = std::make_shared<Expr>(*e);
  if (e->kind == Expr::Kind::Read) {
    made->index = static_cast<int>(accesses.size());
    accesses.push_back(before.accesses[static_cast<std::size_t>(e->index)]);
  }
  for (ExprPtr &o : made->operands)
    o = renumbered(before, o, accesses);
  return made;
}

/// The statement at the instances of `domain`, under another name.
Statement insideOf(const Kernel &kernel, const Statement &s, const isl::set &domain,
                   const std::string &name) {
  Statement inner = s;
  inner.name = name;
  inner.domain = isl::manage(isl_set_set_tuple_name(domain.copy(), name.c_str()));
  inner.accesses = {s.accesses[static_cast<std::size_t>(s.write)]};
  inner.write = 0;
  inner.value = renumbered(s, withoutConditions(kernel, s, domain, s.value), inner.accesses);
  for (Access &a : inner.accesses)
    a.relation = isl::manage(isl_map_set_tuple_name(isl_map_gist_domain(a.relation.release(), domain.copy()),
                                                    isl_dim_in, name.c_str()));
  return inner;
}

/// In the tree, the instances of the statement in `part` are those of a statement of another name.
void renameInstances(Subtree &tree, const isl::set &part, const std::string &name) {
  const isl::set renamed = isl::manage(isl_set_set_tuple_name(part.copy(), name.c_str()));
  const isl::map same =
      isl::manage(isl_map_set_tuple_name(isl_set_identity(part.copy()), isl_dim_in, name.c_str()));
  if (NewLoop *loop = tree.loop()) {
    isl_union_pw_aff *own = isl_union_pw_aff_pullback_union_pw_multi_aff(
        loop->function.copy(),
        isl_union_pw_multi_aff_from_pw_multi_aff(isl_pw_multi_aff_from_map(same.copy())));
    loop->function = isl::manage(isl_union_pw_aff_union_add(loop->function.release(), own));
  }
  for (isl::union_set &instances : tree.instances) {
    const isl::union_set moved = instances.intersect(isl::union_set(part));
    instances = instances.subtract(moved).unite(moved.apply(isl::union_map(same.reverse())));
  }
  for (Subtree &child : tree.children)
    renameInstances(child, part, name);
}

/// How many iterations at one end of the loop have nothing to do with the interior; nothing if these are too many to be a border.
std::optional<long> borderOf(const LoopNode &loop, const isl::union_set &interior, bool isFirst) {
  constexpr long kWidest = 64;
  const Iterations iterations(loop);
  for (long count = 0; count <= kWidest; ++count)
    if (!(isFirst ? iterations.first(count + 1) : iterations.last(count + 1)).intersect(interior).is_empty())
      return count;
  return std::nullopt;
}

/// The instances that run in a loop.
isl::union_set instancesOf(const Scheduled &kernel, const std::string &label) {
  return isl::manage(isl_schedule_node_get_domain(findLoop(kernel.schedule.tree, label)->band.get()));
}

Outcome applyPeelHalo(const Scheduled &kernel, const Arguments &arguments) {
  const std::string matrix = arguments.name("matrix");
  const int buffer = bufferIndex(kernel, matrix);
  if (std::string why = whyNotApart(kernel); !why.empty())
    return {std::nullopt, std::move(why)};
  const std::optional<isl::union_set> found = interiorOf(kernel, buffer);
  if (!found)
    return {std::nullopt, fmt::format("no read of `{}` has a condition on its place", matrix)};
  const isl::union_set interior = found->intersect_params(kernel.context);
  Scheduled changed = kernel;
  std::string innermost;
  for (const LoopNode &before : loopsOf(kernel.schedule.tree)) {
    const std::optional<LoopNode> loop = findLoop(changed.schedule.tree, before.label);
    const isl::union_set here = isl::manage(isl_schedule_node_get_domain(loop->band.get()));
    if (here.intersect(interior).is_empty() || here.intersect(interior).is_equal(here))
      continue;
    const std::optional<long> first = borderOf(*loop, interior, true),
                              last = borderOf(*loop, interior, false);
    if (!first || !last)
      return {std::nullopt, fmt::format("the border of `{}` along `{}` is wide", matrix, before.label)};
    if (*first + *last == 0)
      continue;
    script::Step peel = script::step("peel", {before.label});
    with(peel, "first", script::number(*first));
    const std::vector<std::string> nest = nestAround(*loop);
    Combined steps(changed);
    if (!steps.add(with(peel, "last", script::number(*last))))
      return steps.refused();
    changed = distributedAround(steps.kernel(), before.label, nest);
    innermost = before.label;
  }
  if (innermost.empty() || !instancesOf(changed, innermost).intersect(interior).is_equal(interior))
    return {std::nullopt, fmt::format("the border of `{}` is not at the ends of its loops", matrix)};
  Subtree tree = *subtreeOf(changed.schedule.tree);
  isl::union_set domain = isl::manage(isl_schedule_get_domain(changed.schedule.tree.get()));
  const isl::union_set inside = instancesOf(changed, innermost);
  const std::size_t count = changed.statements.size();
  for (std::size_t k = 0; k < count; ++k) {
    const Statement s = changed.statements[k];
    if (s.isOpaque || s.copy || !interiorOf(kernel, s, *s.value, buffer))
      continue;
    const isl::union_set own = inside.intersect(isl::union_set(s.domain));
    if (!own.intersect_params(kernel.context).is_subset(interior))
      return {std::nullopt, fmt::format("the border of `{}` is not at the ends of its loops", matrix)};
    const isl::set part = poly::simplified(isl::manage(isl_set_from_union_set(own.copy())));
    const std::string name = freshName(changed, s.name + "_inner");
    changed.statements.push_back(insideOf(kernel, s, part, name));
    changed.statements[k].domain = poly::simplified(s.domain.subtract(part));
    renameInstances(tree, part, name);
    domain = domain.subtract(isl::union_set(part)).unite(isl::union_set(changed.statements.back().domain));
  }
  changed.schedule.tree =
      scheduleOf(isl::manage(isl_schedule_from_domain(domain.copy())), limitedTo(tree, domain));
  changed.dependences = dependences(changed);
  return withTree(changed, changed.schedule.tree);
}

} // namespace

Transformation peelHaloTransformation() {
  return {.name = "peel_halo",
          .doc = "makes loops of their own of the border of a stencil, so that what is left reads a matrix "
                 "without conditions",
          .parameters = {{.name = "matrix", .kind = Parameter::Kind::Buffer, .doc = "the matrix"}},
          .apply = applyPeelHalo,
          .stage = Stage::Loops};
}

} // namespace pbc::kernel
