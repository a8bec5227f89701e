// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Full tiles apart from those at the edges: what the trees look like, and that nothing else is computed.
#include "compiler/kernel/print.h"
#include "tests/unit/kernel/programs.h"
#include "tests/unit/kernel/transform/support.h"
#include <gmock/gmock.h>

using namespace pbc::kernel;
using testing::HasSubstr;
using testing::Not;

namespace {

const char *const kVolume = R"(
transform Volume from A[w, h, d] to B[w, h, d] {
  B.cell(x, y, z) from(A.cell(x, y, z) a) { return 2 * a + x; }
}
)";

TEST(Separate, MakesATreeForTilesThatAreFull) {
  Lifted rows(programs::kRows);
  EXPECT_EQ(scheduleAfter(rows.kernel(),
                          "tile(y, x; 4, 8); separate(y, x; at = xt); unroll(y); vector(x; width = 8)"),
            R"(
band yt = y - (y) mod 4 parallel
  band xt = x - (x) mod 8 parallel
    sequence
      { R1_S0[x, y = 0] : h > 0 and x >= 0 and 8*floor((x)/8) <= -8 + w }
        unroll
          band y parallel
            vector:1 of 8
              band x parallel
      { R1_S0[x, y = 0] : h > 0 and 0 <= x < w and 8*floor((x)/8) >= -7 + w }
        band y_edge = y parallel
          band x_edge = x parallel
)");
}

TEST(Separate, OneLoopOrSeveral) {
  Lifted rows(programs::kRows);
  const std::string text = print(after(rows.kernel(), "tile(y, x; 4, 8); separate(x; at = xt)"));
  EXPECT_THAT(text, HasSubstr("x_edge"));
}

TEST(Separate, ComputesTheSame) {
  EXPECT_EQ(
      differences(programs::kRows,
                  {"tile(y, x; 4, 8); separate(y, x; at = xt); unroll(y); vector(x; width = 8)",
                   "tile(y, x; 2, 3); separate(x; at = xt)", "tile(y, x; 2, 3); separate(y, x; at = yt)",
                   "tasks(); tile(y, x; 4, 8); separate(y, x; at = xt); unroll(y, y_edge)"}),
      "");
  EXPECT_EQ(
      differences(
          programs::kMatrixProduct,
          {"in_place(R0_s); tile(y, x; 4, 8); keep(AB, at = xt); separate(y, x; at = xt)",
           "tile(y, x; 4, 8); (kt, ki) = tile(k; 4); stage(A, at = kt); separate(ki; at = kt); unroll(ki)",
           "order(x, y); tile(k; 4); separate(k; at = kt)"}),
      "");
  EXPECT_EQ(differences(programs::kTriangle,
                        {"tile(y, x; 4, 8); separate(x; at = xt)", "tile(k; 4); separate(k; at = kt)",
                         "tile(x; 4); tile(k; 4); separate(k; at = x)"}),
            "");
}

/// The last tile of a row is the only one that may be shorter; where rows begin between tiles, the first one may be, too.
TEST(Separate, MakesTwoLoopsOfTiles) {
  Lifted rows(programs::kRows);
  EXPECT_THAT(print(after(rows.kernel(), "tile(y, x; 4, 8); separate(x; at = xt, apart = loops)")),
              HasSubstr("band xt_edge = "));
  Lifted back(R"(
transform Back from A[n] to B[n, n] {
  B.cell(x, y) from(A.cell(x) a) where x >= n - y { return a; }
  priority(1) B.cell(x, y) from() { return 0; }
}
)");
  const std::string ofBack = print(after(back.kernel(), "tile(x; 4); separate(x; at = xt, apart = loops)"));
  EXPECT_THAT(ofBack, HasSubstr("band xt_begin = ")); // its first tile is the shorter one
  EXPECT_EQ(differences(programs::kTriangle, {"tile(k; 4); separate(k; at = kt, apart = loops)"}), "");
  EXPECT_EQ(differences(programs::kRows,
                        {"tile(y, x; 4, 8); separate(x; at = xt, apart = loops); vector(x; width = 8)",
                         "tile(y, x; 4, 8); separate(x; at = xt, apart = loops)"}),
            "");
  EXPECT_EQ(
      differences(programs::kMatrixProduct, {"tile(k; 4); separate(k; at = kt, apart = loops); unroll(k)"}),
      "");
}

/// The bounds of tasks may have any remainder: with exact cases for each, three dimensions of tiles were too many to print.
TEST(Separate, FullTilesHaveOneCase) {
  Lifted volume(kVolume);
  const std::string text =
      scheduleAfter(volume.kernel(), "tasks(); tile(z, y, x; 2, 2, 4); separate(z, y, x; at = xt)");
  const std::string full = text.substr(text.find('{'), text.find('}') - text.find('{'));
  EXPECT_THAT(full, HasSubstr("2*floor((z)/2) <= -2 + pb__high2"));
  EXPECT_THAT(full, Not(HasSubstr(" or ")));
  EXPECT_THAT(full, Not(HasSubstr("mod")));
  EXPECT_EQ(differences(kVolume, {"tile(z, y, x; 2, 2, 4); separate(z, y, x; at = xt); unroll(z, y, x)",
                                  "tasks(); tile(z, y, x; 3, 2, 5); separate(z, x; at = xt); unroll(z)"}),
            "");
}

TEST(Separate, Refuses) {
  Lifted rows(programs::kRows);
  EXPECT_EQ(whyNot(rows.kernel(), "separate(x; at = y)"),
            "the loop over `x` has no constant length anywhere");
  EXPECT_EQ(whyNot(rows.kernel(), "separate(y; at = x)"), "its loop over `y` is not inside the one over `x`");
  EXPECT_EQ(whyNot(rows.kernel(), "tile(y, x; 4, 8); separate(y, x; at = xt); separate(y, x; at = xt)"),
            "all steps of `xt` have these loops in their full length");
}

} // namespace
