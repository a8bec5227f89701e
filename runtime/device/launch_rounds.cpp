// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/launch_rounds.h"
#include <algorithm>
#include <cmath>
#include <vector>

namespace pb::device {

namespace {

bool isAllowed(long rounds, long slots) { return !slots || rounds == 1 || rounds % slots != 0; }

long largestAllowed(long most, long slots) {
  while (!isAllowed(most, slots))
    --most;
  return most;
}

/// How many rounds each command has, so that there are as few commands as possible, and these about as long as each other: a command
/// costs what it loads and stores, and the halo of a group grows with its rounds.
std::vector<long> fewestCommands(long rounds, long most, long slots) {
  std::vector<long> fewest(static_cast<std::size_t>(std::max(0L, rounds)) + 1, 0);
  for (long n = 1; n <= rounds; ++n) {
    long &least = fewest[static_cast<std::size_t>(n)] = n;
    for (long count = 1; count <= std::min(most, n); ++count)
      if (isAllowed(count, slots))
        least = std::min(least, 1 + fewest[static_cast<std::size_t>(n - count)]);
  }
  std::vector<long> all;
  while (rounds > 0) {
    const long commands = fewest[static_cast<std::size_t>(rounds)];
    const double mean = static_cast<double>(rounds) / static_cast<double>(commands);
    long best = 0;
    for (long count = 1; count <= std::min(most, rounds); ++count)
      if (isAllowed(count, slots) && fewest[static_cast<std::size_t>(rounds - count)] == commands - 1 &&
          (!best ||
           std::abs(static_cast<double>(count) - mean) <= std::abs(static_cast<double>(best) - mean)))
        best = count;
    all.push_back(best);
    rounds -= best;
  }
  return all;
}

} // namespace

LaunchRounds::LaunchRounds(const Launch &launch, std::vector<Argument> &arguments, Buffer *scratch)
    : launch_(launch), limits_(arguments.size()) {
  const Box &box = launch.box;
  if (launch.rows) {
    count_ = static_cast<long>(launch.rows->commands.size());
    return;
  }
  for (int d = 0; d < box.rank; ++d) {
    arguments.push_back(Argument::of(box.low[d]));
    arguments.push_back(Argument::of(box.high[d]));
  }
  if (!launch.parts.empty())
    count_ = static_cast<long>(launch.parts.size());
  if (launch.inRounds)
    count_ = box.high[0] - box.low[0];
  if (launch.together)
    findTogether();
  if (launch.teams.isOne) {
    if (!launch.inRounds)
      count_ = launch.teams.lastPass() - launch.teams.firstPass() + 1;
    arguments.push_back(Argument::writes(*scratch));
    for (const long v : {0L, launch.teams.parts, 1L}) // the pass, the parts, and the number of groups
      arguments.push_back(Argument::of(v));
  }
  if (!launch.inTiles())
    return;
  for (int d = 0; d < box.rank; ++d) {
    arguments.push_back(Argument::of(launch.tile[d]));
    count_ += tilesAlong(d) - 1;
  }
  for (int d = 0; d < box.rank; ++d) // the diagonal, and the first tile along all functions but the last
    arguments.push_back(Argument::of(0));
}

void LaunchRounds::findTogether() {
  const DeviceSteps &how = *launch_.together;
  long most = std::max(1L, launch_.steps);
  for (int d = 0; d + 1 < launch_.box.rank; ++d)
    if (how.reach[d] > 0) { // each group has points of its own
      const long width = static_cast<long>(launch_.group[d]) * launch_.cells[d];
      most = std::min(most, 1 + (width - 1) / (2 * how.reach[d]));
    }
  const long last = count_ - how.alone;
  begins_ = {0};
  while (last - begins_.back() > 4 * most) // most of many
    begins_.push_back(begins_.back() + largestAllowed(most, how.slots));
  for (const long count : fewestCommands(last - begins_.back(), most, how.slots))
    begins_.push_back(begins_.back() + count);
  while (begins_.back() < count_)
    begins_.push_back(begins_.back() + 1);
  count_ = static_cast<long>(begins_.size()) - 1;
}

Grid LaunchRounds::gridOfSteps(long count) const {
  Grid grid;
  for (int d = 0; d + 1 < launch_.box.rank; ++d) {
    const long width = static_cast<long>(launch_.group[d]) * launch_.cells[d];
    const long own = width - 2 * launch_.together->reach[d] * (count - 1);
    const long points = launch_.box.high[d + 1] - launch_.box.low[d + 1];
    grid.group[d] = launch_.group[d];
    grid.items[d] = std::max(0L, (points + own - 1) / own) * launch_.group[d];
  }
  return grid;
}

long LaunchRounds::tilesAlong(int d) const {
  return (launch_.box.high[d] - launch_.box.low[d] + launch_.tile[d] - 1) / launch_.tile[d];
}

/// All numbers behind the matrices are those of the command's own kernel.
Grid LaunchRounds::prepareRows(const RowsLaunch::Command &command, std::vector<Argument> &arguments) const {
  const RowsLaunch &rows = *launch_.rows;
  const bool isUpdate = command.what == RowsLaunch::Command::What::Update,
             isStart = command.what == RowsLaunch::Command::What::Start;
  const RowsLaunch::Part &part = isStart ? rows.start : rows.finish;
  arguments.resize(limits_);
  for (const long v : isUpdate ? launch_.values : part.values)
    arguments.push_back(Argument::of(v));
  for (int d = 0; d < command.box.rank; ++d) {
    arguments.push_back(Argument::of(command.box.low[d]));
    arguments.push_back(Argument::of(command.box.high[d]));
  }
  if (!isStart) {
    arguments.push_back(Argument::of(command.low));
    arguments.push_back(Argument::of(command.high));
  }
  constexpr int kOne[3] = {1, 1, 1}; // an item has one line, whatever the block's rows are
  return isUpdate ? gridOf(command.box, false, launch_.group, launch_.cells, launch_.hasRuns)
                  : gridOf(command.box, false, part.group, kOne);
}

Grid LaunchRounds::prepare(long round, std::vector<Argument> &arguments) const {
  if (launch_.rows)
    return prepareRows(launch_.rows->commands[static_cast<std::size_t>(round)], arguments);
  if (!launch_.parts.empty()) {
    const LaunchPart &part = launch_.parts[static_cast<std::size_t>(round)];
    for (int d = 0; d < part.box.rank; ++d) {
      arguments[limits_ + 2 * static_cast<std::size_t>(d)].value = part.box.low[d];
      arguments[limits_ + 2 * static_cast<std::size_t>(d) + 1].value = part.box.high[d];
    }
    return gridOf(part.box, false, part.group, launch_.cells, launch_.hasRuns);
  }
  const Box &box = launch_.box;
  if (launch_.together) {
    const long begin = begins_[static_cast<std::size_t>(round)],
               end = begins_[static_cast<std::size_t>(round) + 1];
    arguments[limits_].value = box.low[0] + begin;
    arguments[limits_ + 1].value = box.low[0] + end;
    return gridOfSteps(end - begin);
  }
  if (launch_.inRounds) {
    arguments[limits_].value = box.low[0] + round;
    arguments[limits_ + 1].value = box.low[0] + round + 1;
  }
  if (launch_.teams.isOne) {
    const int pass = launch_.teams.firstPass() + (launch_.inRounds ? 0 : static_cast<int>(round));
    arguments[arguments.size() - 3].value = pass;
    arguments[arguments.size() - 1].value = launch_.teams.partsOf(pass);
    return gridOf(launch_.teams, pass, box, launch_.inRounds, launch_.group);
  }
  if (!launch_.inTiles())
    return gridOf(box, launch_.inRounds, launch_.group, launch_.cells, launch_.hasRuns);
  const std::size_t diagonal = limits_ + 3 * static_cast<std::size_t>(box.rank);
  arguments[diagonal].value = round;
  Grid grid;
  for (int d = 0; d + 1 < box.rank; ++d) {
    const long all = tilesAlong(d), others = count_ - all; // the sum of the other positions is at most that
    const long first = std::max(0L, round - others), last = std::min(all - 1, round);
    arguments[diagonal + 1 + static_cast<std::size_t>(d)].value = first;
    grid.group[d] = launch_.group[d];
    grid.items[d] = (last - first + 1) * launch_.group[d];
  }
  return grid;
}

} // namespace pb::device
