// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Floats divided by numbers in the way of dialect_division.h have the bits of the processor's division.
#include "runtime/device/dialect_division.h"
#include <bit>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>

namespace pb::device {
namespace {

#if defined(__FMA__) || !defined(__x86_64__)
constexpr std::uint32_t kStep = 1;
#else
constexpr std::uint32_t kStep = 61; // a fused multiply-add is a slow function here
#endif

float pb_divided(float x, float by) PB_BODY_OF_DIVIDED

    std::uint32_t bitsOf(float x) {
  return std::bit_cast<std::uint32_t>(x);
}

TEST(Division, AllSignificandsHaveTheBitsOfTheProcessors) {
  for (const float by :
       {3.0f, 6.0f, 7.0f, 9.0f, 25.0f, -10.0f, 0.1f, 0.3f, 1.9999999f, 1.0000001f, 0x1.8p-20f, 0x1.8p19f}) {
    long wrong = 0;
    for (std::uint32_t significand = 0; significand < 1u << 23; significand += kStep) {
      const float x = std::bit_cast<float>(0x40000000u | significand);
      wrong += bitsOf(pb_divided(x, by)) != bitsOf(x / by);
    }
    EXPECT_EQ(wrong, 0) << by;
  }
}

TEST(Division, AllExponentsAndWhatIsNoNumber) {
  std::mt19937 random(7);
  for (const float by : {3.0f, 6.0f, -0.7f, 1e-6f, 0x1.8p19f}) {
    for (int k = 0; k < 1 << 18; ++k) {
      const float x = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
      if (std::isnan(x))
        continue;
      EXPECT_EQ(bitsOf(pb_divided(x, by)), bitsOf(x / by)) << x << " / " << by;
    }
    // Results that are too small for all their bits, and those between two of them.
    for (std::uint32_t k = 0; k < 1 << 16; ++k) {
      const float small = std::bit_cast<float>(k);
      EXPECT_EQ(bitsOf(pb_divided(small, by)), bitsOf(small / by)) << small << " / " << by;
    }
    for (const float x : {0.0f, -0.0f, INFINITY, -INFINITY, 0x1p-126f, 0x1.fffffep127f, 1e-28f, 1e32f})
      EXPECT_EQ(bitsOf(pb_divided(x, by)), bitsOf(x / by)) << x << " / " << by;
    EXPECT_TRUE(std::isnan(pb_divided(NAN, by)));
  }
}

} // namespace
} // namespace pb::device
