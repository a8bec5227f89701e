// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a search may try: scripts that apply, no two alike, and everything that options can ask for.
#include "compiler/kernel/policy/space.h"
#include "compiler/kernel/print.h"
#include "compiler/kernel/schedule_space.h"
#include "compiler/kernel/verify.h"
#include "tests/unit/kernel/programs.h"
#include "tests/unit/kernel/transform/support.h"
#include <cstdlib>
#include <gmock/gmock.h>
#include <isl/schedule.h>
#include <set>

using namespace pbc;
using namespace pbc::kernel;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

namespace {

const char *const kFastDots = R"(transform RowDots from A[w, h], X[w] to S[h] {
  fast S.cell(y) from(A.row(y) a, X x) {
    ElementT s = 0;
    for (int k = 0; k < w; ++k) s += a.cell(k) * x.cell(k);
    return s;
  }
})";

const char *const kSearched[] = {programs::kStencil,       programs::kRows,     programs::kConvolve7,
                                 programs::kMatrixProduct, programs::kTriangle, kFastDots};

/// The kernel as text, without the schedule for loops that are too many to print.
std::string shown(Scheduled kernel) {
  kernel.schedule.plain.reset();
  return print(kernel);
}

/// Equal for equal schedules of one kernel.
std::string keyOf(const Scheduled &kernel) {
  char *tree = isl_schedule_to_str(kernel.schedule.tree.get());
  std::string key = tree;
  std::free(tree);
  for (const TaskDimension &d : kernel.schedule.taskDimensions)
    key += d.name + std::to_string(d.grain) + (d.down ? " down" : "");
  if (const auto &tile = kernel.schedule.registerTile)
    key += std::to_string(tile->shape.rows) + " " + std::to_string(tile->shape.vectors) + " " +
           std::to_string(tile->shape.depth) + " " + std::to_string(tile->shape.columns);
  return key;
}

std::string madeBy(const Scheduled &lifted, const script::Script &script) {
  const ScriptOutcome made = run(script, lifted, Mode::Strict);
  EXPECT_THAT(made.failed, IsEmpty()) << script::line(script);
  EXPECT_THAT(verify(made.kernel), IsEmpty()) << script::line(script);
  return shown(made.kernel);
}

/// The scripts about one thing, as text.
std::vector<std::string> about(const Neighbours &all, const std::string &what) {
  std::vector<std::string> scripts;
  for (const Edit &e : all.edits)
    if (e.of == what)
      scripts.push_back(script::line(e.script));
  return scripts;
}

Neighbours around(const Scheduled &lifted, const std::string &script,
                  const Machine &machine = pb::base::typicalMachine()) {
  return neighbours(Scheduler(lifted), steps(script), machine);
}

} // namespace

TEST(ScriptSpace, EachAppliesAndNoTwoAreAlike) {
  for (const char *program : kSearched) {
    Lifted lifted(program);
    ASSERT_EQ(lifted.messages, "");
    for (int step = 0; step < lifted.steps(); ++step) {
      const Scheduled kernel = lifted.kernel(0, step);
      Scheduler scheduler(kernel);
      const script::Script now = scheduler.schedule().report.script;
      std::set<std::string> schedules{madeBy(kernel, now)};
      const Neighbours all = neighbours(scheduler, now, pb::base::typicalMachine());
      std::set<std::string> things;
      for (std::size_t k = 0; k < all.edits.size(); ++k) {
        const Edit &e = all.edits[k];
        EXPECT_TRUE(schedules.insert(madeBy(kernel, e.script)).second) << script::line(e.script);
        EXPECT_EQ(steps(script::line(e.script)), e.script); // a configuration has it as text
        EXPECT_TRUE(std::equal(e.script.begin(), e.script.begin() + static_cast<long>(e.at), now.begin()));
        if (k == 0 || all.edits[k - 1].of != e.of) {
          EXPECT_TRUE(things.insert(e.of).second) << e.of << " in two places";
        }
      }
    }
  }
}

TEST(ScriptSpace, HasWhatOptionsCanAskFor) {
  for (const char *program : kSearched) {
    Lifted lifted(program);
    for (int step = 0; step < lifted.steps(); ++step) {
      const Scheduled kernel = lifted.kernel(0, step);
      Scheduler scheduler(kernel);
      const script::Script now = scheduler.schedule().report.script;
      std::set<std::string> schedules{
          keyOf(run(now, kernel, Mode::Strict).kernel)}; // some options change nothing
      for (const Edit &e : neighbours(scheduler, now, pb::base::typicalMachine()).edits)
        schedules.insert(keyOf(run(e.script, kernel, Mode::Strict).kernel));
      for (const OptionSpace &o : spaceOf(scheduler, {}))
        for (const std::string &value : o.others) {
          const Planned asked = scheduler.schedule({{o.option, value}});
          EXPECT_TRUE(schedules.count(keyOf(asked.kernel)))
              << program << "\n"
              << o.option << " = " << value << ": " << script::line(asked.report.script);
        }
    }
  }
}

TEST(ScriptSpace, ArgumentsAreEditedOneAtATime) {
  Lifted lifted(programs::kMatrixProduct);
  const Neighbours all = around(lifted.kernel(), "tasks(grain = 64); registers(y, x; rows = 8)");
  EXPECT_THAT(about(all, "registers vectors"),
              Contains("tasks(grain = 64); registers(y, x; rows = 8, vectors = 3)"));
  EXPECT_THAT(about(all, "body"), Contains("tasks(grain = 64); registers(y, x)"));
  EXPECT_THAT(about(all, "registers rows"), Contains("tasks(grain = 64); registers(y, x; rows = 4)"));
  EXPECT_THAT(about(all, "tasks"), Contains("tasks(y; grain = 64); registers(y, x; rows = 8)"));
  EXPECT_THAT(about(all, "tasks grain"), Contains("tasks(); registers(y, x; rows = 8)"));
}

TEST(ScriptSpace, StepsBehindFollow) {
  Lifted lifted(programs::kStencil);
  const Neighbours all = around(lifted.kernel(), "tasks(); vector(x); jam(y; 4)");
  EXPECT_THAT(about(all, "order"),
              ElementsAre("order(x, y); tasks(); vector(y); jam(x; 2)", "order(x, y); tasks()"));
  EXPECT_THAT(about(all, "tile"), Contains("tasks(); tile(y, x; 8, 128); vector(x); jam(y; 4)"));
  EXPECT_THAT(about(all, "jam"), Contains("tasks(); vector(x); jam(y; 3)"));
  EXPECT_THAT(about(all, "jam"), Contains("tasks(); vector(x)"));
  EXPECT_THAT(about(all, "body"), Contains("tasks(); vector(x); jam(y; 2); stream(B)"))
      << "the default schedule";
  EXPECT_THAT(about(all, "body"), Contains("tasks(); lanes(x)"));
  ASSERT_TRUE(all.withoutVectors);
  EXPECT_EQ(script::line(*all.withoutVectors), "tasks(); scalar(x)");
  for (const Edit &e : all.edits)
    EXPECT_EQ(e.script.front().transformation == "tasks" || e.of == "order", true)
        << "a search cannot know whether there will be a second core";
}

TEST(ScriptSpace, TilesThatFitTheCacheComeFirst) {
  Lifted lifted(programs::kStencil);
  Machine small = pb::base::typicalMachine(), large = small;
  small.secondCache = 32 << 10; // two matrices of doubles: 1024 places in half of it
  large.secondCache = 16 << 20;
  EXPECT_EQ(about(around(lifted.kernel(), "tasks(); vector(x)", small), "tile").front(),
            "tasks(); tile(y, x; 32, 32); vector(x)");
  EXPECT_EQ(about(around(lifted.kernel(), "tasks(); vector(x)", large), "tile").front(),
            "tasks(); tile(y, x; 32, 512); vector(x)");
}

TEST(ScriptSpace, AScriptOfOnesOwnHasNeighbours) {
  Lifted lifted(kFastDots);
  const Neighbours all = around(lifted.kernel(), "partial_sums(k; 8)");
  EXPECT_THAT(about(all, "partial_sums"), Contains("partial_sums(k; 16)"));
  EXPECT_THAT(about(all, "tasks"), Contains("tasks(); partial_sums(k; 8)"));
}

TEST(ScriptSpace, AScriptThatDoesNotApplyHasNone) {
  Lifted lifted(programs::kStencil);
  EXPECT_THAT(around(lifted.kernel(), "tasks(); vector(z)").edits, IsEmpty());
}

TEST(ScriptSpace, TheDefaultsScriptMakesTheDefault) {
  for (const char *program : kSearched) {
    Lifted lifted(program);
    for (int step = 0; step < lifted.steps(); ++step) {
      Scheduler scheduler(lifted.kernel(0, step));
      const Planned byDefault = scheduler.schedule();
      const Planned followed = scheduler.follow(byDefault.report.script);
      EXPECT_THAT(followed.report.refused, IsEmpty());
      EXPECT_EQ(print(followed.kernel), print(byDefault.kernel)); // with its plain schedule
    }
  }
}

TEST(ScriptSpace, ThePlainScheduleIsOneOfTheStatementsThatThereAre) {
  Lifted lifted(R"(
transform Square from A[w, h] to B[w, h] {
  to(B.cell(x, y) b) from(A.cell(x, y) a) { double s = a * a; double t = s + 1; b = s * t; }
}
)");
  Scheduler scheduler(lifted.kernel());
  // Before the steps behind `scalar`, all values of s lived at once; a row of them would not be enough for that tree.
  for (const char *script :
       {"(y1, x1, y2, x2, y3, x3) = fission(y, x); scalar(x3); (y) = fuse(y1, y2, y3); contract(s, at = y)",
        "scalar(x); layout(A)", "tasks(); tile(y, x; 4, 4); stage(A, at = xt)",
        "tile(y, x; 4, 4); lanes(x)"}) {
    const Planned made = scheduler.follow(steps(script));
    EXPECT_THAT(made.report.refused, IsEmpty()) << script;
    EXPECT_THAT(verify(made.kernel), IsEmpty()) << script;
  }
}

TEST(ScriptSpace, AScriptThatDoesNotApplyGivesTheDefault) {
  Lifted lifted(programs::kStencil);
  Scheduler scheduler(lifted.kernel());
  const Planned made = scheduler.follow(steps("tasks(); vector(y)"));
  EXPECT_EQ(print(made.kernel), print(scheduler.schedule().kernel));
  ASSERT_EQ(made.report.refused.size(), 1u);
  EXPECT_EQ(made.report.refused.front().transformation, "script");
  EXPECT_EQ(made.report.refused.front().why,
            "`vector(y)` does not apply: the loop over `x` inside it is not written out (unroll)");
}
