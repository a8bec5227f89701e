// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/loops.h"
#include "tests/unit/kernel/programs.h"
#include "tests/unit/kernel/transform/support.h"
#include <gmock/gmock.h>

using namespace pbc::kernel;

namespace {

TEST(Split, MakesTwoLoops) {
  Lifted add(programs::kAdd);
  EXPECT_EQ(scheduleAfter(add.kernel(), "(head, tail) = split(i; 64)"), R"(
sequence
  { R0_S0[i] : 0 <= i <= 63 and i < n }
    band head = i parallel
  { R0_S0[i] : 64 <= i < n }
    band tail = i parallel
)");
  EXPECT_EQ(labelsOf(after(add.kernel(), "split(i; 64)").schedule.tree),
            (std::vector<std::string>{"i", "i_rest"}));
}

TEST(Split, CopiesWhatIsInside) {
  Lifted product(programs::kMatrixProduct);
  EXPECT_EQ(scheduleAfter(product.kernel(), "split(x; 4)"), R"(
band y parallel
  sequence
    { R0_S0[x, y] : c >= 0 and 0 <= x <= 3 and x < w and 0 <= y < h; R0_S1[x, y, k] : 0 <= x <= 3 and x < w and 0 <= y < h and 0 <= k < c; R0_S2[x, y] : c >= 0 and 0 <= x <= 3 and x < w and 0 <= y < h }
      band x parallel
        alloc:R0_s
          sequence
            R0_S0
            R0_S1
              band k
            R0_S2
    { R0_S0[x, y] : c >= 0 and 4 <= x < w and 0 <= y < h; R0_S1[x, y, k] : 4 <= x < w and 0 <= y < h and 0 <= k < c; R0_S2[x, y] : c >= 0 and 4 <= x < w and 0 <= y < h }
      band x_rest = x parallel
        alloc:R0_s
          sequence
            R0_S0
            R0_S1
              band k_rest = k
            R0_S2
)");
}

TEST(Split, OfPartsMakesOneSequence) {
  Lifted add(programs::kAdd);
  EXPECT_EQ(scheduleAfter(add.kernel(), "split(i; 4); split(i_rest; 4)"), R"(
sequence
  { R0_S0[i] : 0 <= i <= 3 and i < n }
    band i parallel
  { R0_S0[i] : 4 <= i <= 7 and i < n }
    band i_rest = i parallel
  { R0_S0[i] : 8 <= i < n }
    band i_rest_rest = i parallel
)");
}

TEST(Split, Refuses) {
  Lifted add(programs::kAdd), seven(programs::kConvolve7), product(programs::kMatrixProduct);
  EXPECT_EQ(whyNot(add.kernel(), "split(i; 0)"), "`at` of `split` cannot be 0");
  EXPECT_EQ(whyNot(add.kernel(), "(a, i, b) = split(i; 2)"),
            "it makes 2 loops (`i`, `i_rest`), and 3 names are given");
  EXPECT_EQ(whyNot(seven.kernel(), "split(i; 7)"), "no iteration is left for `i_rest`");
  EXPECT_EQ(whyNot(add.kernel(), "vector(i); split(i; 4)"),
            "its loop over `i` is realised as vector already");
  EXPECT_EQ(whyNot(product.kernel(), "registers(y, x); split(k; 4)"),
            "its points are computed in blocks in registers already");
}

TEST(Split, KeepsResults) {
  EXPECT_EQ(
      differences(programs::kMatrixProduct, {"split(x; 3)", "split(k; 2)", "split(y; 1); split(x_rest; 2)",
                                             "lanes(x; 8); split(k; 3)", "tile(y, x; 3, 4); split(yt; 2)",
                                             "split(x; 3); lanes(x_rest; 8)", "split(x; 3); tasks()"}),
      "");
  EXPECT_EQ(differences(programs::kTriangle, {"split(k; 2)", "split(x; 3)", "tile(x; 4); split(x; 1)"}), "");
  EXPECT_EQ(differences(programs::kPrefix, {"split(i; 3)", "tile(i; 4); split(it; 2)"}), "");
}

} // namespace
