// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/stage.h"
#include "compiler/kernel/item_values.h"
#include "compiler/kernel/transform/copies.h"
#include "compiler/kernel/transform/group_copies.h"

namespace pbc::kernel {
namespace {

Outcome applyStage(const Scheduled &kernel, const Arguments &arguments) {
  const CopyRequest asked{.matrix = arguments.name("matrix"),
                          .at = arguments.name("at"),
                          .isTransposed = arguments.name("layout") == "transposed",
                          .pad = arguments.number("pad").value_or(0),
                          .parts = arguments.number("parts").value_or(1),
                          .gap = arguments.number("gap").value_or(0),
                          .buffers = arguments.number("buffers").value_or(1),
                          .access = arguments.number("access").value_or(0)};
  if (kernel.schedule.target == Target::Device || !itemLoops(kernel.schedule.tree).empty())
    return withGroupCopy(kernel, asked);
  if (asked.buffers > 1)
    return {std::nullopt,
            "two `buffers` are for points that have items: here nothing is copied in the background"};
  if (asked.parts > 1 || asked.gap)
    return {std::nullopt, "rows have parts in the memory of groups only"};
  if (asked.at.empty())
    return {std::nullopt, "it needs `at`, the loop in each of whose steps the copy is made"};
  return withCopies(kernel, asked);
}

} // namespace

Transformation stageTransformation() {
  using Kind = Parameter::Kind;
  return {
      .name = "stage",
      .doc = "copies what a step of a loop reads of a matrix into contiguous scratch memory, on a device "
             "into memory "
             "of the group",
      .parameters =
          {{.name = "matrix", .kind = Kind::Buffer, .doc = "the matrix"},
           {.name = "at",
            .kind = Kind::Loop,
            .doc = "the loop in each of whose steps it is copied; on a device, once if none is named",
            .isOptional = true},
           orderOfCopy("layout"),
           padOfCopy(),
           {.name = "parts",
            .kind = Kind::Integer,
            .doc = "on a device: the number of parts of each row; cells so many places apart lie next to "
                   "each other, for items that "
                   "read every so many cells",
            .least = 2,
            .most = 32,
            .isOptional = true},
           {.name = "gap",
            .kind = Kind::Integer,
            .doc = "how many cells are added to each of these parts",
            .least = 0,
            .most = 256,
            .isOptional = true},
           {.name = "buffers",
            .kind = Kind::Integer,
            .doc = "on a device: with 2, the copy of the next step is made while items read that of this one",
            .least = 1,
            .most = 2,
            .isOptional = true},
           {.name = "access",
            .kind = Kind::Integer,
            .doc = "which of the ways in which reads of it move, from 1; all reads if "
                   "none is named",
            .least = 1,
            .most = 64,
            .isOptional = true}},
      .apply = applyStage,
      .mixing = {.place = Mixing::Place::Memory, .memory = Mixing::Memory::Group, .mode = "layout"}};
}

} // namespace pbc::kernel
