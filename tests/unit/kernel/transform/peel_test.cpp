// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/loops.h"
#include "tests/unit/kernel/programs.h"
#include "tests/unit/kernel/transform/support.h"
#include <gmock/gmock.h>

using namespace pbc::kernel;

namespace {

TEST(Peel, FirstAndLast) {
  Lifted add(programs::kAdd);
  EXPECT_EQ(scheduleAfter(add.kernel(), "peel(i)"), R"(
sequence
  R0_S0
    i_first: band i parallel
  R0_S0
    i: band i parallel
  R0_S0
    i_last: band i parallel
)");
  const auto labels = [&](const std::string &script) {
    return labelsOf(after(add.kernel(), script).schedule.tree);
  };
  EXPECT_EQ(labels("peel(i; first = 2)"), (std::vector<std::string>{"i_first", "i"}));
  EXPECT_EQ(labels("peel(i; last = 2)"), (std::vector<std::string>{"i", "i_last"}));
  EXPECT_EQ(labels("(a, b) = peel(i; last = 2)"), (std::vector<std::string>{"a", "b"}));
}

TEST(Peel, Refuses) {
  Lifted add(programs::kAdd), seven(programs::kConvolve7);
  EXPECT_EQ(whyNot(add.kernel(), "peel(i; first = 0)"), "no iteration is to be peeled");
  EXPECT_EQ(whyNot(seven.kernel(), "peel(i; first = 4, last = 3)"), "no iteration is left for i");
  EXPECT_EQ(whyNot(seven.kernel(), "unroll(i); peel(i)"), "its loop over i is realised as unroll already");
}

TEST(Peel, KeepsResults) {
  EXPECT_EQ(differences(programs::kMatrixProduct, {"peel(k)", "peel(x; first = 2, last = 3)",
                                                   "peel(y); peel(x)", "peel(k; first = 1); lanes(x; 8)"}),
            "");
  EXPECT_EQ(differences(programs::kTriangle, {"peel(k; last = 1)", "peel(k; first = 2); peel(x)",
                                              "tile(y, x; 4, 4); peel(xt; last = 1); peel(x)"}),
            "");
  EXPECT_EQ(differences(programs::kConvolve7,
                        {"peel(i); unroll(i_first, i, i_last); vector(x)", "unroll(i); peel(x); vector(x)"}),
            "");
}

} // namespace
