// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/team.h"
#include "compiler/kernel/cooperate.h"
#include "compiler/kernel/split_tasks.h"
#include "compiler/kernel/transform/item_bands.h"
#include "compiler/kernel/transform/support.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/aff.h>

namespace pbc::kernel {
namespace {

/// The points with a band for each direction in which there are cells.
Outcome withCells(const Scheduled &kernel, bool hasItems, bool areNeighbours) {
  TaskFunctions functions = hasItems ? itemFunctions(kernel) : TaskFunctions{};
  Scheduled cut = withParts(kernel, functions);
  const bool inRounds = cut.schedule.taskOrder == TaskOrder::Rounds;
  if (inRounds)
    cut = ofOneRound(cut, functions.functions.front());
  const std::vector<TaskFunction> ofCells(functions.functions.begin() + (inRounds ? 1 : 0),
                                          functions.functions.end());
  const auto of = areNeighbours ? as::Item::Of::Neighbour : as::Item::Of::Cell;
  std::vector<NewLoop> bands;
  for (std::size_t axis = 0; axis < ofCells.size(); ++axis)
    bands.push_back({freshLabel(kernel.schedule.tree, fmt::format("cell{}", axis)), ofCells[axis].value,
                     as::Item{static_cast<int>(axis), as::Item::Each::Point, of}});
  if (inRounds)
    bands.push_back({freshLabel(kernel.schedule.tree, "round"), functions.functions.front().value});
  return withItemBands(std::move(cut), ofCells, bands);
}

/// Whether the loop runs over that dimension of the statement, upwards or downwards.
bool runsAlong(const LoopNode &loop, const Statement &s, int dimension) {
  const std::optional<isl::pw_aff> value = member(loop.band, 0, s.name);
  if (!value)
    return false;
  for (int d = 0; d < static_cast<int>(s.dimensions.size()); ++d)
    if ((isl_pw_aff_involves_dims(value->get(), isl_dim_in, static_cast<unsigned>(d), 1) == isl_bool_true) !=
        (d == dimension))
      return false;
  return true;
}

/// The loop over that dimension of just these statements; "" if there is none.
std::string labelOf(const Scheduled &kernel, const std::vector<int> &statements, int dimension) {
  for (const LoopNode &loop : loopsOf(kernel.schedule.tree)) {
    std::vector<int> below = statementsBelow(kernel, loop);
    std::sort(below.begin(), below.end());
    if (!loop.how && below == statements && memberDimension(kernel, loop.band) == dimension)
      return loop.label;
  }
  return "";
}

/// The loop along which the statement is a scan; "" if there is none.
std::string labelOf(const Scheduled &kernel, const Scan &scan) {
  const Statement &s = kernel.statements[static_cast<std::size_t>(scan.statement)];
  for (const LoopNode &loop : loopsOf(kernel.schedule.tree))
    if (!loop.how && runsAlong(loop, s, scan.dimension))
      return loop.label;
  return "";
}

/// Realises the loops as teams; those that are named, if some are.
Outcome withTeams(Scheduled kernel, const Cooperation &how, const std::vector<std::string> &named) {
  std::vector<std::pair<std::string, as::Team>> all;
  std::vector<std::string> left = named;
  const auto isAsked = [&](const std::string &label) {
    return !label.empty() && (named.empty() || std::erase(left, label) > 0);
  };
  if (how.scan) {
    if (const std::string label = labelOf(kernel, *how.scan); isAsked(label))
      all.emplace_back(label, as::Team{});
  }
  for (const SharedLoop &l : how.loops) {
    const std::string label = labelOf(kernel, l.statements, l.outer);
    if (!isAsked(label))
      continue;
    const std::string dealt = labelOf(kernel, l.statements, l.dealt);
    all.emplace_back(label, as::Team{true, dealt == label});
    if (dealt != label)
      all.emplace_back(dealt, as::Team{false, true});
  }
  if (!left.empty())
    return {std::nullopt, fmt::format("its loop over `{}` cannot be shared out", left.front())};
  if (all.empty())
    return {std::nullopt, "its loops do not run over one coordinate each"};
  for (const auto &[label, team] : all)
    kernel.schedule.tree = realised(kernel.schedule.tree, label, team);
  return {std::move(kernel), ""};
}

Outcome applyTeam(const Scheduled &kernel, const Arguments &arguments) {
  if (std::string why = whyNoItemBands(kernel); !why.empty())
    return {std::nullopt, std::move(why)};
  const ItemsOutcome items = mapToItems(kernel);
  const CooperationOutcome found = cooperate(items.items ? *items.items : asOneItem(kernel));
  if (!found.cooperation)
    return {std::nullopt, found.why};
  const std::string neighbours = arguments.name("neighbours");
  Outcome cells = withCells(kernel, items.items.has_value(), neighbours == "cells");
  if (!cells.kernel)
    return cells;
  return withTeams(std::move(*cells.kernel), *found.cooperation, arguments.names("loops"));
}

} // namespace

Transformation teamTransformation() {
  using Kind = Parameter::Kind;
  return {.name = "team",
          .doc = "gives each point of a kernel for devices to a team of items, who share the steps of loops",
          .parameters = {{.name = "loops",
                          .kind = Kind::Loops,
                          .doc = "loops whose steps are shared out; all that can be, if none is named",
                          .isOptional = true},
                         {.name = "neighbours",
                          .kind = Kind::Word,
                          .doc = "what neighbouring items of a group have: steps of a cell, or cells",
                          .words = {"steps", "cells"},
                          .isOptional = true}},
          .apply = applyTeam,
          .stage = Stage::Tasks,
          .target = Target::Device};
}

} // namespace pbc::kernel
