// Emitted text, compiled and run: every everyday kernel agrees with a naive evaluation, for sizes 0, 1, 2 and
// around the vector groups, for contiguous and strided matrices, whole and cut into task pieces.
#include "compiler/kernel/default_schedule.h"
#include "compiler/kernel/tile.h"
#include "compiler/kernel/verify.h"
#include "tests/unit/kernel/programs.h"
#include "tests/unit/kernel/run.h"
#include <gmock/gmock.h>

using namespace pbc::kernel;

namespace {

// `fill` fills the Frame `f` and declares the matrices; `check` compares. Both see w, h, c and step.
void agrees(const char *program, const std::string &fill, const std::string &check, bool isTiled = false) {
  Lifted lifted(program);
  ASSERT_EQ(lifted.messages, "");
  std::vector<Kernel> kernels;
  std::string calls;
  for (int step = 0; step < lifted.steps(); ++step) {
    const Kernel plain = lifted.kernel(0, step);
    EXPECT_THAT(verify(plain), testing::IsEmpty());
    Kernel scheduled = defaultSchedule(plain);
    if (isTiled) {
      Outcome tiled = tile(plain, {3, 5});
      if (tiled.kernel)
        scheduled = *tiled.kernel;
    }
    EXPECT_THAT(verify(scheduled), testing::IsEmpty());
    // Whole range, or in pieces of 37 along each task dimension.
    std::string low, high, loops, inner = "low, high";
    const auto &tasks = scheduled.taskDimensions;
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      const std::string n = std::to_string(t);
      loops += "for (long b" + n + " = " + tasks[t].low + "; b" + n + " < " + tasks[t].high + "; b" + n +
               " += piece) ";
      low += (t ? ", " : "") + std::string("b") + n;
      high += (t ? ", " : "") + std::string("pb::minimum(b") + n + " + piece, " + tasks[t].high + ")";
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
  EXPECT_EQ(compileAndRun(lifted, kernels, text), "fine");
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

} // namespace
