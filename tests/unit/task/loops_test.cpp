// Plans as tables (runtime/abi/loops.h).
#include "runtime/abi/loops.h"
#include "runtime/task/scheduler.h"
#include <atomic>
#include <gtest/gtest.h>

using namespace pb;
using pb::task::Scheduler;

namespace {

std::atomic<int> framesAlive{0};

struct Counted : Frame {
  Counted() { ++framesAlive; }
  ~Counted() { --framesAlive; }
  std::atomic<long> first{0}, second{0}, wrongOrder{0};
  bool entered = false, allocated = false;
};

Counted &counted(const void *frame) { return *static_cast<Counted *>(const_cast<void *>(frame)); }

void thousand(const Frame *, Box *box) {
  box->rank = 1;
  box->low[0] = 0;
  box->high[0] = 1000;
}

void nothing(const Frame *, Box *box) {
  box->rank = 1;
  box->low[0] = 3;
  box->high[0] = 3;
}

void first(const void *f, const long *low, const long *high) { counted(f).first += high[0] - low[0]; }

// Level 1: must see all of level 0.
void second(const void *f, const long *low, const long *high) {
  counted(f).wrongOrder += counted(f).first != 2000;
  counted(f).second += high[0] - low[0];
}

void once(const void *f, const long *, const long *) { counted(f).second += 1; }

const LoopStep steps[] = {{&thousand, &first, {1}, 0},
                          {&thousand, &first, {1}, 0},
                          {&thousand, &second, {1}, 1},
                          {&nothing, &second, {1}, 1},
                          {nullptr, &once, {}, 2}};
const LoopPlan plans[] = {{nullptr, steps, 0}, {[](Frame *f) { counted(f).allocated = true; }, steps, 5}};
long cutoff = 0;
const LoopTransform transform = {[](Frame *f) {
                                   counted(f).entered = true;
                                   f->n = 10;
                                   f->split = 64;
                                   f->choice = 1;
                                 },
                                 [](Frame *f) { delete static_cast<Counted *>(f); }, &cutoff, plans};

TEST(Loops, LevelsRunInOrderAndEveryCellOnce) {
  for (const int threads : {1, 2, 4}) {
    Scheduler s(threads);
    Counted f;
    f.split = 10;
    s.run(runLoops(&f, steps, 5));
    EXPECT_EQ(f.first, 2000);
    EXPECT_EQ(f.second, 1001);
    EXPECT_EQ(f.wrongOrder, 0);
  }
}

TEST(Loops, OnTheSpotTheSame) {
  Counted f;
  runLoopsHere(&f, steps, 5);
  EXPECT_EQ(f.first, 2000);
  EXPECT_EQ(f.second, 1001);
  EXPECT_EQ(f.wrongOrder, 0);
}

TEST(Loops, ATransformEntersRunsItsPlanAndReleasesItsFrame) {
  static bool allocated = false, entered = false;
  static long sum = 0;
  LoopTransform watched = transform;
  watched.release = [](Frame *f) {
    allocated = counted(f).allocated;
    entered = counted(f).entered;
    sum = counted(f).second;
    delete static_cast<Counted *>(f);
  };
  Scheduler s(2);
  for (const long limit : {0L, 100L}) {
    cutoff = limit;
    allocated = entered = false;
    s.run(runTransform(new Counted, &watched));
    EXPECT_TRUE(entered);
    EXPECT_TRUE(allocated);
    EXPECT_EQ(sum, 1001);
  }
  cutoff = 0;
  EXPECT_EQ(framesAlive, 0);
}

TEST(Loops, AJobThatIsNeverStartedReleasesItsFrame) {
  {
    const Job dropped = runTransform(new Counted, &transform);
  }
  EXPECT_EQ(framesAlive, 0);
}

} // namespace
