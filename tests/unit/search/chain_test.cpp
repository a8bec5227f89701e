// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kernels of several nests: their spaces have exactly the programs that a count by hand has, the scripts of leaves apply and compute
// what the kernel computes, and bounds never fall.
#include "compiler/search/chain/chain_bound.h"
#include "compiler/search/chain/chain_script.h"
#include "compiler/search/count.h"
#include "tests/unit/search/chains.h"
#include "tests/unit/search/descent.h"
#include "tests/unit/search/kernels.h"
#include "tests/unit/search/rates.h"
#include "tests/unit/transform/compiled.h"
#include "tests/unit/transform/textual.h"
#include <algorithm>
#include <array>
#include <functional>
#include <gtest/gtest.h>
#include <random>

namespace pbc::search {
namespace {

NestOptions optionsOf(const std::vector<long> &tileSizes, int levels) {
  NestOptions options;
  options.values = {{"n", 64}, {"m", 64}};
  options.tileSizes = tileSizes;
  options.mostLevels = levels;
  return options;
}

long double leavesOf(const ChainSpace &chain) {
  State root(chain.space->problem());
  EXPECT_TRUE(root.propagate()) << chain.text();
  const Count count = countLeaves(root, {.mostStates = 2'000'000});
  EXPECT_TRUE(count.isExact) << chain.text();
  return count.leaves;
}

/// A count of the programs of two nests with loops y and x that does not know how spaces are made: every order of both nests' levels,
/// every number of outer loops that they share, every kind of every loop, every tile, every place.
class TwoNests {
public:
  /// `shifted`: whether iterations of the loops over y and x use what other ones make; `cuts`: levels inside of the outermost one.
  TwoNests(std::array<bool, 2> shifted, std::array<int, 2> cuts, std::vector<long> tiles, long unrolled)
      : shifted_(shifted), cuts_(cuts), tiles_(std::move(tiles)), unrolled_(unrolled) {
    for (int variable = 0; variable < 2; ++variable)
      for (int level = 0; level <= cuts[std::size_t(variable)]; ++level)
        levels_.push_back({variable, level});
  }

  long count() {
    long sum = 0;
    eachTiles(0, [&] {
      for (const Nest &a : orders())
        for (const Nest &b : orders())
          for (std::size_t shared = 0; shared <= levels_.size(); ++shared)
            if (std::equal(a.begin(), a.begin() + long(shared), b.begin()))
              sum += kinds(a, b, shared) * places(a, shared);
    });
    return sum;
  }

private:
  struct Level {
    int variable, level;
    bool operator==(const Level &) const = default;
  };
  using Nest = std::vector<Level>;

  template <class Visit>
  void eachTiles(std::size_t at, const Visit &visit) {
    if (at == levels_.size()) {
      visit();
      return;
    }
    size_.resize(levels_.size());
    if (levels_[at].level == 0)
      return eachTiles(at + 1, visit);
    for (const long tile : tiles_) {
      size_[at] = tile;
      eachTiles(at + 1, visit);
    }
  }
  long sizeOf(const Level &level) const {
    return size_[std::size_t(std::ranges::find(levels_, level) - levels_.begin())];
  }

  std::vector<Nest> orders() const {
    std::vector<Nest> all;
    std::vector<std::size_t> permutation(levels_.size());
    for (std::size_t l = 0; l < permutation.size(); ++l)
      permutation[l] = l;
    do {
      Nest nest;
      std::array<int, 2> next = {0, 0};
      bool isInOrder = true;
      for (const std::size_t l : permutation) {
        isInOrder = isInOrder && levels_[l].level == next[std::size_t(levels_[l].variable)]++;
        nest.push_back(levels_[l]);
      }
      if (isInOrder)
        all.push_back(nest);
    } while (std::ranges::next_permutation(permutation).found);
    return all;
  }

  enum class Way { Loop, Copies, Lanes };
  /// All ways to run the loops of a nest, of which the first ones are shared.
  std::vector<std::vector<Way>> waysOf(const Nest &nest, std::size_t shared) const {
    std::vector<std::vector<Way>> all;
    std::vector<Way> ways;
    const std::function<void(long)> visit = [&](long copies) {
      const std::size_t depth = ways.size();
      if (depth == nest.size()) {
        all.push_back(ways);
        return;
      }
      const auto next = [&](Way way, long more) {
        ways.push_back(way);
        visit(copies * more);
        ways.pop_back();
      };
      const Level &level = nest[depth];
      if (std::ranges::count(ways, Way::Copies) == 0)
        next(Way::Loop, 1);
      if (level.level > 0 && copies * sizeOf(level) <= unrolled_)
        next(Way::Copies, sizeOf(level));
      const bool isShifted = depth < shared && shifted_[std::size_t(level.variable)];
      if (depth + 1 == nest.size() && !isShifted)
        next(Way::Lanes, 1);
    };
    visit(1);
    return all;
  }
  /// What is written out needs a loop that is no tile's, and that the nest does not share; or all loops are shared.
  bool hasItsLoop(const Nest &nest, const std::vector<Way> &ways, std::size_t shared) const {
    if (shared == 0 || shared == nest.size() || std::ranges::count(ways, Way::Copies) == 0)
      return true;
    for (std::size_t depth = shared; depth < nest.size(); ++depth)
      if (nest[depth].level == 0 && ways[depth] == Way::Loop)
        return true;
    return false;
  }
  long kinds(const Nest &a, const Nest &b, std::size_t shared) const {
    for (std::size_t depth = 0; depth < shared; ++depth)
      if (a[depth].level > 0 && shifted_[std::size_t(a[depth].variable)])
        return 0;
    long sum = 0;
    for (const std::vector<Way> &first : waysOf(a, shared))
      for (const std::vector<Way> &second : waysOf(b, shared))
        sum += std::equal(first.begin(), first.begin() + long(shared), second.begin()) &&
               hasItsLoop(a, first, shared) && hasItsLoop(b, second, shared);
    return sum;
  }
  /// The whole matrix; a few cells, in a loop that is shared, with one at most that is shifted.
  long places(const Nest &nest, std::size_t shared) const {
    const auto isShifted = [&](const Level &level) { return shifted_[std::size_t(level.variable)]; };
    return shared == 0 || std::count_if(nest.begin(), nest.begin() + long(shared), isShifted) > 1 ? 1 : 2;
  }

  std::array<bool, 2> shifted_;
  std::array<int, 2> cuts_;
  std::vector<long> tiles_;
  long unrolled_;
  std::vector<Level> levels_;
  std::vector<long> size_; // by index of levels_
};

/// `tiles`: sizes of which one tile is whole.
void hasAsManyAsByHand(const char *text, std::array<bool, 2> shifted, const std::vector<long> &tiles) {
  kernel::Texts t;
  const NestOptions options = optionsOf(tiles, 1);
  const ChainSpaces all = chainSpaces(t.kernel(text), options);
  ASSERT_EQ(all.spaces.size(), 4u) << all.why;
  for (const ChainSpace &chain : all.spaces) {
    std::array<int, 2> cuts{};
    for (std::size_t l = 0; l < 2; ++l)
      cuts[l] = int(chain.nests[0].loops[l].dimensions.size()) - 1;
    EXPECT_EQ(leavesOf(chain), TwoNests(shifted, cuts, options.tileSizes, options.unrolled).count())
        << chain.text();
  }
}

TEST(ChainSpaces, HaveAsManyProgramsAsACountByHand) {
  hasAsManyAsByHand(kSeparable, {true, false}, {4, 16, 32});
  hasAsManyAsByHand(kTwoStages, {true, true}, {4, 16});
}

TEST(ChainSpaces, OfTwoUncutNests) {
  kernel::Texts t;
  const ChainSpaces all = chainSpaces(t.kernel(kSeparable), optionsOf({}, 0));
  ASSERT_EQ(all.spaces.size(), 1u) << all.why;
  EXPECT_EQ(all.spaces[0].text(), "y in 1 level, x in 1 level; y2 in 1 level, x2 in 1 level");
  // Apart, each nest has two orders, with x or y innermost, as a loop or as a vector. With one loop shared: two of these, two inner loops of
  // two kinds each, T whole or in a few cells. With both shared, x innermost is a loop or a vector, and y, whose iterations need
  // each other's rows, a loop; again with both places.
  EXPECT_EQ(leavesOf(all.spaces[0]), 4 * 4 + 2 * 2 * 2 * 2 + (2 + 1) * 2);
}

TEST(ChainSpaces, SayWhichLoopsAreAlike) {
  kernel::Texts t;
  const auto facts = [&](const char *text) {
    return *chainFacts(kernel::withLabels(t.kernel(text)), {{"n", 64}, {"m", 64}}).facts;
  };
  const ChainFacts separable = facts(kSeparable);
  EXPECT_EQ(separable.classes, (std::vector<std::vector<int>>{{0, 1}, {0, 1}}));
  ASSERT_EQ(separable.links.size(), 1u);
  EXPECT_EQ(separable.links[0].byClass.at(0).most, 2);
  EXPECT_FALSE(separable.links[0].byClass.at(0).isAligned);
  EXPECT_EQ(separable.links[0].byClass.at(1).most, 0);
  EXPECT_TRUE(separable.links[0].byClass.at(1).isAligned);
  // The nest of the column has no loop over x; what makes U is connected by what uses both.
  const std::vector<std::vector<int>> pieces = facts(kPieces).classes;
  EXPECT_EQ(pieces[1], (std::vector<int>{pieces[0][0]}));
  EXPECT_EQ(pieces[2], pieces[0]);
  EXPECT_EQ(pieces[3], pieces[0]);
  EXPECT_EQ(facts(kTurned).classes.size(), 2u);
  const std::vector<std::vector<int>> half = facts(kHalf).classes;
  EXPECT_NE(half[0], half[1]);
  EXPECT_EQ(half[1], half[2]);
  EXPECT_FALSE(isChain(t.kernel(kScale)));
  EXPECT_TRUE(isChain(t.kernel(kSeparable)));
}

TEST(ChainSpaces, KeepNestsApartThatShareNoLoop) {
  kernel::Texts t;
  const ChainSpaces all = chainSpaces(t.kernel(kTurned), optionsOf({}, 0));
  ASSERT_EQ(all.spaces.size(), 1u) << all.why;
  // y of the first nest is alike with x of the second one, and so may be its outermost loop; there T is one cell.
  EXPECT_GT(leavesOf(all.spaces[0]), 0);
}

/// Leaves of all spaces: all scripts apply, and compute what the kernel computes where `compares`.
void leavesAreRight(const char *text, const NestOptions &options, int each, bool compares,
                    std::size_t step = 1) {
  kernel::Texts t;
  const kernel::Scheduled kernel = kernel::withLabels(t.kernel(text));
  const ChainSpaces all = chainSpaces(kernel, options);
  ASSERT_FALSE(all.spaces.empty()) << all.why;
  std::mt19937_64 random(7);
  kernel::Comparison comparison(t.context());
  int leaves = 0, refused = 0, fused = 0;
  for (std::size_t n = 0; n < all.spaces.size(); n += step) {
    const ChainSpace &chain = all.spaces[n];
    State state(chain.space->problem());
    ASSERT_TRUE(state.propagate()) << chain.text();
    for (int attempt = 0; attempt < each; ++attempt) {
      const State::Mark before = state.mark();
      if (descend(state, random)) {
        const script::Script script = scriptOf(chain, state);
        const kernel::ScriptOutcome made = kernel::run(script, kernel, kernel::Mode::Strict);
        ++leaves;
        fused += int(std::ranges::count(script, "fuse", &script::Step::transformation));
        if (!made.failed.empty() && refused++ < 5)
          ADD_FAILURE() << script::line(script) << "\n  " << script::text(script[made.failed.front().index])
                        << ": " << made.failed.front().problem.what;
        if (made.failed.empty() && compares)
          comparison.add(script::line(script), kernel, made.kernel);
      }
      state.undo(before);
    }
  }
  EXPECT_EQ(refused, 0) << "of " << leaves;
  EXPECT_GE(leaves, int(all.spaces.size() / step / 2));
  EXPECT_GT(fused, 0);
  EXPECT_EQ(comparison.differences(), "");
}

NestOptions oddSizes(int levels) {
  NestOptions options;
  options.values = {{"n", 2000}, {"m", 700}};
  options.tileSizes = {2, 3, 5, 12, 48};
  options.mostLevels = levels;
  options.streamsBeyond = 0;
  return options;
}
TEST(LeavesOfChains, OfASeparableConvolutionAreScripts) { leavesAreRight(kSeparable, oddSizes(2), 6, false); }
TEST(LeavesOfChains, OfSumsAreScripts) { leavesAreRight(kSeparableSums, oddSizes(1), 5, false); }
TEST(LeavesOfChains, OfTwoStagesAreScripts) { leavesAreRight(kTwoStages, oddSizes(2), 4, false); }
TEST(LeavesOfChains, OfThreeMapsAreScripts) { leavesAreRight(kThreeMaps, oddSizes(1), 6, false); }
TEST(LeavesOfChains, OfHalvesAreScripts) { leavesAreRight(kHalf, oddSizes(1), 6, false); }
TEST(LeavesOfChains, OfPiecesAreScripts) { leavesAreRight(kPieces, oddSizes(1), 4, false); }

TEST(LeavesOfChains, ComputeASeparableConvolution) {
  leavesAreRight(kSeparable, optionsOf({2, 3, 8}, 1), 8, true);
}
TEST(LeavesOfChains, ComputeSums) { leavesAreRight(kSeparableSums, optionsOf({4}, 1), 3, true); }
TEST(LeavesOfChains, ComputeTwoStages) { leavesAreRight(kTwoStages, optionsOf({2, 3, 8}, 1), 6, true); }
TEST(LeavesOfChains, ComputeThreeMaps) { leavesAreRight(kThreeMaps, optionsOf({2, 8}, 1), 6, true); }
TEST(LeavesOfChains, ComputePieces) { leavesAreRight(kPieces, optionsOf({2, 8}, 1), 6, true); }

/// A chain with the uncut space of a kernel.
struct Uncut {
  explicit Uncut(const char *text)
      : all(chainSpaces(texts.kernel(text), optionsOf({}, 0))), chain(all.spaces.at(0)),
        state(chain.space->problem()), bounds(chain, rates) {
    EXPECT_TRUE(state.propagate());
  }
  int loop(std::size_t nest, std::size_t l) const { return chain.nests[nest].loops[l].dimensions.front(); }
  bool decideOrder(int a, int b, Order order) {
    const Literal literal = chain.space->isOrder(a, b, order);
    return state.keepOnly(literal.variable, literal.values) && state.propagate();
  }
  bool decidePlace(Place place) { return state.decide(chain.space->place(0), unsigned(place)); }
  TermValue term(std::string_view name) const {
    for (int t = 0; t < int(terms().size()); ++t)
      if (terms()[std::size_t(t)].name == name)
        return bounds.term(t, state);
    ADD_FAILURE() << "there is no term " << name;
    return {};
  }

  kernel::Texts texts; // its context outlives the spaces
  Rates rates = simpleRates();
  ChainSpaces all;
  const ChainSpace &chain;
  State state;
  ChainBounds bounds;
};

/// Of each matrix, as many cells as one access uses.
constexpr double kInput = 64 * 66 * 8, kWeight = 8, kTemporary = 64 * 66 * 8, kOutput = 64 * 64 * 8,
                 kHeld = 11000;

TEST(ChainBounds, LeaveOutATemporaryThatMayBeInFewCells) {
  Uncut open(kSeparable);
  // What is read and written once, at 1e8 bytes a second.
  EXPECT_DOUBLE_EQ(open.term("traffic").seconds, (kInput + kWeight + kOutput - kHeld) / 1e8);
  // The work of both nests is done by one core.
  EXPECT_DOUBLE_EQ(open.term("compute").seconds, 3 * (64 * 66 + 64 * 64) / 1e9);
  ASSERT_TRUE(open.decidePlace(Place::Shared));
  EXPECT_DOUBLE_EQ(open.term("traffic").seconds, (kInput + kWeight + kOutput - kHeld) / 1e8);
}

TEST(ChainBounds, CountATemporaryThatIsStored) {
  Uncut stored(kSeparable);
  ASSERT_TRUE(stored.decideOrder(stored.loop(0, 0), stored.loop(1, 0), Order::Fused));
  ASSERT_TRUE(stored.decidePlace(Place::Global));
  EXPECT_DOUBLE_EQ(stored.term("traffic").seconds, (kInput + kWeight + kTemporary + kOutput - kHeld) / 1e8);
}

TEST(ChainBounds, AddUpForNestsThatFollowEachOther) {
  Uncut apart(kSeparable);
  ASSERT_TRUE(apart.decideOrder(apart.loop(0, 0), apart.loop(1, 0), Order::Before));
  ASSERT_TRUE(apart.decideOrder(apart.loop(0, 1), apart.loop(1, 1), Order::Before));
  EXPECT_EQ(apart.state.domain(apart.chain.space->place(0)), PlaceSet(Place::Global).bits());
  const Bound bound = apart.bounds.of(apart.state);
  EXPECT_EQ(bound.term, int(terms().size()));
  // The temporary is written by one nest and read by the other, of which an access uses fewer rows; a window of 100 instructions of 1 ns overlaps.
  EXPECT_DOUBLE_EQ(bound.seconds, (kInput + kWeight + kTemporary - kHeld) / 1e8 +
                                      (kOutput + kWeight + kOutput - kHeld) / 1e8 - 100e-9);
  EXPECT_NE(apart.bounds.explain(apart.state).find("their times add up"), std::string::npos);
  apart.bounds.switchOff(bound.term);
  EXPECT_LT(apart.bounds.of(apart.state).seconds, bound.seconds);
}

/// On the way down to leaves, no bound falls.
void neverFalls(const char *text, int each) {
  kernel::Texts t;
  const ChainSpaces all = chainSpaces(t.kernel(text), optionsOf({2, 8, 16}, 1));
  ASSERT_FALSE(all.spaces.empty()) << all.why;
  const Rates rates = simpleRates();
  std::mt19937_64 random(11);
  for (const ChainSpace &chain : all.spaces) {
    const ChainBounds bounds(chain, rates);
    for (int attempt = 0; attempt < each; ++attempt) {
      State state(chain.space->problem());
      ASSERT_TRUE(state.propagate());
      double before = bounds.of(state).seconds;
      EXPECT_GT(before, 0);
      descend(state, random, [&] {
        const double now = bounds.of(state).seconds;
        EXPECT_GE(now, before * (1 - 1e-12)) << chain.text();
        before = now;
      });
    }
  }
}
TEST(ChainBounds, NeverFall) {
  neverFalls(kSeparable, 20);
  neverFalls(kTwoStages, 20);
  neverFalls(kThreeMaps, 5);
  neverFalls(kPieces, 5);
}

} // namespace
} // namespace pbc::search
