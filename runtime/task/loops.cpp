// Walks the tables of runtime/abi/loops.h.
#include "runtime/abi/loops.h"

namespace pb {

namespace {

/// Deletes a transform's frame with its job, run or not.
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

BoxLoop tasksOf(const LoopStep &step, const Frame *frame) {
  Box box{};
  if (step.box)
    step.box(frame, &box);
  return forEachBox(box, splitOf(box, frame->split, step.grain), step.kernel, frame);
}

Job runOne(const Frame *frame, const LoopStep *step) { co_await tasksOf(*step, frame); }

Job runOwned(OwnedFrame owned, const LoopTransform *transform) {
  Frame *frame = owned.get();
  transform->enter(frame);
  if (frame->n < *transform->cutoff) {
    runPlanHere(frame, transform->plans);
    co_return;
  }
  const LoopPlan &plan = transform->plans[frame->choice];
  if (plan.allocate)
    plan.allocate(frame);
  if (plan.count == 1)
    co_await tasksOf(*plan.steps, frame);
  else
    co_await runLoops(frame, plan.steps, plan.count);
}

} // namespace

void runLoopsHere(const Frame *frame, const LoopStep *steps, int count) {
  for (const LoopStep *step = steps; step != steps + count; ++step) {
    Box box{};
    if (step->box)
      step->box(frame, &box);
    if (!isEmpty(box))
      step->kernel(frame, box.low, box.high);
  }
}

Job runLoops(const Frame *frame, const LoopStep *steps, int count) {
  const LoopStep *const end = steps + count;
  while (steps != end) {
    SpawnScope others;
    for (; steps + 1 != end && steps[1].level == steps->level; ++steps)
      others.spawn(runOne(frame, steps));
    co_await tasksOf(*steps++, frame);
    co_await others.sync();
  }
}

void runPlanHere(Frame *frame, const LoopPlan *plans) {
  const LoopPlan &plan = plans[frame->choice];
  if (plan.allocate)
    plan.allocate(frame);
  runLoopsHere(frame, plan.steps, plan.count);
}

Job runTransform(Frame *frame, const LoopTransform *transform) {
  return runOwned(OwnedFrame(frame, transform->release), transform);
}

} // namespace pb
