// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/keep.h"
#include "compiler/kernel/item_values.h"
#include "compiler/kernel/transform/copies.h"
#include "compiler/kernel/transform/group_copies.h"

namespace pbc::kernel {
namespace {

Outcome applyKeep(const Scheduled &kernel, const Arguments &arguments) {
  const CopyRequest asked{.matrix = arguments.name("matrix"),
                          .at = arguments.name("at"),
                          .isKept = true,
                          .isThroughGroup = arguments.name("through") == "group",
                          .planes = arguments.number("planes").value_or(1)};
  if (asked.planes != 1 && !asked.isThroughGroup)
    return {std::nullopt, "`planes` are of copies through the memory of a group (`through = group`)"};
  if (kernel.schedule.target == Target::Device || !itemLoops(kernel.schedule.tree).empty())
    return withGroupCopy(kernel, asked);
  if (asked.isThroughGroup)
    return {std::nullopt, "copies through the memory of a group are made on devices only"};
  if (asked.at.empty())
    return {std::nullopt, "it needs `at`, the loop in each of whose steps the matrix is kept"};
  return withCopies(kernel, asked);
}

} // namespace

Transformation keepTransformation() {
  using Kind = Parameter::Kind;
  return {.name = "keep",
          .doc = "keeps what a step of a loop uses of a matrix in a small array, and writes it back; on a "
                 "device, what an item "
                 "reads of an input in its registers",
          .parameters =
              {{.name = "matrix", .kind = Kind::Buffer, .doc = "the matrix"},
               {.name = "at",
                .kind = Kind::Loop,
                .doc = "the loop in each of whose steps it is kept; on a device, once if none is named",
                .isOptional = true},
               {.name = "through",
                .kind = Kind::Word,
                .doc = "on a device, for items with planes of points: where the cells come from that are "
                       "new in a plane, the matrix or memory into which the group copies what its items "
                       "share",
                .words = {"matrix", "group"},
                .isOptional = true},
               {.name = "planes",
                .kind = Kind::Integer,
                .doc = "with `through = group`: how many of the last planes an item reads there in each "
                       "plane of its points, and does not keep in its registers; one if it is left out",
                .least = 1,
                .most = 32,
                .isOptional = true}},
          .apply = applyKeep,
          .mixing = {.place = Mixing::Place::Memory, .memory = Mixing::Memory::Registers}};
}

} // namespace pbc::kernel
