// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The task tree of forEachBox: halves its box along the dimension with most parts, spawns the upper half and
// continues with the lower one. The largest halves are spawned first, so that they lie where thieves take
// them.
#include "runtime/abi/loops.h"
#include "runtime/task/scheduler.h"
#include "runtime/task/worker.h"
#include <algorithm>
#include <cmath>

namespace pb {

namespace {

/// About 20 microseconds. The worker that finishes last continues the program; a short wait lets the worker
/// that began the loop do this, so that in a sequence of loops each part stays in the cache of one core.
constexpr int kSpinsBeforeSuspending = 400;

long partsOf(long extent, long size) { return extent / size + (extent % size != 0); }

/// The dimension in which `box` has most parts of size split, or -1 if it is not to be divided.
int dimensionToDivide(const Box &box, const Split &split) {
  int best = -1;
  long most = 1;
  for (int d = 0; d < box.rank; ++d) {
    if (split.size[d] <= 0)
      continue;
    const long parts = partsOf(box.high[d] - box.low[d], split.size[d]);
    if (parts > most)
      most = parts, best = d;
  }
  return best;
}

Job boxTasks(const BoxLoop *loop, Box part) {
  SpawnScope scope;
  int children = 0;
  for (int d; (d = dimensionToDivide(part, loop->split)) >= 0; ++children) {
    const long size = loop->split.size[d];
    Box upper = part;
    part.high[d] = upper.low[d] = part.low[d] + (partsOf(part.high[d] - part.low[d], size) + 1) / 2 * size;
    scope.spawn(boxTasks(loop, upper));
  }
  loop->function(loop->context, part.low, part.high);
  if (children > 0) {
    // Thieves take the oldest tasks first: while any child is left, the children are at the top of the deque.
    task::Worker *me = task::Worker::current();
    for (Work *w; children > 0 && (w = me->deque.popTop()); --children)
      task::start(w);
    for (int spins = 0; spins < kSpinsBeforeSuspending && !scope.sync().await_ready(); ++spins)
      __builtin_ia32_pause();
  }
  co_await scope.sync();
}

} // namespace

bool isEmpty(const Box &box) {
  for (int d = 0; d < box.rank; ++d)
    if (box.low[d] >= box.high[d])
      return true;
  return false;
}

void evenOut(Split &split, const Box &box, const long *grain, int workers) {
  for (int d = box.rank - 1; d >= 0; --d) {
    const long extent = box.high[d] - box.low[d];
    long parts = partsOf(extent, split.size[d]);
    if (parts < 2)
      continue;
    if (parts > workers)
      parts = partsOf(parts, workers) * workers;
    split.size[d] = partsOf(partsOf(extent, parts), grain[d]) * grain[d];
    return;
  }
}

Split splitOf(const Box &box, long cells, const long *grain) {
  Split split{};
  long rest = cells < 1 ? 1 : cells;
  for (int d = 0; d < box.rank; ++d) {
    const long extent = box.high[d] - box.low[d];
    long part = rest < extent ? rest : extent;
    if (part < 1)
      part = 1;
    if (grain[d] > 1)
      part = (part + grain[d] - 1) / grain[d] * grain[d];
    split.size[d] = part;
    rest = rest / part > 1 ? rest / part : 1;
  }
  evenOut(split, box, grain, pb_threads());
  return split;
}

Split squareSplitOf(const Box &box, long cells, const long *grain) {
  constexpr long kPartsPerWorker = 4;
  long all = 1;
  for (int d = 0; d < box.rank; ++d)
    all *= box.high[d] - box.low[d];
  const long workers = pb_threads();
  cells = std::max(cells, all / (workers > 1 ? kPartsPerWorker * workers : 1));
  Split split = splitOf(box, cells, grain);
  if (box.rank < 2)
    return split;
  const long rows = box.high[1] - box.low[1];
  const long width = static_cast<long>(std::ceil(std::sqrt(static_cast<double>(cells))));
  // If there are few rows, parts are so wide that they include all of these rows.
  const long wide = std::max(width, cells / std::max(rows, 1L));
  split.size[0] = std::min(split.size[0], (wide + grain[0] - 1) / grain[0] * grain[0]);
  const long high = std::clamp(cells / std::max(split.size[0], 1L), 1L, std::max(rows, 1L));
  split.size[1] = partsOf(high, std::max(grain[1], 1L)) * std::max(grain[1], 1L);
  return split;
}

bool BoxLoop::await_ready() const {
  if (isEmpty(box))
    return true;
  if (dimensionToDivide(box, split) >= 0)
    return false;
  function(context, box.low, box.high);
  return true;
}

Job BoxLoop::divide() const { return boxTasks(this, box); }

} // namespace pb
