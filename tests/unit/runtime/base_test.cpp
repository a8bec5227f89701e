// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/abi/program.h"
#include "runtime/base/closest.h"
#include "runtime/base/random.h"
#include <gtest/gtest.h>

using namespace pb;

TEST(Closest, FindsWhatWasMeant) {
  const std::vector<std::string> rules = {"InsertionSort", "QuickSort", "MergeSort"};
  EXPECT_EQ(base::closest("InsertoinSort", rules), "InsertionSort");
  EXPECT_EQ(base::closest("quicksort", rules), "QuickSort");
  EXPECT_EQ(base::closest("zebra", rules), "");
  EXPECT_EQ(base::closest("x", {}), "");
  EXPECT_EQ(base::listed(rules), "'InsertionSort', 'QuickSort' and 'MergeSort'");
}

TEST(Random, SameSeedSameNumbersInRange) {
  base::Random a(7), b(7), c(8);
  bool differs = false;
  for (int i = 0; i < 1000; ++i) {
    const double x = a.unit();
    EXPECT_EQ(x, b.unit());
    differs |= x != c.unit();
    EXPECT_GE(x, 0);
    EXPECT_LT(x, 1);
    const long k = a.below(101);
    EXPECT_EQ(k, b.below(101));
    EXPECT_TRUE(k >= 0 && k <= 100);
  }
  EXPECT_TRUE(differs);
}

TEST(Random, ThreadsStartAgainWhenSeeded) {
  base::seedThreads(3);
  const double first = pb_random01(), second = pb_random01();
  EXPECT_NE(first, second);
  base::seedThreads(3);
  EXPECT_EQ(first, pb_random01());
}

TEST(Overlap, HalfOpenByteRanges) {
  char m[64] = {};
  EXPECT_TRUE(pb_overlap_ranges(m, 0, 8, m + 7, 0, 8));
  EXPECT_FALSE(pb_overlap_ranges(m, 0, 8, m + 8, 0, 8));
  EXPECT_TRUE(pb_overlap_ranges(m + 32, -32, 1, m, 0, 1));
  EXPECT_FALSE(pb_overlap_ranges(m, 4, 4, m, 0, 64));
}

TEST(Explain, FillsMessageAndIsFalse) {
  Message why;
  EXPECT_FALSE(pb_explain(&why, "n = %d", 3));
  EXPECT_STREQ(why.text, "n = 3");
}

TEST(SelectorTest, PicksByCutOff) {
  Selector s;
  s.levels = 3;
  s.below[0] = 10, s.below[1] = 100;
  s.use[0] = 2, s.use[1] = 1, s.use[2] = 0;
  EXPECT_EQ(s.select(9), 2);
  EXPECT_EQ(s.select(10), 1);
  EXPECT_EQ(s.select(100), 0);
}
