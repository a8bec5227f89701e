// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Conditions that are checked in calls (runtime/abi/guards.h), and versions that run only where they hold: test 8 of
// optimisation-scripts 10.
#include "runtime/abi/guards.h"
#include "runtime/abi/loops.h"
#include "runtime/abi/program.h"
#include <gtest/gtest.h>
#include <limits>
#include <vector>

using namespace pb;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// A matrix with 7 in each cell.
struct Sevens {
  Sevens(int width, int height)
      : cells(static_cast<std::size_t>(width * height), 7), extents{width, height}, strides{1, width} {}
  Region<const double, 2> view() const { return {cells.data(), strides, extents}; }
  double &at(int x, int y) { return cells[static_cast<std::size_t>(y * extents[0] + x)]; }
  template <class Where>
  Sevens &fill(double value, const Where &where) {
    for (int y = 0; y < extents[1]; ++y)
      for (int x = 0; x < extents[0]; ++x)
        if (where(x, y))
          at(x, y) = value;
    return *this;
  }
  std::vector<double> cells;
  int extents[2];
  long strides[2];
};

bool isAbove(int x, int y) { return x > y; }
bool isBelow(int x, int y) { return x < y; }

TEST(Guards, ABlankHalfIsZeroOnlyIfAllOfItIs) { // 8
  for (const auto &[width, height] : {std::pair(4, 4), {5, 3}, {3, 5}, {1, 4}, {4, 1}}) {
    for (const int half : {-1, 1}) {
      const auto isBlank = half < 0 ? isAbove : isBelow;
      EXPECT_TRUE(isBlankZero(Sevens(width, height).fill(0, isBlank).view(), half)) << width << height;
      EXPECT_TRUE(isBlankZero(Sevens(width, height).fill(-0.0, isBlank).view(), half));
      for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
          for (const double value : {1e-300, kNaN}) {
            Sevens m = Sevens(width, height).fill(0, isBlank);
            m.at(x, y) = value;
            EXPECT_EQ(isBlankZero(m.view(), half), !isBlank(x, y)) << x << ", " << y << " is " << value;
          }
    }
  }
}

TEST(Guards, BeyondABandAllIsBlank) {
  const auto isBlank = [](int x, int y) { return y - x > 1 || x - y > 2; };
  EXPECT_TRUE(isBlankZero(Sevens(6, 5).fill(0, isBlank).view(), 0, 1, 2));
  EXPECT_FALSE(isBlankZero(Sevens(6, 5).fill(0, isBlank).view(), 0, 0, 2));
  EXPECT_FALSE(isBlankZero(Sevens(6, 5).fill(0, isBlank).view(), 0, 1, 1));
  EXPECT_FALSE(isBlankZero(Sevens(6, 5).fill(0, isBlank).view(), -1, 1, 2));
  EXPECT_TRUE(isBlankZero(Sevens(6, 5).view(), 0));
}

TEST(Guards, NothingIsBlankInAnEmptyMatrix) {
  EXPECT_TRUE(isBlankZero(Sevens(0, 3).view(), -1));
  EXPECT_TRUE(isBlankZero(Sevens(3, 0).view(), 1, 0, 0));
  EXPECT_TRUE(isBlankZero(Sevens(1, 1).view(), -1));
}

TEST(Guards, AreFoundOutOnceACall) {
  for (const bool holds : {false, true}) {
    Guard known{};
    int asked = 0;
    for (int k = 0; k < 3; ++k)
      EXPECT_EQ(onceACall(known, [&] { return ++asked, holds; }), holds);
    EXPECT_EQ(asked, 1);
  }
}

struct Call : Frame {
  bool holds = false;
  mutable int asked = 0, own = 0, guarded = 0, others = 0;
  mutable Guard guards[1] = {};
};
const Call &callOf(const void *frame) { return *static_cast<const Call *>(frame); }

const LoopStep versionSteps[] = {
    {nullptr,
     [](const void *f, const long *, const long *) { ++callOf(f).guarded; },
     {},
     0,
     LoopOrder::Any,
     false,
     nullptr,
     nullptr,
     nullptr,
     nullptr,
     0,
     [](const Frame *f) {
       return onceACall(callOf(f).guards[0], [&] { return ++callOf(f).asked, callOf(f).holds; });
     }},
    {nullptr, [](const void *f, const long *, const long *) { ++callOf(f).others; }, {}, 0, LoopOrder::Any}};

TEST(Guards, VersionsWhoseGuardsFailLeaveTheStepAsItIs) { // 8
  Selector selector;
  const LoopVersions versions{&selector, versionSteps, 2};
  LoopStep step{
      nullptr, [](const void *f, const long *, const long *) { ++callOf(f).own; }, {}, 0, LoopOrder::Any};
  step.versions = &versions;
  const LoopStep steps[] = {step, step};
  for (const int use : {0, 1, 2})
    for (const bool holds : {false, true}) {
      selector.use[0] = use;
      Call call;
      call.holds = holds;
      runLoopsHere(&call, steps, 2);
      EXPECT_EQ(call.asked, use == 1 ? 1 : 0);
      EXPECT_EQ(call.guarded, use == 1 && holds ? 2 : 0);
      EXPECT_EQ(call.others, use == 2 ? 2 : 0);
      EXPECT_EQ(call.own, 2 - call.guarded - call.others);
    }
}

} // namespace
