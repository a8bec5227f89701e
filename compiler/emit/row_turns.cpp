// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/row_turns.h"
#include "compiler/emit/initialiser.h"
#include "compiler/schedule/levels.h"
#include <algorithm>
#include <tuple>

namespace pbc::emit {

StepsInOrder inLevels(const schedule::Plan &plan, const std::vector<kernel::TurnGroup> &groups) {
  StepsInOrder out;
  out.levelOf = schedule::levelsOf(plan);
  std::vector<std::size_t> place; // by step: that of the first one of its group
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    out.steps.push_back(s);
    place.push_back(s);
    out.loops += plan.steps[s].callsTransforms ? 0 : 1;
  }
  for (const kernel::TurnGroup &group : groups)
    for (const kernel::RowTurn &turn : group.turns)
      place[static_cast<std::size_t>(turn.step)] = static_cast<std::size_t>(group.turns.front().step);
  std::stable_sort(out.steps.begin(), out.steps.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(out.levelOf[a], place[a]) < std::tie(out.levelOf[b], place[b]);
  });
  return out;
}

const kernel::Scheduled &kernelOfTurn(const Scope &scope, std::size_t plan, const kernel::RowTurn &turn) {
  const auto &kernels = scope.input.kernels[static_cast<std::size_t>(scope.transform.index)][plan];
  return turn.cut ? *turn.cut : *kernels[static_cast<std::size_t>(turn.step)];
}

bool hasRowTurns(const Scope &scope) {
  const std::size_t t = static_cast<std::size_t>(scope.transform.index);
  for (std::size_t k = 0; k < scope.input.plans[t].plans.size(); ++k)
    if (!scope.input.turnsOf(scope.transform.index, k).empty())
      return true;
  return false;
}

std::string rowTurnsRows(const kernel::TurnGroup &group, const std::vector<TurnNames> &names) {
  std::string rows;
  for (std::size_t k = 0; k < group.turns.size(); ++k) {
    const kernel::RowTurn &turn = group.turns[k];
    rows += tableRow({{"kernel", names[k].kernel},
                      {"box", names[k].box},
                      {"along", turn.along},
                      {"offset", turn.offset},
                      {"isCut", turn.cut ? "true" : "false"}});
  }
  return rows;
}

std::string rowTurnsTable(const Scope &scope, const kernel::TurnGroup &group, const std::string &rows,
                          const std::string &name) {
  const sema::Matrix &matrix = scope.transform.matrices[static_cast<std::size_t>(group.matrix)];
  std::string bytes = std::to_string(sema::bytes(matrix.element)) + "L";
  for (int d = 0; d + 1 < matrix.rank(); ++d)
    bytes += fmt::format(" * ({})", matrix.extents[static_cast<std::size_t>(d)].cxx);
  long grain = 1;
  for (const kernel::RowTurn &turn : group.turns)
    grain = std::max(grain, turn.grain);
  return fmt::format("PB_SMALL static long {0}_bytes(const pb::Frame *pb_p) {{\n"
                     "  [[maybe_unused]] const {1} &pb_f = *static_cast<const {1} *>(pb_p);\n  {2}\n"
                     "  return {3};\n}}\n\n"
                     "static const pb::RowTurns::Loop {0}_loops[] = {{\n{4}}};\n\n"
                     "static const pb::RowTurns {0} = {5};\n\n",
                     name, scope.frame(), parameterDefinitions(scope), bytes, rows,
                     initialiser({{"bytesOfRow", name + "_bytes"},
                                  {"loops", name + "_loops"},
                                  {"count", group.turns.size()},
                                  {"grain", grain}}));
}

} // namespace pbc::emit
