// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/component/component.h"
#include <algorithm>
#include <fmt/format.h>

namespace pbc::kernel {
namespace {

Outcome applySplitSum(const Scheduled &kernel, const Arguments &arguments) {
  const std::string matrix = arguments.name("matrix");
  const int buffer = bufferIndex(kernel, matrix);
  std::string why = fmt::format("no loop sums up over cells of `{}`", matrix);
  for (const LoopNode &loop : loopsOf(kernel.schedule.tree)) {
    const std::vector<int> below = statementsBelow(kernel, loop);
    const bool isSum = below.size() == 1 && !nestFrom(loop).empty() && nestFrom(loop).size() == 1 &&
                       !kernel.statements[static_cast<std::size_t>(below.front())].op.empty() &&
                       usesBuffer(kernel.statements[static_cast<std::size_t>(below.front())], buffer);
    if (!isSum)
      continue;
    Combined steps(kernel);
    if (steps.add(script::step("partial_sums", {loop.label}, {*arguments.number("parts")})))
      return steps.done();
    why = steps.why();
  }
  return {std::nullopt, why};
}

} // namespace

Transformation splitSumTransformation() {
  using Kind = Parameter::Kind;
  return {.name = "split_sum",
          .doc = "lets the sum over cells of a matrix have several parts, which are added up behind it",
          .parameters =
              {{.name = "matrix", .kind = Kind::Buffer, .doc = "the matrix"},
               {.name = "parts", .kind = Kind::Integer, .doc = "how many parts", .least = 2, .most = 4096}},
          .apply = applySplitSum};
}

} // namespace pbc::kernel
