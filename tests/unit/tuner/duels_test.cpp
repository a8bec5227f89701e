// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which runs a duel consists of, and which configuration wins on a machine that gets slower all the time.
#include "tests/unit/tuner/synthetic.h"
#include "tuner/strategy/duels.h"

#include <gmock/gmock.h>

namespace pbc::tuner {
namespace {

using testing::ElementsAre;

/// Each request takes 1 % longer than the one before.
struct Tiring : Synthetic {
  using Synthetic::Synthetic;
  Measurement measure(const Request &request) override {
    Measurement result = Synthetic::measure(request);
    pace *= 1.01;
    for (double &seconds : result.seconds)
      seconds *= pace;
    return result;
  }
  double pace = 1;
};

class DuelsTest : public testing::Test {
protected:
  /// Takes 1 + |ratio - 5| / 8 times as long as the fastest.
  Configuration with(double ratio) const { return Configuration::defaults(space_).withTunable(0, ratio); }
  Duels duels(double ratio, Care care) {
    Candidate best{with(ratio), {}};
    tester_.test(best, 0, best.configuration);
    evaluator_.history.clear();
    return {tester_, best.configuration, 0, {1000.0}, care};
  }
  std::vector<int> history() const {
    std::vector<int> ratios;
    for (const std::string &key : evaluator_.history)
      for (int ratio = 0; ratio <= 8; ++ratio)
        if (key == with(ratio).key())
          ratios.push_back(ratio);
    return ratios;
  }

  ProgramSpace space_ = syntheticSpace(1);
  std::vector<TestSize> sizes_ = powersOfTwo(10, 10);
  Tiring evaluator_{space_, sizes_, 0, 1};
  Silent silent_;
  Tester tester_{space_, sizes_, evaluator_, silent_};
};

TEST_F(DuelsTest, EachTurnOfAChallengerLiesBetweenTwoOfTheBest) {
  Duels at = duels(4, Care::Sure);
  EXPECT_FALSE(at.isBeatenBy(with(2)));
  EXPECT_FALSE(at.isBeatenBy(with(8)));
  EXPECT_FALSE(at.isBeatenBy(with(2))) << "it is known";
  EXPECT_THAT(history(), ElementsAre(4, 2, 4, 8, 4)) << "a turn of the best serves two challengers";
}

TEST_F(DuelsTest, WhereMeasurementsAreCountedTheBestOneIsNotMeasuredForEachLoser) {
  Duels at = duels(4, Care::Sparing);
  for (const double ratio : {0, 1, 2, 3, 7, 8})
    EXPECT_FALSE(at.isBeatenBy(with(ratio)));
  EXPECT_THAT(history(), ElementsAre(4, 0, 1, 2, 3, 4, 7, 8));
}

TEST_F(DuelsTest, AMachineThatGetsSlowerFavoursNobody) {
  for (const Care care : {Care::Sure, Care::Sparing}) {
    Duels at = duels(4, care);
    EXPECT_FALSE(at.isBeatenBy(with(6))) << "takes as long";
    EXPECT_TRUE(at.isBeatenBy(with(5))) << "takes 11 % less";
    EXPECT_EQ(at.best(), with(5));
  }
}

TEST_F(DuelsTest, WhoIsRejectedDoesNotWin) {
  Duels at = duels(4, Care::Sparing);
  evaluator_.rejects = [](const Configuration &configuration, long) {
    return configuration.tunables()[0] == 5;
  };
  EXPECT_FALSE(at.isBeatenBy(with(5)));
  EXPECT_EQ(at.best(), with(4));
  EXPECT_FALSE(tester_.bans().faults().empty());
}

TEST_F(DuelsTest, TheDeadlineEndsADuelForTheBest) {
  Candidate best{with(4), {}};
  tester_.test(best, 0, best.configuration);
  Duels at(tester_, with(4), 0, {1000.0, tester_.measurements() + 3}, Care::Sure);
  EXPECT_FALSE(at.isBeatenBy(with(5)));
  EXPECT_FALSE(at.isBeatenBy(with(6)));
  EXPECT_EQ(at.best(), with(4));
}

} // namespace
} // namespace pbc::tuner
