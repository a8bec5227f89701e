// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tiles for groups of a device: the functions along which they are cut, and the rounds inside.
#include "compiler/kernel/formula.h"
#include "compiler/kernel/group_tiles.h"
#include "compiler/kernel/items.h"
#include "compiler/kernel/legal.h"
#include "tests/unit/kernel/support.h"
#include <gmock/gmock.h>
#include <isl/union_map.h>

using namespace pbc::kernel;

namespace {

/// The one step of a transform that runs in rounds on a device.
struct InRounds {
  explicit InRounds(const std::string &program) : lifted(program) {
    EXPECT_EQ(lifted.messages, "");
    for (int step = 0; step < lifted.steps(); ++step) {
      const Scheduled k = lifted.kernel(0, step);
      ItemsOutcome made = mapToItems(k);
      if (!made.items || !made.items->inRounds())
        continue;
      kernel = k;
      items = std::move(made.items);
      outcome = groupTiles(*kernel);
    }
    EXPECT_TRUE(items);
  }

  /// "x, y in rounds of x + y"; or why there are no tiles.
  std::string text() const {
    if (!outcome.tiles)
      return outcome.why;
    std::string functions, rounds;
    const auto &all = outcome.tiles->functions;
    for (std::size_t k = 0; k < all.size(); ++k) {
      functions += (k ? ", " : "") + all[k].name;
      if (outcome.tiles->isInRound[k])
        rounds += (rounds.empty() ? "" : " + ") + all[k].name;
    }
    return functions + " in rounds of " + rounds;
  }

  /// Checks that no dependence decreases a function, and that dependences within a round stay within an item.
  void expectLegal() const {
    for (const TaskFunction &f : outcome.tiles->functions)
      EXPECT_TRUE(neverDecreases(kernel->dependences, f.value)) << f.name;
    const isl::union_pw_aff round = roundOf(*outcome.tiles);
    EXPECT_TRUE(neverDecreases(kernel->dependences, round));
    const isl::union_map within = equalAt(kernel->dependences, round);
    for (const TaskFunction &f : outcome.tiles->functions)
      EXPECT_TRUE(within.is_subset(equalAt(within, f.value))) << f.name;
  }

  Lifted lifted;
  std::optional<Scheduled> kernel;
  std::optional<Items> items;
  GroupTilesOutcome outcome;
};

std::string plane(const std::string &rule) {
  return "transform P from A[w, h] to B[w, h] { B.cell(x, y) from(" + rule +
         ", A.cell(x, y) a) { return a + p + q; } secondary B.cell(x, y) from(A.cell(x, y) a) { return a; } "
         "}";
}

std::string inTime(const std::string &sizes, const std::string &cell, const std::string &rule) {
  return "transform V param s from A[" + sizes + "] to B[" + sizes + "] through T<0..s>[" + sizes +
         "] { T<0>.cell(" + cell + ") from(A.cell(" + cell + ") a) { return a; } T<k>.cell(" + cell +
         ") from(" + rule + ") { return p + q; } secondary T<k>.cell(" + cell + ") from(T<k-1>.cell(" + cell +
         ") c) { return c; } B.cell(" + cell + ") from(T<s>.cell(" + cell + ") t) { return t; } }";
}

struct TilesCase {
  std::string what, program, tiles;
};

const TilesCase kTilesCases[] = {
    {"growing indices", plane("B.cell(x-1, y) p, B.cell(x, y-1) q"), "x, y in rounds of x + y"},
    {"falling indices", plane("B.cell(x+1, y) p, B.cell(x, y+1) q"), "-x, -y in rounds of -x + -y"},
    {"one of each", plane("B.cell(x+1, y) p, B.cell(x, y-1) q"), "-x, y in rounds of -x + y"},
    {"rows are rounds already", plane("B.cell(x-1, y-1) p, B.cell(x, y-1) q"), "x, y in rounds of y"},
    {"skewed", plane("B.cell(x-1, y-1) p, B.cell(x+1, y-1) q"), "x + y, y in rounds of y"},
    {"skewed twice", plane("B.cell(x-1, y) p, B.cell(x+2, y-1) q"), "x + 2 y, y in rounds of x + 2 y + y"},
    {"too steep", plane("B.cell(x-9, y-1) p, B.cell(x+9, y-1) q"),
     "a point needs others of earlier rounds that are too far away: tiles lean by 4 at most"},
    {"three dimensions",
     "transform P from A[w, h, d] to B[w, h, d] { B.cell(x, y, z) from(B.cell(x-1, y, z) l, B.cell(x, y+1, "
     "z) u, "
     "B.cell(x, y, z-1) f, A.cell(x, y, z) a) { return a + l + u + f; } secondary B.cell(x, y, z) "
     "from(A.cell(x, y, z) "
     "a) { return a; } }",
     "x, -y, z in rounds of x + -y + z"},
    {"a triangle",
     "transform P from A[n] to C[n, n] { C.cell(j, i) from(C.cell(j-1, i) l, C.cell(j, i+1) d, A.cell(i) a) "
     "where j > i "
     "{ return a + l + d; } secondary C.cell(j, i) from() { return 0; } }",
     "j, -i in rounds of j + -i"},
    {"time", inTime("w", "i", "T<k-1>.cell(i-1) p, T<k-1>.cell(i+1) q"), "x0 + v, v in rounds of v"},
    {"time and a plane", inTime("w, h", "x, y", "T<k-1>.cell(x-1, y+1) p, T<k-1>.cell(x+1, y-1) q"),
     "x0 + v, x1 + v, v in rounds of v"},
    {"time, where rows need each other",
     inTime("w, h", "x, y", "T<k>.cell(x, y-1) p, T<k-1>.cell(x+1, y+1) q"),
     "x0 + v, v, x1 + v in rounds of v + x1 + v"},
    {"one coordinate too steep", inTime("w, h", "x, y", "T<k-1>.cell(x-1, y+9) p, T<k-1>.cell(x+1, y-9) q"),
     "a point needs others of earlier rounds that are too far away along one of its 3 coordinates: tiles "
     "lean by 4 at "
     "most"},
};

} // namespace

TEST(GroupTiles, FunctionsAndRounds) {
  for (const TilesCase &c : kTilesCases) {
    const InRounds made(c.program);
    EXPECT_EQ(made.text(), c.tiles) << c.what;
    if (made.outcome.tiles)
      made.expectLegal();
  }
}

TEST(GroupTiles, NoneWithoutRounds) {
  Lifted add("transform T from A[n] to B[n] { B.cell(i) from(A.cell(i) a) { return a; } }");
  EXPECT_EQ(groupTiles(add.kernel()).why, "its points need no rounds");
}
