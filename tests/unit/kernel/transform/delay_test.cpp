// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Updates that are delayed to the end of a block of steps: trees, values, refusals, and the same results.
#include "compiler/kernel/policy/processor.h"
#include "compiler/kernel/print.h"
#include "compiler/kernel/transform/support.h"
#include "tests/unit/kernel/programs.h"
#include "tests/unit/kernel/transform/support.h"
#include <gmock/gmock.h>

using namespace pbc::kernel;
using testing::HasSubstr;

namespace {

/// Each step updates what is right of it and below.
constexpr const char *kEliminate = R"(
transform Eliminate from A[n, n] to F[n, n] through S<0..n>[n, n] {
  S<0>.cell(x, y) from(A.cell(x, y) a) { return a; }
  S<k>.cell(x, y) from(S<k-1>.cell(x, y) s, S<k-1>.cell(k-1, y) l, S<k-1>.cell(x, k-1) u) where x >= k and y >= k {
    return s - l * u;
  }
  secondary S<k>.cell(x, y) from(S<k-1>.cell(x, y) s) { return s; }
  F.cell(x, y) from(S<n>.cell(x, y) s) { return s; }
}
)";
/// With columns of another matrix, which other rules compute between the steps.
constexpr const char *kColumnsBetween = R"(
transform ColumnsBetween from A[n, n] to L[n, n] through S<0..n>[n, n] {
  S<0>.cell(x, y) from(A.cell(x, y) a) { return a; }
  S<k>.cell(x, y) from(S<k-1>.cell(x, y) s, L.cell(k-1, x) l, L.cell(k-1, y) m) where k > 0 and x >= k and y >= x { return s - l * m; }
  L.cell(x, x) from(S<x>.cell(x, x) s) { return 2 * s; }
  L.cell(x, y) from(S<x>.cell(x, y) s, L.cell(x, x) d) where x < y { return s + d; }
  L.cell(x, y) from() where x > y { return 0; }
}
)";
/// The body gives names to values, of which one is a float.
constexpr const char *kNames = R"(
transform Names from A[n, n] to F[n, n] through S<0..n>[n, n] {
  S<0>.cell(x, y) from(A.cell(x, y) a) { return a; }
  S<k>.cell(x, y) from(S<k-1>.cell(x, y) s, S<k-1>.cell(k-1, y) l, S<k-1>.cell(x, k-1) u) where x >= k and y >= k {
    double half = l / 2;
    float f = half * u;
    return s - f * half;
  }
  secondary S<k>.cell(x, y) from(S<k-1>.cell(x, y) s) { return s; }
  F.cell(x, y) from(S<n>.cell(x, y) s) { return s; }
}
)";
constexpr const char *kTwoValues = R"(
transform TwoValues from A[m, h], B[w, m] to D[w, h] through S<0..m>[w, h] {
  S<0>.cell(x, y) from() { return 0; }
  S<i>.cell(x, y) from(S<i-1>.cell(x, y) s, A.cell(i-1, y) a, B.cell(x, i-1) b) {
    double product = a * b;
    if (product > 1) product = 1;
    return s + product;
  }
  D.cell(x, y) from(S<m>.cell(x, y) s) { return s; }
}
)";
/// No step needs what another one has computed for another cell.
constexpr const char *kProduct = R"(
transform Product from A[m, h], B[w, m] to D[w, h] through S<0..m>[w, h] {
  S<0>.cell(x, y) from() { return 0; }
  S<i>.cell(x, y) from(S<i-1>.cell(x, y) s, A.cell(i-1, y) a, B.cell(x, i-1) b) { return s + i * a * b; }
  D.cell(x, y) from(S<m>.cell(x, y) s) { return s; }
}
)";
constexpr const char *kFloats = R"(
transform Floats from A[m, h] : float, B[w, m] to D[w, h] : float through S<0..m>[w, h] : float {
  S<0>.cell(x, y) from() { return 0; }
  S<i>.cell(x, y) from(S<i-1>.cell(x, y) s, A.cell(i-1, y) a, B.cell(x, i-1) b) { return s - a * b; }
  D.cell(x, y) from(S<m>.cell(x, y) s) { return s; }
}
)";
/// In a body, with an operator that updates.
constexpr const char *kBody = R"(
transform Body from A[n, n] to F[n, n] {
  to(F f) from(A a) {
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) f.cell(x, y) = a.cell(x, y);
    for (int k = 0; k < n; ++k)
      for (int y = k + 1; y < n; ++y)
        for (int x = k + 1; x < n; ++x) f.cell(x, y) -= f.cell(k, y) * f.cell(x, k);
  }
}
)";
/// Each cell needs its neighbours of the step before.
constexpr const char *kSweeps = R"(
transform Sweeps from A[n] to B[n] {
  to(B b) from(A a) {
    for (int x = 0; x < n; ++x) b.cell(x) = a.cell(x);
    for (int k = 0; k < 9; ++k)
      for (int x = 1; x < n; ++x) b.cell(x) = (b.cell(x - 1) + b.cell(x)) / 2;
  }
}
)";

TEST(Delay, LeavesTheRowsAndColumnsThatABlockReadsInTheirOrder) {
  Lifted eliminate(kEliminate);
  const Scheduled kernel = eliminate.kernel(0, 1);
  EXPECT_EQ(scheduleAfter(kernel, "delay(k; 4)"), R"(
band kt = k - (-1 + k) mod 4
  sequence
    R1_S0
      band k
        band y parallel
          band x parallel
    R1_S0_late
      band y_late = y parallel
        band x_late = x parallel
)");
  const std::string text = print(after(kernel, "delay(k; 2)"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "S[x, y, 0] = (S[x, y, 0] - (S[-1 + k, y, 0] * S[x, -1 + k, 0])) - (S[k, y, 0] * S[x, k, 0])"));
  EXPECT_THAT(text, HasSubstr("{ R1_S0_late[x, y, k] : "));
  for (const char *steps : {"2", "5"})
    EXPECT_EQ(differences(kEliminate, {std::string("delay(k; ") + steps + ")"}), "");
}

TEST(Delay, LetsOtherRulesOfABlockComeFirst) {
  EXPECT_EQ(differences(kColumnsBetween,
                        {"delay(k; 2)", "delay(k; 5)",
                         "delay(k; 4); tile(y_late, x_late; 0, 8); "
                         "stage(L; at = x_latet, layout = transposed, access = 1); vector(x_late)"}),
            "");
}

TEST(Delay, RunsBehindTheBlockWhatHasNotAllOfItsSteps) {
  Lifted product(kProduct);
  EXPECT_EQ(scheduleAfter(product.kernel(0, 1), "(blocks, step) = delay(i; 4)"), R"(
band blocks = i - (-1 + i) mod 4
  sequence
    R1_S0_late
      band y_late = y parallel
        band x_late = x parallel
    R1_S0
      band step = i
        band y_rest = y parallel
          band x_rest = x parallel
)");
  EXPECT_EQ(
      differences(kProduct, {"delay(i; 4)", "tasks(); delay(i; 3); vector(x_late, x_rest); jam(y_late; 2)"}),
      "");
}

TEST(Delay, RoundsToTheTypeOfTheCellInEachStep) { EXPECT_EQ(differences(kFloats, {"delay(i; 4)"}), ""); }

TEST(Delay, PutsValuesInThePlacesOfTheirNames) {
  Lifted names(kNames);
  EXPECT_THAT(print(after(names.kernel(0, 1), "delay(k; 2)")),
              HasSubstr("R1_S2[x, y, k] of rule 1: S[x, y, 0] = S[x, y, 0] - (double(float((S[-1 + k, y, 0] "
                        "/ 2.0) * S[x, -1 + k, 0])) * (S[-1 + k, y, 0] / 2.0))"));
  EXPECT_EQ(differences(kNames, {"delay(k; 3)"}), "");
  Lifted values(kTwoValues);
  EXPECT_THAT(whyNot(values.kernel(0, 1), "delay(i; 2)"), HasSubstr("no cell gets a new value"));
}

TEST(Delay, TakesUpdatesByOperators) {
  Lifted body(kBody);
  EXPECT_THAT(
      print(after(body.kernel(), "delay(k; 2)")),
      HasSubstr("F[x_1, y_1] = (F[x_1, y_1] - (F[k, y_1] * F[x_1, k])) - (F[1 + k, y_1] * F[x_1, 1 + k])"));
  EXPECT_EQ(differences(kBody, {"delay(k; 3)"}), "");
}

TEST(Delay, IsRefusedWhereTheNextStepNeedsEachCell) {
  Lifted sweeps(kSweeps);
  EXPECT_EQ(whyNot(sweeps.kernel(), "delay(k; 2)"),
            "what a step of the loop over `k` updates is needed in the next one");
  Lifted add(programs::kAdd);
  EXPECT_EQ(
      whyNot(add.kernel(), "delay(i; 2)"),
      "no cell gets a new value, made of its old one alone with others, in each step of the loop over `i`");
  Lifted product(kProduct);
  EXPECT_EQ(whyNot(product.kernel(0, 1), "vector(x); delay(i; 2)"),
            "the loop over `i`, or one inside, is realised already");
}

TEST(Delay, IsPartOfTheDefaultSchedule) {
  Lifted columns(kColumnsBetween);
  std::vector<std::string> done;
  for (const pbc::script::Step &step : defaultSchedule(columns.kernel(0, 1)).report.script)
    done.push_back(step.transformation);
  EXPECT_THAT(done, testing::ElementsAre("tasks", "delay", "tile", "stage", "vector"));
}

} // namespace
