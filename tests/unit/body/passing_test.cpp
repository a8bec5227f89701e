// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which bodies look at cells of matrices, and which only pass them on (requirement 102).
#include "support.h"
#include <gtest/gtest.h>

namespace pbc::body {
namespace {

bool onlyPasses(const std::string &body) {
  Understood u(viewProgram(body));
  EXPECT_EQ(u.messages, "") << body;
  return u.facts().onlyPasses;
}

TEST(Passing, CallsWithMatricesViewsAndScalars) {
  for (const char *body : {"Main(b, a);", "spawn Main(b, a); sync;",
                           "if (b.width() > 3) Main(b, a.region(0, n)); else Main(b, a);",
                           "for (int i = 0; i < n - 1; ++i) Main(b.region(i, i + 1), a.region(i, i + 1));",
                           "auto half = a.region(0, n / 2); Main(b.region(0, half.width()), half);",
                           "double s; Two(b, s, a, 2); if (s > 0) Main(b, a);"})
    EXPECT_TRUE(onlyPasses(body)) << body;
}

TEST(Passing, Looks) {
  for (const char *body :
       {"Main(b, a); b.cell(0) = 1;", "if (a.cell(0) > 1) Main(b, a);", "double s; Two(b, s, a, a.cell(0));",
        "auto &v = a; Main(b, v);", "const double *p = a.base(); Main(b, a); (void)p;",
        "MatrixRegion1D both[] = {b, b}; Main(both[0], a);",
        "auto f = [&] { return a.cell(0); }; Main(b, a); f();",
        "MatrixRegion1D c = MatrixRegion1D::allocate(n); c.randomize(); Main(b, c);",
        "Main(b, a.region(static_cast<int>(a.cell(0)), n));"})
    EXPECT_FALSE(onlyPasses(body)) << body;
}

TEST(Passing, BodiesThatGetCells) {
  const Understood u(cellProgram("double s; return c;"));
  EXPECT_FALSE(u.facts().onlyPasses);
}

TEST(Passing, RegionsOfGlobalVariables) {
  const Understood u("%{ static MatrixRegion1D kept; %}\n" + viewProgram("Main(kept, a); Main(b, a);"));
  EXPECT_FALSE(u.facts().onlyPasses);
}

} // namespace
} // namespace pbc::body
