// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/poly/first_point.h"
#include "compiler/poly/least_points.h"
#include "compiler/poly/poly.h"
#include "compiler/poly/spelling.h"
#include <gtest/gtest.h>
#include <isl/aff.h>
#include <isl/map.h>
#include <set>

using namespace pbc;

namespace {

isl::pw_aff function(const poly::Context &ctx, const std::string &text) {
  return isl::manage(isl_pw_aff_read_from_str(ctx.get().get(), text.c_str()));
}

TEST(Poly, TextReadsBack) {
  poly::Context ctx;
  const isl::set s = ctx.set("[n] -> { B[i] : 0 <= i < n }");
  EXPECT_EQ(poly::text(s), "[n] -> { B[i] : 0 <= i < n }");
  EXPECT_TRUE(ctx.set(poly::text(s)).is_equal(s));
}

TEST(Poly, ParameterPrefixMangles) {
  EXPECT_EQ(poly::parameterPrefix({}), "");
  EXPECT_EQ(poly::parameterPrefix({"n", "mod_"}), "[n, mod_] -> ");
}

TEST(Poly, NamesAreMangledInjectively) {
  EXPECT_EQ(poly::mangle("n"), "n");
  EXPECT_EQ(poly::mangle("a$b"), "pb_u_a_24b");
  EXPECT_EQ(poly::mangle("\u00e4"), "pb_u__c3_a4");
  const std::vector<std::string> names = {
      "n",           "mod",    "mod_", "MIN",    "a$b",      "a_24b",   "$",          "_$",
      "$_",          "__",     "a__b", "\u00e4", "\u00e4_1", "\u03c0",  "pb_u_a_24b", "pb_u_",
      "pb_u_\u00e4", "\u5217", "mod$", "old A",  "old a$b",  "old mod", "old mod_",   "old_A"};
  std::set<std::string> mangled;
  for (const std::string &name : names) {
    const std::string m = poly::mangle(name);
    EXPECT_TRUE(mangled.insert(m).second) << name;
    EXPECT_EQ(poly::unmangle(m), name);
    EXPECT_EQ(m.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"),
              std::string::npos)
        << m;
  }
  EXPECT_EQ(poly::displayed(poly::mangle("\u00e4_1")), "\u00e4_1");
  EXPECT_EQ(poly::mangle("old A"), "pb_old_A");
  EXPECT_EQ(poly::displayed("pb_old_A"), "old A");
}

TEST(Poly, NamesInTextsAreSpelledAsInTheProgram) {
  const std::string text = "for " + poly::mangle("\u00fc") + " + 2 " + poly::mangle("a$b_c") + ": in order";
  EXPECT_EQ(poly::asSpelled(text), "for \u00fc + 2 a$b_c: in order");
  EXPECT_EQ(poly::asSpelled("for i: in order"), "for i: in order");
  EXPECT_EQ(poly::asSpelled(""), "");
}

TEST(Poly, FirstPoints) {
  poly::Context ctx;
  const auto first = [&](const char *text, const std::vector<std::string> &names) {
    return poly::firstPoint(ctx.set(text), names);
  };
  EXPECT_EQ(first("[w] -> { [i, k] : w <= i <= w + 3 and 0 <= k }", {"i", "k"}), "i = w, k = 0");
  EXPECT_EQ(first("[n] -> { [i] : n/2 <= i < n }", {"i"}), "i = n - n/2");
  EXPECT_EQ(first("[n, m] -> { [i] : i >= n and i >= m and n + m >= 0 }", {"i"}), "i = 4 for n = 4, m = 4");
  EXPECT_EQ(first("[n] -> { [i] : i >= 0 and (i >= 7 or n >= 1000) }", {"i"}), "i = 7 for n = 4");
  EXPECT_EQ(first("[n] -> { [i] : i >= -1 and n >= 2 }", {"i"}), "i = -1");
  EXPECT_EQ(first("[n] -> { [i] : i < n and i > n }", {"i"}), "");
  EXPECT_EQ(first("[n] -> { [] : n > 4 }", {}), "");
}

TEST(Poly, BoundsAsCxx) {
  poly::Context ctx;
  const isl::set s = ctx.set("[n, m] -> { B[i, j] : 1 <= i < n - 1 and 0 <= j < n and j < m }");
  EXPECT_EQ(poly::cxx(poly::dimMin(s, 0)), "1");
  EXPECT_EQ(poly::cxx(poly::dimMax(s, 0)), "n - 2");
  EXPECT_EQ(poly::cxx(poly::dimMax(s, 1)), "pb::minimum(n - 1, m - 1)");
}

TEST(Poly, FunctionsOfDimensionsAsCxx) {
  poly::Context ctx;
  EXPECT_EQ(poly::cxx(function(ctx, "[n] -> { S[i, k] -> [i + 2k - n] }")), "-n + i + 2 * k");
  EXPECT_EQ(poly::cxx(function(ctx, "{ S[i] -> [floor(i/2)] }")), "pb::floordiv(i, 2)");
  EXPECT_EQ(poly::cxx(function(ctx, "{ S[i] -> [floor(i/2)] : i >= 0 }")), "i / 2");
  EXPECT_EQ(poly::cxx(function(ctx, "{ S[i] -> [-i] }")), "-i");
  EXPECT_EQ(poly::cxx(function(ctx, "[n] -> { [2*floor(n/4)] : n >= 0 }")), "2 * (n / 4)");
  EXPECT_EQ(poly::cxx(function(ctx, "[n] -> { [(3 - (n - 1))] }")), "-n + 4");
  EXPECT_EQ(poly::cxx(function(ctx, "[n] -> { [0] : n < n }")), "0");
}

TEST(Poly, ConditionsAsCxx) {
  poly::Context ctx;
  EXPECT_EQ(poly::cxxCondition(ctx.set("[n] -> { : n >= 2 }")), "n >= 2");
  EXPECT_EQ(poly::cxxCondition(ctx.set("[n] -> { : n < n }")), "false");
  EXPECT_EQ(poly::cxxCondition(ctx.set("[n] -> { : }")), "true");
  EXPECT_EQ(poly::cxxCondition(ctx.set("[n] -> { : n < 0 or n > 5 }")), "n >= 6 || n <= -1");
}

TEST(Poly, ReadableRegions) {
  poly::Context ctx;
  auto readable = [&](const char *text) { return poly::readable(ctx.set(text), {"B", {}, {}}); };
  EXPECT_EQ(readable("[n] -> { B[i] : 1 <= i < n - 1 }"), "B[1 : n - 1]");
  EXPECT_EQ(readable("[n] -> { B[0] }"), "B[0]");
  EXPECT_EQ(readable("[n] -> { B[0] : n = 1 }"), "B[0] if n = 1");
  EXPECT_EQ(readable("[w, h] -> { B[x, 0] : 0 <= x < w }"), "B[0 : w, 0]");
  EXPECT_EQ(readable("{ B[] }"), "B");
  EXPECT_EQ(readable("[n] -> { B[i] : i < i }"), "nothing");
}

TEST(Poly, ReadableRegionsThatAreNoBoxes) {
  poly::Context ctx;
  const isl::set all = ctx.set("[n] -> { B[x, y] : 0 <= x < n and 0 <= y < n }");
  const poly::CellNames names{"B", {"x", "y"}, all};
  auto readable = [&](const char *condition) {
    return poly::readable(all.intersect(ctx.set("[n] -> { B[x, y] : " + std::string(condition) + " }")),
                          names);
  };
  EXPECT_EQ(readable("x > y"), "B[x, y] with x > y");
  EXPECT_EQ(readable("x <= y + 3"), "B[x, y] with x <= y + 3");
  EXPECT_EQ(readable("x + y = n - 1"), "B[x, y] with x + y = n - 1");
  EXPECT_EQ(readable("x mod 2 = 0"), "B[x, y] with x even");
  EXPECT_EQ(readable("(x + y) mod 2 = 1 and x < y"), "B[x, y] with x + y odd and x < y");
  EXPECT_EQ(readable("x mod 3 = 1"), "B[x, y] with x mod 3 = 1");
  EXPECT_EQ(readable("x mod 3 > 0"), "B[x, y] with x mod 3 > 0");
  EXPECT_EQ(readable("x < floor(n/2) - y"), "B[x, y] with 2*x + 2*y <= n - 2");
  EXPECT_EQ(readable("(x = 0 and y = 0) or (x > y)"), "B[0, 0] if n > 0, B[x, y] with x > y");
  auto example = [&](const char *condition) {
    return poly::example(all.intersect(ctx.set("[n] -> { B[x, y] : " + std::string(condition) + " }")),
                         names);
  };
  EXPECT_EQ(example("x > y"), "for n = 4: B[1, 0]");
  EXPECT_EQ(example("x >= 6 and y < x"), "for n = 7: B[6, 0]");
  EXPECT_EQ(example("x >= 60 and y < x"), "for n = 61: B[60, 0]");
  EXPECT_EQ(example("x = 0"), "");
}

TEST(Poly, NamesThatAreWordsOfIsl) {
  for (const char *name : {"n", "mod", "mod_", "MAX", "Infinity", "_", ""}) {
    EXPECT_EQ(poly::unmangle(poly::mangle(name)), name);
  }
  EXPECT_EQ(poly::mangle("Max"), "Max_");
  EXPECT_EQ(poly::mangle("mod_"), "mod__");
}

TEST(Poly, BudgetEnds) {
  poly::Context ctx;
  const isl::set start =
      ctx.set("[n] -> { [x, y] : exists (a, b : x = 3a + 2b and y = 7a - b and 0 <= x + y < n) }");
  auto work = [&] {
    isl::set s = start;
    for (int k = 0; k < 50; ++k)
      s = s.unite(s.complement()).coalesce();
  };
  EXPECT_FALSE(ctx.withBudget(100, work));
  EXPECT_TRUE(ctx.withBudget(100000000, [&] { ctx.set("{ [x] : x > 0 }"); }));
  EXPECT_THROW(ctx.withBudget(100000, [&] { ctx.set("{ [x] : x > }"); }), isl::exception);
  EXPECT_TRUE(ctx.set("{ [x] : x > 0 }").is_empty() == false); // the context is still of use
}

/// Never more than there are, and nearly all of them.
TEST(LeastPoints, OfAllKindsOfSets) {
  poly::Context ctx;
  struct Case {
    const char *set;
    double points, least;
  };
  for (const Case &c :
       {Case{"{ S[] }", 1, 1}, Case{"{ S[i, j] : 0 <= i < 1000 and 3 <= j < 13 }", 10000, 10000},
        Case{"{ S[i, j] : 0 <= j <= i < 30 }", 465, 465},
        Case{"{ S[i, j] : i <= j < 30 and i >= 0 }", 465, 465},
        Case{"{ S[i, j] : 0 <= j <= i < 1000 }", 500500, 490000},
        Case{"{ S[i, j, k] : 0 <= k <= j <= i < 16 }", 816, 700},
        Case{"{ S[i, j, k] : 0 <= k <= j <= i < 200 }", 1353400, 1100000},
        Case{"{ S[i, j] : 0 <= i < 100 and -2 <= i - j <= 2 and 0 <= j < 100 }", 494, 300},
        Case{"{ S[i, j] : 0 <= i < 50 and i <= j < 5 }", 15, 15},
        Case{"{ S[i] : 0 <= i < 10 or 20 <= i < 40 }", 30, 20},
        Case{"{ S[i] : exists k : i = 3 * k and 0 <= i < 30 }", 10, 1},
        Case{"{ S[i, j] : 0 <= i < 10 and 10 <= j < i }", 0, 0}}) {
    const double found = poly::leastPoints(ctx.set(c.set));
    EXPECT_LE(found, c.points) << c.set;
    EXPECT_GE(found, c.least) << c.set;
    EXPECT_GE(poly::mostPoints(ctx.set(c.set)), c.points) << c.set;
  }
}

} // namespace
