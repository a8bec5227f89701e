// The task tree of forEachBox: halves its box along the dimension with most parts, spawns the upper half and
// goes on with the lower. The largest halves are spawned first, so they lie where thieves take them.
#include "runtime/abi/task.h"

namespace pb {

Job boxTasks(const BoxLoop *loop, Box part) {
  SpawnScope scope;
  for (int d; (d = dimensionToDivide(part, loop->split)) >= 0;) {
    long size = loop->split.size[d], extent = part.high[d] - part.low[d];
    long parts = extent / size + (extent % size != 0);
    Box upper = part;
    part.high[d] = upper.low[d] = part.low[d] + (parts + 1) / 2 * size;
    scope.spawn(boxTasks(loop, upper));
  }
  loop->function(loop->context, part.low, part.high);
  co_await scope.sync();
}

} // namespace pb
