// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/item_values.h"
#include "compiler/kernel/transform/component/component.h"
#include <algorithm>
#include <fmt/format.h>

namespace pbc::kernel {
namespace {

bool usesMatrixOrCopy(const Scheduled &kernel, const LoopNode &loop, const std::string &matrix) {
  const std::vector<int> below = statementsBelow(kernel, loop);
  return std::any_of(below.begin(), below.end(), [&](int s) {
    for (const Access &a : kernel.statements[static_cast<std::size_t>(s)].accesses) {
      const Buffer &b = kernel.buffers[static_cast<std::size_t>(a.buffer)];
      if (b.name == matrix || b.name.starts_with(matrix + "_map"))
        return true;
    }
    return false;
  });
}

Outcome applyFormatIteration(const Scheduled &kernel, const Arguments &arguments) {
  if (!itemLoops(kernel.schedule.tree).empty())
    return {std::nullopt, "its points have items already: loops over halves become one before"};
  Combined steps(kernel);
  std::string why = joinHalves(steps, arguments.name("matrix"));
  return why.empty() ? steps.done() : Outcome{std::nullopt, std::move(why)};
}

} // namespace

std::string joinHalves(Combined &steps, const std::string &matrix) {
  std::string why = fmt::format("no two loops that follow each other read `{}`", matrix);
  bool isChanged = false, isMore = true;
  while (isMore) {
    isMore = false;
    const std::vector<LoopNode> loops = loopsOf(steps.kernel().schedule.tree);
    for (std::size_t a = 0; a < loops.size() && !isMore; ++a)
      for (std::size_t b = 0; b < loops.size() && !isMore; ++b) {
        if (a == b || !usesMatrixOrCopy(steps.kernel(), loops[a], matrix) ||
            !usesMatrixOrCopy(steps.kernel(), loops[b], matrix))
          continue;
        Combined attempt = steps;
        isMore = attempt.add(script::step("join", {loops[a].label, loops[b].label}));
        if (isMore)
          steps = attempt, isChanged = true;
        else if (b == a + 1)
          why = attempt.why();
      }
  }
  return isChanged ? "" : why;
}

Transformation formatIterationTransformation() {
  using Kind = Parameter::Kind;
  return {.name = "format_iteration",
          .doc = "makes one loop of those over the halves of a symmetric matrix, where a copy has both",
          .parameters = {{.name = "matrix", .kind = Kind::Buffer, .doc = "the matrix"},
                         {.name = "mode", .kind = Kind::Word, .doc = "its structure", .words = {"Symmetry"}}},
          .apply = applyFormatIteration,
          .stage = Stage::Loops};
}

} // namespace pbc::kernel
