// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What prevents a body from being lifted: the sentence, and the text at which it points.
#include "support.h"
#include <gtest/gtest.h>

namespace pbc::body {
namespace {

struct ObstacleCase {
  const char *body, *obstacle;
};
void PrintTo(const ObstacleCase &c, std::ostream *out) { *out << c.body; }

class Obstacles : public testing::TestWithParam<ObstacleCase> {};
TEST_P(Obstacles, AreNamed) {
  Understood u(cellProgram(GetParam().body));
  EXPECT_EQ(u.messages, "");
  EXPECT_EQ(u.obstacle(), GetParam().obstacle);
  EXPECT_TRUE(u.facts().nodes.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Bodies, Obstacles,
    testing::Values(
        ObstacleCase{"while (c < 0) {} return 3;",
                     "the `while` loop has no known trip count @ while (c < 0) {}"},
        ObstacleCase{"do {} while (c < 0); return 3;",
                     "the `do` loop has no known trip count @ do {} while (c < 0)"},
        ObstacleCase{"switch (i) { default: return 1; }",
                     "it has a `switch` @ switch (i) { default: return 1; }"},
        ObstacleCase{"double t[3]; t[0] = 1; return t[0];", "it has the local array `t` @ double t[3];"},
        ObstacleCase{"return a.cell(i*i);", "the index `i*i` is not affine @ i*i"},
        ObstacleCase{"int idx = c; return a.cell(idx);", "the index `idx` depends on data @ idx"},
        ObstacleCase{"return a.cell(1 + (int)c);", "the index `1 + (int)c` depends on data @ 1 + (int)c"},
        ObstacleCase{"return a.cell((i-n)/2);", "the index `(i-n)/2` is not affine @ (i-n)/2"},
        ObstacleCase{"printf(\"%g\", c); return c;",
                     "`printf` is not known to be a pure function @ printf(\"%g\", c)"},
        ObstacleCase{"return rand();", "`rand` is not known to be a pure function @ rand()"},
        ObstacleCase{"return PetabricksRuntime::rand01();",
                     "`rand01` is not known to be a pure function @ PetabricksRuntime::rand01()"},
        ObstacleCase{"int k = 0; for (k = 0; k < 3; ++k) {} return k;",
                     "the loop's variable `k` is used outside of its loops @ for (k = 0; k < 3; ++k) {}"},
        ObstacleCase{"int j = 0, k = 0; for (j = 0, k = 0; k < 3; ++k) {} return c;",
                     "the loop's variable is not declared in the loop @ for (j = 0, k = 0; k < 3; ++k) {}"},
        // What the first iteration has assigned is not lost in the second one.
        ObstacleCase{"double s = 0, t; for (int k = 0; k < 3; ++k) { if (k < 1) t = c; s += t; } return s;",
                     "`t` may be without a value before the `if` @ t = c"},
        // In the second iteration over j, k is 3 already; and so it is after a loop over k.
        ObstacleCase{
            "double s = 0; int k = 0; for (int j = 0; j < 2; ++j) for (; k < 3; ++k) s += 1; return s;",
            "it is not known with which value of `k` the loop begins @ for (; k < 3; ++k) s += 1"},
        ObstacleCase{
            "double s = 0; int k = 0; for (; k < 2; ++k) s += 1; while (k < 3) { s += 2; ++k; } return s;",
            "the `while` loop has no known trip count @ while (k < 3) { s += 2; ++k; }"},
        ObstacleCase{"double s = 0; int k = 0; if (c > 0) k = 1; for (; k < 3; ++k) s += 1; return s;",
                     "the loop's variable `k` is assigned under an `if` @ k = 1"},
        ObstacleCase{
            "double s = 0; int k = 0; while (k < 3) { if (c > 0) ++k; s += 1; ++k; } return s;",
            "the `while` loop has no known trip count @ while (k < 3) { if (c > 0) ++k; s += 1; ++k; }"},
        ObstacleCase{"double s = 0; int k = 0; while (k < 3) { ++k; s += a.cell(k - 1); } return s;",
                     "the `while` loop has no known trip count @ while (k < 3) { ++k; s += a.cell(k - 1); }"},
        ObstacleCase{"double s = 0; for (int k = 0; k < 3; ++k) { if (k == 1) { s += 2; continue; } s += 1; "
                     "} return s;",
                     "it has a `continue` @ continue"},
        // It would leave out the step.
        ObstacleCase{
            "double s = 0; int k = 0; while (k < 3) { if (k == 1) continue; s += 1; ++k; } return s;",
            "it has a `continue` @ continue"},
        ObstacleCase{
            "double s = 0; for (int k = 0; k < 3; ++k) { k += 1; s += 1; } return s;",
            "the loop's variable `k` is changed inside the loop @ for (int k = 0; k < 3; ++k) { k += 1; s "
            "+= 1; }"},
        ObstacleCase{"double s = 0; for (int k = 0; k < 9; k *= 2) s += k; return s;",
                     "the loop's step is not a constant @ k *= 2"},
        ObstacleCase{"double s = 0; for (int k = 0; k != 4; k += 2) s += k; return s;",
                     "the loop's condition does not fit its step @ k != 4"},
        ObstacleCase{"double s = 0; for (int k = 0; k < (int)c; k++) s += k; return s;",
                     "the loop's bound `(int)c` depends on data @ (int)c"},
        ObstacleCase{"double s = 0; for (unsigned k = 0; k < 3; k++) s += k; return s;",
                     "the loop's variable `k` is a `unsigned int`, not an `int` @ unsigned k = 0;"},
        ObstacleCase{"double s = 0; for (int k = 10; k > 2; k -= 2) s += k; return s;",
                     "the loop counts down by more than one @ k -= 2"},
        ObstacleCase{"auto f = [&](double x) { return x + 1; }; return f(c);",
                     "it has a lambda @ [&](double x) { return x + 1; }"},
        ObstacleCase{"static const int s = 0; return s;",
                     "the variable `s` is static @ static const int s = 0;"},
        ObstacleCase{"const double &r = c; return r;", "it has the reference `r` @ const double &r = c;"},
        ObstacleCase{"unsigned u = 3; return u;",
                     "the variable `u` has the type `unsigned int`, which is not one of "
                     "the element types @ unsigned u = 3;"},
        ObstacleCase{"double x = 0, y; y = x = 1; return y;",
                     "`x = 1` is an assignment inside an expression @ x = 1"},
        ObstacleCase{"int x = 0; return x++;", "`x++` changes a variable inside an expression @ x++"},
        ObstacleCase{"if (c == 0) return 1; return 3 / i;",
                     "the `if` guards a division of integers @ if (c == 0) return 1"},
        ObstacleCase{"double s = 0; if (c > 0) s = a.cell(i); return s;",
                     "the `if` decides whether a cell is accessed @ s = a.cell(i)"},
        ObstacleCase{"double s = 0; if (c > 0) for (int k = 0; k < 3; ++k) s += 1; return s;",
                     "a loop stands under an `if` @ for (int k = 0; k < 3; ++k) s += 1"},
        ObstacleCase{"if (c > 0) { double s = 1; s += 1; return s; } return 2;",
                     "it computes between its `return`s @ double s = 1;"},
        ObstacleCase{"goto x; x: return 1;", "it has a `goto` @ goto x"},
        ObstacleCase{"return sizeof(double);",
                     "the analysis does not follow `sizeof(double)` @ sizeof(double)"},
        ObstacleCase{"return *a.base();", "it uses a pointer @ *a.base()"}));

TEST(Obstacle, CallsOfTransforms) {
  Understood u(viewProgram("b.cell(0) = 1;\nMain(b, a);"));
  EXPECT_EQ(u.obstacle(), "it calls the transform `Main` @ Main(b, a)");
  EXPECT_EQ(u.facts().callees, std::vector<std::string>{"Main"});
}

TEST(Obstacle, RuleLocalMatrices) {
  Understood u("transform T from A[n] to B[n] { to(B b) from(A a) using(C[n]) { C.cell(0) = 1; b.cell(0) = "
               "C.cell(0); } }");
  EXPECT_EQ(u.messages, "");
  EXPECT_EQ(u.obstacle(), "the rule has a matrix of its own, `C` @ C[n]");
}

} // namespace
} // namespace pbc::body
