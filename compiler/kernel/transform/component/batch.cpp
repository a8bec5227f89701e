// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/dependences.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/transform/component/component.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/map.h>

namespace pbc::kernel {
namespace {

/// Whether dimension `d` of the statement moves coordinate `c` of an access, and no other one.
bool movesOnly(const Statement &s, const Access &a, int d, int c) {
  const isl::map relation = isl::manage(isl_map_gist_domain(a.relation.copy(), s.domain.copy()));
  const isl::pw_multi_aff cell = isl::manage(isl_pw_multi_aff_from_map(relation.copy()));
  const int rank = static_cast<int>(isl_map_dim(relation.get(), isl_dim_out));
  for (int k = 0; k < rank; ++k)
    if ((isl_pw_aff_involves_dims(cell.at(k).get(), isl_dim_in, static_cast<unsigned>(d), 1) ==
         isl_bool_true) != (k == c))
      return false;
  return true;
}

/// Whether each step of the loop has a part of the matrix of its own, that of its last coordinate.
bool isOverBatch(const Scheduled &kernel, const LoopNode &loop, int matrix) {
  const int d = memberDimension(kernel, loop.band);
  const int last = kernel.buffers[static_cast<std::size_t>(matrix)].rank - 1;
  if (d < 0 || last < 1 || loop.how || !isParallel(loop.band))
    return false;
  bool isUsed = false;
  for (const int index : statementsBelow(kernel, loop)) {
    const Statement &s = kernel.statements[static_cast<std::size_t>(index)];
    for (const Access &a : s.accesses)
      if (a.buffer == matrix) {
        isUsed = true;
        if (s.isOpaque || s.copy || !movesOnly(s, a, d, last))
          return false;
      }
  }
  return isUsed;
}

Outcome applyBatch(const Scheduled &kernel, const Arguments &arguments) {
  const std::string matrix = arguments.name("matrix");
  const int buffer = bufferIndex(kernel, matrix);
  const std::vector<LoopNode> loops = loopsOf(kernel.schedule.tree);
  const auto found = std::find_if(loops.begin(), loops.end(),
                                  [&](const LoopNode &loop) { return isOverBatch(kernel, loop, buffer); });
  if (found == loops.end())
    return {
        std::nullopt,
        fmt::format("no loop goes along the last coordinate of `{}`, step by step independently", matrix)};
  std::vector<LoopNode> outside = around(*found);
  const std::vector<LoopNode> nest = nestFrom(outside.empty() ? *found : outside.back());
  std::vector<std::string> order = labelsOf(nest);
  const auto at = std::find(order.begin(), order.end(), found->label);
  if (at == order.end())
    return {std::nullopt,
            fmt::format("its loop over `{}` does not lie directly in the others", found->label)};
  order.erase(at);
  const bool isOutermost = arguments.name("place") == "Outermost";
  order.insert(isOutermost ? order.begin() : order.end(), found->label);
  if (order == labelsOf(nest))
    return {std::nullopt, fmt::format("its loop over `{}` is the {} one already", found->label,
                                      isOutermost ? "outermost" : "innermost")};
  Combined steps(kernel);
  return steps.add(script::step("order", order)) ? steps.done() : steps.refused();
}

} // namespace

Transformation batchTransformation() {
  using Kind = Parameter::Kind;
  return {
      .name = "batch",
      .doc =
          "moves the loop over the last coordinate of a matrix, of which each step is a problem of its own",
      .parameters = {{.name = "matrix", .kind = Kind::Buffer, .doc = "the matrix"},
                     {.name = "place",
                      .kind = Kind::Word,
                      .doc = "where the loop goes",
                      .words = {"Outermost", "Innermost"}}},
      .apply = applyBatch,
      .stage = Stage::Loops};
}

} // namespace pbc::kernel
