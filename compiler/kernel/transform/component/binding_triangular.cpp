// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/component/component.h"
#include "compiler/kernel/transform/component/triangular.h"
#include <algorithm>
#include <fmt/format.h>

namespace pbc::kernel {
namespace {

/// A loop of the same tile as the triangle that goes through other cells of the matrix than those of the triangle; "" if there is none.
std::string besideTriangle(const Scheduled &kernel, const Triangle &triangle, int buffer) {
  const LoopNode inner = *findLoop(kernel.schedule.tree, triangle.loop),
                 along = *findLoop(kernel.schedule.tree, triangle.along);
  const std::vector<LoopNode> tile = loopsInTile(kernel, inner);
  for (const LoopNode &loop : loopsOf(kernel.schedule.tree)) {
    const std::vector<int> below = statementsBelow(kernel, loop);
    const bool isOfTile = std::any_of(tile.begin(), tile.end(),
                                      [&](const LoopNode &outer) { return outer.label == loop.label; });
    const bool usesMatrix = std::any_of(below.begin(), below.end(), [&](int s) {
      return usesBuffer(kernel.statements[static_cast<std::size_t>(s)], buffer);
    });
    if (!isOfTile && usesMatrix && isAround(tile.front(), loop) && !boundsMove(kernel, loop, along))
      return loop.label;
  }
  return "";
}

/// The loops of the triangle's tile, those that carry no dependence in front: each of their steps solves a column of its own.
std::vector<std::string> columnsFirst(const std::vector<LoopNode> &tile) {
  std::vector<LoopNode> loops = tile;
  std::stable_partition(loops.begin(), loops.end(), [](const LoopNode &loop) {
    return isl_schedule_node_band_member_get_coincident(loop.band.get(), 0) == isl_bool_true;
  });
  return labelsOf(loops);
}

Outcome applyBindingTriangular(const Scheduled &kernel, const Arguments &arguments) {
  const std::string matrix = arguments.name("matrix");
  const TriangleOutcome whole = triangleOf(kernel, matrix);
  if (!whole.triangle)
    return {std::nullopt, whole.why};
  const Outcome apart = peeled(kernel, *whole.triangle); // refused where the rectangle is apart already
  const Scheduled &made = apart.kernel ? *apart.kernel : kernel;
  const TriangleOutcome left = triangleOf(made, matrix);
  if (!left.triangle)
    return {std::nullopt, left.why};
  const std::optional<LoopNode> loop = findLoop(made.schedule.tree, left.triangle->loop);
  const std::vector<LoopNode> tile = loop ? loopsInTile(made, *loop) : std::vector<LoopNode>();
  if (tile.empty() || !findLoop(made.schedule.tree, left.triangle->along))
    return {std::nullopt, fmt::format("the triangle of `{}` has no loops of its own", matrix)};
  if (const std::string beside = besideTriangle(made, *left.triangle, bufferIndex(made, matrix));
      !beside.empty())
    return {std::nullopt,
            fmt::format("the triangle of `{}` shares its loops with the one over `{}`", matrix, beside)};
  Combined steps(made);
  if (arguments.has("thread")) {
    std::vector<std::string> loops = labelsOf(tile);
    for (const LoopNode &loop : loopsOf(made.schedule.tree))
      if (isAround(tile.front(), loop) && std::find(loops.begin(), loops.end(), loop.label) == loops.end())
        loops.push_back(loop.label);
    return steps.add(script::step("scalar", loops)) ? steps.done() : steps.refused();
  }
  const std::vector<std::string> columns = columnsFirst(tile);
  if (columns != labelsOf(tile) && !steps.add(script::step("order", columns)))
    return steps.refused();
  return steps.done();
}

} // namespace

Transformation bindingTriangularTransformation() {
  using Kind = Parameter::Kind;
  return {
      .name = "binding_triangular",
      .doc = "solves the triangles on the diagonal of a matrix in loops of their own, column by column or by "
             "one thread",
      .parameters = {{.name = "matrix", .kind = Kind::Buffer, .doc = "the matrix"},
                     {.name = "thread",
                      .kind = Kind::Integer,
                      .doc = "the only thread that computes triangles: a tile of the processor has number 0",
                      .least = 0,
                      .most = 0,
                      .isOptional = true}},
      .apply = applyBindingTriangular,
      .target = Target::Processor};
}

} // namespace pbc::kernel
