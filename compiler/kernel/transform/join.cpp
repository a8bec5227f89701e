// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/join.h"
#include "compiler/kernel/buffer_names.h"
#include "compiler/kernel/rebuild.h"
#include "compiler/kernel/transform/cut.h"
#include "compiler/kernel/transform/support.h"
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

bool isSame(const Expr &a, const Expr &b) {
  return a.kind == b.kind && a.type == b.type && a.text == b.text && a.index == b.index &&
         std::equal(a.operands.begin(), a.operands.end(), b.operands.begin(), b.operands.end(),
                    [](const ExprPtr &x, const ExprPtr &y) { return isSame(*x, *y); });
}

/// The set or map, said of another statement.
isl::set named(const isl::set &of, const Statement &s) {
  return isl::manage(isl_set_set_tuple_name(of.copy(), s.name.c_str()));
}
isl::map named(const isl::map &of, const Statement &s) {
  return isl::manage(isl_map_set_tuple_name(of.copy(), isl_dim_in, s.name.c_str()));
}

/// Why `b` does not do at its iterations what `a` would do there; "" if it does.
std::string whyOther(const Kernel &kernel, const Statement &a, const Statement &b) {
  if (a.isOpaque || b.isOpaque || a.copy || b.copy)
    return "a statement is a call or a copy";
  if (a.dimensions.size() != b.dimensions.size() || a.freeCount != b.freeCount || a.rule != b.rule ||
      a.accesses.size() != b.accesses.size() || a.write != b.write || a.op != b.op ||
      !isSame(*a.value, *b.value))
    return "their statements compute something else";
  for (std::size_t k = 0; k < a.accesses.size(); ++k) {
    const Access &one = a.accesses[k], &other = b.accesses[k];
    const isl::map there = named(other.relation, a).intersect_domain(named(b.domain, a));
    if (one.buffer != other.buffer || one.isWrite != other.isWrite || !there.is_subset(one.relation))
      return fmt::format("they access other cells of `{}`", programName(kernel, other.buffer));
  }
  if (!a.domain.intersect(named(b.domain, a)).is_empty())
    return "they have iterations in common";
  return "";
}

/// The tree for a kernel in which the instances of one statement are those of another one.
class Renamed : public Rebuild {
public:
  explicit Renamed(const isl::union_map &names) : names_(names) {}

protected:
  isl::union_pw_aff function(const isl::schedule_node &band) override {
    const isl::union_map old = isl::manage(isl_union_map_from_union_pw_aff(member(band, 0).release()));
    isl_union_pw_multi_aff *all =
        isl_union_pw_multi_aff_from_union_map(old.apply_domain(names_).coalesce().release());
    isl_union_pw_aff *only = isl_union_pw_multi_aff_get_union_pw_aff(all, 0);
    isl_union_pw_multi_aff_free(all);
    return isl::manage(isl_union_pw_aff_coalesce(only));
  }
  isl::union_set instances(const isl::schedule_node &filter) override {
    return isl::manage(isl_schedule_node_filter_get_filter(filter.get())).apply(names_).coalesce();
  }

private:
  const isl::union_map names_;
};

Outcome applyJoin(const Scheduled &kernel, const Arguments &arguments) {
  const std::vector<std::string> names = arguments.names("loops");
  if (names.size() != 2)
    return {std::nullopt, "it takes two loops"};
  if (std::string why = whyNotApart(kernel); !why.empty())
    return {std::nullopt, std::move(why)};
  std::vector<int> statements;
  for (const std::string &name : names) {
    const LoopNode loop = *findLoop(kernel.schedule.tree, name);
    if (loop.how)
      return {std::nullopt, alreadyRealised(loop)};
    const std::vector<int> below = statementsBelow(kernel, loop);
    if (below.size() != 1)
      return {std::nullopt, fmt::format("the loop over `{}` has several statements", name)};
    statements.push_back(below.front());
  }
  const Statement &a = kernel.statements[static_cast<std::size_t>(statements[0])],
                  &b = kernel.statements[static_cast<std::size_t>(statements[1])];
  if (std::string why =
          statements[0] == statements[1] ? "they run the same statement already" : whyOther(kernel, a, b);
      !why.empty())
    return {std::nullopt, std::move(why)};
  Subtree tree = *subtreeOf(kernel.schedule.tree);
  const SequencePlace first = placeOf(tree, names[0]), second = placeOf(tree, names[1]);
  if (!first.sequence || first.sequence != second.sequence || second.index != first.index + 1)
    return {std::nullopt, fmt::format("its loops over {} do not follow each other directly", quoted(names))};
  const NewLabels made = newLabels(kernel, arguments, {names.front()}, names);
  if (!made.why.empty())
    return {std::nullopt, made.why};
  Subtree &sequence = *first.sequence;
  Subtree &one = sequence.children[first.index], &other = sequence.children[second.index];
  if (!one.loop() || !other.loop() || one.children.front().loop() || other.children.front().loop())
    return {std::nullopt, "more loops lie in them"};
  const NewLoop joined{
      made.labels.front(),
      isl::manage(isl_union_pw_aff_union_add(one.loop()->function.copy(), other.loop()->function.copy())),
      {}};
  one = loopAbove(joined, one.children.front());
  sequence.instances[first.index] = sequence.instances[first.index].unite(sequence.instances[second.index]);
  const auto at = static_cast<std::ptrdiff_t>(second.index);
  sequence.children.erase(sequence.children.begin() + at);
  sequence.instances.erase(sequence.instances.begin() + at);
  if (sequence.children.size() == 1) {
    Subtree only = sequence.children.front();
    sequence = std::move(only);
  }
  // Both statements are in one loop; now they become one.
  const isl::schedule together = scheduleOf(kernel.schedule.tree, tree);
  isl_union_map *toOne = isl_union_map_from_map(isl_map_set_tuple_name(
      isl_set_identity(isl_set_universe(isl_set_get_space(b.domain.get()))), isl_dim_out, a.name.c_str()));
  for (const Statement &s : kernel.statements)
    if (s.name != b.name)
      toOne =
          isl_union_map_add_map(toOne, isl_set_identity(isl_set_universe(isl_set_get_space(s.domain.get()))));
  const isl::union_map renaming = isl::manage(toOne);
  Scheduled result = kernel;
  Statement &whole = result.statements[static_cast<std::size_t>(statements[0])];
  // Only with what is known of the sizes, two halves may be one box.
  isl_set *known =
      isl_set_coalesce(a.domain.unite(named(b.domain, a)).intersect_params(kernel.context).release());
  const isl::set domain = isl::manage(isl_set_gist_params(known, kernel.context.copy()));
  for (std::size_t k = 0; k < whole.accesses.size(); ++k)
    whole.accesses[k].relation =
        a.accesses[k].relation.unite(named(b.accesses[k].relation, a)).gist_domain(domain).coalesce();
  whole.domain = domain;
  result.dependences = kernel.dependences.apply_domain(renaming).apply_range(renaming).coalesce();
  const isl::union_set all = isl::manage(isl_schedule_get_domain(together.get())).apply(renaming).coalesce();
  result.schedule.tree = Renamed(renaming).run(together, all);
  result.statements.erase(result.statements.begin() + statements[1]);
  return withTree(result, result.schedule.tree);
}

} // namespace

Transformation joinTransformation() {
  return {.name = "join",
          .doc = "makes one loop of two that run the same statement over other iterations",
          .parameters = {{.name = "loops",
                          .kind = Parameter::Kind::Loops,
                          .doc = "the two loops, in their order"}},
          .apply = applyJoin,
          .stage = Stage::Loops};
}

} // namespace pbc::kernel
