// Configuration text and back; messages for text that does not fit.
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

TEST(Toml, SaysWhatDoesNotFitAndWhere) {
  EXPECT_THAT(errorOf("hash = \"other\""), HasSubstr("another version"));
  EXPECT_THAT(errorOf("\n[Sort]\nchoice = [ { use = \"BubbleSort\" } ]"),
              HasSubstr("x.cfg:3:12: Sort has no alternative 'BubbleSort'"));
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
