// The task tree of forEachBox: halves its box along the dimension with most parts, spawns the upper half and
// goes on with the lower. The largest halves are spawned first, so they lie where thieves take them.
#include "runtime/abi/task.h"
#include "runtime/task/worker.h"

namespace pb {

namespace {

/// About 20 microseconds. Whoever finishes last goes on with the program; a short wait keeps that on the
/// worker that began, so that in a sequence of loops each part stays in the cache of one core.
constexpr int kSpinsBeforeSuspending = 400;

} // namespace

Job boxTasks(const BoxLoop *loop, Box part) {
  SpawnScope scope;
  int children = 0;
  for (int d; (d = dimensionToDivide(part, loop->split)) >= 0; ++children) {
    long size = loop->split.size[d], extent = part.high[d] - part.low[d];
    long parts = extent / size + (extent % size != 0);
    Box upper = part;
    part.high[d] = upper.low[d] = part.low[d] + (parts + 1) / 2 * size;
    scope.spawn(boxTasks(loop, upper));
  }
  loop->function(loop->context, part.low, part.high);
  if (children > 0) {
    // Thieves take the oldest tasks first: while any child is left, the children are the top of the deque.
    task::Worker *me = task::Worker::current();
    for (Work *w; children > 0 && (w = me->deque.popTop()); --children)
      w->run(w);
    for (int spins = 0; spins < kSpinsBeforeSuspending && !scope.sync().await_ready(); ++spins)
      __builtin_ia32_pause();
  }
  co_await scope.sync();
}

} // namespace pb
