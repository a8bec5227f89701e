// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kernels' settings in configurations, and the search for them with variants whose times are computed.
#include "tuner/kernels/kernel_summary.h"
#include "tuner/kernels/search.h"
#include "tuner/space/program_space.h"

#include <cmath>
#include <functional>
#include <gmock/gmock.h>
#include <random>
#include <set>

using namespace pbc::tuner;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

using Names = std::tuple<std::string, std::string, std::string>;

Names scriptOf(const std::string &kernel) { return {"T", kernel, "script"}; }

KernelSettings settings(const std::string &script) { return {{scriptOf("a"), script}}; }

/// What a script of these tests says: "x 4" has vectors along x, and four rows at once.
struct Said {
  std::string vector = "x", jam = "1";
  explicit Said(const std::string &script) {
    if (const std::size_t space = script.find(' '); space != script.npos)
      vector = script.substr(0, space), jam = script.substr(space + 1);
  }
  Said(const KernelSettings &now, const std::string &kernel)
      : Said(now.contains(scriptOf(kernel)) ? now.at(scriptOf(kernel)) : "") {}
  std::string text() const { return vector + " " + jam; }
};

/// Two kernels: `a` takes nine tenths of the time, `b` the rest. `factor`: the effect of more rows on it.
class Computed : public Variants {
public:
  std::function<double(const std::string &kernel, const std::string &jam)> factor =
      [](const auto &, const auto &) { return 1.0; };
  std::function<std::optional<Rejected>(const KernelSettings &)> fault = [](const auto &) {
    return std::optional<Rejected>();
  };
  std::function<double(const KernelSettings &)> combined = [](const auto &) { return 1.0; };
  double noise = 0.02, stopAt = 1e9;
  int renewals = 0, measurements = 0;
  int disturbed = -1;             // the number of a measurement that takes twice as long
  std::vector<std::string> order; // kernels in the order in which their variants were built
  std::set<KernelSettings> built;

  std::vector<KernelOption> options(const KernelSettings &now) override {
    std::vector<KernelOption> all;
    for (const char *kernel : {"b", "a"}) {
      const Said inUse(now, kernel);
      Said slow = inUse;
      slow.vector = "off";
      const std::string without = inUse.vector == "off" ? "" : slow.text();
      KernelOption body{"T", kernel, "body", inUse.text(), {}, without},
          jam{"T", kernel, "jam", inUse.text(), {}, without};
      Said other = inUse;
      other.vector = inUse.vector == "off" ? "x" : "off";
      body.others.push_back(other.text());
      for (const char *rows : {"1", "2", "4"}) {
        other = inUse;
        other.jam = rows;
        if (other.jam != inUse.jam)
          jam.others.push_back(other.text());
      }
      all.push_back(body);
      all.push_back(jam);
    }
    return all;
  }

  void build(const std::vector<KernelSettings> &wanted) override {
    for (const KernelSettings &one : wanted) {
      built.insert(one);
      for (const auto &[names, script] : one)
        if (Said(script).vector != "off")
          order.push_back(std::get<1>(names));
    }
  }

  Measurement measure(const KernelSettings &now, int trials) override {
    EXPECT_TRUE(built.contains(now));
    if (const auto bad = fault(now))
      return {{}, bad};
    double a = 0.9, b = 0.1;
    if (measurements++ == disturbed)
      a *= 4;
    for (const auto &[names, script] : now) {
      const Said said(script);
      double &seconds = std::get<1>(names) == "a" ? a : b;
      seconds *=
          (said.vector == "off" ? 2 : 1) * (said.jam == "1" ? 1 : factor(std::get<1>(names), said.jam));
    }
    Measurement result;
    for (int k = 0; k < trials; ++k) {
      result.seconds.push_back((a + b) * combined(now) *
                               std::exp(std::normal_distribution(0.0, noise)(random_)));
      clock_ += result.seconds.back();
    }
    return result;
  }
  void renew() override { ++renewals; }
  double elapsed() const override { return clock_; }
  bool stopped() const override { return clock_ > stopAt; }

private:
  std::mt19937 random_{7};
  double clock_ = 0;
};

struct Quiet : Observer {
  void measured(const TestSize &, int, double, double) override {}
  void finished(const TestSize &, int, double, double) override {}
  void stage(const std::string &) override {}
};

KernelSearchResult search(Computed &variants, const KernelSettings &start = {}, double deadline = 1e6) {
  Quiet observer;
  return searchKernels(variants, start, {"n=9", 9, 1}, {deadline}, observer, [](const std::string &) {});
}

} // namespace

TEST(KernelSettings, ThreadsStandInFrontOfTheTables) {
  EXPECT_EQ(withThreads("a = 1\n", 0), "a = 1\n");
  EXPECT_EQ(withThreads("", 2), "threads = 2\n");
  EXPECT_EQ(withThreads("program = \"p\"\nthreads = 8\n\n[Sort]\nthreads = 3\n", 2),
            "program = \"p\"\nthreads = 2\n\n[Sort]\nthreads = 3\n");
  EXPECT_EQ(withThreads("# by hand\n[kernels]\nA.b.lanes = 8\n", 1),
            "# by hand\nthreads = 1\n\n[kernels]\nA.b.lanes = 8\n");
}

TEST(KernelSettings, ASectionReadsBack) {
  const KernelSettings all = {{{"T", "a", "jam"}, "2"},
                              {{"Name<2>", "a+b", "script"}, "order(y, x); tasks(grain = 64)"}};
  EXPECT_EQ(toToml(all),
            "[kernels]\n\"Name<2>\".\"a+b\".script = \"order(y, x); tasks(grain = 64)\"\nT.a.jam = "
            "2\n");
  EXPECT_EQ(kernelSettings(toToml(all, {"a comment"})), all);
  EXPECT_EQ(toToml({}), "");
  EXPECT_THAT(kernelSettings("no = toml = at all"), IsEmpty());
}

TEST(KernelSettings, OtherLinesStay) {
  const std::string rest = "# mine\nthreads = 2\n\n[T]\nchoice = [\n  { use = \"a\" } ] # because\n";
  const std::string section = "[kernels]\nT.a.jam = 2\n";
  EXPECT_EQ(withKernels(rest, section), rest + "\n" + section);
  EXPECT_EQ(withKernels(rest + "\n" + section, ""), rest);
  EXPECT_EQ(
      withKernels("[kernels.T.a]\njam = 2\n# of it\n[kernels.T]\nb.jam = 3\n" + rest.substr(20), section),
      rest.substr(20) + "\n" + section);
  EXPECT_EQ(withKernels("", section), section);
  EXPECT_EQ(withKernels("kernels.T.a.jam = 4\n[kernelsT]\nx = 1\n", section),
            "[kernelsT]\nx = 1\n\n" + section);
}

TEST(KernelSettings, AnArrayThatLooksLikeATableIsNoTable) {
  const std::string text = "[T]\nw = [\n[kernels],\n]\n"; // no TOML: nothing is lost by a message
  EXPECT_ANY_THROW(withKernels(text, ""));
  const std::string odd = "[T]\nw = [\n[\"kernels\"],\n[1]]\n";
  EXPECT_EQ(kernelSettings(withKernels(odd, "[kernels]\nT.a.jam = 2\n")),
            (KernelSettings{{{"T", "a", "jam"}, "2"}}));
  EXPECT_THAT(withKernels(odd, ""), HasSubstr("\"kernels\""));
}

TEST(KernelSettings, TheCompilersListIsRead) {
  const auto all = parseKernelOptions(R"json({"transforms": [{"name": "T", "kernels": [
    {"name": "a", "options": [], "script": {"in_use": "vector(x)", "without_vectors": "scalar(x)", "edits": [
      {"of": "jam", "others": ["vector(x); jam(y; 2)", "vector(x); jam(y; 4)"]},
      {"of": "body", "others": ["scalar(x)"]}]}},
    {"name": "b", "options": []}]}, {"name": "U"}]})json");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].title(), "T.a.script");
  EXPECT_EQ(all[0].about, "jam");
  EXPECT_EQ(all[0].inUse, "vector(x)");
  EXPECT_EQ(all[0].slow, "scalar(x)");
  EXPECT_THAT(all[0].others, ElementsAre("vector(x); jam(y; 2)", "vector(x); jam(y; 4)"));
  EXPECT_EQ(all[1].about, "body");
  EXPECT_THROW(parseKernelOptions("{}"), TunerError);
}

TEST(KernelSettings, AScriptTakesThePlaceOfOtherSettings) {
  const KernelSettings before = {{{"T", "a", "vector"}, "off"}, {{"T", "b", "jam"}, "2"}};
  EXPECT_EQ(with(before, {"T", "a", "body", "", {}}, "lanes(x)"),
            (KernelSettings{{{"T", "a", "script"}, "lanes(x)"}, {{"T", "b", "jam"}, "2"}}));
}

TEST(KernelSearch, FindsWhatIsFaster) {
  Computed variants;
  variants.factor = [](const auto &kernel, const auto &jam) {
    return kernel == "a" && jam == "4" ? 0.7 : 1.0;
  };
  const KernelSearchResult result = search(variants);
  EXPECT_EQ(result.best, settings("x 4"));
  EXPECT_TRUE(result.changed && result.raced && result.isDone);
  EXPECT_GE(variants.renewals, 6); // the variant must not profit from the luck of a process
  EXPECT_NEAR(result.startSeconds / result.bestSeconds, 1 / (0.1 + 0.9 * 0.7), 0.05);
}

/// Without vectors, the kernel is faster than with its default vectors, but slower than with other vectors.
TEST(KernelSearch, TriesOtherVectorsBeforeNone) {
  Computed variants;
  variants.factor = [](const std::string &kernel, const std::string &jam) {
    return kernel == "a" && jam == "4" ? 0.6 : 1.0;
  };
  variants.combined = [](const KernelSettings &now) {
    const Said a(now, "a");
    // `off` leaves nothing for `jam` to do.
    return a.vector != "off" ? 1.0 : (a.jam == "4" ? 0.8 / 0.6 : 0.8) / 2;
  };
  EXPECT_EQ(search(variants).best, settings("x 4"));
}

TEST(KernelSearch, DropsWhatAnotherSettingMakesUseless) {
  Computed variants;
  variants.combined = [](const KernelSettings &now) { // what a's jam brings, b's brings alone
    const bool a = Said(now, "a").jam != "1", b = Said(now, "b").jam != "1";
    return b ? 0.5 : a ? 0.8 : 1.0;
  };
  const KernelSearchResult result = search(variants);
  EXPECT_EQ(result.best.size(), 1u);
  EXPECT_EQ(std::get<1>(result.best.begin()->first), "b");
}

TEST(KernelSearch, EqualWithinNoiseStays) {
  for (const double noise : {0.0, 0.02, 0.2}) {
    Computed variants;
    variants.noise = noise;
    variants.factor = [](const auto &, const auto &) { return 0.99; };
    const KernelSearchResult result = search(variants);
    EXPECT_THAT(result.best, IsEmpty()) << noise;
    EXPECT_FALSE(result.changed);
    EXPECT_TRUE(result.isDone);
  }
}

TEST(KernelSearch, TriesAsManyVariantsAsItMay) {
  Quiet observer;
  for (const int most : {1, 2, 3}) {
    Computed variants;
    const KernelSearchResult result = searchKernels(
        variants, {}, {"n=9", 9, 1}, {.deadline = 1e6, .most = most}, observer, [](const std::string &) {});
    EXPECT_EQ(result.tried, most);
    EXPECT_FALSE(result.isDone);
    EXPECT_TRUE(result.raced);
  }
}

TEST(KernelSearch, BeginsWithTheKernelThatTakesTheTime) {
  Computed variants;
  search(variants);
  ASSERT_FALSE(variants.order.empty());
  EXPECT_EQ(variants.order.front(), "a");
}

TEST(KernelSearch, OneDisturbedProfileNamesNoKernel) {
  for (int disturbed = 0; disturbed < 10; ++disturbed) {
    Computed variants;
    variants.disturbed = disturbed;
    search(variants);
    ASSERT_FALSE(variants.order.empty());
    EXPECT_EQ(variants.order.front(), "a") << disturbed;
  }
}

TEST(KernelSummary, WhatWasNotComparedHasNoTime) {
  KernelSummary summary;
  summary.result.raced = false;
  for (const std::string &line : provenance(summary))
    EXPECT_THAT(line, testing::Not(testing::HasSubstr("0 us")));
  EXPECT_THAT(provenance(summary).back(), testing::HasSubstr("were not compared"));
  EXPECT_THAT(asJson(summary), testing::HasSubstr("\"tuned_seconds\": null"));
  summary.result = {{}, true, true, 0.2, 0.1, 1, true, {}};
  EXPECT_THAT(provenance(summary).back(), testing::HasSubstr("before: 200 ms, tuned: 100 ms"));
}

TEST(KernelSearch, WhatIsWrongIsNamedAndNeverWins) {
  Computed variants;
  variants.factor = [](const auto &, const auto &jam) { return jam == "4" ? 0.2 : 1.0; };
  variants.fault = [](const KernelSettings &now) -> std::optional<Rejected> {
    if (Said(now, "a").jam == "4")
      return Rejected{Failure::WrongResult, "gives a different result"};
    return std::nullopt;
  };
  const KernelSearchResult result = search(variants);
  EXPECT_EQ(result.best, (KernelSettings{{scriptOf("b"), "x 4"}}));
  ASSERT_FALSE(result.faults.empty());
  EXPECT_EQ(result.faults.front().suspect, "T.a.script with x 4");
  EXPECT_EQ(result.faults.front().kind, Failure::WrongResult);
}

/// Predicts by the number of rows in a script.
class ByRows : public Advice {
public:
  std::map<std::string, double> times;
  int questions = 0;
  std::vector<double> seconds(const KernelOption &, const std::vector<std::string> &scripts) override {
    ++questions;
    std::vector<double> all;
    for (const std::string &script : scripts)
      all.push_back(times[Said(script).jam]);
    return all;
  }
};

/// The best of all edits of a kernel is tried at once, before any other one is made.
TEST(KernelSearch, TriesFirstWhatAModelProposes) {
  Computed variants;
  variants.factor = [](const auto &kernel, const auto &jam) {
    return kernel == "a" && jam == "4" ? 0.5 : 1.0;
  };
  ByRows advice;
  advice.times = {{"1", 1}, {"2", 0.97}, {"4", 0.5}};
  Quiet observer;
  std::size_t builtAtFirst = 0;
  const KernelSearchSettings given{.deadline = 1e6, .advice = &advice};
  const KernelSearchResult result =
      searchKernels(variants, {}, {"n=9", 9, 1}, given, observer, [&](const std::string &line) {
        if (builtAtFirst == 0 && line.find("times as fast") != std::string::npos)
          builtAtFirst = variants.built.size();
      });
  EXPECT_EQ(result.best, settings("x 4"));
  EXPECT_LE(builtAtFirst, 5U) << "the program, two without vectors to find what matters, and both proposals";
  EXPECT_TRUE(result.isModelUsed);
}

/// A model whose proposals lose has no further turn.
TEST(KernelSearch, ProposalsThatLoseAreGivenUp) {
  Computed variants;
  ByRows advice;
  advice.times = {{"1", 1}, {"2", 0.7}, {"4", 0.6}};
  Quiet observer;
  const KernelSearchSettings given{.deadline = 1e6, .advice = &advice};
  const KernelSearchResult result =
      searchKernels(variants, {}, {"n=9", 9, 1}, given, observer, [](const std::string &) {});
  EXPECT_THAT(result.best, IsEmpty());
  EXPECT_TRUE(result.isDone) << "all other edits were tried";
}

TEST(KernelSearch, TriesFirstWhatAProofHasFound) {
  Computed variants;
  variants.factor = [](const auto &kernel, const auto &jam) {
    return kernel == "a" && jam == "7" ? 0.5 : 1.0; // no edit leads there
  };
  EXPECT_THAT(search(variants).best, IsEmpty());
  Quiet observer;
  const KernelSearchSettings given{.deadline = 1e6, .seeds = {{"T", "a", "a proof", "x 1", {"x 7"}}}};
  const KernelSearchResult result =
      searchKernels(variants, {}, {"n=9", 9, 1}, given, observer, [](const std::string &) {});
  EXPECT_EQ(result.best, settings("x 7"));
}

TEST(KernelSearch, ReportsAProofsScriptThatIsWrongAndNotOneThatDoesNotApply) {
  for (const Failure kind : {Failure::WrongResult, Failure::Error}) {
    Computed variants;
    variants.fault = [&](const KernelSettings &now) {
      return now == settings("x 7") ? std::optional(Rejected{kind, "a reason"}) : std::nullopt;
    };
    Quiet observer;
    const KernelSearchSettings given{.deadline = 1e6, .seeds = {{"T", "a", "a proof", "x 1", {"x 7"}}}};
    const KernelSearchResult result =
        searchKernels(variants, {}, {"n=9", 9, 1}, given, observer, [](const std::string &) {});
    EXPECT_EQ(result.faults.size(), kind == Failure::Error ? 0u : 1u);
  }
}

TEST(KernelSearch, LeavesAKernelAloneThatIsNearItsBound) {
  Computed variants;
  variants.factor = [](const auto &, const auto &jam) { return jam == "4" ? 0.5 : 1.0; };
  Quiet observer;
  const KernelSearchResult result = searchKernels(
      variants, {}, {"n=9", 9, 1}, {.deadline = 1e6, .done = {"T.a"}}, observer, [](const std::string &) {});
  EXPECT_EQ(result.best, (KernelSettings{{scriptOf("b"), "x 4"}}));
}

TEST(KernelSearch, GoesOnFromASettingThatTheProgramHas) {
  Computed variants;
  variants.factor = [](const auto &kernel, const auto &jam) {
    return kernel == "a" && jam == "2" ? 1.5 : 1.0;
  };
  const KernelSearchResult result = search(variants, settings("x 2"));
  ASSERT_TRUE(result.changed);
  EXPECT_THAT((std::set<std::string>{"x 1", "x 4"}), Contains(result.best.at(scriptOf("a"))));
}

TEST(KernelSearch, StoppedKeepsWhatHasWon) {
  Computed variants;
  variants.factor = [](const auto &kernel, const auto &jam) {
    return kernel == "a" && jam == "4" ? 0.5 : 1.0;
  };
  variants.stopAt = 90;
  const KernelSearchResult result = search(variants);
  EXPECT_FALSE(result.raced);
  EXPECT_EQ(result.best, settings("x 4"));
}

TEST(KernelSearch, EndsInTime) {
  Computed variants;
  const KernelSearchResult result = search(variants, {}, 20);
  EXPECT_FALSE(result.isDone);
  EXPECT_LT(variants.elapsed(), 60);
}
