// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which chains of launches become graphs, and which graphs are kept.
#include "runtime/device/chain_shelf.h"

#include <gtest/gtest.h>

namespace pb::device::test {
namespace {

/// So many launches that differ in one value.
ChainKey keyOf(std::size_t length, long value = 0, unsigned long kernel = 1, unsigned long address = 64) {
  static Buffer *const someBuffer = new Buffer;
  std::vector<ChainLaunch> launches;
  for (std::size_t k = 0; k < length; ++k)
    launches.push_back({{Argument::writes(*someBuffer), Argument::of(value + static_cast<long>(k))},
                        {{8, 1, 1}, {4, 1, 1}}});
  return {kernel, launches, [&](Buffer &) { return address; }, [](Kernel &) { return 0UL; }};
}

TEST(ChainShelf, LongChainsAtOnceShortOnesWhenTheyComeAgain) {
  ChainShelf<int> shelf;
  EXPECT_TRUE(shelf.isWorthIt(keyOf(64)));
  EXPECT_TRUE(shelf.isWorthIt(keyOf(256)));
  EXPECT_FALSE(shelf.isWorthIt(keyOf(257)));
  EXPECT_FALSE(shelf.isWorthIt(keyOf(63)));
  EXPECT_TRUE(shelf.isWorthIt(keyOf(63)));
  EXPECT_FALSE(shelf.isWorthIt(keyOf(63, 1))); // another one
  for (int k = 0; k < 3; ++k)
    EXPECT_FALSE(shelf.isWorthIt(keyOf(3)));
}

/// Parts of a launch may have kernels of their own.
TEST(ChainShelf, ChainsOfOtherKernelsAreOthers) {
  struct Numbered : Kernel {
    unsigned long number = 5;
  } own;
  std::vector<ChainLaunch> launches(4, ChainLaunch{{}, {{8, 1, 1}, {4, 1, 1}}});
  const auto key = [&] {
    return ChainKey(
        1, launches, [](Buffer &) { return 64UL; },
        [](Kernel &k) { return static_cast<Numbered &>(k).number; });
  };
  const ChainKey ofOne = key();
  launches[2].kernel = &own;
  const ChainKey ofTwo = key();
  own.number = 6;
  EXPECT_FALSE(ofOne == ofTwo);
  EXPECT_FALSE(ofTwo == key());
  EXPECT_TRUE(key() == key());
}

TEST(ChainShelf, OnlyTheSameChainIsFound) {
  ChainShelf<int> shelf;
  shelf.keep(keyOf(5), 7);
  ASSERT_TRUE(shelf.find(keyOf(5)));
  EXPECT_EQ(*shelf.find(keyOf(5)), 7);
  EXPECT_FALSE(shelf.find(keyOf(6)));
  EXPECT_FALSE(shelf.find(keyOf(5, 1)));
  EXPECT_FALSE(shelf.find(keyOf(5, 0, 2)));
  EXPECT_FALSE(shelf.find(keyOf(5, 0, 1, 128)));
}

TEST(ChainShelf, WhatWasUsedLastIsKept) {
  ChainShelf<long> shelf;
  for (long k = 0; k < 1000; ++k) {
    shelf.keep(keyOf(4, 10 * k), k);
    ASSERT_TRUE(shelf.find(keyOf(4, 0))) << k; // used again and again
  }
  int kept = 0;
  for (long k = 0; k < 1000; ++k)
    if (const long *graph = shelf.find(keyOf(4, 10 * k))) {
      EXPECT_EQ(*graph, k);
      EXPECT_TRUE(k == 0 || k > 1000 - 64) << k;
      ++kept;
    }
  EXPECT_EQ(kept, 64);
}

} // namespace
} // namespace pb::device::test
