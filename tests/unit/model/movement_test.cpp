// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Data movement of one product and of two: compares exact counts with a walk over the tiles, closed forms
// with their numeric minimum, and both with the figures of cost-models.md sections 5 and 6.
#include "compiler/model/movement/exact_counts.h"
#include "compiler/model/movement/ways.h"
#include "compiler/model/problem.h"
#include "vectors.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gmock/gmock.h>

namespace pbc::model {
namespace {

using pb::FastMemory;
using pb::Tiled;
using pb::Update;

/// [begin, end) in pieces of t.
std::vector<long> pieces(long n, long t) {
  std::vector<long> out;
  for (long i = 0; i < n; i += t)
    out.push_back(std::min(t, n - i));
  return out;
}

enum class Kept { Output, Left, Right };

/// Walks over the tiles of one product and counts every word that is read or written.
long walkProduct(const ProductSizes &p, long x, long y, long z, Kept kept) {
  long words = 0;
  const auto xs = pieces(p[0], x), zs = pieces(p[1], z), ys = pieces(p[2], y);
  if (kept == Kept::Output) {
    for (const long i : xs)
      for (const long j : ys) {
        for (const long k : zs)
          words += i * k + k * j;
        words += i * j;
      }
    return words;
  }
  for (size_t k = 0; k < zs.size(); ++k) {
    const long times = k == 0 ? 1 : 2; // R is zero at first
    if (kept == Kept::Left)
      for (const long i : xs) {
        words += i * zs[k];
        for (const long j : ys)
          words += zs[k] * j + times * i * j;
      }
    else
      for (const long j : ys) {
        words += zs[k] * j;
        for (const long i : xs)
          words += i * zs[k] + times * i * j;
      }
  }
  return words;
}

/// Two products fused, from the loops of section 6.1; z cuts the loops that no count depends on.
long walkFused(const FusedSizes &p, long x, long y, long z, bool isLeft, Update update) {
  const auto across = isLeft ? pieces(p[0], x) : pieces(p[1], x);
  const auto down = isLeft ? pieces(p[2], y) : pieces(p[3], y);
  long words = 0;
  bool isCleared = false;
  for (size_t i = 0; i < across.size(); ++i)
    for (size_t j = 0; j < down.size(); ++j) {
      for (const long k : pieces(isLeft ? p[1] : p[2], z))
        words += across[i] * k + k * down[j];
      const size_t turn = isLeft ? j : i, turns = isLeft ? down.size() : across.size();
      for (const long q : pieces(isLeft ? p[3] : p[0], z)) {
        words += isLeft ? down[j] * q : q * across[i];
        const long part = isLeft ? across[i] * q : q * down[j];
        if (update == Update::ReadAndWrite)
          words += turn == 0 ? part : 2 * part;
        else if (update == Update::Reduction)
          words += part;
        else if (turn + 1 == turns)
          words += part; // a panel leaves once
      }
      if (update == Update::Reduction && turns > 1 && !isCleared) {
        words += p[0] * p[3];
        isCleared = true;
      }
    }
  return words;
}

TEST(Movement, AnExactCountOfOneProductIsWhatAWalkCounts) {
  for (const ProductSizes &p : {ProductSizes{48, 64, 80}, {50, 61, 77}, {7, 1, 30}, {1, 1, 1}})
    for (const auto &[first, second] : {std::pair{8L, 16L}, {7L, 5L}, {100L, 3L}, {100L, 100L}}) {
      EXPECT_EQ(pb::outputKept(p[0], p[1], p[2], first, second),
                walkProduct(p, first, second, 5, Kept::Output));
      EXPECT_EQ(pb::leftKept(p[0], p[1], p[2], first, second), walkProduct(p, first, 9, second, Kept::Left));
      EXPECT_EQ(pb::rightKept(p[0], p[1], p[2], first, second),
                walkProduct(p, 9, first, second, Kept::Right));
    }
}

TEST(Movement, AnExactCountOfTwoProductsIsWhatAWalkCounts) {
  for (const FusedSizes &p : {FusedSizes{48, 64, 80, 96}, {50, 61, 77, 35}, {3, 9, 1, 20}})
    for (const auto &[x, y] : {std::pair{8L, 16L}, {13L, 7L}, {100L, 100L}})
      for (const Update update : {Update::ReadAndWrite, Update::Reduction, Update::Panel}) {
        EXPECT_EQ(pb::leftFused(p[0], p[1], p[2], p[3], x, y, update), walkFused(p, x, y, 4, true, update));
        EXPECT_EQ(pb::rightFused(p[0], p[1], p[2], p[3], x, y, update), walkFused(p, x, y, 4, false, update));
      }
}

/// Every tile that fits, one by one.
template <class Count>
Tiled exhaustive(long n1, long n2, FastMemory memory, long row, Count count) {
  Tiled best;
  for (long a = 1; a <= n1; ++a)
    for (long b = 1; b <= n2; ++b)
      if (a * b + memory.stream * (a + b) + row * a <= memory.words && count(a, b) < best.words)
        best = {count(a, b), a, b};
  return best;
}

TEST(Movement, TheShortSearchFindsTheBestOfAllTiles) {
  for (const ProductSizes &p : {ProductSizes{60, 33, 71}, {5, 90, 8}, {97, 4, 89}})
    for (const FastMemory memory : {FastMemory{100}, {1000}, {1000, 1}, {333, 3}, {100000}, {3, 1}}) {
      const auto output = [&](long x, long y) { return pb::outputKept(p[0], p[1], p[2], x, y); };
      const auto left = [&](long x, long z) { return pb::leftKept(p[0], p[1], p[2], x, z); };
      EXPECT_EQ(pb::leastOutputKept(p[0], p[1], p[2], memory).words,
                exhaustive(p[0], p[2], memory, 0, output).words);
      EXPECT_EQ(pb::leastLeftKept(p[0], p[1], p[2], memory).words,
                exhaustive(p[0], p[1], memory, 0, left).words);
      const long p3 = 40;
      for (const Update update : {Update::ReadAndWrite, Update::Panel}) {
        const auto fused = [&](long x, long y) { return pb::leftFused(p[0], p[1], p[2], p3, x, y, update); };
        EXPECT_EQ(pb::leastLeft(p[0], p[1], p[2], p3, memory, update).words,
                  exhaustive(p[0], p[2], memory, update == Update::Panel ? p3 : 0, fused).words);
      }
    }
}

TEST(Movement, ATileFitsBesideItsStreamsAndInsideItsMatrix) {
  const Tiled streamed = pb::leastOutputKept(1024, 1024, 1024, {65536, 1});
  EXPECT_LE(streamed.first * streamed.second + streamed.first + streamed.second, 65536);
  EXPECT_EQ(pb::leastOutputKept(1024, 1024, 1024, {65536, 0}).first, 256);
  EXPECT_LT(pb::leastOutputKept(1024, 1024, 1024, {65536}).words,
            streamed.words); // 256 x 256 and a line each: no
  const Tiled small = pb::leastProduct(10, 20, 30, {1 << 20});
  EXPECT_EQ(small.words, 10 * 20 + 20 * 30 + 10 * 30);
  EXPECT_LE(small.first, 10);
}

TEST(Movement, TransposingAllTurnsRightIntoLeft) {
  const FusedSizes p{936, 1008, 552, 368};
  for (const long words : {4096L, 65536L, 300000L}) {
    for (const Update update : {Update::ReadAndWrite, Update::Reduction, Update::Panel})
      EXPECT_EQ(pb::leastRight(p[0], p[1], p[2], p[3], {words}, update).words,
                pb::leastLeft(p[3], p[2], p[1], p[0], {words}, update).words);
    const double memory = static_cast<double>(words);
    EXPECT_DOUBLE_EQ(closedRight(p, memory).words, closedLeft({p[3], p[2], p[1], p[0]}, memory).words);
    EXPECT_NE(closedRight(p, memory, Mode::Printed).words, closedRight(p, memory).words);
  }
}

TEST(Movement, ClosedFormsAreTheMinimaOfTheirSums) {
  const FusedSizes p{936, 1008, 552, 368};
  constexpr double kMemory = 65536;
  const auto least = [&](auto sum) {
    double best = INFINITY;
    for (double x = 1; x < 2000; x += 0.125)
      best = std::min(best, sum(x, kMemory / x));
    return best;
  };
  const double p0 = 936, p1 = 1008, p2 = 552, p3 = 368;
  const double right = least([&](double x, double y) {
    return (p1 * p2 * p3 * (x + y) + p0 * p1 * p3 * (x + 2 * y)) / (x * y) - p0 * p3;
  });
  EXPECT_NEAR(closedRight(p, kMemory).words, right, 5);
  EXPECT_LT(closedRight(p, kMemory, Mode::Printed).words, right - 1e6); // below the true minimum: impossible
  const double left = least([&](double x, double y) {
    return p0 * p1 * p2 * (x + y) / (x * y) + p0 * p2 * p3 * (2 * x + y) / (x * y) - p0 * p3;
  });
  EXPECT_NEAR(closedLeft(p, kMemory).words, left, 5);
  const double reduction = least([&](double x, double y) {
    return p0 * p1 * p2 * (1 / x + 1 / y) + p0 * p2 * p3 * (1 / x + 1 / y) + p0 * p3;
  });
  EXPECT_NEAR(closedLeftReduction(p, kMemory).words, reduction, 5);
}

TEST(Movement, ClosedAndExactAgreeWhereTilesDivide) {
  const ProductSizes p{640, 512, 1024};
  EXPECT_DOUBLE_EQ(closedOutputKept(p, 4096).words, pb::outputKept(640, 512, 1024, 64, 64).count);
  EXPECT_DOUBLE_EQ(closedLeftKept(p, 8192).words, pb::leftKept(640, 512, 1024, 64, 128).count);
  EXPECT_DOUBLE_EQ(closedRightKept(p, 8192).words, pb::rightKept(640, 512, 1024, 64, 128).count);
}

TEST(Movement, TheTableOfSingleProducts) {
  const struct {
    ProductSizes p;
    long memory;
    double closed[3];
    Tiled exact[3];
  } rows[] = {{{1024, 1024, 1024},
               65536,
               {9437184, 11863283.2, 11863283.2},
               {{9437184, 256, 256}, {12582912, 128, 512}, {12582912, 128, 512}}},
              {{936, 1008, 552},
               65536,
               {4585464, 6180956.83, 5793884.83},
               {{4629312, 234, 280}, {6308928, 188, 348}, {5970240, 184, 356}}},
              {{4096, 4096, 4096},
               16384,
               {1090519040, 1518500249.99, 1518500249.99},
               {{1090519040, 128, 128}, {1543503872, 79, 207}, {1543503872, 79, 207}}},
              {{8192, 256, 8192},
               65536,
               {201326592, 124800819.25, 124800819.25},
               {{201326592, 256, 256}, {136314880, 256, 256}, {136314880, 256, 256}}},
              {{4096, 4096, 4096},
               58112,
               {586911199.38, 806291211.67, 806291211.67},
               {{587202560, 241, 241}, {822083584, 152, 382}, {822083584, 152, 382}}}};
  for (const auto &row : rows) {
    const auto ways = waysOfOne(row.p);
    for (size_t w = 0; w < ways.size(); ++w) {
      EXPECT_NEAR(ways[w].closed(static_cast<double>(row.memory)).words, row.closed[w], 0.01);
      const Tiled exact = ways[w].exact({row.memory});
      EXPECT_EQ(exact.words, row.exact[w].words);
      EXPECT_EQ(exact.first, row.exact[w].first);
      EXPECT_EQ(exact.second, row.exact[w].second);
    }
  }
  // The output is not always the best matrix to keep.
  EXPECT_EQ(leastOf(waysOfOne({8192, 256, 8192}), {65536}).name, "left kept (P0 x P1)");
}

TEST(Movement, TheTableOfFusedProducts) {
  const std::pair<FusedSizes, long> rows[] = {
      {{936, 1008, 552, 368}, 65536},    {{368, 1016, 616, 544}, 65536},    {{1024, 1024, 1024, 1024}, 65536},
      {{1024, 1024, 1024, 1024}, 98304}, {{1024, 1024, 1024, 1024}, 16384}, {{4096, 512, 4096, 512}, 65536}};
  for (const auto &[p, memory] : rows) {
    const auto &want =
        vectorNamed(fmt::format("two MM P=({},{},{},{}) M={}", p[0], p[1], p[2], p[3], memory));
    const double m = static_cast<double>(memory);
    const WaysOfTwo ways = waysOfTwo(p, Mode::Corrected);
    EXPECT_NEAR(ways.left[0].closed(m).words, want.at("unfusedL").get<double>(), 0.01);
    EXPECT_NEAR(ways.right[0].closed(m).words, want.at("unfusedR").get<double>(), 0.01);
    const ClosedForm left = ways.left[1].closed(m), right = ways.right[1].closed(m);
    EXPECT_NEAR(left.words, want.at("fusedL").get<double>(), 0.01);
    EXPECT_NEAR(left.first, want.at("xL").get<double>(), 1e-6);
    EXPECT_NEAR(left.second, want.at("yL").get<double>(), 1e-6);
    EXPECT_NEAR(right.words, want.at("fusedR").get<double>(), 0.01);
    EXPECT_NEAR(right.first, want.at("xR").get<double>(), 1e-6);
    EXPECT_NEAR(right.second, want.at("yR").get<double>(), 1e-6);
    EXPECT_NEAR(waysOfTwo(p, Mode::Printed).right[1].closed(m).words,
                want.at("fusedR_printed_beta").get<double>(), 0.01);
  }
}

TEST(Movement, ReductionsAndPanels) {
  for (const FusedSizes &p :
       {FusedSizes{1024, 1024, 1024, 1024}, {4096, 64, 4096, 64}, {8192, 128, 8192, 128}}) {
    const auto &want =
        vectorNamed(fmt::format("two MM left P=({}, {}, {}, {}) M=58112: unfused | fused D.10 | "
                                "reduction-update | panel(exact)",
                                p[0], p[1], p[2], p[3]));
    const auto ways = waysOfTwo(p, Mode::Corrected).left;
    for (size_t w = 0; w < 3; ++w)
      EXPECT_NEAR(ways[w].closed(58112).words, want.at(w).get<double>(), 0.01);
    const Tiled panel = ways[3].exact({58112});
    EXPECT_EQ(panel.words.count, want.at(3).at(0).get<long>());
    EXPECT_EQ(panel.first, want.at(3).at(1).get<long>());
    EXPECT_EQ(panel.second, want.at(3).at(2).get<long>());
  }
}

TEST(Movement, FusingBreaksEvenWhereItIsSaidTo) {
  const FusedSizes cube{1024, 1024, 1024, 1024};
  EXPECT_NEAR(breakEvenLeft(cube), 94157.943949131, 1e-3);
  for (const FusedSizes &p : {cube, FusedSizes{936, 1008, 552, 368}, {700, 400, 900, 500}}) {
    const WaysOfTwo ways = waysOfTwo(p, Mode::Corrected);
    const double left = breakEvenLeft(p), right = breakEvenRight(p);
    EXPECT_NEAR(ways.left[0].closed(left).words, ways.left[1].closed(left).words, 1);
    EXPECT_NEAR(ways.right[0].closed(right).words, ways.right[1].closed(right).words, 1);
    EXPECT_LT(ways.left[1].closed(left * 1.1).words, ways.left[0].closed(left * 1.1).words);
    EXPECT_GT(ways.left[1].closed(left / 1.1).words, ways.left[0].closed(left / 1.1).words);
  }
  const auto ways = waysOfTwo(cube, Mode::Corrected).left;
  const auto from = paysFrom(ways[1], ways[0], {16384});
  ASSERT_TRUE(from);
  EXPECT_LT(ways[1].exact({*from}).words, ways[0].exact({*from}).words);
}

TEST(Movement, WhatCannotBeCountedIsAProblem) {
  EXPECT_THROW(requireSizes({4, 0, 3}), Problem);
  EXPECT_THROW(requireSizes({4, 1L << 31, 3}), Problem);
  EXPECT_THROW(requireMemory({0}), Problem);
  EXPECT_THROW(requireMemory({10, -1}), Problem);
  const long huge = 2147483647;
  EXPECT_EQ(pb::leastProduct(huge, huge, huge, {1000}).words, pb::kTooMany);
  EXPECT_THROW(leastOf(waysOfOne({huge, huge, huge}), {1000}), Problem);
  try {
    leastOf(waysOfOne({9, 9, 9}), {2, 1});
    FAIL() << "a tile of 1 x 1 and a line each take three words";
  } catch (const Problem &wrong) {
    EXPECT_THAT(wrong.what(), testing::HasSubstr("no tile of the product fits in 2 words"));
  }
  EXPECT_THROW(closedLeft({4096, 4096, 64, 4096}, 65536), Problem);  // P2 below half the root
  EXPECT_THROW(closedRight({4096, 64, 4096, 4096}, 65536), Problem); // P1
  EXPECT_GT(closedLeft({4096, 64, 4096, 64}, 58112).words, 0);
  EXPECT_THROW(closedOutputKept({9, 9, 9}, NAN), Problem);
}

} // namespace
} // namespace pbc::model
