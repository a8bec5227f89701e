// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/fuse.h"
#include "compiler/kernel/transform/cut.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/union_set.h>
#include <isl/val.h>

namespace pbc::kernel {
namespace {

/// The loop's function for its own instances, moved by `distance`.
isl::union_pw_aff moved(const NewLoop &loop, const isl::union_set &instances, long distance) {
  isl_val *by = isl_val_int_from_si(isl_union_set_get_ctx(instances.get()), distance);
  isl_multi_val *all = isl_multi_val_from_val_list(
      isl_space_set_alloc(isl_union_set_get_ctx(instances.get()), 0, 1), isl_val_list_from_val(by));
  isl_multi_union_pw_aff *shift =
      isl_multi_union_pw_aff_multi_val_on_domain(isl_union_set_universe(instances.copy()), all);
  isl_union_pw_aff *sum =
      isl_union_pw_aff_add(loop.function.copy(), isl_multi_union_pw_aff_get_union_pw_aff(shift, 0));
  isl_multi_union_pw_aff_free(shift);
  return isl::manage(isl_union_pw_aff_intersect_domain(sum, instances.copy()));
}

Outcome applyFuse(const Scheduled &kernel, const Arguments &arguments) {
  const std::vector<std::string> names = arguments.names("loops");
  if (names.size() < 2)
    return {std::nullopt, "one loop alone cannot be fused"};
  if (std::string why = whyNotApart(kernel); !why.empty())
    return {std::nullopt, std::move(why)};
  for (const std::string &name : names)
    if (const LoopNode loop = *findLoop(kernel.schedule.tree, name); loop.how)
      return {std::nullopt, alreadyRealised(loop)};
  Subtree tree = *subtreeOf(kernel.schedule.tree);
  const SequencePlace first = placeOf(tree, names.front());
  for (std::size_t k = 0; k < names.size(); ++k)
    if (const SequencePlace place = placeOf(tree, names[k]);
        !first.sequence || place.sequence != first.sequence || place.index != first.index + k)
      return {std::nullopt,
              fmt::format("its loops over {} do not follow each other directly", quoted(names))};
  const NewLabels made = newLabels(kernel, arguments, {names.front()}, names);
  if (!made.why.empty())
    return {std::nullopt, made.why};
  const long shift = arguments.number("shift").value_or(0);
  NewLoop fused{made.labels.front(), {}, {}};
  std::vector<Part> inside;
  std::vector<Declare> locals;
  isl::union_set all;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const Subtree *node = &first.sequence->children[first.index + k];
    for (; !node->loop(); node = &node->children.front())
      locals.push_back(std::get<Declare>(node->node));
    const isl::union_set &instances = first.sequence->instances[first.index + k];
    const isl::union_pw_aff function = moved(*node->loop(), instances, shift * static_cast<long>(k));
    fused.function = k == 0
                         ? function
                         : isl::manage(isl_union_pw_aff_union_add(fused.function.release(), function.copy()));
    all = k == 0 ? instances : all.unite(instances);
    inside.push_back({instances, node->children.front()});
  }
  Subtree loop = loopAbove(fused, inTurn(inside));
  for (auto local = locals.rbegin(); local != locals.rend(); ++local)
    loop = {*local, {loop}, {}};
  Subtree &sequence = *first.sequence;
  const auto at = static_cast<std::ptrdiff_t>(first.index),
             end = at + static_cast<std::ptrdiff_t>(names.size());
  sequence.children[first.index] = loop;
  sequence.instances[first.index] = all;
  sequence.children.erase(sequence.children.begin() + at + 1, sequence.children.begin() + end);
  sequence.instances.erase(sequence.instances.begin() + at + 1, sequence.instances.begin() + end);
  return withSubtree(kernel, tree);
}

/// Each two loops that follow each other, as they are and with the second one behind.
std::vector<script::Step> loopsToFuse(const Scheduled &kernel, const Machine &) {
  constexpr std::size_t kMost = 4;
  std::vector<script::Step> all;
  const std::optional<Subtree> read = subtreeOf(kernel.schedule.tree);
  if (!read)
    return all;
  Subtree tree = *read;
  std::vector<std::string> labels = labelsOf(kernel.schedule.tree);
  for (const std::string &first : labels)
    for (const std::string &second : labels) {
      const SequencePlace a = placeOf(tree, first), b = placeOf(tree, second);
      if (!a.sequence || a.sequence != b.sequence || b.index != a.index + 1)
        continue;
      for (const long shift : {0L, 1L}) {
        script::Step step = script::step("fuse", {first, second});
        if (shift)
          script::with(step, "shift", script::number(shift));
        if (all.size() < kMost)
          all.push_back(step);
      }
    }
  return all;
}

} // namespace

Transformation fuseTransformation() {
  using Kind = Parameter::Kind;
  return {.name = "fuse",
          .doc = "makes one loop of loops that follow each other",
          .parameters = {{.name = "loops", .kind = Kind::Loops, .doc = "the loops, in their order"},
                         {.name = "shift",
                          .kind = Kind::Integer,
                          .doc = "by how many iterations each loop runs behind the one before it",
                          .least = -1000000,
                          .most = 1000000,
                          .isOptional = true}},
          .apply = applyFuse,
          .stage = Stage::Loops,
          .alternatives = loopsToFuse};
}

} // namespace pbc::kernel
