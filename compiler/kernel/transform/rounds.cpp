// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/rounds.h"
#include "compiler/kernel/group_tiles.h"
#include "compiler/kernel/items.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/split_tasks.h"
#include "compiler/kernel/transform/item_bands.h"
#include "compiler/kernel/transform/support.h"
#include <fmt/format.h>

namespace pbc::kernel {
namespace {

Outcome applyRounds(const Scheduled &kernel, const Arguments &) {
  if (std::string why = whyNoItemBands(kernel); !why.empty())
    return {std::nullopt, std::move(why)};
  const GroupTilesOutcome found = groupTiles(kernel);
  if (!found.tiles)
    return {std::nullopt, found.why};
  TaskFunctions functions{TaskOrder::Wavefront, found.tiles->functions};
  Scheduled cut = withParts(kernel, functions);
  std::vector<NewLoop> bands;
  for (std::size_t k = 0; k < functions.functions.size(); ++k) {
    const auto of = found.tiles->isInRound[k] ? as::Item::Of::Round : as::Item::Of::Tile;
    bands.push_back({freshLabel(kernel.schedule.tree, fmt::format("tile{}", k)), functions.functions[k].value,
                     as::Item{static_cast<int>(k), as::Item::Each::Point, of}});
  }
  bands.push_back({freshLabel(kernel.schedule.tree, "round"), roundOf(*found.tiles), as::Rounds{}});
  return withItemBands(std::move(cut), functions.functions, bands);
}

} // namespace

Transformation roundsTransformation() {
  return {.name = "rounds",
          .doc = "gives tiles of a wavefront's points to groups of a device, which go through them in rounds",
          .parameters = {},
          .apply = applyRounds,
          .stage = Stage::Tasks,
          .target = Target::Device};
}

} // namespace pbc::kernel
