// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/buffer_names.h"
#include "compiler/kernel/item_values.h"
#include "compiler/kernel/mirrored.h"
#include "compiler/kernel/transform/component/component.h"
#include "compiler/kernel/transform/component/strips.h"
#include "compiler/kernel/transform/copies.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/set.h>

namespace pbc::kernel {
namespace {

bool reads(const Scheduled &kernel, const std::string &loop, int matrix) {
  const std::vector<int> below = statementsBelow(kernel, *findLoop(kernel.schedule.tree, loop));
  return std::any_of(below.begin(), below.end(), [&](int s) {
    return usesBuffer(kernel.statements[static_cast<std::size_t>(s)], matrix);
  });
}

/// One loop over both halves of a symmetric matrix, of which groups copy strips. Between these steps the kernel reads cells that are not
/// stored, so that they are one.
Outcome inStripsOfBothHalves(const Scheduled &kernel, const std::string &matrix) {
  if (!hasBlocks(kernel.schedule.tree))
    return {std::nullopt,
            "groups copy strips of both halves where items have blocks of points: `items(; each = "
            "block)` comes first"};
  const int buffer = bufferIndex(kernel, matrix);
  Scheduled turned = kernel;
  MirroredReads mirrored = mirrorReads(turned, buffer);
  if (!mirrored.why.empty())
    return {std::nullopt, std::move(mirrored.why)};
  Combined steps(turned);
  if (std::string why = joinHalves(steps, matrix); !why.empty())
    return {std::nullopt, std::move(why)};
  Scheduled made = steps.kernel();
  const std::optional<Half> stored = storedHalf(*readDirectly(made, buffer), mirrored.stored);
  const std::string name = programName(kernel, buffer);
  if (!stored)
    return {std::nullopt, fmt::format("of the cells of `{}` that it reads no half is stored", name)};
  for (const std::string &loop : longLoops(made)) {
    if (!reads(made, loop, buffer))
      continue;
    Outcome strips = withStripsOfBothHalves(made, loop, matrix, *stored);
    if (!strips.kernel)
      return strips;
    made = std::move(*strips.kernel);
  }
  const std::optional<isl::set> left = readDirectly(made, buffer);
  if (left && !left->is_subset(mirrored.stored))
    return {std::nullopt, fmt::format("not all loops that read both halves of `{}` have strips", name)};
  return {std::move(made), ""};
}

Outcome applySmAlloc(const Scheduled &kernel, const Arguments &arguments) {
  const std::string matrix = arguments.name("matrix");
  const bool isForDevices =
      kernel.schedule.target == Target::Device || !itemLoops(kernel.schedule.tree).empty();
  if (isForDevices && arguments.name("mode") == "Symmetry")
    return inStripsOfBothHalves(kernel, matrix);
  const std::string at = tileAround(kernel, bufferIndex(kernel, matrix));
  if (at.empty())
    return {std::nullopt, "no loop over tiles is around all that reads the matrix"};
  if (arguments.name("mode") == "Symmetry")
    return withCopies(kernel, {.matrix = matrix, .at = at, .isMirrored = true});
  Combined steps(kernel);
  script::Step stage = script::step("stage", {matrix});
  with(stage, "at", script::name(at));
  if (arguments.name("mode") == "Transpose")
    with(stage, "layout", script::name("transposed"));
  return steps.add(stage) ? steps.done() : steps.refused();
}

} // namespace

Transformation smAllocTransformation() {
  using Kind = Parameter::Kind;
  return {.name = "SM_alloc",
          .doc = "copies what a tile reads of a matrix into contiguous memory",
          .parameters = {{.name = "matrix", .kind = Kind::Buffer, .doc = "the matrix"},
                         {.name = "mode",
                          .kind = Kind::Word,
                          .doc = "how it is copied",
                          .words = {"NoChange", "Transpose", "Symmetry"}}},
          .apply = applySmAlloc,
          .mixing = {.place = Mixing::Place::Memory, .memory = Mixing::Memory::Group, .mode = "mode"}};
}

} // namespace pbc::kernel
