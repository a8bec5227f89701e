// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One text with every feature of the dialect must give the same results in each language that it is
// translated to.
#include "runtime/device/dialect.h"
#include "support.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace pb::device::test {
namespace {

struct Function {
  const char *name;
  double (*real)(double, double);
  int arity;
};
#define ONE(f) {#f, [](double x, double) -> double { return std::f(x); }, 1},
#define TWO(f) {#f, [](double x, double y) -> double { return std::f(x, y); }, 2},
const Function kFunctions[] = {
    ONE(sqrt) ONE(cbrt) ONE(exp) ONE(exp2) ONE(expm1) ONE(log) ONE(log2) ONE(log10) ONE(log1p) ONE(logb)
        ONE(sin) ONE(cos) ONE(tan) ONE(asin) ONE(acos) ONE(atan) ONE(sinh) ONE(cosh) ONE(tanh) ONE(asinh)
            ONE(atanh) ONE(ceil) ONE(floor) ONE(round) ONE(trunc) ONE(rint) ONE(nearbyint) ONE(lrint)
                ONE(lround) ONE(llrint) ONE(llround) ONE(ilogb) ONE(fabs) ONE(erf) ONE(erfc) ONE(tgamma)
                    ONE(lgamma) TWO(pow) TWO(atan2) TWO(fmod) TWO(remainder) TWO(fmin) TWO(fmax) TWO(hypot)
                        TWO(fdim) TWO(copysign)};
#undef ONE
#undef TWO

/// Of zeros, infinities, NaN and others; @ is `f` in the functions for float.
struct Special {
  const char *text;
  double (*real)(double, double);
  double (*single)(float, float);
};
#define SPECIAL(text, value)                                                                                 \
  {text, []([[maybe_unused]] double s, [[maybe_unused]] double y) -> double { return value; },               \
   []([[maybe_unused]] float s, [[maybe_unused]] float y) -> double { return value; }},
const Special kSpecial[] = {
    SPECIAL("pb_isfinite@(s)", std::isfinite(s)) SPECIAL("pb_isinf@(s)", std::isinf(s))
        SPECIAL("pb_isnan@(s)", std::isnan(s)) SPECIAL("pb_isnormal@(s)", std::isnormal(s))
            SPECIAL("pb_signbit@(s)", std::signbit(s)) SPECIAL("pb_isgreater@(s, y)", std::isgreater(s, y))
                SPECIAL("pb_isgreaterequal@(s, s)", std::isgreaterequal(s, s))
                    SPECIAL("pb_isless@(s, y)", std::isless(s, y))
                        SPECIAL("pb_islessequal@(s, s)", std::islessequal(s, s))
                            SPECIAL("pb_islessgreater@(s, y)", std::islessgreater(s, y))
                                SPECIAL("pb_isunordered@(y, s)", std::isunordered(y, s))
                                    SPECIAL("ilogb@(s)", std::ilogb(s)) SPECIAL("logb@(s)", std::logb(s))
                                        SPECIAL("ldexp@(s, 3)", std::ldexp(s, 3)) SPECIAL("scalbn@(y, -2)",
                                                                                          std::scalbn(y, -2))
                                            SPECIAL("scalbln@(s, 1L << 40)", std::scalbln(s, 1L << 40))
                                                SPECIAL("nextafter@(y, s)", std::nextafter(y, s))
                                                    SPECIAL("acosh@(s)", std::acosh(s))
                                                        SPECIAL("asinh@(s)", std::asinh(s))
                                                            SPECIAL("remainder@(s, y)", std::remainder(s, y))
                                                                SPECIAL("nearbyint@(s)", std::nearbyint(s)){
                                                                    "pb_frexp@(y, &number) + 16 * number",
                                                                    [](double, double y) {
                                                                      int n;
                                                                      const double m = std::frexp(y, &n);
                                                                      return m + 16 * n;
                                                                    },
                                                                    [](float, float y) -> double {
                                                                      int n;
                                                                      const float m = std::frexp(y, &n);
                                                                      return m + 16 * n;
                                                                    }},
    {"pb_modf@(10 * y, &whole) + 16 * whole",
     [](double, double y) {
       double w;
       const double m = std::modf(10 * y, &w);
       return m + 16 * w;
     },
     [](float, float y) -> double {
       float w;
       const float m = std::modf(10 * y, &w);
       return m + 16 * w;
     }},
};
#undef SPECIAL
const double kSpecialValues[] = {0,      -0.0,  HUGE_VAL, -HUGE_VAL, std::numeric_limits<double>::quiet_NaN(),
                                 1e-310, -1e300};

std::string replacedAll(std::string text, const std::string &what, const std::string &by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

} // namespace

// The results as doubles: each function for double, then for float, then the rest of the language.
std::string everythingInTheDialect() {
  std::string text = R"(
PB_TABLE const double everything_powers[2][2] = {{1, 2}, {4, 8}};
PB_COMMON_TABLE const double everything_numbers[4] = {0, 1, 2, 3};
PB_FUNCTION double pick(PB_CONSTANT const double *row, int k) { return row[k]; }
PB_FUNCTION void change(int *own, PB_GLOBAL const float *cells, PB_LOCAL const float *copies) {
  do {
    switch (*own) {
    case 0:;
      *own = 3 + (int)cells[0];
      break;
    default:;
      *own += copies[0] == copies[1];
      return;
    }
  } while (true);
}
PB_KERNEL(everything)(PB_GLOBAL const double *X_p, PB_GLOBAL const float *F_p, PB_GLOBAL double *R_p, PB_GLOBAL int *I_p,
                      PB_GLOBAL long *L_p, PB_GLOBAL unsigned char *B_p, long R_s1, double scale, long low0, long high0)
{
  PB_LOCAL_ARRAY(float, tile, PB_G0 + 2);
  PB_LOCAL_ARRAY(float, wide, 4);
  PB_BEGIN
  const long i0 = low0 + PB_ID(0);
  PB_PLACE(F_p, 1L);
  PB_PLACE(F_p, -1L);
  if (i0 < high0) {
    const double x = X_p[2 * i0], y = X_p[2 * i0 + 1];
    const float fx = (float)x, fy = (float)y;
)";
  int row = 0;
  const auto result = [&](const std::string &value) {
    text += "    R_p[i0 + R_s1 * " + std::to_string(row++) + "] = " + value + ";\n";
  };
  for (const Function &f : kFunctions) {
    const std::string name = f.name;
    result(name + (f.arity == 1 ? "(x)" : "(x, y)"));
    result(name + (f.arity == 1 ? "f(fx)" : "f(fx, fy)"));
  }
  text += "    int number = 0;\n    double whole = 0;\n"
          "    const double s = i0 == 0 ? 0.0 : i0 == 1 ? -0.0 : i0 == 2 ? INFINITY : i0 == 3 ? -INFINITY :\n"
          "                     i0 == 4 ? NAN : i0 == 5 ? 1e-310 : i0 == 6 ? -1e300 : x;\n";
  for (const Special &special : kSpecial)
    result(replacedAll(special.text, "@", ""));
  text += "    const float single = (float)s;\n    {\n    const float s = single, y = fy;\n    float whole = "
          "0;\n";
  for (const Special &special : kSpecial)
    result(replacedAll(special.text, "@", "f"));
  text += "    }\n";
  for (const char *T : {"float", "double", "int", "long"})
    for (const char *call : {"pb_min_T((T)(10 * x), (T)(10 * y))", "pb_max_T((T)(10 * x), (T)(10 * y))",
                             "pb_abs_T(-(T)(10 * x))"}) {
      std::string value = call;
      for (std::size_t at; (at = value.find('T')) != std::string::npos;)
        value.replace(at, 1, T);
      result(value);
    }
  result("sqrt(PB_G0) + sqrtf(i0) + pow(2, 3)"); // integers become what the function takes
  result("fma(x, y, scale) + fmaf(fx, fy, 1.0f)");
  result("x < y ? INFINITY : -INFINITY");
  result("NAN == NAN ? 1 : 0");
  for (const char *T : {"int", "long"}) // indices of both widths
    for (const char *call : {"pb_minimum((T)i0 - 5, (T)i0 % 3)", "pb_maximum((T)i0 - 5, (T)i0 % 3)",
                             "pb_floordiv((T)i0 - 5, (T)3)", "pb_floormod((T)i0 - 5, (T)3)"})
      result(replacedAll(call, "T", T));
  text += R"(
    I_p[i0] = (int)(7 - i0) / 2 * 100 + (int)(7 - i0) % 5;
    L_p[i0] = (1L << 40) * i0 + (i0 > 2 && !(x > y) ? 1 : 0);
    bool odd = i0 % 2 != 0;
    B_p[i0] = (unsigned char)(250 + 2 * i0 + odd);
    double sum = 0;
    for (int k = 0; k < 4; ++k) {
      if (k == 2) continue;
      sum += scale * everything_numbers[k];
    }
    int steps = 0;
    while (sum > 1) {
      sum /= 2;
      ++steps;
    }
    R_p[i0 + R_s1 * )" +
          std::to_string(row) + R"(] = steps + sum;
  }
  tile[PB_LOCAL_ID(0) + 1] = 0.0f;
  if (i0 < high0) PB_COPY(tile[PB_LOCAL_ID(0) + 1], F_p[i0]);
  if (PB_LOCAL_ID(0) == 0) PB_COPY_16(wide[0], F_p[4]);
  if (PB_LOCAL_ID(0) == 0) tile[0] = i0 > 0 ? F_p[i0 - 1] : 0.0f;
  if (PB_LOCAL_ID(0) == PB_G0 - 1) tile[PB_G0 + 1] = i0 + 1 < high0 ? F_p[i0 + 1] : 0.0f;
  PB_COPIED();
  PB_BARRIER();
  double moved[6];
  PB_LOAD_16(double, moved[1], X_p[2]);
  if (i0 == 0) PB_STORE_16(double, R_p[(R_s1 * )" +
          std::to_string(row + 3) +
          R"( + 1) / 2 * 2], moved[1]);
  int own = 0;
  change(&own, F_p, &tile[1]);
  if (i0 < high0) R_p[i0 + R_s1 * )" +
          std::to_string(row + 2) +
          R"(] = own + pick(everything_powers[1], i0 % 2);
  if (i0 < high0) R_p[i0 + R_s1 * )" +
          std::to_string(row + 1) +
          R"(] = tile[PB_LOCAL_ID(0)] + tile[PB_LOCAL_ID(0) + 1] + tile[PB_LOCAL_ID(0) + 2] + wide[3];
  PB_END
}
)";
  return text;
}

namespace {

constexpr long kPoints = 13, kRows = 2 * (std::size(kFunctions) + std::size(kSpecial)) + 12 + 4 + 8 + 3 + 1;

class Dialect : public testing::TestWithParam<const char *> {};
INSTANTIATE_TEST_SUITE_P(All, Dialect, testing::Values("fake", "opencl", "cuda"),
                         [](const auto &info) { return info.param; });

/// For each item: which of its warp have the same number, and how many of its group have it.
TEST_P(Dialect, ItemsThatHaveTheSame) {
  const auto device = openFor(GetParam());
  if (!device)
    GTEST_SKIP() << "this machine has no device of " << GetParam();
  constexpr int kGroup = 64;
  const auto kernel = device->build({R"(
PB_KERNEL(same)(PB_GLOBAL const int *X_p, PB_GLOBAL unsigned *R_p, PB_GLOBAL unsigned *S_p)
{
  PB_LOCAL_ARRAYS
  PB_LOCAL_ARRAY(unsigned, counts, 3);
  PB_BEGIN
  const unsigned own = (unsigned)X_p[PB_ID(0)];
  if (PB_LOCAL_ID(0) < 3) counts[PB_LOCAL_ID(0)] = 0;
  PB_BARRIER();
  PB_ADD_LOCAL(counts[own & 255u], 1u);
  PB_MATCH(alike, own, 8);
  PB_WARP_BARRIER();
  PB_BARRIER();
  R_p[2 * PB_ID(0)] = alike;
  R_p[2 * PB_ID(0) + 1] = counts[own & 255u] + 1000u * PB_COUNT_ONES(alike);
  const unsigned before = PB_ADD_GLOBAL(S_p[0], own);
  PB_PUBLISH(S_p[1 + PB_ID(0)], 1u + (before > PB_PUBLISHED(S_p[0])));
  PB_END
}
)",
                                     "same",
                                     {kGroup, 1, 1}});
  const int warp = device->about().warp;
  std::vector<int> x;
  for (int k = 0; k < 2 * kGroup; ++k)
    x.push_back(k * k % 7 % 3 + (k % 5 == 0 ? 256 : 0)); // more than 8 bits
  const auto X = bufferOf(*device, x), R = bufferOf(*device, std::vector<unsigned>(2 * x.size())),
             S = bufferOf(*device, std::vector<unsigned>(1 + x.size()));
  finish(*device, device->launch(*kernel, {Argument::reads(*X), Argument::writes(*R), Argument::writes(*S)},
                                 gridOf(2 * kGroup, kGroup)));
  const auto r = contentsOf<unsigned>(*device, *R, 2 * x.size());
  const auto s = contentsOf<unsigned>(*device, *S, 1 + x.size());
  unsigned sum = 0;
  for (int k = 0; k < 2 * kGroup; ++k) {
    unsigned alike = 0, inGroup = 0, ones = 0;
    for (int i = k / kGroup * kGroup; i < (k / kGroup + 1) * kGroup; ++i)
      if (x[i] % 256 == x[k] % 256) {
        ++inGroup;
        if (i / warp == k / warp)
          alike |= 1u << i % warp, ++ones;
      }
    ASSERT_EQ(r[2 * k], alike) << k;
    ASSERT_EQ(r[2 * k + 1], inGroup + 1000 * ones) << k;
    ASSERT_EQ(s[1 + k], 1u) << k;
    sum += static_cast<unsigned>(x[k]);
  }
  EXPECT_EQ(s[0], sum);
}

TEST_P(Dialect, EverythingGivesTheSameResults) {
  const auto device = openFor(GetParam());
  if (!device)
    GTEST_SKIP() << "this machine has no device of " << GetParam();
  std::vector<double> x(2 * kPoints);
  std::vector<float> f(kPoints);
  for (long k = 0; k < kPoints; ++k) {
    x[2 * k] = 0.07 * k + 0.03; // where all functions are defined
    x[2 * k + 1] = 1.3 - 0.11 * k;
    f[k] = static_cast<float>(k * k);
  }
  const auto kernel = device->build({everythingInTheDialect(), "everything", {4, 1, 1}});
  auto X = bufferOf(*device, x), F = bufferOf(*device, f);
  auto R = bufferOf(*device, std::vector<double>(kPoints * kRows, -1)),
       I = bufferOf(*device, std::vector<int>(kPoints));
  auto L = bufferOf(*device, std::vector<long>(kPoints)),
       B = bufferOf(*device, std::vector<unsigned char>(kPoints));
  finish(*device, device->launch(*kernel,
                                 {Argument::reads(*X), Argument::reads(*F), Argument::writes(*R),
                                  Argument::writes(*I), Argument::writes(*L), Argument::writes(*B),
                                  Argument::of(kPoints), Argument::of(__builtin_bit_cast(long, 2.5)),
                                  Argument::of(0L), Argument::of(kPoints)},
                                 gridOf(16, 4)));
  const auto r = contentsOf<double>(*device, *R, kPoints * kRows);
  const auto ints = contentsOf<int>(*device, *I, kPoints);
  const auto longs = contentsOf<long>(*device, *L, kPoints);
  const auto bytes = contentsOf<unsigned char>(*device, *B, kPoints);
  const auto moved = r.begin() + (kPoints * (kRows - 1) + 1) / 2 * 2; // 16 bytes
  EXPECT_EQ(std::vector<double>(moved, moved + 2), std::vector<double>(x.begin() + 2, x.begin() + 4));
  for (long i = 0; i < kPoints; ++i) {
    const double a = x[2 * i], b = x[2 * i + 1];
    long row = 0;
    const auto next = [&] { return r[i + kPoints * row++]; };
    const auto near = [](double value, double expected, double within) {
      return value == expected || std::abs(value - expected) <= within * std::max(1e-2, std::abs(expected));
    };
    for (const Function &function : kFunctions) {
      const double expected = function.real(a, b), got = next(), gotFloat = next();
      EXPECT_TRUE(near(got, expected, 1e-13))
          << function.name << " of " << a << ": " << got << " for " << expected;
      const float fa = static_cast<float>(a), fb = static_cast<float>(b);
      EXPECT_TRUE(near(gotFloat, function.real(fa, fb), 2e-6))
          << function.name << "f of " << fa << ": " << gotFloat;
    }
    const double s = i < static_cast<long>(std::size(kSpecialValues)) ? kSpecialValues[i] : a;
    const auto same = [&](double got, double expected) {
      return near(got, expected, 2e-6) || (std::isnan(got) && std::isnan(expected));
    };
    for (const Special &special : kSpecial) {
      const double got = next(), expected = special.real(s, b);
      EXPECT_TRUE(same(got, expected)) << special.text << " of " << s << " and " << b << ": " << got;
    }
    for (const Special &special : kSpecial) {
      const double got = next(), expected = special.single(static_cast<float>(s), static_cast<float>(b));
      EXPECT_TRUE(same(got, expected)) << special.text << "f of " << s << " and " << b << ": " << got;
    }
    const float fa = static_cast<float>(10 * a), fb = static_cast<float>(10 * b);
    for (const double expected : {static_cast<double>(std::min(fa, fb)),
                                  static_cast<double>(std::max(fa, fb)), static_cast<double>(fa)})
      EXPECT_EQ(next(), expected);
    for (const double expected : {std::min(10 * a, 10 * b), std::max(10 * a, 10 * b), 10 * a})
      EXPECT_EQ(next(), expected);
    for (int type = 0; type < 2; ++type) {
      const int ia = static_cast<int>(10 * a), ib = static_cast<int>(10 * b);
      for (const int expected : {std::min(ia, ib), std::max(ia, ib), ia})
        EXPECT_EQ(next(), expected);
    }
    EXPECT_TRUE(near(next(), 2 + std::sqrt(static_cast<float>(i)) + 8, 1e-6));
    EXPECT_TRUE(near(next(), a * b + 2.5 + (a * b + 1), 1e-6));
    EXPECT_EQ(next(), a < b ? HUGE_VAL : -HUGE_VAL);
    EXPECT_EQ(next(), 0);
    const long below = i - 5, floored = below >= 0 ? below / 3 : -((2 - below) / 3);
    for (int type = 0; type < 2; ++type)
      for (const long expected :
           {std::min(below, i % 3), std::max(below, i % 3), floored, below - 3 * floored})
        EXPECT_EQ(next(), static_cast<double>(expected));
    EXPECT_EQ(next(), 4 + 0.625);
    EXPECT_EQ(next(), (i > 0 ? f[i - 1] : 0) + f[i] + (i + 1 < kPoints ? f[i + 1] : 0) + f[7]);
    EXPECT_EQ(next(), 3 + (i % 2 ? 8 : 4));
    EXPECT_EQ(row + 1, kRows) << "the last one has the moved numbers";
    EXPECT_EQ(ints[i], static_cast<int>(7 - i) / 2 * 100 + static_cast<int>(7 - i) % 5);
    EXPECT_EQ(longs[i], (1L << 40) * i + (i > 2 && !(a > b) ? 1 : 0));
    EXPECT_EQ(bytes[i], static_cast<unsigned char>(250 + 2 * i + i % 2));
  }
}

} // namespace
} // namespace pb::device::test
