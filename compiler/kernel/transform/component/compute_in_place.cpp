// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/buffer_names.h"
#include "compiler/kernel/subtree.h"
#include "compiler/kernel/transform/component/component.h"
#include <fmt/format.h>

namespace pbc::kernel {
namespace {

/// The variable of the body whose value a statement stores unchanged in the matrix; "" if there is none.
std::string storedIn(const Kernel &kernel, int matrix) {
  for (const Statement &s : kernel.statements) {
    if (s.isOpaque || s.copy || !s.op.empty() || s.value->kind != Expr::Kind::Read ||
        s.accesses[static_cast<std::size_t>(s.write)].buffer != matrix)
      continue;
    const int from = s.accesses[static_cast<std::size_t>(s.value->index)].buffer;
    const Buffer &buffer = kernel.buffers[static_cast<std::size_t>(from)];
    if (buffer.role == Buffer::Role::Local)
      return buffer.name;
  }
  return "";
}

/// The first loop that is one of several parts of a step of the loops around it; nothing if there is none.
std::optional<LoopNode> firstPart(const Scheduled &kernel) {
  Subtree tree = *subtreeOf(kernel.schedule.tree);
  for (const LoopNode &loop : loopsOf(kernel.schedule.tree)) {
    const Subtree *parent = parentOf(tree, *find(tree, loop.label));
    if (parent && std::holds_alternative<Subtree::Parts>(parent->node) && !around(loop).empty())
      return loop;
  }
  return std::nullopt;
}

Outcome applyComputeInPlace(const Scheduled &kernel, const Arguments &arguments) {
  const std::string matrix = arguments.name("matrix");
  const std::string variable = storedIn(kernel, bufferIndex(kernel, matrix));
  if (variable.empty())
    return {std::nullopt, fmt::format("no variable of the body is stored unchanged in `{}`", matrix)};
  Combined steps(kernel);
  if (!steps.add(script::step("in_place", {variable})))
    return steps.refused();
  const std::optional<LoopNode> inner = firstPart(steps.kernel());
  if (!inner)
    return steps.done();
  return {distributedAround(steps.kernel(), inner->label, nestAround(*inner)), ""};
}

} // namespace

Transformation computeInPlaceTransformation() {
  return {.name = "compute_in_place",
          .doc =
              "computes what a matrix gets in its cells, not in a variable, and sums in loops of their own",
          .parameters = {{.name = "matrix", .kind = Parameter::Kind::Buffer, .doc = "the matrix"}},
          .apply = applyComputeInPlace,
          .stage = Stage::Loops};
}

} // namespace pbc::kernel
