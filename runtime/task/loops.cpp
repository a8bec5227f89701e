// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Walks the tables of runtime/abi/loops.h.
#include "runtime/abi/loops.h"
#include "runtime/abi/program.h"
#include "runtime/abi/row_turns.h"
#include "runtime/abi/small_calls.h"
#include "runtime/abi/through_tiles.h"
#include "runtime/base/caches.h"
#include "runtime/task/scheduler.h"
#include "runtime/task/steps.h"
#include "runtime/task/worker.h"
#include <algorithm>

namespace pb {

namespace task {

Box boxOf(const LoopStep &step, const Frame *frame) {
  Box box{};
  if (step.box)
    step.box(frame, &box);
  return box;
}

StepDevices *currentDevices() {
  const Worker *worker = Worker::current();
  return worker ? worker->crew.devices : nullptr;
}

} // namespace task

namespace {

/// Deletes a transform's frame together with its job, whether it ran or not.
class OwnedFrame {
public:
  OwnedFrame(Frame *frame, void (*release)(Frame *)) : frame_(frame), release_(release) {}
  OwnedFrame(OwnedFrame &&o) noexcept : frame_(o.frame_), release_(o.release_) { o.frame_ = nullptr; }
  OwnedFrame &operator=(OwnedFrame &&) = delete;
  ~OwnedFrame() {
    if (frame_)
      release_(frame_);
  }
  Frame *get() const { return frame_; }

private:
  Frame *frame_;
  void (*release_)(Frame *);
};

BoxLoop inAnyOrder(const LoopStep &step, const Frame *frame, const Box &box) {
  if (step.through)
    return forEachBox(box, throughTiles(step, frame, box, pb_threads()), step.kernel, frame);
  const auto split = step.copies ? squareSplitOf : splitOf;
  return forEachBox(box, split(box, frame->split, step.grain), step.kernel, frame);
}

BoxLoop inAnyOrder(const LoopStep &step, const Frame *frame) {
  return inAnyOrder(step, frame, task::boxOf(step, frame));
}

/// Runs each value of dimension 0 after all parts of the previous one are done; runs a round directly if it
/// is not worth dividing.
Job inRounds(const LoopStep &step, const Frame *frame) {
  const Box box = task::boxOf(step, frame);
  if (isEmpty(box))
    co_return;
  long cells = 1;
  for (int d = 1; d < box.rank; ++d)
    cells *= box.high[d] - box.low[d];
  if (cells <= frame->split) {
    step.kernel(frame, box.low, box.high);
    co_return;
  }
  for (long round = box.low[0]; round < box.high[0]; ++round) {
    Box now = box;
    now.low[0] = round;
    now.high[0] = round + 1;
    co_await forEachBox(now, splitOf(now, frame->split, step.grain), step.kernel, frame);
  }
}

Split timeTilesOf(const LoopStep &step, const Frame *frame, const Box &box, int workers) {
  const long cache = pb_cache_bytes(2) / 4 * 3; // the rest is for other data
  return timeTiles(box, *step.time, frame->split, frame->steps, cache, workers);
}

/// Runs one tile after the other, dimension 0 fastest.
void runTiles(const Box &box, const Split &split, BoxFunction function, const void *context) {
  Box tile = box;
  const auto cut = [&](int d) { tile.high[d] = std::min(tile.low[d] + split.size[d], box.high[d]); };
  for (int d = 0; d < box.rank; ++d)
    cut(d);
  for (int d = 0; d < box.rank;) {
    function(context, tile.low, tile.high);
    for (d = 0; d < box.rank; ++d) {
      tile.low[d] = tile.high[d];
      const bool isWithin = tile.low[d] < box.high[d];
      if (!isWithin)
        tile.low[d] = box.low[d];
      cut(d);
      if (isWithin)
        break;
    }
  }
}

/// The step with the schedule that the configuration chooses at the frame's size, if its guard holds.
const LoopStep *asChosen(const LoopStep *step, const Frame *frame) {
  const LoopVersions *const versions = step->versions;
  const int use = versions ? ofContext(versions->placement)[frame->bin].select(frame->n) : 0;
  if (use <= 0 || use > versions->count)
    return step;
  const LoopStep *const chosen = versions->steps + (use - 1);
  return chosen->when && !chosen->when(frame) ? step : chosen;
}

bool concernDevices(const Frame *frame, const LoopStep *steps, int count) {
  const task::StepDevices *devices = task::currentDevices();
  return devices && devices->concern(frame, steps, count);
}

/// The rows of the blocks for which the step and those behind it take turns; 0: it runs by itself. Other schedules have no turns.
long turnsOf(const LoopStep &step, const Frame *frame, int workers) {
  if (!step.turns)
    return 0;
  const bool isChosen = std::any_of(&step, &step + step.turns->count,
                                    [&](const LoopStep &one) { return asChosen(&one, frame) != &one; });
  return isChosen ? 0 : rowsInTurn(*step.turns, frame, workers);
}

/// Whether the configuration chooses a schedule for a step that the plan in tiles does not have as it is.
bool excludesTiles(const LoopPlan &plan, const Frame *frame) {
  const auto isChosen = [&](const LoopStep &step) { return asChosen(&step, frame) != &step; };
  const LoopStep *const kept = plan.inTiles->steps, *const keptEnd = kept + plan.inTiles->count;
  return std::any_of(plan.steps, plan.steps + plan.count, [&](const LoopStep &step) {
    return isChosen(step) && std::none_of(kept, keptEnd, [&](const LoopStep &other) {
             return other.versions == step.versions;
           });
  });
}

/// The plan with its groups in tiles, if all of them pay at the frame's sizes.
const LoopPlan *asSizesSuggest(const LoopPlan *plan, const Frame *frame, int workers) {
  if (!plan->inTiles || excludesTiles(*plan, frame))
    return plan;
  const LoopStep *const steps = plan->inTiles->steps;
  for (const LoopStep *step = steps; step != steps + plan->inTiles->count; ++step)
    if (step->through)
      if (const Box box = task::boxOf(*step, frame);
          !isEmpty(box) && isWhole(throughTiles(*step, frame, box, workers)))
        return plan;
  return plan->inTiles;
}

/// Runs the step on the calling thread.
void runHere(const LoopStep &given, const Frame *frame) {
  const LoopStep &step = *asChosen(&given, frame);
  const Box box = task::boxOf(step, frame);
  if (isEmpty(box))
    return;
  if (step.through)
    runTiles(box, throughTiles(step, frame, box, 1), step.kernel, frame);
  else if (step.time)
    for (Box rest = box, band; takeBand(rest, *step.time, frame->split, band);)
      runTimeTiles(band, *step.time, timeTilesOf(step, frame, band, 1), step.kernel, frame);
  else
    step.kernel(frame, box.low, box.high);
}

Job throughTime(const LoopStep &step, const Frame *frame, Box rest) {
  for (Box band; takeBand(rest, *step.time, frame->split, band);)
    co_await timeWavefront(band, *step.time, timeTilesOf(step, frame, band, pb_threads()), step.kernel,
                           frame);
}

Job run(const LoopStep &given, const Frame *frame) {
  const LoopStep &step = *asChosen(&given, frame);
  switch (step.order) {
  case LoopOrder::Any:
    break;
  case LoopOrder::Wavefront: {
    const Box box = task::boxOf(step, frame);
    if (step.time)
      return throughTime(step, frame, box);
    return wavefront(box, wavefrontTiles(box, frame->split), step.kernel, frame);
  }
  case LoopOrder::Rounds:
    return inRounds(step, frame);
  }
  return [](const LoopStep &s, const Frame *f) -> Job { co_await inAnyOrder(s, f); }(step, frame);
}

/// The plan that the frame's choice names, in the form that the sizes suggest, with its temporaries
/// allocated.
const LoopPlan &begin(Frame *frame, const LoopPlan *plans, bool inTasks) {
  const LoopPlan *plan = &plans[frame->choice];
  if (!inTasks || !concernDevices(frame, plan->steps, plan->count)) // tiles do not help a device
    plan = asSizesSuggest(plan, frame, inTasks ? pb_threads() : 1);
  if (plan->allocate)
    plan->allocate(frame);
  return *plan;
}

Job runOwned(OwnedFrame owned, const LoopTransform *transform) {
  Frame *frame = owned.get();
  transform->enter(frame);
  if (frame->n < ofContext(transform->cutoff)[frame->bin]) {
    if (transform->whole)
      co_await toHost(frame, transform->whole);
    runPlanHere(frame, transform->plans);
    co_return;
  }
  const LoopPlan &plan = begin(frame, transform->plans, true);
  const bool isHere = !concernDevices(frame, plan.steps, plan.count);
  const LoopStep *const first = plan.count == 1 && isHere ? asChosen(plan.steps, frame) : nullptr;
  if (first && first->order == LoopOrder::Any)
    co_await inAnyOrder(*first, frame);
  else
    co_await runLoops(frame, plan.steps, plan.count);
  if (transform->whole && frame->depth > 0 && !frame->stays)
    co_await leaveDevices(frame, transform->whole);
}

} // namespace

void runLoopsHere(const Frame *frame, const LoopStep *steps, int count) {
  for (const LoopStep *step = steps; step != steps + count;)
    if (const long rows = turnsOf(*step, frame, 1)) {
      takeTurns(*step->turns, frame, rows);
      step += step->turns->count;
    } else {
      runHere(*step++, frame);
    }
}

namespace {

Job runOnProcessor(const Frame *frame, const LoopStep *steps, int count) {
  const LoopStep *const end = steps + count;
  while (steps != end) {
    SpawnScope others;
    const int level = steps->level;
    const LoopStep *alone = nullptr;
    while (steps != end && steps->level == level)
      if (const long rows = turnsOf(*steps, frame, pb_threads())) {
        others.spawn(turnsInTasks(*steps->turns, frame, rows, pb_threads()));
        steps += steps->turns->count;
      } else {
        if (alone)
          others.spawn(run(*alone, frame));
        alone = steps++;
      }
    if (!alone) {
      co_await others.sync();
      continue;
    }
    const LoopStep &last = *asChosen(alone, frame);
    if (last.order == LoopOrder::Any)
      co_await inAnyOrder(last, frame);
    else
      co_await run(last, frame);
    co_await others.sync();
  }
}

} // namespace

Job runLoops(const Frame *frame, const LoopStep *steps, int count) {
  if (concernDevices(frame, steps, count))
    return task::currentDevices()->walk(frame, steps, count);
  return runOnProcessor(frame, steps, count);
}

void runPlanHere(Frame *frame, const LoopPlan *plans) {
  const LoopPlan &plan = begin(frame, plans, false);
  runLoopsHere(frame, plan.steps, plan.count);
}

Job runPlan(Frame *frame, const LoopPlan *plans) {
  const LoopPlan &plan = begin(frame, plans, true);
  return runLoops(frame, plan.steps, plan.count);
}

Job runTransform(Frame *frame, const LoopTransform *transform) {
  return runOwned(OwnedFrame(frame, transform->release), transform);
}

bool haveDevices() { return task::currentDevices(); }

bool pb_devices_seen = false;

bool pb_devices_are_used() {
  const task::StepDevices *devices = task::currentDevices();
  return devices && devices->areUsed();
}

HostAccess toHost(const Frame *frame, const DeviceStep *step) {
  task::StepDevices *devices = task::currentDevices();
  return {devices && devices->areUsed() ? devices->toHost(frame, step) : Job()};
}

HostAccess leaveDevices(const Frame *frame, const DeviceStep *step) {
  task::StepDevices *devices = task::currentDevices();
  return {devices && devices->areUsed() ? devices->leaveDevices(frame, step) : Job()};
}

namespace task {

void noteDevicesInUse() { __atomic_store_n(&pb_devices_seen, true, __ATOMIC_RELEASE); }

Job runStep(const LoopStep &step, const Frame *frame) { return run(step, frame); }

Job runStep(const LoopStep &step, const Frame *frame, Box part) { co_await inAnyOrder(step, frame, part); }

} // namespace task

} // namespace pb
