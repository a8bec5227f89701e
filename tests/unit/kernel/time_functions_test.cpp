// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils in time: the functions along which they are cut, and the slopes that the dependences allow.
#include "compiler/kernel/formula.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/policy/processor.h"
#include "compiler/kernel/time_functions.h"
#include "compiler/kernel/verify.h"
#include "tests/unit/kernel/support.h"
#include <gmock/gmock.h>

using namespace pbc::kernel;
using testing::IsEmpty;

namespace {

/// The versions T<0..s> of a matrix by the rules for k > 0, as one transform.
std::string versions(const std::string &sizes, const std::string &cell, const std::string &rules) {
  return "transform V param s from A[" + sizes + "] to B[" + sizes + "] through T<0..s>[" + sizes +
         "] { T<0>.cell(" + cell + ") from(A.cell(" + cell + ") a) { return a; } " + rules + " B.cell(" +
         cell + ") from(T<s>.cell(" + cell + ") t) { return t; } }";
}

const std::string kBorder = "secondary T<k>.cell(i) from(T<k-1>.cell(i) c) { return c; }";

std::string bar(const std::string &rule) { return versions("w", "i", rule); }

/// The one of the transform's kernels that goes through time, with the functions along which it is cut.
struct Through {
  explicit Through(const std::string &program) : lifted(program) {
    EXPECT_EQ(lifted.messages, "");
    for (int step = 0; step < lifted.steps(); ++step) {
      const Scheduled k = lifted.kernel(0, step);
      if (auto f = timeFunctions(k, taskFunctions(k))) {
        kernel = k;
        time = std::move(f);
      }
    }
  }

  /// "x0 + 2 v", "v"; for the place of diamonds "x1 + v, 2 v - x1".
  std::vector<std::string> functions() const {
    std::vector<std::string> all;
    for (const TaskFunction &f : time->functions) {
      all.push_back(f.along.empty() ? f.name : f.name + " + " + multiple(f.slope, f.along));
      if (&f - time->functions.data() == time->place)
        all.back() += ", " + multiple(time->down, f.along) + " - " + f.name;
    }
    return all;
  }

  /// Whether every dependence leaves all of them unchanged or increases them.
  bool isLegal() const {
    const auto &all = time->functions;
    for (const TaskFunction &f : all) {
      const auto along =
          std::find_if(all.begin(), all.end(), [&](const TaskFunction &t) { return t.name == f.along; });
      const bool moves = along != all.end();
      if (!neverDecreases(kernel->dependences, moves ? plus(f.value, times(along->value, f.slope)) : f.value))
        return false;
      if (&f - all.data() == time->place &&
          !neverDecreases(kernel->dependences, plus(times(along->value, time->down), times(f.value, -1))))
        return false;
    }
    return true;
  }

  Lifted lifted;
  std::optional<Scheduled> kernel;
  std::optional<TimeFunctions> time;
};

struct Case {
  std::string what, program;
  std::vector<std::string> functions;
};

const Case kCases[] = {
    {"one dimension",
     bar("T<k>.cell(i) from(T<k-1>.cell(i-1) l, T<k-1>.cell(i+1) r) { return l + r; } " + kBorder),
     {"x0 + v, v - x0", "v"}},
    {"reads to the left only: later versions overwrite what it read",
     bar("T<k>.cell(i) from(T<k-1>.cell(i-1) l, T<k-1>.cell(i) c) { return l + c; } " + kBorder),
     {"x0 + v, v - x0", "v"}},
    {"slope 2",
     bar("T<k>.cell(i) from(T<k-1>.cell(i-2) l, T<k-1>.cell(i+2) r) { return l + r; } " + kBorder),
     {"x0 + 2 v, 2 v - x0", "v"}},
    {"three slots",
     bar("T<k>.cell(i) from(T<k-2>.cell(i-1) l, T<k-2>.cell(i+1) r, T<k-1>.cell(i) c) where k > 1 { return l "
         "+ r + c; } "
         "secondary T<k>.cell(i) from(T<k-1>.cell(i) c) { return c; }"),
     {"x0 + v, v - x0", "v"}},
    {"borders by rules that need the inside",
     bar("T<k>.cell(i) from(T<k-1>.cell(i-1) l, T<k-1>.cell(i+1) r) { return l + r; } "
         "T<k>.cell(0) from(T<k-1>.cell(1) r) { return r; } "
         "T<k>.cell(w-1) from(T<k-1>.cell(w-2) l) { return l; }"),
     {"x0 + v, v - x0", "v"}},
    {"two dimensions",
     versions("w, h", "x, y",
              "T<k>.cell(x, y) from(T<k-1>.cell(x-1, y) l, T<k-1>.cell(x+1, y) r, T<k-1>.cell(x, y-1) u, "
              "T<k-1>.cell(x, y+1) d) { return l + r + u + d; } "
              "secondary T<k>.cell(x, y) from(T<k-1>.cell(x, y) c) { return c; }"),
     {"x0 + v", "v", "x1 + v, v - x1"}},
    {"three dimensions",
     versions("w, h, d", "x, y, z",
              "T<k>.cell(x, y, z) from(T<k-1>.cell(x-1, y, z) l, T<k-1>.cell(x, y+1, z) r, "
              "T<k-1>.cell(x, y, z-1) u, T<k-1>.cell(x, y, z+1) d) { return l + r + u + d; } "
              "secondary T<k>.cell(x, y, z) from(T<k-1>.cell(x, y, z) c) { return c; }"),
     {"x0 + v", "v", "x1 + v", "x2 + v, v - x2"}},
    {"two matrices",
     "transform V param s from A[w] to B[w] through T<0..s>[w], U<0..s>[w] { "
     "T<0>.cell(i) from(A.cell(i) a) { return a; } U<0>.cell(i) from(A.cell(i) a) { return a; } "
     "T<k>.cell(i) from(U<k-1>.cell(i-1) l, T<k-1>.cell(i) r) { return l + r; } "
     "secondary T<k>.cell(i) from(T<k-1>.cell(i) c) { return c; } "
     "U<k>.cell(i) from(T<k-1>.cell(i+1) l, U<k-1>.cell(i) r) { return l + r; } "
     "secondary U<k>.cell(i) from(U<k-1>.cell(i) c) { return c; } "
     "B.cell(i) from(T<s>.cell(i) t, U<s>.cell(i) u) { return t + u; } }",
     {"x0 + v, v - x0", "v"}},
    {"two matrices that take turns in each step",
     "transform V param s from A[w] to B[w] through T<0..s>[w], U<1..s>[w] { "
     "T<0>.cell(i) from(A.cell(i) a) { return a; } "
     "U<k>.cell(i) from(T<k-1>.cell(i-1) l, T<k-1>.cell(i+1) r) { return l + r; } "
     "secondary U<k>.cell(i) from(T<k-1>.cell(i) c) { return c; } "
     "T<k>.cell(i) from(U<k>.cell(i-1) l, U<k>.cell(i+1) r) { return l + r; } "
     "secondary T<k>.cell(i) from(U<k>.cell(i) c) { return c; } "
     "B.cell(i) from(T<s>.cell(i) t) { return t; } }",
     {"x0 + turn, turn - x0", "turn"}},
};

} // namespace

TEST(TimeFunctions, AreWhatTheDependencesAllow) {
  for (const Case &c : kCases) {
    const Through through(c.program);
    ASSERT_TRUE(through.time) << c.what;
    EXPECT_EQ(through.functions(), c.functions) << c.what;
    EXPECT_EQ(through.time->why, "") << c.what;
    EXPECT_TRUE(through.isLegal()) << c.what;
  }
}

TEST(TimeFunctions, NoDiamonds) {
  // One slot is enough for T<k> and T<k-2>, if the points of a step run one after the other.
  const Through inPlace(
      bar("T<k>.cell(i) from(T<k-1>.cell(i-1) l, T<k-2>.cell(i+1) r) where k > 1 { return l + r; } "
          "secondary T<k>.cell(i) from(T<k-1>.cell(i) c) { return c; }"));
  ASSERT_TRUE(inPlace.time);
  EXPECT_EQ(inPlace.functions(), (std::vector<std::string>{"x0 + v", "v"}));
  EXPECT_EQ(inPlace.time->why, "points depend on others of the same step, or too far away, along `x0`");
  EXPECT_TRUE(inPlace.isLegal());
  EXPECT_FALSE(
      Through(bar("T<k>.cell(i) from(T<k-1>.cell(i-5) l, T<k-1>.cell(i+5) r) { return l + r; } " + kBorder))
          .time); // too steep for any tiles
  EXPECT_FALSE(Through("transform P from A[w, h] to P[w, h] { "
                       "P.cell(x, y) from(P.cell(x-1, y) l, P.cell(x, y-1) u) { return l + u; } "
                       "secondary P.cell(x, y) from(A.cell(x, y) a) { return a; } }")
                   .time); // a wavefront without time
}

TEST(TimeFunctions, TheOptionChoosesTheShape) {
  Through two(kCases[5].program);
  const Scheduled parallelograms = defaultSchedule(*two.kernel, {{"time_tiles", "parallelograms"}}).kernel;
  const auto [diamonds, report] = defaultSchedule(*two.kernel, {{"time_tiles", "diamonds"}});
  EXPECT_THAT(verify(diamonds), IsEmpty());
  EXPECT_FALSE(hasDiamonds(parallelograms));
  EXPECT_TRUE(hasDiamonds(diamonds));
  EXPECT_EQ(report.setting("time_tiles"), "diamonds");
  EXPECT_EQ(diamonds.schedule.taskDimensions[2].down, 1);
  EXPECT_EQ(two.lifted.text({diamonds}), two.lifted.text({parallelograms})); // the runtime makes the tiles
}

TEST(TimeFunctions, TheOptionIsRefusedWithoutTimeOrDiamonds) {
  const auto refusal = [](const Scheduled &k) {
    const auto [scheduled, report] = defaultSchedule(k, {{"time_tiles", "diamonds"}});
    EXPECT_FALSE(hasDiamonds(scheduled));
    return report.refused.empty() ? "" : report.refused.front().why;
  };
  const Through inPlace(
      bar("T<k>.cell(i) from(T<k-1>.cell(i-1) l, T<k-2>.cell(i+1) r) where k > 1 { return l + r; } "
          "secondary T<k>.cell(i) from(T<k-1>.cell(i) c) { return c; }"));
  EXPECT_EQ(refusal(*inPlace.kernel),
            "points depend on others of the same step, or too far away, along `x0`");
  Lifted add("transform T from A[n] to B[n] { B.cell(i) from(A.cell(i) a) { return a; } }");
  EXPECT_EQ(refusal(add.kernel()), "its tasks do not go through time");
}
