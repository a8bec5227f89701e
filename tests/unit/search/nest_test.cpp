// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// From kernels to spaces and back: the scripts of leaves apply, and compute what the kernel computes.
#include "compiler/kernel/print.h"
#include "compiler/search/count.h"
#include "compiler/search/nest/nest_space.h"
#include "tests/unit/search/descent.h"
#include "tests/unit/search/kernels.h"
#include "tests/unit/transform/compiled.h"
#include "tests/unit/transform/textual.h"
#include <bit>
#include <gtest/gtest.h>
#include <random>

namespace pbc::search {
namespace {

NestSpaces spacesOf(const kernel::Scheduled &kernel, int cores = 1) {
  NestOptions options;
  options.cores = cores;
  options.values = {{"n", 64}, {"m", 64}, {"k", 5}};
  options.tileSizes = {2, 4, 8, 16};
  return nestSpaces(kernel, options);
}

long double leavesOf(const NestSpaces &all) {
  long double sum = 0;
  for (const NestSpace &nest : all.spaces) {
    State root(nest.space->problem());
    EXPECT_TRUE(root.propagate()) << nest.text();
    sum += countLeaves(root, {.mostStates = 2000}).leaves;
  }
  return sum;
}

TEST(NestSpaces, AreForEachWayToCutTheLoops) {
  kernel::Texts t;
  const NestSpaces scale = spacesOf(t.kernel(kScale));
  ASSERT_EQ(scale.spaces.size(), 3u) << scale.why;
  EXPECT_EQ(scale.spaces[0].text(), "x in 1 level");
  EXPECT_EQ(scale.spaces[2].text(), "x in 3 levels");
  // Uncut it is a loop or a vector; of two levels the inner one is a loop, unrolled or a vector, with four sizes; and 13 pairs of
  // sizes have a product of at most 64, with five pairs of kinds.
  EXPECT_EQ(leavesOf(scale), 2 + 4 * 3 + 13 * 5);
  EXPECT_EQ(spacesOf(t.kernel(kStencil)).spaces.size(), 9u);
  // As it is, with y and x in the nest; and with sums in the cells of C, with i in it as well.
  const NestSpaces product = spacesOf(t.kernel(kProduct));
  EXPECT_EQ(product.spaces.size(), 9u + 27u);
  EXPECT_EQ(product.spaces.back().text(),
            "in_place(s); fission(y, x), y2 in 3 levels, x2 in 3 levels, i in 3 levels");
  EXPECT_EQ(product.spaces.back().sum, "C");
}

TEST(NestSpaces, OfSeveralCoresAreOfTheFirstOnesPart) {
  kernel::Texts t;
  NestOptions options;
  options.values = {{"n", 64}, {"m", 33}};
  options.mostLevels = 0;
  options.cores = 2;
  const NestSpaces all = nestSpaces(t.kernel(kStencil), options);
  ASSERT_EQ(all.spaces.size(), 1u) << all.why;
  const NestSpace &rows = all.spaces[0];
  EXPECT_EQ(rows.text(), "tasks(y), y in 1 level, x in 1 level");
  // y from 1 to 32 in two parts of 16; parts of x are multiples of 256, so that one core would have all of it.
  EXPECT_EQ(rows.loops[0].extent, 16);
  EXPECT_EQ(rows.loops[1].extent, 63);
  EXPECT_EQ(rows.work->points * 2, rows.workOfAll->points);
  options.cores = 40;
  EXPECT_EQ(nestSpaces(t.kernel(kSweep), options).why, "no loop of it can be shared out among so many cores");
}

TEST(NestSpaces, KeepLoopsInOrderThatDependencesTie) {
  kernel::Texts t;
  const NestSpaces sweep = spacesOf(t.kernel(kSweep));
  ASSERT_EQ(sweep.spaces.size(), 1u);
  const NestSpace &nest = sweep.spaces.front();
  State root(nest.space->problem());
  ASSERT_TRUE(root.propagate());
  EXPECT_EQ(shortText(nest.space->order(root, nest.loops[0].dimensions[0], nest.loops[1].dimensions[0])),
            "O");
  EXPECT_FALSE(nest.space->kinds(root, nest.loops[0].dimensions[0]).has(Kind::Vector));
  EXPECT_TRUE(nest.space->kinds(root, nest.loops[1].dimensions[0]).has(Kind::Vector));
}

/// Random leaves of all spaces of a kernel: all scripts apply, and compute what the kernel computes.
void leavesAreRight(const char *text, int each, int seed, std::size_t step = 1, int cores = 1) {
  kernel::Texts t;
  const kernel::Scheduled kernel = kernel::withLabels(t.kernel(text));
  const NestSpaces all = spacesOf(kernel, cores);
  ASSERT_FALSE(all.spaces.empty()) << all.why;
  std::mt19937_64 random(static_cast<unsigned>(seed));
  kernel::Comparison comparison(t.context());
  int leaves = 0, refused = 0;
  std::string why;
  for (std::size_t n = 0; n < all.spaces.size(); n += step) {
    const NestSpace &nest = all.spaces[n];
    State state(nest.space->problem());
    ASSERT_TRUE(state.propagate()) << nest.text();
    for (int attempt = 0; attempt < each; ++attempt) {
      const State::Mark before = state.mark();
      if (descend(state, random)) {
        const script::Script script = scriptOf(nest, state);
        const kernel::ScriptOutcome made = kernel::run(script, kernel, kernel::Mode::Strict);
        ++leaves;
        if (made.failed.empty()) {
          comparison.add(script::line(script), kernel, made.kernel);
        } else {
          ++refused;
          why += script::line(script) + "\n  " + made.failed.front().problem.what + "\n";
        }
      }
      state.undo(before);
    }
  }
  EXPECT_GE(leaves, int(all.spaces.size() / step));
  EXPECT_EQ(refused, 0) << why;
  EXPECT_EQ(comparison.differences(), "");
}

/// Of random leaves of all spaces, with sizes of tiles that divide nothing, each has a script that applies.
void everyLeafIsAScript(const char *text, const NestOptions &options, int each, std::size_t step = 1) {
  kernel::Texts t;
  const kernel::Scheduled kernel = kernel::withLabels(t.kernel(text));
  const NestSpaces all = nestSpaces(kernel, options);
  ASSERT_FALSE(all.spaces.empty()) << all.why;
  std::mt19937_64 random(7);
  int leaves = 0, refused = 0;
  for (std::size_t n = 0; n < all.spaces.size(); n += step) {
    const NestSpace &nest = all.spaces[n];
    State state(nest.space->problem());
    ASSERT_TRUE(state.propagate()) << nest.text();
    for (int attempt = 0; attempt < each; ++attempt) {
      const State::Mark before = state.mark();
      if (descend(state, random)) {
        ++leaves;
        const script::Script script = scriptOf(nest, state);
        const kernel::ScriptOutcome made = kernel::run(script, kernel, kernel::Mode::Strict);
        if (!made.failed.empty() && refused++ < 5)
          ADD_FAILURE() << script::line(script) << "\n  " << made.failed.front().problem.what;
      }
      state.undo(before);
    }
  }
  EXPECT_EQ(refused, 0) << "of " << leaves;
  EXPECT_GE(leaves, int(all.spaces.size() / step / 2));
}

const NestOptions kOfAllSizes = {.values = {{"n", 2000}, {"m", 700}, {"k", 5}},
                                 .tileSizes = {2, 3, 5, 12, 16, 48, 128},
                                 .mostLevels = 3,
                                 .streamsBeyond = 0};
TEST(LeavesOfNests, OfAMapAreScripts) { everyLeafIsAScript(kScale, kOfAllSizes, 30); }
TEST(LeavesOfNests, OfAMapOfKnownSizeAreScripts) { everyLeafIsAScript(kSmallMap, kOfAllSizes, 3); }
TEST(LeavesOfNests, OfATriangleAreScripts) { everyLeafIsAScript(kTriangle, kOfAllSizes, 1); }
TEST(LeavesOfNests, OfAStencilAreScripts) { everyLeafIsAScript(kNinePoints, kOfAllSizes, 2); }
TEST(LeavesOfNests, OfASumAreScripts) { everyLeafIsAScript(kDot, kOfAllSizes, 2); }
TEST(LeavesOfNests, OfSumsOfRowsAreScripts) { everyLeafIsAScript(kRowSums, kOfAllSizes, 1); }
TEST(LeavesOfNests, OfASweepAreScripts) { everyLeafIsAScript(kSweep, kOfAllSizes, 8); }
TEST(LeavesOfNests, OfAProductAreScripts) { everyLeafIsAScript(kProduct, kOfAllSizes, 1, 13); }
TEST(LeavesOfNests, OfAConvolutionOfRowsAreScripts) {
  everyLeafIsAScript(kRowConvolution, kOfAllSizes, 1, 11);
}
TEST(LeavesOfNests, OfAConvolutionOfColumnsAreScripts) {
  everyLeafIsAScript(kColumnConvolution, kOfAllSizes, 1, 13);
}

const NestOptions kOfTwoCores = {.values = {{"n", 2000}, {"m", 700}, {"k", 5}},
                                 .tileSizes = {2, 3, 5, 12, 16, 48, 128},
                                 .mostLevels = 2,
                                 .cores = 2,
                                 .streamsBeyond = 0};
TEST(LeavesOfNests, OfTwoCoresAreScripts) {
  everyLeafIsAScript(kScale, kOfTwoCores, 30);
  everyLeafIsAScript(kNinePoints, kOfTwoCores, 3);
  everyLeafIsAScript(kTriangle, kOfTwoCores, 1);
  everyLeafIsAScript(kRowSums, kOfTwoCores, 1);
  everyLeafIsAScript(kProduct, kOfTwoCores, 1, 13);
}

TEST(LeavesOfNests, ComputeAScaledVector) { leavesAreRight(kScale, 6, 1); }
TEST(LeavesOfNests, ComputeAStencil) { leavesAreRight(kStencil, 2, 2); }
TEST(LeavesOfNests, ComputeAStencilOfTwoCores) { leavesAreRight(kStencil, 2, 2, 1, 2); }
TEST(LeavesOfNests, ComputeAProductOfTwoCores) { leavesAreRight(kProduct, 1, 5, 7, 2); }
TEST(LeavesOfNests, ComputeASum) { leavesAreRight(kDot, 2, 3); }
TEST(LeavesOfNests, ComputeASweep) { leavesAreRight(kSweep, 8, 4); }
TEST(LeavesOfNests, ComputeAProduct) { leavesAreRight(kProduct, 1, 5, 3); }

} // namespace
} // namespace pbc::search
