// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/in_place.h"
#include "compiler/kernel/buffer_names.h"
#include "compiler/kernel/dependences.h"
#include "compiler/kernel/transform/cut.h"
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

/// Whether the statement only stores the variable, and its accesses to the variable and to where it stores it.
struct Store {
  int statement = -1;
  const Access *from = nullptr, *to = nullptr;
};

Store storeOf(const Kernel &kernel, int local) {
  for (std::size_t k = 0; k < kernel.statements.size(); ++k) {
    const Statement &s = kernel.statements[k];
    if (s.isOpaque || !s.op.empty() || s.value->kind != Expr::Kind::Read)
      continue;
    const Access &from = s.accesses[s.value->index], &to = s.accesses[s.write];
    if (from.buffer == local && kernel.buffers[to.buffer].role == Buffer::Role::Output)
      return {static_cast<int>(k), &from, &to};
  }
  return {};
}

/// The kernel without a buffer that nothing uses.
void erase(Kernel &kernel, int buffer) {
  kernel.buffers.erase(kernel.buffers.begin() + buffer);
  const auto renumber = [&](int &b) { b -= b > buffer; };
  for (Statement &s : kernel.statements) {
    for (Access &a : s.accesses)
      renumber(a.buffer);
    for (OpaqueArgument &a : s.arguments)
      renumber(a.buffer);
    for (int &b : s.ownInputs)
      renumber(b);
  }
}

Outcome applyInPlace(const Scheduled &kernel, const Arguments &arguments) {
  const int local = bufferIndex(kernel, arguments.name("variable"));
  const std::string name = programName(kernel, local);
  const auto at = kernel.buffers.begin() + local;
  if (at->role != Buffer::Role::Local)
    return {std::nullopt, fmt::format("`{}` is a matrix, not a variable of the body", name)};
  if (std::string why = whyNotApart(kernel); !why.empty())
    return {std::nullopt, std::move(why)};
  if (at->lanes)
    return {std::nullopt, "its variables are arrays of lanes already"};
  const Store store = storeOf(kernel, local);
  if (store.statement < 0)
    return {std::nullopt, fmt::format("`{}` is not stored unchanged in an output", name)};
  const Statement &last = kernel.statements[store.statement];
  const Buffer &output = kernel.buffers[store.to->buffer];
  if (output.element != at->element)
    return {std::nullopt,
            fmt::format("`{}` has other elements than `{}`", programName(kernel, output), name)};
  const isl::union_map after = kernel.dependences.intersect_domain(isl::union_set(last.domain));
  if (!after.is_empty())
    return {std::nullopt, fmt::format("`{}` is used after it is stored", name)};
  const isl::map cells = store.from->relation.intersect_domain(last.domain)
                             .reverse()
                             .apply_range(store.to->relation.intersect_domain(last.domain));
  if (isl_map_is_bijective(cells.get()) != isl_bool_true)
    return {std::nullopt, fmt::format("several points store `{}` in one cell", name)};
  // The same function without the bounds of the points, which would only make the accesses longer.
  const isl::map cell = store.from->relation.reverse().apply_range(store.to->relation);
  Scheduled changed = kernel;
  for (std::size_t k = 0; k < kernel.statements.size(); ++k)
    for (std::size_t a = 0; a < kernel.statements[k].accesses.size(); ++a) {
      const Access &before = kernel.statements[k].accesses[a];
      if (static_cast<int>(k) == store.statement)
        continue;
      if (before.buffer == store.to->buffer)
        return {std::nullopt, fmt::format("`{}` is used elsewhere, too", programName(kernel, output))};
      if (before.buffer != local)
        continue;
      const isl::map touched = before.relation.intersect_domain(kernel.statements[k].domain);
      if (!touched.range().is_subset(cells.domain()))
        return {std::nullopt, fmt::format("`{}` is not stored at every point", name)};
      changed.statements[k].accesses[a] = {store.to->buffer, before.isWrite,
                                           before.relation.apply_range(cell)};
    }
  changed.statements.erase(changed.statements.begin() + store.statement);
  erase(changed, local);
  Subtree tree = *subtreeOf(kernel.schedule.tree);
  undeclare(tree, at->name);
  isl::union_set domain = isl::manage(isl_schedule_get_domain(kernel.schedule.tree.get()));
  domain = domain.subtract(isl::union_set(last.domain));
  const isl::schedule whole = isl::manage(isl_schedule_from_domain(domain.copy()));
  changed.schedule.tree = scheduleOf(whole, limitedTo(tree, domain));
  changed.dependences = dependences(changed);
  return withTree(changed, changed.schedule.tree);
}

} // namespace

Transformation inPlaceTransformation() {
  return {.name = "in_place",
          .doc = "computes a variable of the body in the cell of the output to which its value goes at last",
          .parameters = {{.name = "variable", .kind = Parameter::Kind::Buffer, .doc = "the variable"}},
          .apply = applyInPlace,
          .stage = Stage::Loops};
}

} // namespace pbc::kernel
