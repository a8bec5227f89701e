// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The exact output of `pbc explain` for a fixed journal; and the properties that every page must have.
#include "recorded.h"
#include "tests/unit/sanitized.h"

#include "tuner/journal/read_journal.h"
#include "tuner/report/drawings.h"
#include "tuner/report/explain.h"
#include "tuner/report/page.h"
#include "tuner/report/words.h"
#include "tuner/strategy/random.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace pbc::tuner {
namespace {

Evidence evidenceOf(ProgramSpace space, const Configuration &chosen,
                    const std::vector<JournalEntry> &entries) {
  Evidence evidence;
  evidence.program = "./sort";
  evidence.from = "./sort.cfg";
  evidence.journal = "./sort.tune.sqlite";
  evidence.toml = toToml(space, chosen, {});
  evidence.parts.push_back(partOf(std::move(space), chosen, entries, ""));
  return evidence;
}

Evidence fixedEvidence() {
  const ProgramSpace space = sortSpace();
  const Configuration chosen = sorting(space, 1, 256, 100);
  HandMade journal(space);
  for (const long n : {64, 128, 256}) {
    const double scale = static_cast<double>(n) * 1e-6;
    const double quick = n < 100 ? 2 : 0.5;
    journal.ok(n, sorting(space, 0), {scale, 1.02 * scale, 0.98 * scale});
    journal.ok(n, sorting(space, 1), {quick * scale, 1.04 * quick * scale, 0.98 * quick * scale});
    journal.bad(n, sorting(space, 2), Failure::WrongResult,
                "gives a different result from the default (difference 0.5)");
  }
  journal.ok(256, chosen, {1.2e-4, 1.21e-4, 1.19e-4});
  return evidenceOf(space, chosen, journal.entries());
}

TEST(Explain, SaysAllThatIsKnownOfOneChoice) {
  EXPECT_EQ(explainOne(fixedEvidence(), "sort"), R"(Sort: Merge below 100, otherwise Quick
  what it is   how it is sorted
  alternatives Merge, Quick, Bad (default Merge)
  value from   ./sort.cfg
  winner       Quick, 120 us at n=256 (3 runs)
  runner-up    Merge (the default), 256 us (3 runs)
  gap          2.13 times as slow (2.03 to 2.24)
  by size      n=64   Merge  64 us     Quick 2.00 times as slow (1.90 to 2.10)
               n=128  Quick  64 us     Merge 2.00 times as slow (1.90 to 2.10)
               n=256  Quick  120 us    Merge 2.13 times as slow (2.03 to 2.24)
  flips        at n = 100 from Merge to Quick
  mattered     99 % of the variance of times at n=256 goes with it
               changed alone, in 1 pair of configurations, the others are 2.00 times as slow
  rejected     Bad: wrong result at n >= 64: it gives a different result from the default (difference 0.5) (3 times); it is not chosen any more
  tried        Merge: 9 runs in 1 configuration
               Quick: 12 runs in 2 configurations
               Bad: 0 runs in 0 configurations, 3 rejected
  journal      ./sort.tune.sqlite: 10 trials, n=64 to n=256
)");
}

TEST(Explain, HasALineForEachChoice) {
  EXPECT_EQ(explainAll(fixedEvidence()), R"(./sort: values from ./sort.cfg; 10 trials in ./sort.tune.sqlite
  at n=256, medians of all runs: 120 us, the default 256 us
  Sort        Merge below 100, otherwise Quick
                next Merge (the default): 2.13 times as slow (2.03 to 2.24) at n=256
  Sort.block  256
  rejected: Sort with Bad at n >= 64 gives a different result from the default (difference 0.5) (3 times)
pbc explain ./sort NAME says all that is known of one
)");
}

TEST(Explain, FindsNamesAndHelpsWithOthers) {
  const Evidence evidence = fixedEvidence();
  EXPECT_EQ(explainOne(evidence, "block").rfind("Sort.block: 256\n", 0), 0u);
  EXPECT_EQ(explainOne(evidence, "sort.BLOCK"), explainOne(evidence, "Sort.block"));
  try {
    (void)explainOne(evidence, "Sort.blok");
    FAIL();
  } catch (const TunerError &problem) {
    EXPECT_STREQ(problem.what(), "./sort has no choice or tunable 'Sort.blok'; did you mean 'Sort.block'?\n"
                                 "  help: it has Sort, Sort.block");
  }
}

TEST(Explain, ATransformWithBinsIsNamedByItsFirst) {
  Evidence evidence = fixedEvidence();
  for (Site &site : evidence.parts.front().space.sites)
    site.transform = site.name = "Root<0>";
  try {
    (void)explainOne(evidence, "Root");
    FAIL();
  } catch (const TunerError &problem) {
    EXPECT_THAT(problem.what(), testing::HasSubstr("'Root'; did you mean 'Root<0>'?"));
  }
}

TEST(Explain, AsDataItSaysTheSame) {
  const auto json = nlohmann::json::parse(explainAsJson(fixedEvidence(), "Sort"));
  const auto &sort = json.at("decisions").at(0);
  EXPECT_EQ(sort.at("name"), "Sort");
  EXPECT_EQ(sort.at("sizes").size(), 3u);
  EXPECT_EQ(sort.at("sizes").at(2).at("runner_up").at("name"), "Merge");
  EXPECT_EQ(sort.at("rejected").at(0).at("name"), "Bad");
}

TEST(Page, IsSelfContainedAndEscapesNames) {
  ProgramSpace space = sortSpace();
  space.sites[0].alternatives[1].name = "<script>alert(\"1\")</script>&'";
  space.sites[0].doc = "</title><b>";
  HandMade journal(space);
  journal.ok(64, sorting(space, 0), {2, 2, 2}).ok(64, sorting(space, 1), {1, 1, 1});
  journal.bad(64, sorting(space, 2), Failure::Exit, "said <img src=http://x/>\nand \xff more");
  const std::string html = page(evidenceOf(space, sorting(space, 1), journal.entries()));
  for (const char *forbidden :
       {"<script", "<img", "<b>", "=\"http", "='http", "src=\"", "url(", "@import", "\xff"})
    EXPECT_EQ(html.find(forbidden), std::string::npos) << forbidden;
  EXPECT_NE(html.find("&lt;script&gt;alert(&quot;1&quot;)"), std::string::npos);
  EXPECT_NE(html.find("said &lt;img"), std::string::npos);
}

TEST(Page, StaysBelowItsLimit) {
  ProgramSpace space = sortSpace();
  space.sites.clear();
  space.tunables.clear();
  for (int i = 0; i < 300; ++i) {
    const std::string name = fmt::format("AVeryLongNameOfATransformThatSomebodyGenerated{}", i);
    space.sites.push_back(
        {name, name, std::string(300, 'd'), {{"FirstAlternative", ""}, {"SecondAlternative", ""}}});
    space.tunables.push_back(
        {.transform = name, .name = "block", .doc = "", .initial = 1, .minimum = 1, .maximum = 9});
  }
  HandMade journal(space);
  Random random(1);
  Configuration best;
  for (int i = 0; i < (kSanitized ? 60 : 90); ++i) {
    Configuration configuration = Configuration::defaults(space);
    for (int k = 0; k < 300; ++k)
      configuration = configuration.withSelector(k, Selector(static_cast<int>(random.below(2))));
    if (i % 3 == 0)
      journal.bad(64, configuration, Failure::Crash, std::string(3000, 'x'));
    else
      journal.ok(64L << (i % 10), configuration, {random.unit(), random.unit()});
    best = configuration;
  }
  const std::string html = page(evidenceOf(space, best, journal.entries()));
  EXPECT_LT(html.size(), kLargestPage);
  EXPECT_NE(html.find("are left out here"), std::string::npos);
}

TEST(Page, ShortensByLettersAndNotInTheMiddleOfOne) {
  EXPECT_EQ(shortened("abcdef", 6), "abcdef");
  EXPECT_EQ(shortened("abcdefg", 6), "abcde…");
  EXPECT_EQ(shortened("äöüäöü", 3), "äö…");
}

TEST(ReadJournal, ChangesNothing) {
  const std::string path = testing::TempDir() + "pbc-read-" + std::to_string(getpid()) + "?#%.sqlite";
  std::filesystem::remove(path);
  EXPECT_THROW((void)readJournal(path), TunerError);
  Journal(path).add({"h1", "m1", "n=64", "0;", "toml", {0.5, 0.25}});
  const auto entries = readJournal(path);
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].seconds, std::vector<double>({0.5, 0.25}));
  EXPECT_EQ(entries[0].time.size(), std::string("2026-11-21T12:34:56.789Z").size());
  EXPECT_FALSE(std::filesystem::exists(path + "-wal"));
  {
    Journal writer(path); // a tuning that runs
    writer.add({"h1", "m1", "n=64", "1;", "toml", {1}});
    EXPECT_EQ(readJournal(path).size(), 2u);
  }
  std::filesystem::remove(path);
}

TEST(Page, AxesHaveNoExponents) {
  const ProgramSpace space = sortSpace();
  HandMade journal(space);
  journal.ok(64, sorting(space, 0), {1}).ok(64, sorting(space, 1), {1e-4});
  const std::string drawing =
      progressDrawing(partOf(space, sorting(space, 1), journal.entries(), ""), Across::Seconds, "x");
  EXPECT_THAT(drawing, testing::HasSubstr(">5000×<"));
  EXPECT_THAT(drawing, testing::Not(testing::HasSubstr("e+")));
}

} // namespace
} // namespace pbc::tuner
