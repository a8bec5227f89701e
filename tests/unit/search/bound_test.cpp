// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The terms of the bound on kernels whose least times can be worked out by hand, and what holds for all of them: a part of a
// region has no lower bound than the region.
#include "compiler/search/bound/bound.h"
#include "tests/unit/search/descent.h"
#include "tests/unit/search/kernels.h"
#include "tests/unit/search/rates.h"
#include "tests/unit/transform/textual.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

namespace pbc::search {
namespace {

struct Bounded {
  Bounded(const char *text, const SizeValues &values, Rates rates = simpleRates(),
          const std::vector<long> &tileSizes = {2, 4, 8, 16},
          std::optional<long> streamsBeyond = std::nullopt)
      : rates_(std::move(rates)) {
    NestOptions options;
    options.values = values;
    options.tileSizes = tileSizes;
    options.streamsBeyond = streamsBeyond;
    all = nestSpaces(texts_.kernel(text), options);
    EXPECT_FALSE(all.spaces.empty()) << all.why;
  }

  /// A space by its text.
  const NestSpace &space(const std::string &text) const {
    for (const NestSpace &nest : all.spaces)
      if (nest.text() == text)
        return nest;
    ADD_FAILURE() << "there is no space " << text;
    return all.spaces.front();
  }
  double term(std::string_view name, const NestSpace &nest, const State &state) const {
    const Bounds bounds(nest, *nest.work, rates_);
    for (int t = 0; t < int(terms().size()); ++t)
      if (terms()[std::size_t(t)].name == name)
        return bounds.term(t, state).seconds;
    ADD_FAILURE() << "there is no term " << name;
    return 0;
  }
  double root(std::string_view name, const std::string &space) const {
    State state(this->space(space).space->problem());
    EXPECT_TRUE(state.propagate());
    return term(name, this->space(space), state);
  }

private:
  kernel::Texts texts_; // Its context outlives the spaces.
  Rates rates_;

public:
  NestSpaces all;
};

const std::string kUncut = "y in 1 level, x in 1 level";
const std::string kSums = "in_place(s); fission(y, x), y2 in 1 level, x2 in 1 level, i in 1 level";

TEST(Bounds, WorkIsCountedOnce) {
  const Bounded product(kProduct, {{"n", 30}, {"m", 20}});
  const NestWork &work = *product.space(kSums).work;
  EXPECT_EQ(work.operations[std::size_t(Number::Double)].additions, 30 * 30 * 20);
  EXPECT_EQ(work.operations[std::size_t(Number::Double)].multiplications, 30 * 30 * 20);
  ASSERT_EQ(work.arrays.size(), 3u);
  EXPECT_EQ(work.arrays[0].cells + work.arrays[1].cells + work.arrays[2].cells, 30 * 30 + 2 * 30 * 20);
  EXPECT_TRUE(work.isProductOfMatrices);
  ASSERT_EQ(work.chains.size(), 1u);
  EXPECT_EQ(work.chains.front().length, 20);
  // Sums of neighbours that are the same but for a translation are computed once: two of the three additions here.
  const Bounded stencil(kStencil, {{"n", 11}, {"m", 21}});
  EXPECT_EQ(stencil.space(kUncut).work->operations[std::size_t(Number::Double)].additions, 3 * 10 * 20);
  EXPECT_FALSE(stencil.space(kUncut).work->isProductOfMatrices);
  // Weights that no loop moves along are different ones: no translation makes one product of the other.
  const Bounded weighted(R"(
kernel Weighted [n]
  buffer A double 1-d input
  buffer W double 1-d input
  buffer C double 1-d output
  S[x]: C[x] = W[0] * A[x] + W[1] * A[x + 1] + W[1] * A[x + 2]
    { S[x] : 0 <= x < n }
  schedule
    band x
)",
                         {{"n", 100}});
  EXPECT_EQ(weighted.space("x in 1 level").work->operations[std::size_t(Number::Double)].multiplications,
            2 * 100);
}

TEST(Bounds, OperationsAndChains) {
  const Bounded product(kProduct, {{"n", 30}, {"m", 20}});
  EXPECT_DOUBLE_EQ(product.root("compute", kSums), 30 * 30 * 20 / 1e9); // multiplications
  EXPECT_DOUBLE_EQ(product.root("chain", kSums), 20e-9);
  EXPECT_DOUBLE_EQ(product.root("scalar", kSums), 30.0 * 30 * 20 / 10 / 4e7); // x2 may be a vector
  // The sum may be spelled in other ways, and then the chain is the same.
  std::string text = kProduct;
  for (const char *spelling :
       {"s[x, y] = s[x, y] + A[i, y] * B[x, i]", "s[x, y] = A[i, y] * B[x, i] + s[x, y]"}) {
    const std::string first = "s[x, y] += A[i, y] * B[x, i]";
    std::string other = text;
    other.replace(other.find(first), first.size(), spelling);
    const Bounded spelled(other.c_str(), {{"n", 30}, {"m", 20}});
    EXPECT_DOUBLE_EQ(spelled.root("chain", kSums), 20e-9) << spelling;
    EXPECT_EQ(spelled.space(kSums).work->operations[std::size_t(Number::Double)].additions, 30 * 30 * 20);
    EXPECT_EQ(spelled.space(kSums).sum, "C");
  }
  const Bounded stencil(kStencil, {{"n", 11}, {"m", 21}});
  EXPECT_DOUBLE_EQ(stencil.root("compute", kUncut), 3 * 10 * 20 / 1e9); // additions alone
}

/// Sums over a triangle, whose products have a name or have none, have the work of half of the square in every space of theirs, and no more.
TEST(Bounds, WorkOfTrianglesIsCounted) {
  const std::string begin = R"(
kernel Triangle [n]
  buffer s double 1-d local
  buffer t double 1-d local
  buffer A double 2-d input
  buffer B double 1-d input
  buffer C double 1-d output
  S0[y]: s[y] = 0.0
    { S0[y] : 0 <= y < n }
)",
                    end = R"(  S3[y]: C[y] = s[y]
    { S3[y] : 0 <= y < n }
  schedule
    band y parallel
      alloc:s
        alloc:t
          sequence
            S0
)",
                    named = R"(            S1, S2
              band k
                sequence
                  S1
                  S2
            S3
)",
                    unnamed = R"(            S1
              band k
            S3
)";
  const auto statement = [](const char *name, const char *text, const char *domain) {
    return fmt::format("  {0}[y; k]: {1}\n    {{ {0}[y, k] : {2} }}\n", name, text, domain);
  };
  for (const char *domain : {"0 <= k <= y < n", "0 <= y <= k < n", "0 <= y < n and y < k + 1 and k < n"})
    for (const std::string &text :
         {begin + statement("S1", "s[y] += A[k, y] * B[k]", domain) + end + unnamed,
          begin + statement("S1", "s[y] = A[k, y] * B[k] + s[y]", domain) + end + unnamed,
          begin + statement("S1", "t[y] = A[k, y] * B[k]", domain) + statement("S2", "s[y] += t[y]", domain) +
              end + named})
      for (const long n : {40L, 1000L}) {
        const double half = double(n * (n + 1)) / 2;
        const Bounded triangle(text.c_str(), {{"n", n}});
        for (const NestSpace &nest : triangle.all.spaces) {
          State state(nest.space->problem());
          ASSERT_TRUE(state.propagate());
          EXPECT_LE(triangle.term("compute", nest, state), half / 1e9) << nest.text() << text;
          EXPECT_GE(triangle.term("compute", nest, state), 0.95 * half / 1e9) << nest.text() << text;
        }
      }
}

/// Where units that multiply are faster than those that add, they may do the additions of a sum of products.
TEST(Bounds, AdditionsOfProductsMayBeDoneByUnitsThatMultiply) {
  Rates rates = simpleRates();
  for (Rates::Arithmetic &arithmetic : rates.arithmetic)
    arithmetic.multiplications = 1e10, arithmetic.allAdditions = 1e9 + 1e10;
  const Bounded product(kProduct, {{"n", 30}, {"m", 20}}, rates);
  EXPECT_DOUBLE_EQ(product.root("compute", kSums), 30 * 30 * 20 / 1e10);
  // Of five additions in a cell with three multiplications by weights, two are alone.
  const Bounded smooth(kNinePoints, {{"n", 11}, {"m", 21}}, rates);
  const NestWork::Operations &operations = smooth.space(kUncut).work->operations[std::size_t(Number::Double)];
  ASSERT_GT(operations.additions, operations.multiplications);
  EXPECT_DOUBLE_EQ(smooth.root("compute", kUncut), (operations.additions - operations.multiplications) / 1e9);
}

TEST(Bounds, WhatCrossesEachBoundary) {
  const Bounded scale(kScale, {{"n", 10000}});
  // 160,000 bytes, of which the cache may hold 11,000.
  EXPECT_DOUBLE_EQ(scale.root("traffic", "x in 1 level"), (160000 - 11000) / 1e8);
  const Bounded product(kProduct, {{"n", 64}, {"m", 64}});
  const double words = 1000 / 8.0;
  EXPECT_NEAR(product.root("product", kSums),
              std::max((2 * 64 * 64 * 64 / std::sqrt(words) - 2 * words) * 8 / 1e9,
                       (2 * 64 * 64 * 64 / std::sqrt(11000 / 8.0) - 2 * 11000 / 8.0) * 8 / 1e8),
              1e-12);
}

/// C[x, y] += A[i, y] * B[x, i] in the order y, x, i: a step of y uses a row of A and of C, and all of B.
TEST(Bounds, StepsThatDoNotFit) {
  const Bounded product(kProduct, {{"n", 64}, {"m", 64}});
  const NestSpace &nest = product.space(kSums);
  State state(nest.space->problem());
  ASSERT_TRUE(state.propagate());
  const int y = nest.loops[0].dimensions[0], x = nest.loops[1].dimensions[0], i = nest.loops[2].dimensions[0];
  for (const auto &[outer, inner] : {std::pair(y, x), {x, i}}) {
    const Literal literal = nest.space->isOrder(outer, inner, Order::Outside);
    ASSERT_TRUE(state.keepOnly(literal.variable, literal.values) && state.propagate());
  }
  const double bytesOfStep = (64 * 64 + 64 + 64) * 8;
  EXPECT_DOUBLE_EQ(product.term("tiles", nest, state), 64 * (bytesOfStep - 11000) / 1e8);
}

TEST(Bounds, LoopsWithoutVectorsAndSumsThatWait) {
  const Bounded product(kProduct, {{"n", 64}, {"m", 64}});
  const NestSpace &nest = product.space(kSums);
  State state(nest.space->problem());
  ASSERT_TRUE(state.propagate());
  for (const NestLoop &loop : nest.loops) {
    const Literal literal = nest.space->isKind(loop.dimensions[0], Kind::For);
    ASSERT_TRUE(state.keepOnly(literal.variable, literal.values));
  }
  for (const std::size_t outer : {std::size_t(0), std::size_t(1)}) {
    const Literal literal =
        nest.space->isOrder(nest.loops[outer].dimensions[0], nest.loops[2].dimensions[0], Order::Outside);
    ASSERT_TRUE(state.keepOnly(literal.variable, literal.values) && state.propagate());
  }
  EXPECT_DOUBLE_EQ(product.term("scalar", nest, state), 64 * 64 * 64 / 4e7); // multiplications
  // Loops of 64 iterations, of which 100 instructions ahead are at most 100 / 64 + 2.
  EXPECT_DOUBLE_EQ(product.term("window", nest, state), 64 * 64 * 64 * 1e-9 / (100 / 64.0 + 2));
}

/// Sums that wait for each other fill no vector, however often their loop is written out; cells side by side do.
TEST(Bounds, OperationsOfLoopsWrittenOut) {
  const auto seconds = [](const char *text, const std::string &space, std::size_t unrolled, long tile) {
    const Bounded bounded(text, {{"n", 64}, {"m", 64}});
    const NestSpace &nest = bounded.space(space);
    State state(nest.space->problem());
    EXPECT_TRUE(state.propagate());
    for (std::size_t l = 0; l < nest.loops.size(); ++l)
      for (const int d : nest.loops[l].dimensions) {
        const bool isUnrolled = l == unrolled && d == nest.loops[l].dimensions.back();
        const Literal literal = nest.space->isKind(d, isUnrolled ? Kind::Unroll : Kind::For);
        EXPECT_TRUE(state.keepOnly(literal.variable, literal.values));
        if (isUnrolled) {
          const int size = nest.space->structure().dimension(d).size;
          const auto &values = nest.space->structure().sizes[std::size_t(size)].values;
          for (std::size_t v = 0; v < values.size(); ++v)
            if (values[v] == tile) {
              EXPECT_TRUE(state.keepOnly(nest.space->size(size), Domain(1) << v));
            }
        }
      }
    EXPECT_TRUE(state.propagate());
    return bounded.term("scalar", nest, state);
  };
  const std::string begin = "in_place(s); fission(y, x), ";
  // Additions alone: 64^2 of them, each in an instruction of its own along the sum, and two in one along the rows.
  EXPECT_DOUBLE_EQ(seconds(kRowSums, "in_place(s); fission(y), y2 in 1 level, i in 2 levels", 1, 4),
                   64 * 64 / 5e7);
  EXPECT_DOUBLE_EQ(seconds(kRowSums, "in_place(s); fission(y), y2 in 2 levels, i in 1 level", 0, 2),
                   64.0 * 64 / 2 / 5e7);
  // Products of terms of one sum do not wait for each other, but their additions do.
  EXPECT_DOUBLE_EQ(seconds(kProduct, begin + "y2 in 1 level, x2 in 1 level, i in 2 levels", 2, 8),
                   64 * 64 * 64 / 1e8);
  EXPECT_DOUBLE_EQ(seconds(kProduct, begin + "y2 in 1 level, x2 in 2 levels, i in 1 level", 1, 8),
                   64.0 * 64 * 64 / 8 / 4e7);
}

/// A vector across rows loads its cells one by one, and one along rows all at once.
/// The term for a space all of whose loops are loops, but for one level: of the kind, with so many iterations.
double withOneLevel(const char *term, const Bounded &bounded, const std::string &space, std::size_t cut,
                    Kind kind, long tile) {
  const NestSpace &nest = bounded.space(space);
  State state(nest.space->problem());
  EXPECT_TRUE(state.propagate());
  for (std::size_t l = 0; l < nest.loops.size(); ++l)
    for (const int d : nest.loops[l].dimensions) {
      const bool isCut = l == cut && d == nest.loops[l].dimensions.back();
      const Literal literal = nest.space->isKind(d, isCut ? kind : Kind::For);
      EXPECT_TRUE(state.keepOnly(literal.variable, literal.values));
      if (!isCut || tile == 0)
        continue;
      const auto &values =
          nest.space->structure().sizes[std::size_t(nest.space->structure().dimension(d).size)].values;
      const auto at = std::find(values.begin(), values.end(), tile);
      EXPECT_TRUE(state.keepOnly(nest.space->sizeOf(d), Domain(1) << (at - values.begin())));
    }
  EXPECT_TRUE(state.propagate());
  return bounded.term(term, nest, state);
}

/// Loops around a vector are rolled, so that an instruction has what one of its iterations has.
TEST(Bounds, AVectorIsNotLongerThanItsLoop) {
  const Bounded scale(kScale, {{"n", 1200}}, simpleRates(), {4, 12});
  const auto seconds = [&](const std::string &space, Kind kind, long tile) {
    return withOneLevel("scalar", scale, space, 0, kind, tile);
  };
  EXPECT_DOUBLE_EQ(seconds("x in 1 level", Kind::Vector, 0), 1200.0 / 10 / 4e7);
  EXPECT_DOUBLE_EQ(seconds("x in 1 level", Kind::For, 0), 1200 / 4e7);
  EXPECT_DOUBLE_EQ(seconds("x in 2 levels", Kind::For, 4), 1200 / 4e7);
  EXPECT_DOUBLE_EQ(seconds("x in 2 levels", Kind::Vector, 4), 1200.0 / 4 / 4e7);
  EXPECT_DOUBLE_EQ(seconds("x in 2 levels", Kind::Unroll, 4), 1200.0 / 4 / 4e7);
  EXPECT_DOUBLE_EQ(seconds("x in 2 levels", Kind::Vector, 12), 1200.0 / 6 / 4e7)
      << "twelve are two instructions";
}

TEST(Bounds, EachIterationIsAnInstructionAndAJump) {
  Rates rates = simpleRates();
  rates.issue = 1e6;
  const auto seconds = [&](const std::string &space, Kind kind, long tile) {
    const Bounded scale(kScale, {{"n", 1200}}, rates, {4, 12});
    return withOneLevel("issue", scale, space, 0, kind, tile);
  };
  // Multiplications, stores, and the ends of iterations.
  EXPECT_DOUBLE_EQ(seconds("x in 1 level", Kind::For, 0), (1200 + 1200 + 1200) / 1e6);
  EXPECT_DOUBLE_EQ(seconds("x in 2 levels", Kind::For, 4), (1200 + 1200 + 1200 + 300) / 1e6);
  EXPECT_DOUBLE_EQ(seconds("x in 2 levels", Kind::Unroll, 4), (300 + 300 + 300) / 1e6);
  EXPECT_DOUBLE_EQ(seconds("x in 1 level", Kind::Vector, 0), (120 + 150) / 1e6);
  rates.issue = 0, rates.jumps = 1e5;
  EXPECT_DOUBLE_EQ(seconds("x in 2 levels", Kind::Unroll, 4), 300 / 1e5);
  EXPECT_DOUBLE_EQ(seconds("x in 2 levels", Kind::For, 4), 1500 / 1e5);
}

/// What is computed goes through the memory twice: it comes before it is stored, and goes back.
TEST(Bounds, ResultsAreMovedAsACopyMovesThem) {
  Rates rates = simpleRates();
  rates.levels[2].copiedBytesPerSecond = 5e7;
  const auto seconds = [&](const std::string &kernel, const std::map<std::string, long> &sizes,
                           const std::string &space) {
    return Bounded(kernel.c_str(), sizes, rates).root("copied", space);
  };
  const auto scaleWith = [](const std::string &statement) {
    std::string text = kScale;
    return text.replace(text.find("C[x] = 3.0 * A[x]"), 17, statement);
  };
  EXPECT_DOUBLE_EQ(seconds(kScale, {{"n", 10000}}, "x in 1 level"), 2 * (80000 - 11000) / 5e7);
  EXPECT_DOUBLE_EQ(seconds(kScale, {{"n", 1000}}, "x in 1 level"), 0) << "it stays in the cache";
  EXPECT_GT(seconds(kStencil, {{"n", 1000}, {"m", 1000}}, kUncut), 2 * 7.9e6 / 5e7);
  EXPECT_DOUBLE_EQ(seconds(scaleWith("C[x] = A[x]"), {{"n", 10000}}, "x in 1 level"), 0)
      << "it may be a call of memcpy";
  for (const char *inPlace : {"C[x] += A[x]", "C[x] = 3.0 * C[x] + A[x]"})
    EXPECT_DOUBLE_EQ(seconds(scaleWith(inPlace), {{"n", 10000}}, "x in 1 level"), 0)
        << "it lies where it is read";
  rates.levels[2].copiedBytesPerSecond = 0;
  EXPECT_DOUBLE_EQ(seconds(kScale, {{"n", 10000}}, "x in 1 level"), 0) << "no rate is known";
}

/// What may be stored past the caches has the rate of such copies, and goes through no cache; once it is decided that it is not, the
/// bound is what it was.
TEST(Bounds, ResultsThatMayBeStoredPastTheCaches) {
  Rates rates = simpleRates();
  rates.levels[2].copiedBytesPerSecond = 5e7;
  rates.levels[2].streamedBytesPerSecond = 8e7;
  const Bounded scale(kScale, {{"n", 10000}}, rates, {2, 4}, 1000);
  const NestSpace &nest = scale.space("x in 1 level");
  ASSERT_EQ(nest.stored, "C");
  State state(nest.space->problem());
  ASSERT_TRUE(state.propagate());
  EXPECT_DOUBLE_EQ(scale.term("copied", nest, state), 2 * (80000 - 11000) / 8e7);
  const double before = scale.term("traffic", nest, state);
  const Literal plain = nest.space->isCache(0, Cache::First);
  ASSERT_TRUE(state.keepOnly(plain.variable, plain.values) && state.propagate());
  EXPECT_DOUBLE_EQ(scale.term("copied", nest, state), 2 * (80000 - 11000) / 5e7);
  EXPECT_GE(scale.term("traffic", nest, state), before);
  EXPECT_DOUBLE_EQ(scale.term("traffic", nest, state),
                   Bounded(kScale, {{"n", 10000}}, rates, {2, 4}).root("traffic", "x in 1 level"));
  EXPECT_EQ(Bounded(kScale, {{"n", 10000}}, rates, {2, 4}, 80000).space("x in 1 level").stored, "")
      << "it fits into the last cache";
  rates.levels[2].streamedBytesPerSecond = 0;
  EXPECT_DOUBLE_EQ(Bounded(kScale, {{"n", 10000}}, rates, {2, 4}, 1000).root("copied", "x in 1 level"), 0)
      << "no rate is known";
}

TEST(Bounds, CellsThatAreLoadedOneByOne) {
  Rates rates = simpleRates();
  rates.loads = 1e7;
  rates.vectorBytes = 64;
  const Bounded sums(kRowSums, {{"n", 64}, {"m", 32}}, rates), scale(kScale, {{"n", 64}}, rates);
  const auto seconds = [](const Bounded &bounded, const std::string &space, std::size_t vector) {
    const NestSpace &nest = bounded.space(space);
    State state(nest.space->problem());
    const Literal literal = nest.space->isKind(nest.loops[vector].dimensions[0], Kind::Vector);
    EXPECT_TRUE(state.propagate() && state.keepOnly(literal.variable, literal.values) && state.propagate());
    return bounded.term("access", nest, state);
  };
  EXPECT_DOUBLE_EQ(seconds(sums, "in_place(s); fission(y), y2 in 1 level, i in 1 level", 0), 64 * 32 / 1e7);
  EXPECT_DOUBLE_EQ(seconds(scale, "x in 1 level", 0), 64.0 / 8 / 1e7);
  // What may be copied, or is read twice, may be loaded in another way.
  const Bounded product(kProduct, {{"n", 30}, {"m", 20}}, rates);
  EXPECT_DOUBLE_EQ(product.root("access", kSums), 0);
  const Bounded stencil(kStencil, {{"n", 11}, {"m", 21}}, rates);
  EXPECT_DOUBLE_EQ(stencil.root("access", kUncut), 0);
}

/// Two cores, each with all rates, of which the memory has no more for both.
TEST(Bounds, OfCoresCountTheWorkOfAllAndThatOfOne) {
  kernel::Texts texts;
  NestOptions options;
  options.values = {{"n", 20000}};
  options.mostLevels = 0;
  options.cores = 2;
  const NestSpaces all = nestSpaces(texts.kernel(kScale), options);
  ASSERT_EQ(all.spaces.size(), 1u) << all.why;
  const Rates rates = simpleRates();
  Rates both = rates;
  for (Rates::Arithmetic &arithmetic : both.arithmetic)
    arithmetic.multiplications *= 2;
  const Bounds bounds(all.spaces[0], *all.spaces[0].work, rates, &both);
  State state(all.spaces[0].space->problem());
  ASSERT_TRUE(state.propagate());
  const auto term = [&](std::string_view name) {
    for (int t = 0; t < int(terms().size()); ++t)
      if (terms()[std::size_t(t)].name == name)
        return bounds.term(t, state).seconds;
    return 0.0;
  };
  // Parts are multiples of 256: the first one has 39 of 79 pieces.
  EXPECT_DOUBLE_EQ(term("compute"), 20000 / 2e9);
  EXPECT_DOUBLE_EQ(term("traffic"), (2 * 20000 * 8.0 - 11000) / 1e8);
  EXPECT_EQ(all.spaces[0].loops[0].extent, 39 * 256);
  EXPECT_NE(bounds.explain(bounds.of(state)).find("by all cores together"), std::string::npos);
}

TEST(Bounds, NeverFallWhenMoreIsDecided) {
  std::mt19937_64 random(1);
  long compared = 0;
  for (const char *text : {kScale, kStencil, kDot, kSweep, kProduct}) {
    const Bounded bounded(text, {{"n", 50}, {"m", 40}});
    for (const NestSpace &nest : bounded.all.spaces) {
      const Rates rates = simpleRates();
      const Bounds bounds(nest, *nest.work, rates);
      State state(nest.space->problem());
      ASSERT_TRUE(state.propagate());
      for (int descent = 0; descent < 3; ++descent) {
        const State::Mark before = state.mark();
        double least = bounds.of(state).seconds;
        for (int v = 0; v < int(state.domains().size()); ++v) {
          if (state.isDecided(v))
            continue;
          if (!decideAtRandom(state, v, random))
            break;
          const double seconds = bounds.of(state).seconds;
          EXPECT_GE(seconds, least * (1 - 1e-9)) << nest.text() << nest.space->nameOf(v);
          least = seconds;
          ++compared;
        }
        state.undo(before);
      }
    }
  }
  EXPECT_GT(compared, 500);
}

TEST(Bounds, AreExplained) {
  const Bounded scale(kScale, {{"n", 10000}});
  const NestSpace &nest = scale.space("x in 1 level");
  State state(nest.space->problem());
  ASSERT_TRUE(state.propagate());
  const Rates rates = simpleRates();
  Bounds bounds(nest, *nest.work, rates);
  EXPECT_EQ(bounds.explain(bounds.of(state)), "traffic: 1.49e+05 bytes from global, at 1e+08 a second at "
                                              "most, equation 9.2, compulsory. Each cell that is used "
                                              "crosses each boundary of the memory at least once.");
  for (int t = 0; t < int(terms().size()); ++t)
    bounds.switchOff(t);
  EXPECT_EQ(bounds.explain(bounds.of(state)), "there is no bound");
}

} // namespace
} // namespace pbc::search
