// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The result of lifting a body, construct by construct; and the types in which it computes.
#include "compiler/body/device_body.h"
#include "compiler/body/math_functions.h"
#include "support.h"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pbc::body {
namespace {

struct LiftCase {
  const char *body, *nodes;
};

void PrintTo(const LiftCase &c, std::ostream *out) { *out << c.body; }

class LiftCell : public testing::TestWithParam<LiftCase> {};
TEST_P(LiftCell, GivesTheseNodes) {
  Understood u(cellProgram(GetParam().body));
  EXPECT_EQ(u.messages, "");
  EXPECT_EQ(u.obstacle(), "");
  EXPECT_EQ(u.nodes(), GetParam().nodes);
}

INSTANTIATE_TEST_SUITE_P(
    Bodies, LiftCell,
    testing::Values(
        LiftCase{"return c * 2;", "B = c * 2.0"},
        LiftCase{"ElementT s = 0; for (int k = 0; k < 3; ++k) s += a.cell(k); return s / 3;",
                 "s = 0.0; for k in [0, 3);   s += a[k]; B = s / 3.0"},
        // declarations
        LiftCase{"double x = c, y = 2; x = 1, y = 3; return x + y;",
                 "x = c; y = 2.0; x = 1.0; y = 3.0; B = x + y"},
        LiftCase{"auto s = a.cell(1); const double t{s}; return t;", "s = a[1]; t = s; B = t"},
        LiftCase{"double s = 1; { double s = 2; s = s; } return s;", "s = 1.0; s_1 = 2.0; s_1 = s_1; B = s"},
        LiftCase{"using T = double; T x = M_PI; static_assert(true); ; return x;",
                 "x = 3.14159265358979323846; B = x"},
        LiftCase{"int n = 3; double a = 1; return n + a;", "a_1 = 1.0; B = 3.0 + a_1"}, // shadowing
        // integer arithmetic stays integer arithmetic
        LiftCase{"double q = i / 2 + i % 3; return q;", "q = double((i / 2) + (i % 3)); B = q"},
        LiftCase{"float x = c; x += 1.5; return x;", "x = float(c); x += 1.5; B = double(x)"},
        LiftCase{"unsigned char u = 3; u += i; return u;", "u = unsigned char(3); u += i; B = double(u)"},
        LiftCase{"long l = 5; l *= n; l %= 7; l <<= 2; return l;",
                 "l = (5L * long(n)) % 7L; l = l << 2; B = double(l)"},
        LiftCase{"return (int)c + int(c) + static_cast<int>(c);", "B = double((int(c) + int(c)) + int(c))"},
        LiftCase{"return -c + !i + ~i + (i << 2) + (i & 3);",
                 "B = (((-c + double(int(!bool(i)))) + double(~i)) + double(i << 2)) + double(i & 3)"},
        LiftCase{"return 1e-5 + .5 + 2. + 0x1F + 1.5f + 10L + 1'000.5;",
                 "B = (((((1e-5 + .5) + 2.) + 31.0) + double(1.5f)) + double(10L)) + 1000.5"},
        LiftCase{"double x = c; x++; --x; return x > 0 && x < 3 || x == 1 ? x : -x;",
                 "x = c; x += 1.0; x -= 1.0; B = (((x > 0.0) && (x < 3.0)) || (x == 1.0)) ? x : -x"},
        // conditions without data decide over cells and divisions, and `continue` over the rest of a loop's body
        LiftCase{"if (i == 0) return 1; return a.cell(i - 1) + 3 / i;",
                 "B = (i == 0) ? 1.0 : (a[i - 1] + double(3 / i))"},
        LiftCase{
            "double s = 0; for (int k = 0; k < 9; ++k) { if (k == i) continue; double t = a.cell(k); s += t; "
            "} return s;",
            "s = 0.0; for k in [0, 9);   t = !(k == i) ? a[k] : 0.0;   s = !(k == i) ? (s + t) : s; B = s"},
        LiftCase{"double s = 0; for (int k = 0; k < 9; ++k) { if (c < k) continue; s += 1; if (k > i) "
                 "continue; s += 2; } return s;",
                 "s = 0.0; for k in [0, 9);   taken = !(c < double(k));   s = taken ? (s + 1.0) : s;   "
                 "taken_1 = taken && !(k > i);   s "
                 "= taken_1 ? (s + 2.0) : s; B = s"},
        // the larger or smaller one of two bounds
        LiftCase{"double s = 0; int e = std::min(i, n - 1); for (int k = i > 3 ? i - 3 : 0; k <= e && k < 9; "
                 "++k) s += 1; return s;",
                 "s = 0.0; for k in [(i > 3) ? (i - 3) : 0, (((((n - 1) < i) ? (n - 1) : i) + 1) < 9) ? "
                 "((((n - 1) < i) ? (n - 1) : i) + 1) : 9);   s += 1.0; B = s"},
        // calls
        LiftCase{"return K + sqrt(c) + fmax(c, 0) + sqrtf(2.0f) + fabs(i);",
                 "B = (((K + sqrt(c)) + fmax(c, 0.0)) + double(sqrtf(2.0f))) + fabs(double(i))"},
        LiftCase{"return abs(c) + abs(i) + std::abs(c) + sqrt(1.5f);",
                 "B = ((fabs(c) + double(abs(i))) + fabs(c)) + double(sqrtf(1.5f))"},
        LiftCase{"double m = -INFINITY; return m + DBL_MAX;",
                 "m = double(-__builtin_inff()); B = m + 1.7976931348623157e+308"},
        LiftCase{"return std::min(c, 2.0) + std::max(c, 2.0);",
                 "B = ((2.0 < c) ? 2.0 : c) + ((c < 2.0) ? 2.0 : c)"},
        // loops
        LiftCase{
            "double s = 0; for (int k = 0; k < 3; k++) for (int l = k; l <= 2; l += 2) s += k * l; return s;",
            "s = 0.0; for k in [0, 3);   for l in [k, 2 + 1) step 2;     s += double(k * l); B = s"},
        LiftCase{"double s = 0; for (int k = 2; k >= 0; --k) s -= a.cell(k); return s;",
                 "s = 0.0; for k in [0, 2 - (0 - 1));   s -= a[2 - k]; B = s"},
        LiftCase{"double s = 0; for (long k = 0; 3 > k; k = k + 1) { double t = k; s += t; } return s;",
                 "s = 0.0; for k in [0L, 3L);   t = double(k);   s += t; B = s"},
        LiftCase{"const int h = n / 2; double s = 0; for (int k = h; k < h + 2; ++k) s += 1; return s;",
                 "s = 0.0; for k in [n / 2, (n / 2) + 2);   s += 1.0; B = s"},
        LiftCase{
            "double s = 0; for (int k = 0; k < a.width(); ++k) s += a.cell(k); return s / a.count();",
            "s = 0.0; for k in [0, (i + 2) - (i - 1));   s += a[k]; B = s / double(long((i + 2) - (i - 1)))"},
        // if
        LiftCase{"if (a.cell(0) < a.cell(1)) return a.cell(0); return a.cell(1);",
                 "B = (a[0] < a[1]) ? a[0] : a[1]"},
        LiftCase{"if (i == 0) return 1; else if (i == 1) return c; else { return 3.5 / n; }",
                 "B = (i == 0) ? 1.0 : ((i == 1) ? c : (3.5 / double(n)))"},
        LiftCase{"double s; if (c > 0) s = 1; else s = 2; return s;", "s = (c > 0.0) ? 1.0 : 2.0; B = s"},
        LiftCase{"double m = c; for (int k = 0; k < 3; ++k) if (a.cell(k) < m) m = a.cell(k); return m;",
                 "m = c; for k in [0, 3);   m = (a[k] < m) ? a[k] : m; B = m"},
        LiftCase{"double s = 0, t = 1; if (c > 0) { s = t; t = c; } else s += 2; return s + t;",
                 "s = 0.0; t = 1.0; taken = c > 0.0; s = taken ? t : s; t = taken ? c : t; "
                 "s = !taken ? (s + 2.0) : s; B = s + t"},
        LiftCase{"double s = 0; if (c > 0) { if (c < 1) s = 1; else s = 2; } return s;",
                 "s = 0.0; taken = c > 0.0; taken_1 = taken && (c < 1.0); s = taken_1 ? 1.0 : s; "
                 "s = (taken && !taken_1) ? 2.0 : s; B = s"}));

// Loops count in many spellings.
INSTANTIATE_TEST_SUITE_P(
    Counters, LiftCell,
    testing::Values(
        LiftCase{"ElementT s = 0; int k; for (k = 0; k < 3; k++) s += a.cell(k); return s;",
                 "s = 0.0; for k in [0, 3);   s += a[k]; B = s"},
        LiftCase{"ElementT s = 0; int k = 0; for (; k <= 2; k += 1) s += a.cell(k); return s;",
                 "s = 0.0; for k in [0, 2 + 1);   s += a[k]; B = s"},
        LiftCase{"ElementT s = 0; int k = 0; while (k < 3) { s += a.cell(k); ++k; } return s;",
                 "s = 0.0; for k in [0, 3);   s += a[k]; B = s"},
        LiftCase{"ElementT s = 0; int k; k = 1; while (3 > k) { s += a.cell(k); k = k + 1; } return s;",
                 "s = 0.0; for k in [1, 3);   s += a[k]; B = s"},
        LiftCase{"ElementT s = 0; for (int k = 0; k != 3; ++k) s += a.cell(k); return s;",
                 "s = 0.0; for k in [0, 3);   s += a[k]; B = s"},
        LiftCase{"ElementT s = 0; int k = 2; while (k >= 0) { s += a.cell(k); --k; } return s;",
                 "s = 0.0; for k in [0, 2 - (0 - 1));   s += a[2 - k]; B = s"},
        // one variable for two loops, and for one in another
        LiftCase{"ElementT s = 0; int k; for (k = 0; k < 3; ++k) s += a.cell(k); for (k = 1; k < 2; ++k) s "
                 "+= a.cell(k); return s;",
                 "s = 0.0; for k in [0, 3);   s += a[k]; for k_1 in [1, 2);   s += a[k_1]; B = s"},
        LiftCase{"ElementT s = 0; int j, k = 0; while (k < 3) { j = 0; while (j < k) { s += a.cell(j); ++j; "
                 "} ++k; } return s;",
                 "s = 0.0; for k in [0, 3);   for j in [0, k);     s += a[j]; B = s"}));

class LiftView : public testing::TestWithParam<LiftCase> {};
TEST_P(LiftView, GivesTheseNodes) {
  Understood u(viewProgram(GetParam().body));
  EXPECT_EQ(u.messages, "");
  EXPECT_EQ(u.obstacle(), "");
  EXPECT_EQ(u.nodes(), GetParam().nodes);
}

INSTANTIATE_TEST_SUITE_P(
    Bodies, LiftView,
    testing::Values(
        LiftCase{"for (int i = 0; i < n; ++i) b.cell(i) = a.cell(i);", "for i in [0, n);   b[i] = a[i]"},
        LiftCase{
            "for (int i = 0; i < b.width(); ++i) { b.cell(i) = 0; for (int j = 0; j < i; ++j) b.cell(i) += "
            "a.cell(j); }",
            "for i in [0, n);   b[i] = 0.0;   for j in [0, i);     b[i] += a[j]"},
        LiftCase{"auto r = a.region(1, n/2); for (int i = 0; i < r.size(0); ++i) b.cell(i) = r.cell(i);",
                 "for i in [0, (n / 2) - 1);   b[i] = a[1 + i]"},
        LiftCase{"b.cell(n/2) = a.transposed().all().cell((n+3) % 2); return;", "b[n / 2] = a[(n + 3) % 2]"},
        LiftCase{"b.cell(0) = 3; if (a.cell(0) > 0) b.cell(0) += 1;",
                 "b[0] = 3.0; b[0] = (a[0] > 0.0) ? (b[0] + 1.0) : b[0]"}));

TEST(Lift, ViewsOfTwoDimensions) {
  Understood u("transform T from A[w, h] to B[w] {\n"
               "  to(B b) from(A a) {\n"
               "    for (int x = 0; x < a.width(); ++x) {\n"
               "      b.cell(x) = a.row(1).cell(x) + a.column(x).cell(2) + a.cell(x, 0) + "
               "a.transposed().cell(1, x) +\n"
               "                  a.region(x, 1, w, h).cell(0, 1) + a.slice(0, x).cell(3) + a.height();\n"
               "    }\n"
               "  }\n"
               "}\n");
  EXPECT_EQ(u.messages, "");
  EXPECT_EQ(u.obstacle(), "");
  EXPECT_EQ(u.nodes(),
            "for x in [0, w);   b[x] = (((((a[x, 1] + a[x, 2]) + a[x, 0]) + a[x, 1]) + a[x + 0, 1 + 1]) + "
            "a[x, 3]) + double(h)");
}

TEST(Lift, AColumnIsOneDimensional) {
  Understood u(
      "transform T from A[w, h] to B[w] {\n"
      "  to(B.cell(x) b) from(A.column(x) a) { b = 0; for (int y = 0; y < h; ++y) b += a.cell(y); }\n}\n");
  EXPECT_EQ(u.messages, "");
  EXPECT_EQ(u.nodes(), "b = 0.0; for y in [0, h);   b += a[y]");
  EXPECT_FALSE(u.facts().readsOutputs);
}

TEST(Lift, EveryValueHasClangsType) {
  Understood u(cellProgram("float f = 2; return f * i + c;"));
  const Node &result = *u.facts().nodes.at(1);
  ASSERT_EQ(result.value->kind, Value::Kind::Binary); // double(f * float(i)) + c
  EXPECT_EQ(result.value->type, Scalar::F64);
  const Value &cast = *result.value->operands[0];
  ASSERT_EQ(cast.kind, Value::Kind::Cast);
  EXPECT_EQ(cast.type, Scalar::F64);
  EXPECT_EQ(cast.operands[0]->type, Scalar::F32);
  EXPECT_EQ(cast.operands[0]->operands[1]->kind, Value::Kind::Cast);
  EXPECT_EQ(cast.operands[0]->operands[1]->operands[0]->type, Scalar::I32);
  EXPECT_EQ(result.value->operands[1]->kind, Value::Kind::Cell);
  EXPECT_EQ(result.target.type, Scalar::F64);
}

TEST(Lift, InputsOfNoDimensionHaveTheirNames) {
  Understood u(cellProgram("return K;"));
  const Value &v = *u.facts().nodes.at(0)->value;
  EXPECT_EQ(v.kind, Value::Kind::Input);
  EXPECT_EQ(v.index, 1);
}

TEST(Lift, ConstantsOfRawBlocksAreLiterals) {
  Understood u("%{\nconst double dt = 0.25;\nconstexpr int W = 3;\nenum { LIMIT = 5 };\nint counter;\n%}\n" +
               cellProgram("return c * dt + W + LIMIT;"));
  EXPECT_EQ(u.messages, "");
  EXPECT_EQ(u.nodes(), "B = ((c * 2.5E-1) + 3.0) + 5.0");
  Understood v("%{\nconstexpr double kLow = -0.5, kFar = 2 * __builtin_inf(), kNone = -kFar;\nconstexpr "
               "float kNear = 1.5f;\n%}\n" +
               cellProgram("return c * kLow + kFar + kNone + kNear;"));
  EXPECT_EQ(v.messages, "");
  EXPECT_EQ(v.nodes(), "B = (((c * -5.0E-1) + __builtin_inf()) + -__builtin_inf()) + double(1.5E+0f)");
}

TEST(Lift, HeadersOfRawBlocksKeepTheMathFunctions) {
  Understood u("%{\n#include <vector>\n#include <cmath>\n%}\n" +
               cellProgram("return sqrt(c) + std::fabs(c) + abs(c) + pow(c, 2) + std::max(c, 1.0);"));
  EXPECT_EQ(u.messages, "");
  EXPECT_EQ(u.nodes(), "B = (((sqrt(c) + fabs(c)) + fabs(c)) + pow(c, 2.0)) + ((c < 1.0) ? 1.0 : c)");
}

// Tests each function for each type of arguments, with the C library's headers and without them; as
// statements and as a function for devices.
TEST(Lift, AllMathFunctionsAreLiftedAndRunOnDevices) {
  for (const char *headers : {"", "%{\n#include <cmath>\n%}\n"})
    for (const std::string type : {"double", "float", "int"}) {
      std::string program = headers;
      for (const MathFunction &f : mathFunctions()) {
        std::string arguments;
        for (int k = 0; k < f.arity(); ++k)
          arguments += std::string(k ? ", " : "") + (f.takes[k] == 'r'   ? "x"
                                                     : f.takes[k] == 'i' ? "3"
                                                                         : "3L");
        program += fmt::format("transform Of_{0} from A[n] to B[n] {{ B.cell(i) from(A.cell(i) a) {{ "
                               "const {1} x = a; return {0}({2}); }} }}\n",
                               f.name, type, arguments);
      }
      const Understood u(program);
      EXPECT_EQ(u.messages, "");
      for (int t = 0; t < static_cast<int>(mathFunctions().size()); ++t) {
        const std::string called =
            mathFunctions()[static_cast<std::size_t>(t)].name + std::string(type == "float" ? "f(" : "(");
        EXPECT_EQ(u.obstacle(t), "") << called;
        EXPECT_THAT(u.nodes(t), testing::HasSubstr(called));
        ASSERT_TRUE(u.facts(t).onDevice);
        EXPECT_EQ(u.facts(t).onDevice->obstacle, "") << called;
        EXPECT_THAT(u.facts(t).onDevice->text, testing::HasSubstr(called));
      }
    }
}

TEST(Lift, MathFunctionsOfMixedTypes) {
  const auto lifted = [](const std::string &call) {
    Understood u(cellProgram("const float f = c; const int k = c; return " + call + ";"));
    return u.messages + u.obstacle() + u.nodes();
  };
  EXPECT_THAT(lifted("fma(f, f, 2)"), testing::HasSubstr("fma(double(f), double(f), 2.0)"));
  EXPECT_THAT(lifted("lround(f)"), testing::HasSubstr("double(lroundf(f))"));
  EXPECT_THAT(lifted("lroundf(c)"), testing::HasSubstr("lroundf(float(c))"));
  EXPECT_THAT(lifted("isless(f, c)"), testing::HasSubstr("pb::isless(double(f), c)"));
  EXPECT_THAT(lifted("isnan(k)"), testing::HasSubstr("pb::isnan(double(k))"));
}

struct ReadCase {
  const char *body;
  bool reads;
};
class ReadsOutputs : public testing::TestWithParam<ReadCase> {};
TEST_P(ReadsOutputs, BeforeTheyAreWritten) {
  Understood u(viewProgram(GetParam().body));
  EXPECT_EQ(u.messages, "");
  EXPECT_EQ(u.facts().readsOutputs, GetParam().reads) << GetParam().body;
}
INSTANTIATE_TEST_SUITE_P(
    Bodies, ReadsOutputs,
    testing::Values(ReadCase{"b.cell(0) = 1; b.cell(0) += 1;", false}, ReadCase{"b.cell(0) += 1;", true},
                    ReadCase{"b.cell(0) = 1; b.cell(1) = b.cell(0);", false},
                    ReadCase{"b.cell(1) = b.cell(0);", true},
                    ReadCase{"for (int i = 0; i < n; ++i) b.cell(0) = 1; b.cell(0) += 1;", true},
                    ReadCase{"for (int i = 0; i < 3; ++i) b.cell(0) = 1; b.cell(0) += 1;", false},
                    // not lifted: any use but storing, passing as an output and asking the size
                    ReadCase{"Main(b, a);", false}, ReadCase{"Main(b.region(0, b.width()), a);", false},
                    ReadCase{"Main(b, b);", true}, ReadCase{"Main(b, a); b.cell(0) += 1;", true},
                    ReadCase{"Main(b, a); auto r = b; r.cell(0) = 1;", true},
                    ReadCase{"Main(b, a); b.cell(0) = a.cell(1);", false}));

TEST(Affine, TextsForIsl) {
  // The last index of each body, in isl's syntax.
  auto text = [](const std::string &index) {
    Understood u(viewProgram("for (int k = 0; k < n; ++k) b.cell(" + index + ") = 1;"));
    EXPECT_EQ(u.obstacle(), "") << index;
    bool ok = false;
    const Value &at = *u.facts().nodes.at(0)->body.at(0)->target.indices.at(0);
    std::string out = affineText(at, u.facts(), ok);
    EXPECT_TRUE(ok);
    return out;
  };
  EXPECT_EQ(text("k"), "k");
  EXPECT_EQ(text("2*k + n - 1 - k"), "k + n - 1");
  EXPECT_EQ(text("-(k - 3) * 2"), "-2*k + 6");
  EXPECT_EQ(text("(k + n) / 2"), "floor((k + n)/2)");
  EXPECT_EQ(text("k % 4 + 7 / 2"), "((k) mod 4) + 3");
  EXPECT_EQ(text("k - k"), "0");
  EXPECT_EQ(text("(long)k + a.width()"), "k + n");
}

TEST(Affine, DivisionOfWhatMayBeNegativeIsNotFloor) {
  Understood u(viewProgram("for (int k = -3; k < n; ++k) b.cell(k / 2) = 1;"));
  EXPECT_EQ(u.obstacle(), "the index `k / 2` is not affine @ k / 2");
}

} // namespace
} // namespace pbc::body
