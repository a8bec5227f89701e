// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Configuration text is written and read back; messages for text that does not fit.
#include "tests/unit/tuner/synthetic.h"
#include "tuner/report/words.h"
#include "tuner/space/toml.h"
#include "tuner/strategy/mutators.h"

#include <gmock/gmock.h>

namespace pbc::tuner {
namespace {

using testing::HasSubstr;

ProgramSpace sortSpace() {
  ProgramSpace space;
  space.program = "sort";
  space.hash = "9f2c";
  space.main = "Sort";
  space.sites = {{"Sort", "Sort", "", {{"MergeSort", ""}, {"InsertionSort", ""}, {"Quick \"fast\"", ""}}},
                 {"Sort", "inner", "", {{"A", ""}, {"B", ""}}, "choice_inner"},
                 {"Sum<int>", "Sum<int>", "", {{"Plain", ""}, {"Tree", ""}}}};
  space.tunables = {{"Sort", "sequential_cutoff", "", true, true, 4096, 1, 1 << 20},
                    {"Sum<int>", "omega", "", false, false, 1.5, 1, 2}};
  return space;
}

std::string errorOf(const std::string &text) {
  try {
    fromToml(sortSpace(), text, "x.cfg");
  } catch (const TunerError &problem) {
    return problem.what();
  }
  return "";
}

TEST(Toml, ReadsBackEveryRandomConfiguration) {
  const ProgramSpace space = sortSpace();
  Random random(1);
  Configuration current = Configuration::defaults(space);
  for (int i = 0; i < 1000; ++i) {
    current = mutate(space, Bans(), current, 1L << random.below(30), random).value_or(current);
    const std::string text = toToml(space, current, {2, {"made by a test"}});
    ASSERT_EQ(fromToml(space, text, "test"), current) << text;
  }
}

TEST(Toml, IsWrittenAsDocumented) {
  const ProgramSpace space = sortSpace();
  const auto selector = Selector::fromLevels({{341, 1}, {kNoLimit, 0}});
  const std::string text =
      toToml(space, Configuration::defaults(space).withSelector(0, *selector), {0, {"note"}});
  EXPECT_EQ(text, "# note\nprogram = \"sort\"\nhash = \"9f2c\"\n\n[Sort]\n"
                  "choice = [ { below = 341, use = \"InsertionSort\" }, { use = \"MergeSort\" } ]\n"
                  "choice_inner = [ { use = \"A\" } ]\nsequential_cutoff = 4096\n\n[\"Sum<int>\"]\n"
                  "choice = [ { use = \"Plain\" } ]\nomega = 1.5\n");
}

TEST(Toml, OneNameIsAChoiceForAllSizes) {
  const ProgramSpace space = sortSpace();
  const Configuration defaults = Configuration::defaults(space);
  EXPECT_EQ(fromToml(space, "[Sort]\nchoice = \"InsertionSort\"\nchoice_inner = \"B\"\n", "x.cfg"),
            defaults.withSelector(0, Selector(1)).withSelector(1, Selector(1)));
}

ProgramSpace withThreads(int processors) {
  return parseProgramSpace(R"({"name":"s","hash":"h","main":"S","threads":{"doc":"workers","initial":)" +
                           std::to_string(processors) +
                           R"(,"min":1,"max":1024},"transforms":[{"name":"S",
    "sites":[{"name":"S","alternatives":[{"name":"A"},{"name":"B"}]}]}]})");
}

TEST(Toml, ThreadsStandBeforeTheTablesUnlessTheyAreAll) {
  const ProgramSpace space = withThreads(6);
  ASSERT_EQ(space.tunables.size(), 1u);
  EXPECT_EQ(space.tunables[0].title(), "threads");
  EXPECT_EQ(space.openDecisions(), 2);
  const Configuration all = Configuration::defaults(space);
  EXPECT_EQ(all.tunables()[0], 6);
  EXPECT_EQ(toToml(space, all, {}).find("threads"), std::string::npos);
  const std::string text = toToml(space, all.withTunable(0, 3), {});
  EXPECT_THAT(text, HasSubstr("hash = \"h\"\nthreads = 3\n\n[S]"));
  EXPECT_EQ(fromToml(space, text, "t"), all.withTunable(0, 3));
  EXPECT_EQ(fromToml(space, "", "t"), all);
  EXPECT_EQ(fromToml(withThreads(2), text, "t").tunables()[0], 2) << "of a larger machine";
  EXPECT_FALSE(withThreads(1).tunables[0].isOpen());
  // A missing number of threads means all processors, wherever the search starts from.
  ProgramSpace started = space;
  started.tunables[0].initial = 1;
  EXPECT_EQ(fromToml(started, "", "t"), all);
  for (const char *wrong : {"threads = 0", "threads = 1.5", "threads = \"all\""})
    EXPECT_THROW(fromToml(space, wrong, "t"), TunerError) << wrong;
}

TEST(Toml, ThreadsThatAreSaidAreTheOnlyOnes) {
  ProgramSpace space = withThreads(6);
  fixThreads(space, 9);
  EXPECT_EQ(space.openDecisions(), 1);
  EXPECT_EQ(fromToml(space, "threads = 2", "t"), Configuration::defaults(space));
  const std::string text = toToml(space, Configuration::defaults(space), {9, {}});
  EXPECT_EQ(text.find("threads"), text.rfind("threads")) << text;
  EXPECT_THAT(text, HasSubstr("threads = 9\n"));
}

TEST(Toml, SaysWhatDoesNotFitAndWhere) {
  EXPECT_THAT(errorOf("hash = \"other\""), HasSubstr("another version"));
  EXPECT_THAT(errorOf("\n[Sort]\nchoice = [ { use = \"BubbleSort\" } ]"),
              HasSubstr("x.cfg:3:20: Sort has no alternative 'BubbleSort'"));
  EXPECT_EQ(errorOf("[Sort]\nchoice = \"MergSort\""),
            "x.cfg:2:10: Sort has no alternative 'MergSort' (did you mean 'MergeSort'?); known: "
            "'MergeSort', 'InsertionSort' and 'Quick \"fast\"'");
  EXPECT_THAT(errorOf("[Sort]\nchoice = 3"), HasSubstr("x.cfg:2:10: Sort needs the name of an alternative"));
  EXPECT_THAT(errorOf("[Sort]\nchoice = [ { below = 9 } ]"), HasSubstr("does not say which alternative"));
  EXPECT_THAT(errorOf("[Sort]\nchoice = [ { below = 9, use = \"MergeSort\" } ]"), HasSubstr("must grow"));
  EXPECT_THAT(errorOf("[Sort]\nsequential_cutoff = 0"), HasSubstr("a whole number from 1 to"));
  EXPECT_THAT(errorOf("[Sort"), HasSubstr("x.cfg:1:"));
}

TEST(Words, AreReadable) {
  const ProgramSpace space = sortSpace();
  const auto selector = Selector::fromLevels({{341, 1}, {65536, 2}, {kNoLimit, 0}});
  EXPECT_EQ(inWords(space.sites[0], *selector),
            "Sort: InsertionSort below 341, Quick \"fast\" below 65536, otherwise MergeSort");
  EXPECT_EQ(inWords(space.sites[1], Selector(1)), "Sort.inner: B always");
  EXPECT_EQ(inWords(Fault{"Sort with QuickSort", Failure::Crash, "ends by signal 11", 64, "n=64", 2}),
            "Sort with QuickSort at n >= 64 ends by signal 11 (2 times)");
}

TEST(Space, RefusesWhatIsNoProgram) {
  EXPECT_THROW(parseProgramSpace("hello"), TunerError);
  EXPECT_THROW(parseProgramSpace("{}"), TunerError);
  EXPECT_THROW(parseProgramSpace(R"({"main":"X","transforms":[{"name":"Y"}]})"), TunerError);
}

} // namespace
} // namespace pbc::tuner
