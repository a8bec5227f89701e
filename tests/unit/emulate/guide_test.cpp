// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Searches that follow the bottleneck, in spaces whose times are formulas.
#include "compiler/emulate/guide.h"
#include "tests/unit/emulate/traces.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace pbc::emulate {
namespace {

TEST(Guide, HowManyTimesAsMuchKeepsAResourceBusy) {
  const nlohmann::json &known = vectorNamed("stepK");
  const struct {
    const char *name;
    double used, more;
  } all[] = {{"U=.3,dU=.2", .3, .2}, {"U=.5,dU=.25", .5, .25}, {"U=1", 1, .1}, {"dU=0", .5, 0}};
  for (const auto &one : all) {
    const std::optional<int> times = timesNeeded(one.used, one.more);
    EXPECT_EQ(times ? nlohmann::json(*times) : nlohmann::json(), known.at(one.name)) << one.name;
  }
}

/// Axes of powers of two. Memory is used in proportion to the product of the first two, until it is busy; each cell of an item along the third
/// halves what is loaded, and more than 4 of them cost half of the occupancy each time.
class Formula : public GuidedSpace {
public:
  const std::vector<std::vector<long>> &axes() const override { return axes_; }

  std::optional<Predicted> at(const Configuration &c) override { return atMost(c, 1); }
  std::optional<Predicted> atOccupancy(const Configuration &c, double most) override {
    return atMost(c, most);
  }
  std::vector<double> occupanciesBelow(const Configuration &c) override {
    const double here = at(c)->occupancy;
    return {here / 2, here / 4};
  }

  int asked = 0;

private:
  std::optional<Predicted> atMost(const Configuration &c, double most) {
    ++asked;
    const double at0 = double(axes_[0][std::size_t(c[0])]), at1 = double(axes_[1][std::size_t(c[1])]),
                 cells = double(axes_[2][std::size_t(c[2])]);
    if (at0 * at1 > 64)
      return {};
    Predicted made;
    made.occupancy = std::min(most, std::min(1.0, 4 / cells));
    const double used = std::min(1.0, at0 * at1 / 16 * made.occupancy), requests = 1000 / cells;
    made.seconds = requests / used;
    made.used = {used};
    made.requests = {requests};
    made.bottleneck = Parameter{0, used < 1 ? Mode::Latency : Mode::Throughput};
    return made;
  }

  const std::vector<std::vector<long>> axes_{{1, 2, 4, 8, 16, 32}, {1, 2, 4}, {1, 2, 4, 8, 16}};
};

TEST(Guide, RaisesConcurrencyAndThenSparesRequests) {
  Formula space;
  const Guided found = guide(space, {0, 0, 0});
  EXPECT_EQ(found.path.at(1), (Configuration{4, 0, 0})) << "1/16 more for each: 16 times as many";
  // The least of all configurations.
  double least = INFINITY;
  for (int a = 0; a < 6; ++a)
    for (int b = 0; b < 3; ++b)
      for (int c = 0; c < 5; ++c)
        if (const auto one = space.at({a, b, c}))
          least = std::min(least, one->seconds);
  EXPECT_EQ(found.seconds, least);
  EXPECT_EQ(space.at(found.best)->seconds, least);
}

TEST(Guide, NeverSeesAConfigurationTwiceAndIsNeverWorse) {
  for (int a = 0; a < 6; ++a)
    for (int c = 0; c < 5; ++c) {
      Formula space;
      const Guided found = guide(space, {a, 0, c});
      std::vector<Configuration> path = found.path;
      std::sort(path.begin(), path.end());
      EXPECT_EQ(std::adjacent_find(path.begin(), path.end()), path.end());
      EXPECT_LE(found.seconds, found.first);
    }
}

TEST(Guide, EndsAfterSoManyPredictions) {
  Formula space;
  const Guided found = guide(space, {0, 0, 0}, 5);
  EXPECT_LE(space.asked, 12) << "a step that has begun is ended";
  EXPECT_LE(found.seconds, found.first);
}

} // namespace
} // namespace pbc::emulate
