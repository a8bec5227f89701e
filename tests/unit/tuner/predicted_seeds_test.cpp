// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which choices are predicted to be fast, and which of them a search starts from.
#include "tests/unit/tuner/synthetic.h"
#include "tuner/evaluate/predicted_choices.h"

#include <gmock/gmock.h>

namespace pbc::tuner {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// One pass, or two of which the second may run by another schedule or on a device.
ProgramSpace spaceOfBlur() {
  ProgramSpace space;
  space.program = space.main = "Blur";
  space.sites.push_back({"Blur", "Blur", "", {{"direct", ""}, {"down", ""}}});
  Site place{"Blur", "place_down", "", {{"cpu", ""}, {"cpu:wide", ""}, {"cpu:tiles", ""}, {"gpu", ""}}};
  place.key = "place_down";
  space.sites.push_back(place);
  return space;
}

TransformBounds::Step predictedStep(const char *name, double seconds,
                                    std::vector<std::pair<std::string, double>> schedules = {}) {
  TransformBounds::Step step{name, {}, "", TransformBounds::Prediction{}};
  step.prediction->seconds = seconds;
  step.prediction->schedules = std::move(schedules);
  return step;
}

TransformBounds boundsOfBlur() {
  return {{{"direct", {predictedStep("direct", 4)}},
           {"down",
            {predictedStep("across", 2), predictedStep("down", 3, {{"cpu:wide", 1}, {"cpu:tiles", 5}})}}}};
}

std::vector<int> usesOf(const Configuration &c) {
  return {c.selectors()[0].select(100), c.selectors()[1].select(100)};
}

TEST(PredictedChoices, TheFastestScheduleOfEachRuleAndTheFastestAlternative) {
  const auto found = predictedChoices(spaceOfBlur(), boundsOfBlur(), 100, 2);
  ASSERT_EQ(found.size(), 1U) << "direct is the default";
  EXPECT_THAT(usesOf(found[0].configuration), ElementsAre(1, 1));
  EXPECT_DOUBLE_EQ(found[0].timesAsFast, 4.0 / 3);
}

TEST(PredictedChoices, TheFirstComesFirst) {
  TransformBounds bounds = boundsOfBlur();
  bounds.alternatives[0].steps[0].name = "down"; // it has schedules, too
  bounds.alternatives[0].steps[0].prediction->schedules = {{"cpu:tiles", 1}};
  const auto found = predictedChoices(spaceOfBlur(), bounds, 100, 2);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_THAT(usesOf(found[0].configuration), ElementsAre(0, 2));
  EXPECT_THAT(usesOf(found[1].configuration), ElementsAre(1, 1));
  EXPECT_EQ(predictedChoices(spaceOfBlur(), bounds, 100, 1).size(), 1U);
}

TEST(PredictedChoices, NothingIsComparedWithWhatIsNotPredicted) {
  TransformBounds bounds = boundsOfBlur();
  bounds.alternatives[1].steps[0].prediction->why = "it calls something";
  EXPECT_THAT(predictedChoices(spaceOfBlur(), bounds, 100, 2), IsEmpty());
  bounds = boundsOfBlur();
  bounds.alternatives[0].steps[0].prediction.reset();
  EXPECT_THAT(predictedChoices(spaceOfBlur(), bounds, 100, 2), IsEmpty()) << "the default has no time";
}

TEST(PredictedChoices, WhatTheSearchMustNotChangeStays) {
  ProgramSpace space = spaceOfBlur();
  space.sites[1].isFixed = true;
  EXPECT_THAT(predictedChoices(space, boundsOfBlur(), 100, 2), IsEmpty()) << "5 s with the place as it is";
  space = spaceOfBlur();
  space.sites[0].isFixed = true;
  EXPECT_THAT(predictedChoices(space, boundsOfBlur(), 100, 2), IsEmpty());
}

/// Times by the first choice; counts what was measured.
struct Times : Evaluator {
  std::vector<double> seconds; // of direct, and of down by each schedule
  std::vector<std::vector<int>> measured;
  Measurement measure(const Request &request) override {
    const std::vector<int> uses = usesOf(request.configuration);
    measured.push_back(uses);
    EXPECT_EQ(request.size, 7);
    const double took = seconds[std::size_t(uses[0] == 0 ? 0 : 1 + uses[1])];
    if (took <= 0)
      return {{}, Rejected{Failure::WrongResult, "is wrong"}};
    return {std::vector<double>(std::size_t(request.trials), took), {}};
  }
  double elapsed() const override { return 0; }
  bool stopped() const override { return false; }
};

std::vector<std::vector<int>> startWith(Times &times, const std::vector<std::pair<int, double>> &predicted,
                                        double seconds = 100) {
  const ProgramSpace space = spaceOfBlur();
  const Configuration defaults = Configuration::defaults(space);
  std::vector<PredictedSeed> seeds;
  for (const auto &[place, timesAsFast] : predicted)
    seeds.push_back({defaults.withSelector(0, Selector(1)).withSelector(1, Selector(place)), timesAsFast});
  Silent silent;
  std::vector<std::vector<int>> start;
  for (const Configuration &c :
       startOf(seeds, defaults, {"n=100", 100, times.seconds[0]}, 7, seconds, times, silent))
    start.push_back(usesOf(c));
  return start;
}

TEST(PredictedSeeds, AreMeasuredAtTheFullSizeAndTheFastestComesFirst) {
  Times times;
  times.seconds = {1, 0.6, 0.5, 0.4};
  EXPECT_THAT(startWith(times, {{0, 2.1}, {1, 2}, {2, 1.9}}),
              ElementsAre(ElementsAre(1, 2), ElementsAre(1, 1), ElementsAre(1, 0)));
  EXPECT_EQ(times.measured.size(), 4U);
}

TEST(PredictedSeeds, WhatIsSlowerThanTheDefaultIsLeftOut) {
  Times times;
  times.seconds = {1, 1.1, 0.9};
  EXPECT_THAT(startWith(times, {{0, 1.3}, {1, 1.2}}), ElementsAre(ElementsAre(1, 1)));
}

TEST(PredictedSeeds, AModelThatIsFarOffIsNotFollowed) {
  Times times;
  times.seconds = {1, 0.9, 0.5};
  EXPECT_THAT(startWith(times, {{0, 2}, {1, 1.9}}), ElementsAre(ElementsAre(1, 0)));
  EXPECT_EQ(times.measured.size(), 2U);
  times.seconds = {1, 0, 0.5}; // gives a wrong result
  EXPECT_THAT(startWith(times, {{0, 2}, {1, 1.9}}), IsEmpty());
}

TEST(PredictedSeeds, WithoutTimeTheyAreTakenAsTheyAre) {
  Times times;
  times.seconds = {1, 0.9, 0.5};
  EXPECT_EQ(startWith(times, {{0, 2}, {1, 1.9}}, 2.9).size(), 2U) << "three runs of a second";
  EXPECT_THAT(times.measured, IsEmpty());
  EXPECT_EQ(startWith(times, {{1, 1.9}}, 2.1).size(), 1U);
  EXPECT_EQ(times.measured.size(), 2U);
}

/// At counted trials none is taken for it, and the search tries them as other configurations that it begins with.
TEST(PredictedSeeds, ASearchBeginsWithThem) {
  const ProgramSpace space = syntheticSpace();
  const std::vector<TestSize> sizes{{"n=64", 64, 1e-3}, {"n=4096", 4096, 1e-3}};
  const Configuration seed =
      Configuration::defaults(space).withSelector(0, Selector(Synthetic::bestAlternative(4096, 12)));
  struct First : Synthetic {
    using Synthetic::Synthetic;
    std::vector<std::pair<int, std::string>> asked;
    Measurement measure(const Request &request) override {
      asked.emplace_back(request.size, request.configuration.key());
      return Synthetic::measure(request);
    }
  };
  Silent silent;
  for (const int trials : {0, 60}) {
    First evaluator(space, sizes, 0, 1);
    TuneSettings settings{.deadline = 5, .trials = trials};
    settings.predicted = {{seed, 1.5}};
    tune(space, sizes, {}, settings, evaluator, silent);
    ASSERT_GT(evaluator.asked.size(), 3U);
    EXPECT_EQ(evaluator.asked[1], std::pair(1, seed.key())) << trials;
    const bool isSeedAgain =
        evaluator.asked[2].second == seed.key() || evaluator.asked[3].second == seed.key();
    EXPECT_EQ(isSeedAgain, trials == 0) << "in the search itself, which begins at a small size";
  }
}

} // namespace
} // namespace pbc::tuner
