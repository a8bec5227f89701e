// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/print.h"
#include "tests/unit/kernel/programs.h"
#include "tests/unit/kernel/transform/support.h"
#include <gmock/gmock.h>

using namespace pbc::kernel;
using testing::HasSubstr;

namespace {

const char *kBelowDiagonal = R"(
transform Below from A[n, n], V[n] to B[n, n] {
  B.cell(x, y) from(A.row(y) a, V v) {
    double s = 1;
    for (int k = 0; k < x; ++k) s *= a.cell(k) + v.cell(k);
    return s;
  }
}
)";
const char *kInts = R"(
transform Ints from A[n] : int to B[n] : int {
  B.cell(x) from(A a) {
    int s = 0;
    for (int k = x; k < n; ++k) s -= a.cell(k) * k;
    return s;
  }
}
)";

TEST(Pad, KeepsProductsThatAreRoundedWithTheirSum) {
  const std::string product = R"(Below from A[n, n], V[n] to B[n, n] {
  RULE B.cell(x, y) from(A.row(y) a, V v) {
    double s = 1;
    for (int k = 0; k < x; ++k) s -= a.cell(k) * v.cell(k);
    return s;
  }
}
)";
  const auto of = [&](const char *rule) {
    return "transform " + std::string(product).replace(product.find("RULE"), 4, rule);
  };
  Lifted exact(of("")), fast(of("fast"));
  EXPECT_THAT(whyNot(exact.kernel(), "pad(k, along = x)"),
              HasSubstr("would be rounded on its own; its rule is not `fast`"));
  EXPECT_EQ(whyNot(fast.kernel(), "pad(k, along = x)"), "it applies");
}

TEST(Pad, MakesARectangleOfATriangle) {
  Lifted triangle(programs::kTriangle);
  const std::string text = print(after(triangle.kernel(), "pad(k, along = x)"));
  EXPECT_THAT(text,
              HasSubstr("R0_S1[x, y; k]: R0_s[x, y] += ((x : long) >= (k : long)) ? R0_S1_v[x, y] : (-0.0)\n"
                        "    { R0_S1[x, y, k] : 0 <= x < n and 0 <= y < n and 0 <= k < n }\n"));
  EXPECT_THAT(text, HasSubstr("R0_S1_v[x, y; k]: R0_S1_v[x, y] = A[k, y]\n"));
  EXPECT_EQ(scheduleAfter(triangle.kernel(), "pad(k, x)"), R"(
band y parallel
  band x parallel
    alloc:R0_s
      sequence
        R0_S0
        R0_S1, R0_S1_v
          band k
            alloc:R0_S1_v
              sequence
                R0_S1_v
                R0_S1
        R0_S2
)");
  EXPECT_EQ(whyNot(triangle.kernel(), "lanes(x; 8)"), "the length of the loop over `k` depends on `x`");
  EXPECT_EQ(whyNot(triangle.kernel(), "pad(k, x); lanes(x; 16)"), "it applies");
}

TEST(Pad, OfATileGoesToItsEnd) {
  Lifted triangle(programs::kTriangle);
  EXPECT_THAT(print(after(triangle.kernel(), "tile(x; 16); pad(k, x)")), HasSubstr("floor((x)/16)"));
}

TEST(Pad, Refuses) {
  Lifted triangle(programs::kTriangle), product(programs::kMatrixProduct);
  EXPECT_EQ(whyNot(product.kernel(), "pad(k, x)"),
            "its loop over `k` is as long for each iteration of `x` already");
  EXPECT_EQ(whyNot(triangle.kernel(), "pad(x, k)"), "its loop over `x` is not inside the one over `k`");
  EXPECT_EQ(whyNot(triangle.kernel(), "split(k; 4); pad(k, x)"),
            "the iterations of its loops are cut or fused already");
  EXPECT_EQ(whyNot(triangle.kernel(), "tile(k; 4); pad(kt, x)"),
            "its loop over `kt` does not count one by one");
  EXPECT_EQ(whyNot(triangle.kernel(), "(a) = pad(k, x)"), "it makes no loops that could be named");
  EXPECT_EQ(whyNot(triangle.kernel(), "tasks(); pad(k, x)"), "it is cut into tasks already");
  Lifted quotients(R"(
transform T from A[n] : int, D[n] : int to B[n] : int {
  B.cell(x) from(A a, D d) { int s = 0; for (int k = 0; k <= x; ++k) s += a.cell(k) / d.cell(k); return s; }
}
)");
  EXPECT_EQ(whyNot(quotients.kernel(), "pad(k, x)"), "the additional steps of `R0_S1` could divide by 0");
  Lifted beyond(R"(
transform T from A[2 * n, n] to B[n, n] {
  B.cell(x, y) from(A.row(y) a) { double s = 0; for (int k = 0; k <= x; ++k) s += a.cell(2 * x - k); return s; }
}
)");
  EXPECT_EQ(whyNot(beyond.kernel(), "pad(k, x)"),
            "its additional steps would read cells of `A` that nothing else reads");
}

TEST(Pad, KeepsResults) {
  EXPECT_EQ(differences(programs::kTriangle,
                        {"pad(k, x)", "pad(k, x); lanes(x; 16)", "tile(x; 4); pad(k, x)",
                         "tile(y, x; 2, 16); pad(k, x); lanes(x; 16)", "pad(k, x); tasks()",
                         "in_place(R0_s); pad(k, x); fission(y, x); order(y2, k, x2); vector(x2)"}),
            "");
  EXPECT_EQ(differences(kBelowDiagonal, {"pad(k, x)", "pad(k, x); lanes(x; 16)", "tile(x; 4); pad(k, x)"}),
            "");
  EXPECT_EQ(differences(kInts, {"pad(k, x)", "pad(k, x); lanes(x; 16)"}), "");
}

} // namespace
