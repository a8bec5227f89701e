// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Options of the schedule: the effect of each on the tree, what is refused, and that the default is one of
// the options.
#include "compiler/kernel/print.h"
#include "compiler/kernel/schedule_space.h"
#include "compiler/kernel/verify.h"
#include "tests/unit/kernel/programs.h"
#include "tests/unit/kernel/support.h"
#include <gmock/gmock.h>

using namespace pbc::kernel;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace {

const char *const kProduct = R"(transform Product from A[c, h], B[w, c] to AB[w, h] {
  AB.cell(x, y) from(A.row(y) a, B.column(x) b) {
    ElementT s = 0;
    for (int k = 0; k < c; ++k) s += a.cell(k) * b.cell(k);
    return s;
  }
})";

const char *const kRowDots = R"(transform RowDots from A[w, h], X[w] to S[h] {
  fast S.cell(y) from(A.row(y) a, X x) {
    ElementT s = 0;
    for (int k = 0; k < w; ++k) s += a.cell(k) * x.cell(k);
    return s;
  }
})";

// Two rules run one after the other for each t: their loops over i are in no nest.
const char *const kVersionsInTurn = R"(transform VG from A[n] through U<3>[n], V<3>[n] to X[n] {
  to(U<0>.cell(i) u, V<0>.cell(i) v) from(A.cell(i) a) { u = a; v = 0; }
  to(U<t>.cell(i) u) from(U<t-1>.cell(i) p, V<t-1>.cell(i) q) { u = p + q; }
  to(V<t>.cell(i) v) from(U<t-1>.cell(i) p, V<t-1>.cell(i) q) { v = p - q; }
  to(X.cell(i) x) from(U<3>.cell(i) u, V<3>.cell(i) v) { x = u + v; }
})";

const char *const kPrograms[] = {programs::kStencil, programs::kRows, programs::kConvolve7, kProduct,
                                 kRowDots};

std::string why(const Planned &made, const std::string &option) {
  for (const Note &n : made.report.refused)
    if (n.transformation == option)
      return n.why;
  return "";
}

std::string scheduled(const char *program, const Asked &asked) {
  Lifted lifted(program);
  const auto [k, report] = defaultSchedule(lifted.kernel(), asked);
  EXPECT_THAT(verify(k), IsEmpty());
  EXPECT_EQ(report.refused.size(), 0u) << report.refused.front().why;
  return print(k);
}

} // namespace

TEST(ScheduleOptions, TheDefaultAskedForIsTheDefault) {
  std::vector<std::string> programs(std::begin(kPrograms), std::end(kPrograms));
  programs.emplace_back(kVersionsInTurn);
  for (const std::string &program : programs) {
    Lifted lifted(program);
    for (int step = 0; step < lifted.steps(); ++step) {
      const Scheduled kernel = lifted.kernel(0, step);
      const auto [byDefault, decided] = defaultSchedule(kernel);
      Asked all;
      for (const Setting &s : decided.settings) {
        const auto [same, report] = defaultSchedule(kernel, {{s.option, s.value}});
        EXPECT_THAT(report.refused, IsEmpty()) << s.option << ": " << report.refused.front().why;
        EXPECT_EQ(print(same), print(byDefault)) << s.option << " = " << s.value;
        all[s.option] = s.value;
      }
      EXPECT_EQ(print(defaultSchedule(kernel, all).kernel), print(byDefault));
    }
  }
}

/// `auto` (LLVM may make vectors) differs from `off` (no vectors at all).
TEST(ScheduleOptions, SumsAlongRowsAreLeftToTheCompiler) {
  Lifted lifted(kRowDots);
  const auto [k, report] = defaultSchedule(lifted.kernel());
  EXPECT_EQ(report.setting("vector"), "auto");
  EXPECT_EQ(report.setting("lanes"), "auto");
  EXPECT_THAT(print(k), Not(HasSubstr("scalar")));
  EXPECT_THAT(scheduled(kRowDots, {{"vector", "off"}}), HasSubstr("scalar"));
  EXPECT_THAT(scheduled(kRowDots, {{"lanes", "8"}}), HasSubstr("lanes:8"));
  EXPECT_THAT(scheduled(kRowDots, {{"vector", "y"}}), HasSubstr("lanes:"));
  Scheduler scheduler(lifted.kernel());
  for (const OptionSpace &o : spaceOf(scheduler, {})) {
    if (o.option == "lanes") {
      EXPECT_THAT(o.others, Contains("8"));
    }
    if (o.option == "vector") {
      EXPECT_THAT(o.others, testing::UnorderedElementsAre("y", "off"));
    }
  }
}

/// Two rows of a stencil read common cells. Those of a map do not, whatever numbers all points read.
TEST(ScheduleOptions, RowsAreTogetherWhereTheyShareCells) {
  EXPECT_THAT(scheduled(programs::kStencil, {}), HasSubstr("jam:2"));
  for (const char *map :
       {"transform M from A[w, h], k to B[w, h] { B.cell(x, y) from(A.cell(x, y) a, k s) { return s * a; } }",
        "transform M from A[w, h], k, c to B[w, h] { B.cell(x, y) from(A.cell(x, y) a, k s, c t) { return s "
        "* a + t; } }",
        "transform M from A[w, h] to B[w, h] { B.cell(x, y) from(A.cell(x, y) a) { return 3 * a; } }",
        "transform M from A[w, h], C[w, h], k to B[w, h] { B.cell(x, y) from(A.cell(x, y) a, C.cell(x, y) c, "
        "k s) { return s * a + c; } }",
        "transform M from A[w, h], k to B[w, h] { B.cell(x, y) from(A.cell(x, h - 1 - y) a, k s) { return a "
        "- s; } }"})
    EXPECT_THAT(scheduled(map, {}), Not(HasSubstr("jam"))) << map;
}

TEST(ScheduleOptions, WhatIsListedIsLegalAndInUse) {
  for (const char *program : kPrograms) {
    Lifted lifted(program);
    Scheduler scheduler(lifted.kernel());
    for (const OptionSpace &o : spaceOf(scheduler, {}))
      for (const std::string &value : o.others) {
        const ScheduleOption *option = findScheduleOption(o.option);
        ASSERT_TRUE(option);
        EXPECT_TRUE(isValue(*option, value)) << o.option << " = " << value;
        const auto [k, report] = scheduler.schedule({{o.option, value}});
        EXPECT_THAT(verify(k), IsEmpty()) << o.option << " = " << value;
        EXPECT_EQ(report.setting(o.option), value);
      }
  }
}

TEST(ScheduleOptions, EachIsInTheTree) {
  EXPECT_THAT(scheduled(programs::kStencil, {{"order", "x, y"}}), HasSubstr("band x"));
  EXPECT_THAT(scheduled(programs::kStencil, {{"tile", "16 x 64"}}), HasSubstr("y - (y) mod 16"));
  EXPECT_THAT(scheduled(programs::kStencil, {{"tile", "0 x 64"}}), Not(HasSubstr("floordiv(y")));
  EXPECT_THAT(scheduled(programs::kStencil, {{"vector", "off"}}), HasSubstr("scalar"));
  EXPECT_THAT(scheduled(programs::kStencil, {{"unroll", "2"}}), HasSubstr("vector:2"));
  EXPECT_THAT(scheduled(programs::kStencil, {{"jam", "3"}}), HasSubstr("jam:3"));
  EXPECT_THAT(scheduled(programs::kStencil, {{"body", "lanes"}, {"lanes", "16"}}), HasSubstr("lanes:16"));
  EXPECT_THAT(scheduled(programs::kStencil, {{"tasks", "y"}}), Not(HasSubstr("task x")));
  EXPECT_THAT(scheduled(programs::kStencil, {{"grain", "64"}}), HasSubstr("by 64"));
  EXPECT_THAT(scheduled(programs::kConvolve7, {{"body", "unrolled"}}), HasSubstr("unroll"));
}

TEST(ScheduleOptions, ShapesOfBlocksReachThePrinter) {
  Lifted lifted(kProduct);
  const auto [k, report] = defaultSchedule(
      lifted.kernel(), {{"rows", "8"}, {"vectors", "3"}, {"depth", "256"}, {"columns", "64"}});
  EXPECT_THAT(report.refused, IsEmpty());
  const std::string text = lifted.text({k});
  for (const char *member :
       {"kAskedRows = 8", "kAskedVectors = 3", "kAskedDepth = 256", "kAskedColumns = 64"})
    EXPECT_THAT(text, HasSubstr(member));
}

TEST(ScheduleOptions, WhatChangesResultsIsRefused) {
  Lifted rows("transform T from A[w, h] to B[w, h] { "
              "B.cell(0, y) from(A.cell(0, y) a) { return a; } "
              "B.cell(x, y) from(B.cell(x - 1, y) b, A.cell(x, y) a) { return a + b; } }");
  ASSERT_EQ(rows.messages, "");
  for (int step = 0; step < rows.steps(); ++step) {
    const Scheduled lifted = rows.kernel(0, step);
    if (lifted.dependences.is_empty())
      continue;
    EXPECT_EQ(why(defaultSchedule(lifted, {{"vector", "x"}}), "vector"),
              "a point needs the one before it along `x`");
    EXPECT_THAT(defaultSchedule(lifted, {{"vector", "y"}}).report.refused, IsEmpty());
  }
}

TEST(ScheduleOptions, WhatHasNoMeaningIsRefused) {
  Lifted lifted(kProduct);
  const auto refusal = [&](const Asked &asked) {
    return why(defaultSchedule(lifted.kernel(), asked), asked.begin()->first);
  };
  EXPECT_EQ(refusal({{"order", "x"}}), "its loops over points are `y`, `x`");
  EXPECT_EQ(refusal({{"vector", "z"}}), "its loops over points are `y`, `x`");
  EXPECT_EQ(refusal({{"jam", "2"}}), "it has no vector loop with its body written out (body = \"unrolled\")");
  EXPECT_EQ(refusal({{"tile", "8 x 8"}}),
            "its blocks in registers have tiles of their own (`depth` and `columns`)");
  EXPECT_EQ(refusal({{"body", "unrolled"}}), "the loop over `k` has no constant length");
}

TEST(ScheduleOptions, Values) {
  const auto isAllowed = [](const char *option, const char *value) {
    return isValue(*findScheduleOption(option), value);
  };
  EXPECT_TRUE(isAllowed("unroll", "auto"));
  EXPECT_TRUE(isAllowed("unroll", "16"));
  EXPECT_FALSE(isAllowed("unroll", "3"));
  EXPECT_FALSE(isAllowed("jam", "0"));
  EXPECT_FALSE(isAllowed("jam", "2 "));
  EXPECT_FALSE(isAllowed("body", "fast"));
  EXPECT_FALSE(isAllowed("lanes", "99999999999999999999"));
  EXPECT_EQ(findScheduleOption("jan"), nullptr);
}
