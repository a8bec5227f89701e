// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiles and runs emitted text: every typical kernel agrees with a naive evaluation, for sizes 0, 1, 2 and
// around the vector groups, for contiguous and strided matrices, whole and cut into the parts of tasks.
#include "compiler/kernel/loops.h"
#include "compiler/kernel/policy/processor.h"
#include "compiler/kernel/transform/run.h"
#include "compiler/kernel/verify.h"
#include "tests/unit/kernel/programs.h"
#include "tests/unit/kernel/run.h"
#include "tests/unit/sanitized.h"
#include <gmock/gmock.h>

using namespace pbc::kernel;

namespace {

// `fill` fills the Frame `f` and declares the matrices; `check` compares. Both can use w, h, c and step.
void agrees(const char *program, const std::string &fill, const std::string &check, bool isTiled = false,
            const std::string &before = "") {
  Lifted lifted(program);
  ASSERT_EQ(lifted.messages, "");
  std::vector<Scheduled> kernels;
  std::string calls;
  for (int step = 0; step < lifted.steps(); ++step) {
    const Scheduled plain = lifted.kernel(0, step);
    EXPECT_THAT(verify(plain), testing::IsEmpty());
    Scheduled scheduled = defaultSchedule(plain).kernel;
    if (isTiled) {
      const Scheduled start = withLabels(plain);
      std::vector<std::string> loops = labelsOf(start.schedule.tree);
      loops.resize(std::min<std::size_t>(loops.size(), 2));
      const std::vector<long> sizes(loops.size() == 2 ? std::vector<long>{3, 5} : std::vector<long>{3});
      if (StepOutcome tiled = run(script::step("tile", loops, sizes), start); tiled.kernel)
        scheduled = *tiled.kernel;
    }
    EXPECT_THAT(verify(scheduled), testing::IsEmpty());
    // The whole range, or parts of 37 along each task dimension.
    std::string low, high, loops;
    const auto &tasks = scheduled.schedule.taskDimensions;
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      const std::string n = std::to_string(t);
      const std::string begin = poly::cxx(tasks[t].low), end = poly::cxx(tasks[t].high);
      loops += "for (long b" + n + " = " + begin + "; b" + n + " < " + end + "; b" + n + " += piece) ";
      low += (t ? ", " : "") + std::string("b") + n;
      high += (t ? ", " : "") + std::string("pb::minimum(b") + n + " + piece, " + end + ")";
    }
    calls += "    " + loops + "{ const long low[] = {" + (low.empty() ? "0" : low) + "}, high[] = {" +
             (high.empty() ? "0" : high) + "}; kernel" + std::to_string(step) + "(&f, low, high); }\n";
    kernels.push_back(std::move(scheduled));
  }
  std::string names;
  for (const std::string &p : kernels.front().parameters)
    names += "    [[maybe_unused]] const long " + p + " = f.v_" + p + ";\n";
  const std::string text = R"(
int main() {
  const int widths[] = {0, 1, 2, 3, 5, 8, 31, 32, 33, 40, 71, 100}, heights[] = {0, 1, 2, 3, 9};
  const int steps[] = {1, 3};
  const long pieces[] = {1000, 37};
  for ([[maybe_unused]] long piece : pieces) for (int step : steps) for (int W : widths) for ([[maybe_unused]] int H : heights) {
    Frame f;
)" + fill + names + calls + check +
                           R"(  }
  if (!failures) printf("fine");
}
)";
  if (runsMadeCode())
    EXPECT_EQ(compileAndRun(lifted, kernels, text, before), "fine");
  else
    EXPECT_NE(lifted.text(kernels, before), "");
}

const std::string kSame = R"(
    Matrix<double, 2> A(step, W, H), B(step, W, H);
    f.v_w = W; f.v_h = H; f.m_A = A.region(); f.m_B = B.region();
)";

TEST(KernelRun, Add) {
  agrees(programs::kAdd, R"(
    Matrix<double, 1> A(step, W), B(step, W), C(step, W);
    f.v_n = W; f.m_A = A.region(); f.m_B = B.region(); f.m_C = C.region();
)",
         "    for (int i = 0; i < W; ++i) expect(C(i), A(i) + B(i), \"C\", i, H);\n");
}

TEST(KernelRun, Convolve3) {
  agrees(programs::kConvolve3, R"(
    if (W < 2 || H < 2) continue;
    Matrix<double, 2> A(step, W, H), K(1, 3, 3), B(step, W - 2, H - 2);
    f.v_w = W; f.v_h = H; f.m_A = A.region(); f.m_K = K.region(); f.m_B = B.region();
)",
         R"(    for (int y = 0; y + 2 < H; ++y) for (int x = 0; x + 2 < W; ++x) {
      double s = 0;
      for (int j = 0; j < 3; ++j) for (int i = 0; i < 3; ++i) s += A(x + i, y + j) * K(i, j);
      expect(B(x, y), s, "B", x, y);
    }
)");
}

TEST(KernelRun, Convolve7) {
  agrees(programs::kConvolve7, R"(
    if (W < 6) continue;
    Matrix<double, 2> A(step, W, H), B(step, W - 6, H); Matrix<double, 1> K(1, 7);
    f.v_w = W; f.v_h = H; f.m_A = A.region(); f.m_K = K.region(); f.m_B = B.region();
)",
         R"(    for (int y = 0; y < H; ++y) for (int x = 0; x + 6 < W; ++x) {
      double s = 0;
      for (int i = 0; i < 7; ++i) s += A(x + i, y) * K(i);
      expect(B(x, y), s, "B", x, y);
    }
)");
}

TEST(KernelRun, ConvolveRuntimeWidth) {
  agrees(programs::kConvolveRuntime, R"(
    const int rows = 2;
    if (W - H + 1 < 0) continue;
    Matrix<double, 2> A(step, W, rows), B(step, W - H + 1, rows); Matrix<double, 1> K(1, H);
    f.v_w = W; f.v_h = rows; f.v_kw = H; f.m_A = A.region(); f.m_K = K.region(); f.m_B = B.region();
)",
         R"(    for (int y = 0; y < rows; ++y) for (int x = 0; x + H < W + 1; ++x) {
      double s = 0;
      for (int i = 0; i < H; ++i) s += A(x + i, y) * K(i);
      expect(B(x, y), s, "B", x, y);
    }
)");
}

const std::string kProductFill = R"(
    const int C = (W + H) % 7;
    Matrix<double, 2> A(step, C, H), B(step, W, C), AB(step, W, H);
    f.v_c = C; f.v_w = W; f.v_h = H; f.m_A = A.region(); f.m_B = B.region(); f.m_AB = AB.region();
)";
const std::string kProductCheck = R"(    for (int y = 0; y < H; ++y) for (int x = 0; x < W; ++x) {
      double s = 0;
      for (int k = 0; k < C; ++k) s += A(k, y) * B(x, k);
      expect(AB(x, y), s, "AB", x, y);
    }
)";

TEST(KernelRun, MatrixProduct) { agrees(programs::kMatrixProduct, kProductFill, kProductCheck); }
TEST(KernelRun, MatrixProductTiled) { agrees(programs::kMatrixProduct, kProductFill, kProductCheck, true); }

const std::string kStencilCheck = R"(    for (int y = 0; y < H; ++y) for (int x = 0; x < W; ++x)
      expect(B(x, y), x == 0 || y == 0 || x == W - 1 || y == H - 1 ? A(x, y)
             : 0.5 * A(x, y) + 0.125 * (A(x - 1, y) + A(x + 1, y) + A(x, y - 1) + A(x, y + 1)), "B", x, y);
)";

TEST(KernelRun, Stencil) { agrees(programs::kStencil, kSame, kStencilCheck); }
TEST(KernelRun, StencilTiled) { agrees(programs::kStencil, kSame, kStencilCheck, true); }

TEST(KernelRun, Prefix) {
  agrees(programs::kPrefix, R"(
    Matrix<double, 1> A(step, W), B(step, W);
    f.v_n = W; f.m_A = A.region(); f.m_B = B.region();
)",
         R"(    double s = 0;
    for (int i = 0; i < W; ++i) expect(B(i), s += A(i), "B", i, H);
)");
}

TEST(KernelRun, RowRecurrence) {
  agrees(programs::kRows, kSame, R"(    for (int x = 0; x < W; ++x) {
      double p = 0;
      for (int y = 0; y < H; ++y) expect(B(x, y), p = 0.5 * p + A(x, y), "B", x, y);
    }
)");
}

TEST(KernelRun, TriangularBody) {
  agrees(
      programs::kTriangle, R"(
    Matrix<double, 2> A(step, W, W), B(step, W, W);
    f.v_n = W; f.m_A = A.region(); f.m_B = B.region();
)",
      R"(    for (int y = 0; y < W; ++y) { double s = 0; for (int x = 0; x < W; ++x) expect(B(x, y), s += A(x, y), "B", x, y); }
)");
}

// A `while` cannot be lifted: the kernel calls the body, which the caller emits.
TEST(KernelRun, OpaqueBody) {
  agrees(R"(
transform Opaque from A[w, h] to B[w, h], C[w, h] {
  to(B.cell(x, y) b, C.cell(x, y) c) from(A.row(y) a, A.cell(x, y) own) {
    double s = own;
    int k = 0;
    while (k < x) s += a.cell(k++);
    b = s;
    c = x + y;
  }
}
)",
         R"(
    Matrix<double, 2> A(step, W, H), B(step, W, H), C(step, W, H);
    f.v_w = W; f.v_h = H; f.m_A = A.region(); f.m_B = B.region(); f.m_C = C.region();
)",
         R"(    for (int y = 0; y < H; ++y) for (int x = 0; x < W; ++x) {
      double s = A(x, y);
      for (int k = 0; k < x; ++k) s += A(k, y);
      expect(B(x, y), s, "B", x, y), expect(C(x, y), x + y, "C", x, y);
    }
)",
         false, R"(
static void pb_body_0(const Frame &, pb::IndexT x, pb::IndexT y, double &b, double &c, pb::Region<const double, 1> a, double own) {
  double s = own;
  for (int k = 0; k < x; ++k) s += a.cell(k);
  b = s, c = x + y;
}
)");
}

// Bodies use sizes and coordinates as ints, other element types, conversions and conditions.
TEST(KernelRun, TypesAndConditions) {
  agrees(R"(
transform Types from A[n] : int to B[n] : float, C[n] : byte, D[n] : long {
  to(B.cell(i) b, C.cell(i) c, D.cell(i) d) from(A.cell(i) a) {
    int t = a * 3 / 2;
    b = (i < n / 2 ? t : -t) * 0.5f;
    c = t + 300;
    d = i;
    d *= 3;
    d += t % 7;
  }
}
)",
         R"(
    Matrix<int, 1> A(step, W); Matrix<float, 1> B(step, W); Matrix<unsigned char, 1> C(step, W); Matrix<long, 1> D(step, W);
    f.v_n = W; f.m_A = A.region(); f.m_B = B.region(); f.m_C = C.region(); f.m_D = D.region();
)",
         R"(    for (int i = 0; i < W; ++i) {
      const int t = A(i) * 3 / 2;
      expect(B(i), (i < W / 2 ? t : -t) * 0.5f, "B", i, 0), expect(C(i), (unsigned char)(t + 300), "C", i, 0);
      expect(D(i), i * 3 + t % 7, "D", i, 0);
    }
)");
}

// A size that has the name of something that the emitter uses.
TEST(KernelRun, NamesThatClash) {
  agrees(R"(
transform Names from f[c0] to low[c0] { low.cell(high) from(f.cell(high) context) { return context + c0; } }
)",
         R"(
    Matrix<double, 1> A(step, W), B(step, W);
    f.v_c0 = W; f.m_f = A.region(); f.m_low = B.region();
)",
         "    for (int i = 0; i < W; ++i) expect(B(i), A(i) + W, \"low\", i, H);\n");
}

// Two rules that need each other: one step, points in turn.
TEST(KernelRun, RulesThatNeedEachOther) {
  agrees(R"(
transform Pair from A[n] to B[n], C[n] {
  B.cell(i) from(A.cell(i) a, C.cell(i-1) c) { return a + 0.5 * c; }
  secondary B.cell(i) from(A.cell(i) a) { return a; }
  C.cell(i) from(B.cell(i) b) { return b + 1; }
}
)",
         R"(
    Matrix<double, 1> A(step, W), B(step, W), C(step, W);
    f.v_n = W; f.m_A = A.region(); f.m_B = B.region(); f.m_C = C.region();
)",
         R"(    double b = 0, c = 0;
    for (int i = 0; i < W; ++i) {
      b = i ? A(i) + 0.5 * c : A(i), c = b + 1;
      expect(B(i), b, "B", i, 0), expect(C(i), c, "C", i, 0);
    }
)");
}

// The last groups of lanes, and outputs that are accumulated in place by a loop of run-time length.
TEST(KernelRun, AccumulatesInTheOutput) {
  agrees(R"(
transform Sum from A[w, h] to B[w] {
  to(B.cell(x) b) from(A.column(x) a) {
    b = 0;
    for (int k = 0; k < h; ++k) { double t = a.cell(k); b += t * t; }
  }
}
)",
         R"(
    Matrix<double, 2> A(step, W, H); Matrix<double, 1> B(step, W);
    f.v_w = W; f.v_h = H; f.m_A = A.region(); f.m_B = B.region();
)",
         R"(    for (int x = 0; x < W; ++x) {
      double s = 0;
      for (int k = 0; k < H; ++k) s += A(x, k) * A(x, k);
      expect(B(x), s, "B", x, 0);
    }
)");
}

// The inner loops really are vector code: at least one packed operation per term, eight per group of 32
// lanes.
TEST(KernelText, InnerLoopsAreVectorCode) {
  if (!runsMadeCode())
    GTEST_SKIP();
  Lifted three(programs::kConvolve3), seven(programs::kConvolve7), stencil(programs::kStencil);
  EXPECT_GE(packedMultiplyAdds(three, {defaultSchedule(three.kernel()).kernel}), 9);
  EXPECT_GE(packedMultiplyAdds(seven, {defaultSchedule(seven.kernel()).kernel}), 7);
  EXPECT_GE(packedMultiplyAdds(stencil, {defaultSchedule(stencil.kernel()).kernel}), 1);
  Lifted product(programs::kMatrixProduct), runtime(programs::kConvolveRuntime);
  EXPECT_GE(packedMultiplyAdds(product, {defaultSchedule(product.kernel()).kernel}), 8 + 2);
  EXPECT_GE(packedMultiplyAdds(runtime, {defaultSchedule(runtime.kernel()).kernel}), 8 + 2);
}

} // namespace
