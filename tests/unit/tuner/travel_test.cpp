// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where a configuration comes from, what has to be tuned again, and how two differ.
#include "tests/unit/tuner/synthetic.h"
#include "tuner/report/result_file.h"
#include "tuner/space/toml.h"
#include "tuner/travel/check.h"
#include "tuner/travel/difference.h"
#include "tuner/travel/explain.h"
#include "tuner/travel/refresh_plan.h"

#include <gmock/gmock.h>

namespace pbc::tuner {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

ProgramSpace travelSpace() {
  ProgramSpace space;
  space.program = "sort";
  space.hash = "h";
  space.main = "Sort";
  space.machine = {"Abacus", 2, 32768, 1 << 20, 0, {}};
  space.transforms = {{"Sort", "s1"}, {"Merge", "m1"}};
  space.sites = {{"Sort", "Sort", "which rules sort", {{"MergeSort", "by halves"}, {"InsertionSort", ""}}}};
  space.tunables = {{"Sort", "block", "cells of a block", true, true, 64, 1, 4096},
                    {"Merge", "grain", "cells of a task", true, true, 8, 1, 64}};
  return space;
}

Provenance travelOrigin() {
  Provenance p;
  p.tool = "pbc 0.1";
  p.date = "2026-11-22T04:30:00Z";
  p.machine = {"Abacus", 2, 32768, 1 << 20, 0, {}};
  p.effort = "quick";
  p.budget = 60;
  p.seed = 3;
  p.sizes = {"n=64", "n=128"};
  p.measurements = 345;
  p.defaultSeconds = 0.125;
  p.tunedSeconds = 0.03125;
  p.transforms = {{"Sort", "s1"}, {"Merge", "m1"}};
  return p;
}

Fitted allOk() {
  return {"",
          0,
          {{"", "hash", 1, 1, "ok", {}, ""},
           {"", "made-by", 9, 1, "ok", {}, ""},
           {"Sort", "choice", 2, 1, "ok", {}, ""},
           {"Sort", "block", 3, 1, "ok", {}, ""},
           {"Merge", "grain", 5, 1, "ok", {}, ""}}};
}

TEST(MadeBy, IsReadBack) {
  Provenance p = travelOrigin();
  p.machine.devices = {{"opencl:0", "a \"fast\" one", "3.1"}};
  p.transforms["Sum<2>"] = "x";
  const std::string text = toToml(p);
  const auto back = provenanceOf("program = \"sort\"\n\n" + text);
  ASSERT_TRUE(back);
  EXPECT_EQ(toToml(*back), text);
  EXPECT_EQ(back->machine.devices, p.machine.devices);
  EXPECT_EQ(back->transforms, p.transforms);
  EXPECT_THAT(text,
              HasSubstr("date = 2026-11-22T04:30:00Z\nmachine = { processor = \"Abacus\", cores = 2, "));
  EXPECT_FALSE(provenanceOf("program = \"sort\"\n"));
  EXPECT_FALSE(provenanceOf("[made-by"));
}

TEST(ResultFile, SaysWhatItWasComparedWith) {
  ProgramSpace space = travelSpace();
  space.bins = {"Sort"};
  Summary summary;
  summary.sizes = "n=128";
  summary.result.best = Configuration::defaults(space);
  summary.result.defaultSeconds = 2;
  summary.result.bestSeconds = 1;
  const auto comments = [&] { return ResultFile().text(space, summary, {"quick", 60, 3}, 0); };
  EXPECT_THAT(comments(), HasSubstr("# default: 2 s, tuned: 1 s (2.00 times as fast"));
  summary.isRefresh = true;
  EXPECT_THAT(comments(), HasSubstr("# stored: 2 s, tuned: 1 s"));
  space.goal = AccuracyGoal{};
  EXPECT_THAT(comments(), HasSubstr("# at first: 2 s, tuned: 1 s"));
}

TEST(ResultFile, TellsOfAllAccuracyBins) {
  ProgramSpace space = travelSpace();
  space.bins = {"Sort<0>", "Sort<1>"};
  ResultFile file;
  std::string text;
  for (int bin = 0; bin < 2; ++bin) {
    space.main = space.bins[static_cast<std::size_t>(bin)];
    Summary summary;
    summary.sizes = bin ? "n=64" : "n=128";
    summary.tunedSizes = {"n=32", summary.sizes};
    summary.runs = 10 + bin;
    summary.result.best = Configuration::defaults(space);
    summary.result.defaultSeconds = 2;
    summary.result.bestSeconds = 1 + bin;
    text = file.text(space, summary, {"quick", 60, 3}, 0);
  }
  const auto made = provenanceOf(text);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->measurements, 21);
  EXPECT_EQ(made->budget, 120);
  EXPECT_THAT(made->sizes, ElementsAre("n=32", "n=64")) << "those of the last";
  ASSERT_EQ(made->bins.size(), 2u);
  EXPECT_EQ(made->bins[0].transform, "Sort<0>");
  EXPECT_EQ(made->bins[0].size, "n=128");
  EXPECT_EQ(made->bins[0].tunedSeconds, 1);
  EXPECT_EQ(made->bins[1].measurements, 11);
  EXPECT_EQ(made->bins[1].tunedSeconds, 2);
  EXPECT_EQ(text.find("# Made by"), text.rfind("# Made by")) << text;
  EXPECT_THAT(text, HasSubstr("# Sort<0> at size: n=128\n"));
  EXPECT_THAT(text, HasSubstr("# Sort<1> at size: n=64\n"));
  EXPECT_THAT(explained(space, Configuration::defaults(space), made),
              HasSubstr("  Sort<0> at n=128: 1 s, at first 2 s\n  Sort<1> at n=64: 2 s, at first 2 s\n"));
}

TEST(JournalKey, TimesOfAnotherTextAreOthers) {
  ProgramSpace space = travelSpace();
  const std::string key = space.journalKey();
  EXPECT_EQ(travelSpace().journalKey(), key);
  space.transforms["Merge"] = "m2";
  EXPECT_NE(space.journalKey(), key);
  space.transforms.clear();
  EXPECT_EQ(space.journalKey(), "h");
}

TEST(RefreshPlan, NothingToDo) {
  EXPECT_TRUE(refreshPlan(travelSpace(), travelOrigin(), allOk()).isNothing());
}

TEST(RefreshPlan, OneTransformHasChanged) {
  ProgramSpace space = travelSpace();
  space.transforms["Merge"] = "m2";
  const RefreshPlan plan = refreshPlan(space, travelOrigin(), allOk());
  EXPECT_THAT(plan.touched, ElementsAre(Pair("Merge", "grain")));
  EXPECT_THAT(plan.reasons, ElementsAre("Merge has changed since the configuration was made"));
  plan.fix(space);
  EXPECT_TRUE(space.sites[0].isFixed);
  EXPECT_TRUE(space.tunables[0].isFixed);
  EXPECT_FALSE(space.tunables[1].isFixed);
}

TEST(RefreshPlan, IllegalAndNewEntries) {
  Fitted fitted = allOk();
  fitted.entries[3] = {
      "Sort", "block", 3, 1, "out of range", {"Sort.block = 9000 is out of range: 1 to 4096"}, ""};
  fitted.entries[4] = {"Merge", "grain", 0, 0, "missing", {"it is not mentioned"}, ""};
  const RefreshPlan plan = refreshPlan(travelSpace(), travelOrigin(), fitted);
  EXPECT_THAT(plan.touched, ElementsAre(Pair("Merge", "grain"), Pair("Sort", "block")));
  EXPECT_THAT(plan.reasons,
              ElementsAre("Sort.block: Sort.block = 9000 is out of range: 1 to 4096", "Merge.grain is new"));
}

TEST(RefreshPlan, AnotherVersionThatDoesNotSayItsTextsIsTunedAsAWhole) {
  Fitted fitted = allOk();
  fitted.entries[0].state = "another version";
  EXPECT_EQ(refreshPlan(travelSpace(), {}, fitted).touched.size(), 3u);
  EXPECT_TRUE(refreshPlan(travelSpace(), {}, allOk()).isNothing());
}

TEST(RefreshPlan, OnAnotherMachineNothingIsFixed) {
  ProgramSpace space = travelSpace();
  space.machine.cores = 64;
  const RefreshPlan plan = refreshPlan(space, travelOrigin(), allOk());
  EXPECT_TRUE(plan.isOtherMachine);
  plan.fix(space);
  EXPECT_TRUE(space.sites[0].isOpen());
  EXPECT_THAT(plan.reasons, ElementsAre("made on another machine: Abacus, 2 processors"));
}

TEST(Check, OtherDevicesAreAnotherMachine) {
  ProgramSpace space = travelSpace();
  EXPECT_TRUE(isAllOk(checked(space, travelOrigin(), allOk())));
  space.machine.devices = {{"cuda:0", "H200", "570"}};
  const Fitted fitted = checked(space, travelOrigin(), allOk());
  EXPECT_FALSE(isAllOk(fitted));
  EXPECT_THAT(
      asText("sort.cfg", fitted),
      HasSubstr(
          "sort.cfg:9:1: another machine   made-by\n    made on a machine with other devices: Abacus, 2 "
          "processors; this one: Abacus, 2 processors, cuda:0 (H200, driver 570)\n"));
}

std::vector<std::string> differ(const std::string &a, const std::string &b) {
  std::vector<std::string> lines;
  for (const Difference &d : differences(a, "a.cfg", b, "b.cfg"))
    lines.push_back(inWords(d));
  return lines;
}

TEST(Difference, IsOfBehaviourBySize) {
  const std::string a =
      "hash = \"1\"\n[Sort]\nchoice = [ { below = 341, use = \"I\" }, { use = \"M\" } ]\nblock = 4\n";
  EXPECT_THAT(
      differ(
          a,
          "# other\nhash = \"2\"\n[Sort]\nblock = 4\nchoice = [ { below = 9, use = \"I\" }, { below = 341, "
          "use = \"I\" }, { use = \"M\" } ]\n[made-by]\nseed = 3\n"),
      IsEmpty());
  EXPECT_THAT(
      differ(
          a,
          "[Sort]\nchoice = [ { below = 100, use = \"I\" }, { below = 1000, use = \"Q\" }, { use = \"M\" } "
          "]\nblock = 8\n"),
      ElementsAre("Sort.block: A has 4, B has 8", "Sort.choice: for n from 100 to 340: A takes I, B takes Q",
                  "Sort.choice: for n from 341 to 999: A takes M, B takes Q"));
  EXPECT_THAT(differ(a, "[Sort]\nchoice = \"M\"\n"),
              ElementsAre("Sort.block: A has 4, B does not say",
                          "Sort.choice: for n below 341: A takes I, B takes M"));
  EXPECT_THAT(differ("[T]\nr = [ { below = 64, value = 3 }, { value = 9 } ]\n", "[T]\nr = 3\n"),
              ElementsAre("T.r: for n from 64 on: A has 9, B has 3"));
  EXPECT_THAT(differ("[T]\nw = [ 1, 2 ]\n", "[T]\nw = [ 1, 3 ]\n"), testing::SizeIs(1));
  EXPECT_THROW(differ("[T", ""), TunerError);
}

TEST(Explain, SaysWhatIsUsedWhere) {
  const ProgramSpace space = travelSpace();
  const auto selector = Selector::fromLevels({{341, 1}, {kNoLimit, 0}});
  const Configuration c = Configuration::defaults(space).withSelector(0, *selector).withTunable(0, 128);
  EXPECT_EQ(explained(space, c, {}), "Sort: which rules sort\n"
                                     "  n below 341              InsertionSort\n"
                                     "  n from 341 on            MergeSort (the default): by halves\n"
                                     "\n"
                                     "Sort.block = 128\n"
                                     "    cells of a block; a whole number, 1 to 4096, default 64\n"
                                     "Merge.grain = 8 (the default)\n"
                                     "    cells of a task; a whole number, 1 to 64, default 8\n");
  EXPECT_THAT(
      explained(space, c, travelOrigin()),
      HasSubstr(
          "made by pbc 0.1 on 2026-11-22T04:30:00Z, quick effort\n  on Abacus, 2 processors\n  at n=128: "
          "31.2 ms, the default 125 ms\n"));
}

} // namespace
} // namespace pbc::tuner
