// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/partial_sums.h"
#include "compiler/kernel/buffer_names.h"
#include "compiler/kernel/dependences.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/transform/cut.h"
#include "compiler/kernel/transform/open_loops.h"
#include "compiler/kernel/transform/support.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_set.h>
#include <isl/val.h>

namespace pbc::kernel {
namespace {

ExprPtr single(Expr::Kind kind, Scalar type, const std::string &text, int index = -1) {
  return std::make_shared<const Expr>(Expr{kind, type, text, index, {}});
}

isl::map from(const isl::map &relation, const std::string &statement) {
  return isl::manage(isl_map_set_tuple_name(relation.copy(), isl_dim_in, statement.c_str()));
}

/// { S[.., k] -> to[k mod count] }, or to[k] if `count` is 0.
isl::map lastDimension(const isl::set &domain, const std::string &to, long count) {
  const int last = static_cast<int>(isl_set_dim(domain.get(), isl_dim_set)) - 1;
  isl_local_space *space = isl_local_space_from_space(isl_set_get_space(domain.get()));
  isl_aff *k = isl_aff_var_on_domain(space, isl_dim_set, static_cast<unsigned>(last));
  if (count > 0)
    k = isl_aff_mod_val(k, isl_val_int_from_si(isl_aff_get_ctx(k), count));
  return isl::manage(isl_map_set_tuple_name(isl_map_from_aff(k), isl_dim_out, to.c_str()));
}

/// The place in the sums of the statement's other dimensions: { S[others, k] -> to[k mod count, others] }, see lastDimension().
isl::map placeInSums(const isl::set &domain, const std::string &to, long count) {
  const auto last = static_cast<unsigned>(isl_set_dim(domain.get(), isl_dim_set)) - 1;
  isl_map *others =
      isl_set_project_onto_map(isl_set_universe(isl_set_get_space(domain.get())), isl_dim_set, 0, last);
  const isl::map own = lastDimension(domain, to, count);
  return isl::manage(
      isl_map_set_tuple_name(isl_map_flat_range_product(own.copy(), others), isl_dim_out, to.c_str()));
}

/// Why the statement is no sum over its last dimension; "" if it is one.
std::string whyNoSum(const Kernel &kernel, const Statement &s, int d) {
  if (s.isOpaque || (s.op != "+" && s.op != "-" && s.op != "*"))
    return fmt::format("`{}` is neither a sum nor a product", s.name);
  const Access &sum = s.accesses[static_cast<std::size_t>(s.write)];
  if (d + 1 != static_cast<int>(s.dimensions.size()) ||
      isl_map_involves_dims(sum.relation.get(), isl_dim_in, static_cast<unsigned>(d), 1) == isl_bool_true)
    return fmt::format("`{}` does not sum up along this loop", s.name);
  const Buffer &target = kernel.buffers[static_cast<std::size_t>(sum.buffer)];
  if (target.lanes)
    return "its variables are arrays of lanes already";
  const bool isReal = target.element == Scalar::F64 || target.element == Scalar::F32;
  if (isReal && !kernel.reassociates)
    return "its rule is not `fast`, so that its sums keep their order";
  if (s.value->type != target.element)
    return fmt::format("`{}` adds numbers of another type than that of the sum", s.name);
  for (const Access &a : s.accesses)
    if (&a != &sum && a.buffer == sum.buffer)
      return fmt::format("`{}` reads `{}`, to which it adds", s.name, programName(kernel, target));
  return "";
}

/// The statement's points with a last dimension from 0 to count - 1.
isl::set countedTo(const isl::set &domain, int d, long count, const std::string &name) {
  isl_set *points = isl_set_project_out(domain.copy(), isl_dim_set, static_cast<unsigned>(d), 1);
  points = isl_set_add_dims(isl_set_reset_tuple_id(points), isl_dim_set, 1);
  points = isl_set_lower_bound_si(points, isl_dim_set, static_cast<unsigned>(d), 0);
  points = isl_set_upper_bound_si(points, isl_dim_set, static_cast<unsigned>(d), static_cast<int>(count) - 1);
  return isl::manage(isl_set_set_tuple_name(points, name.c_str()));
}

/// The only output of a map that is a function.
isl::pw_aff outputOf(const isl::map &function) {
  return isl::manage(isl_pw_multi_aff_from_map(function.copy())).at(0);
}

isl::union_pw_aff lastOf(const isl::set &domain) {
  return outputOf(isl::manage(isl_map_reset_tuple_id(lastDimension(domain, "", 0).release(), isl_dim_out)));
}

/// Lets a loop around the sum run the other two statements, too; false if its function is not known for them.
bool runAlso(NewLoop &loop, const isl::set &sum, int d, const isl::set &other) {
  const isl::union_pw_aff own = isl::manage(isl_union_pw_aff_intersect_domain(
      loop.function.copy(),
      isl::union_set(isl::manage(isl_set_universe(isl_set_get_space(sum.get())))).release()));
  const isl::map where = isl::manage(isl_map_from_union_map(isl_union_map_from_union_pw_aff(own.copy())));
  if (isl_map_involves_dims(where.get(), isl_dim_in, static_cast<unsigned>(d), 1) == isl_bool_true)
    return false;
  const isl::map there =
      isl::manage(isl_map_set_tuple_name(where.copy(), isl_dim_in, isl_set_get_tuple_name(other.get())));
  if (!other.is_subset(there.domain()))
    return false;
  loop.function = loop.function.union_add(outputOf(there));
  return true;
}

Outcome applyPartialSums(const Scheduled &kernel, const Arguments &arguments) {
  const LoopNode loop = *findLoop(kernel.schedule.tree, arguments.name("loop"));
  const long count = *arguments.number("count");
  if (loop.how)
    return {std::nullopt, alreadyRealised(loop)};
  if (std::string why = runsAtOnce(loop); !why.empty())
    return {std::nullopt, std::move(why)};
  if (std::string why = whyNotApart(kernel); !why.empty())
    return {std::nullopt, std::move(why)};
  const std::vector<int> statements = statementsBelow(kernel, loop);
  const int d = memberDimension(kernel, loop.band);
  if (statements.size() != 1 || d < 0 || loopAt(loop.band.child(0)))
    return {std::nullopt, fmt::format("its loop over `{}` is not one over the terms of one sum", loop.label)};
  const auto index = static_cast<std::size_t>(statements.front());
  const Statement before = kernel.statements[index];
  if (std::string why = whyNoSum(kernel, before, d); !why.empty())
    return {std::nullopt, std::move(why)};
  const NewLabels made =
      newLabels(kernel, arguments, {loop.label + "_zero", loop.label, loop.label + "_fold"}, {loop.label});
  if (!made.why.empty())
    return {std::nullopt, made.why};
  const Access sum = before.accesses[static_cast<std::size_t>(before.write)];
  const Scalar type = before.value->type;
  Scheduled changed = kernel;
  Buffer sums;
  sums.name = before.name + "_sums";
  sums.called = programName(kernel, sum.buffer) + "_sums";
  sums.role = Buffer::Role::Scratch;
  sums.element = type;
  sums.rank = static_cast<int>(before.dimensions.size());
  sums.extents = {constantExtent(kernel.context.ctx(), count)};
  const int buffer = static_cast<int>(changed.buffers.size());
  changed.buffers.push_back(sums);
  Statement zero = before, fold = before;
  for (Statement *s : {&zero, &fold}) {
    s->name += s == &zero ? "_zero" : "_fold";
    s->domain = countedTo(before.domain, d, count, s->name);
    s->dimensions.back() = "partial";
    s->write = 0;
  }
  const std::string one = type == Scalar::F64 ? ".0" : type == Scalar::F32 ? ".0f" : "";
  zero.op = "";
  zero.value = single(Expr::Kind::Literal, type, (before.op == "*" ? "1" : "0") + one);
  zero.accesses = {{buffer, true, placeInSums(zero.domain, sums.name, 0)}};
  fold.op = before.op == "-" ? "+" : before.op;
  fold.value = single(Expr::Kind::Read, type, "", 1);
  fold.accesses = {{sum.buffer, true, from(sum.relation, fold.name)},
                   {buffer, false, placeInSums(fold.domain, sums.name, 0)}};
  changed.statements[index].accesses[static_cast<std::size_t>(before.write)] = {
      buffer, true, placeInSums(before.domain, sums.name, count)};
  changed.statements.push_back(zero);
  changed.statements.push_back(fold);

  Subtree tree = *subtreeOf(kernel.schedule.tree);
  Subtree *place = find(tree, loop.label);
  for (Subtree *child = place, *node = parentOf(tree, *place); node;
       child = node, node = parentOf(tree, *node)) {
    if (NewLoop *around = node->loop())
      for (const Statement *s : {&zero, &fold})
        if (!runAlso(*around, before.domain, d, s->domain))
          return {std::nullopt,
                  fmt::format("its loop over `{}` moves with the one over `{}`", around->label, loop.label)};
    if (!std::holds_alternative<Subtree::Parts>(node->node))
      continue;
    isl::union_set &here = node->instances[static_cast<std::size_t>(child - node->children.data())];
    if (!isl::union_set(before.domain).is_subset(here))
      return {std::nullopt, "the iterations of its loops are cut already"};
    here = here.unite(isl::union_set(zero.domain)).unite(isl::union_set(fold.domain));
  }
  Subtree middle = *place;
  middle.loop()->label = made.labels[1];
  const Subtree leaf{Subtree::Leaf{}, {}, {}};
  const Subtree all = inTurn({{zero.domain, loopAbove({made.labels[0], lastOf(zero.domain)}, leaf)},
                              {before.domain, middle},
                              {fold.domain, loopAbove({made.labels[2], lastOf(fold.domain)}, leaf)}});
  *place = {Declare{sums.name}, {all}, {}};
  isl::union_set domain = isl::manage(isl_union_set_empty_ctx(isl_set_get_ctx(kernel.context.get())));
  for (const Statement &s : changed.statements)
    domain = domain.unite(isl::union_set(s.domain));
  changed.schedule.tree =
      scheduleOf(isl::manage(isl_schedule_from_domain(domain.copy())), limitedTo(tree, domain));
  changed.dependences = dependences(changed);
  return withTree(changed, changed.schedule.tree);
}

std::vector<script::Step> sumsWorthTrying(const Scheduled &kernel, const Machine &) {
  constexpr std::size_t kMost = 8;
  std::vector<script::Step> all;
  for (const LoopNode &loop : innermostLoops(kernel)) {
    const std::vector<int> statements = statementsBelow(kernel, loop);
    const int d = memberDimension(kernel, loop.band);
    if (statements.size() == 1 && d >= 0 &&
        whyNoSum(kernel, kernel.statements[static_cast<std::size_t>(statements.front())], d).empty())
      for (const long count : {8L, 16L, 4L, 32L})
        if (all.size() < kMost)
          all.push_back(script::step("partial_sums", {loop.label}, {count}));
  }
  return all;
}

} // namespace

Transformation partialSumsTransformation() {
  using Kind = Parameter::Kind;
  return {.name = "partial_sums",
          .doc = "lets a loop that sums up have several sums, which are added up behind it",
          .parameters =
              {{.name = "loop", .kind = Kind::Loop, .doc = "the loop over the terms"},
               {.name = "count", .kind = Kind::Integer, .doc = "how many sums", .least = 2, .most = 4096}},
          .apply = applyPartialSums,
          .stage = Stage::Cuts,
          .alternatives = sumsWorthTrying};
}

} // namespace pbc::kernel
