// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which bodies call nothing but transforms of numbers, one after the other (compiler/body/helpers.h).
#include "support.h"
#include <gtest/gtest.h>

namespace pbc::body {
namespace {

const std::string kHelpers = R"(
transform Root from A to Y { Y from(A a) { return sqrt(a); } }
transform Both from A to Y, Z { to(Y y, Z z) from(A a) { Root(y, a); z = a; } }
transform Down from N : int to Y { Y from(N n) { double y = 1; if (n > 0) Down(y, n - 1); return y; } }
transform Copy from A[n] to B[n] { B.cell(i) from(A.cell(i) a) { return a; } }
memoized transform Kept from A to Y { Y from(A a) { return a; } }
)";

bool callsInPlace(const std::string &body) {
  const Understood u(
      "transform Main from A[n], C[n] to B[n] { B.cell(i) from(A.cell(i) a, C c) { double y = a, z = 0; " +
      body + " return y + z; } }" + kHelpers);
  EXPECT_EQ(u.messages, "") << body;
  return u.facts().callsInPlace;
}

TEST(Helpers, TransformsOfNumbers) {
  EXPECT_TRUE(callsInPlace("Root(y, a);"));
  EXPECT_TRUE(callsInPlace("for (int k = 0; k < 3; ++k) if (y > k) Both(y, z, y);"));
}

TEST(Helpers, NotWithoutACall) { EXPECT_FALSE(callsInPlace("y = 2 * a;")); }

TEST(Helpers, NotWhereATaskIsAskedFor) { EXPECT_FALSE(callsInPlace("spawn Root(y, a); sync;")); }

TEST(Helpers, NotWhatCallsItself) { EXPECT_FALSE(callsInPlace("Down(y, 3);")); }

TEST(Helpers, NotWhatIsRemembered) { EXPECT_FALSE(callsInPlace("Kept(y, a);")); }

TEST(Helpers, NotBesideACallWithMatrices) {
  EXPECT_FALSE(
      callsInPlace("MatrixRegion1D t = MatrixRegion1D::allocate(n); Copy(t, c); Root(y, t.cell(0));"));
}

} // namespace
} // namespace pbc::body
