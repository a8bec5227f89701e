// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/time_functions.h"
#include "compiler/kernel/formula.h"
#include "compiler/kernel/legal.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/union_map.h>

namespace pbc::kernel {
namespace {

/// The place of a skewed function.
TaskFunction placeOf(const TaskFunction &f, const TaskFunction &time) {
  TaskFunction place = f;
  place.name = f.name.substr(0, f.name.find(" + "));
  place.value = plus(f.value, times(time.value, -f.slope));
  return place;
}

/// The factor of `time` for which no dependence decreases factor * `time` - `place`.
std::optional<int> slopeDown(const TaskFunction &place, const TaskFunction &time,
                             const isl::union_map &dependences) {
  for (int slope = 1; slope <= kSteepestSkew; ++slope)
    if (neverDecreases(dependences, plus(times(time.value, slope), times(place.value, -1))))
      return slope;
  return std::nullopt;
}

} // namespace

bool hasDiamonds(const Scheduled &cut) {
  return std::any_of(cut.schedule.taskDimensions.begin(), cut.schedule.taskDimensions.end(),
                     [](const auto &d) { return d.down > 0; });
}

std::optional<TimeFunctions> timeFunctions(const Scheduled &kernel, const TaskFunctions &wavefront) {
  const auto &all = wavefront.functions;
  const auto time = std::find_if(all.begin(), all.end(), [](const auto &f) { return !f.isPlace; });
  if (wavefront.order != TaskOrder::Wavefront || time == all.end() ||
      std::none_of(all.begin(), all.end(), [](const auto &f) { return f.isPlace; }))
    return std::nullopt;
  TimeFunctions through;
  for (const TaskFunction &f : all)
    if (f.along == time->name) {
      through.place = static_cast<int>(through.functions.size());
      through.functions.push_back(placeOf(f, *time));
    } else {
      through.functions.push_back(f);
      through.functions.back().along.clear();
    }
  if (through.place < 0) {
    through.why = "no tile of it moves with time";
    return through;
  }
  const TaskFunction &place = through.functions[static_cast<std::size_t>(through.place)];
  if (const auto down = slopeDown(place, *time, kernel.dependences)) {
    through.down = *down;
    return through;
  }
  through.place = -1;
  through.why =
      fmt::format("points depend on others of the same step, or too far away, along `{}`", place.name);
  return through;
}

} // namespace pbc::kernel
