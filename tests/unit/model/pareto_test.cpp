// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests the Pareto front by its definition.
#include "compiler/model/pareto.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace pbc::model;

namespace {

TEST(Pareto, Example) {
  EXPECT_EQ(paretoFront({{3, 1}, {1, 3}, {2, 2}, {3, 3}}), (std::vector<size_t>{1, 2, 0}));
  EXPECT_TRUE(paretoFront({}).empty());
  EXPECT_EQ(paretoFront({{1, 1}, {1, 1}}), (std::vector<size_t>{0})); // of equal ones the first
}

TEST(Pareto, IsWhatNoOtherPointBeats) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    std::vector<TwoCosts> points(random() % 40);
    for (TwoCosts &p : points) // few values: many ties
      p = {static_cast<double>(random() % 12), static_cast<double>(random() % 12)};
    const std::vector<size_t> front = paretoFront(points);
    for (size_t i = 0; i < points.size(); ++i) {
      const auto beats = [&](size_t j) { // j is no worse in both, and better or earlier
        return points[j].first <= points[i].first && points[j].second <= points[i].second &&
               (points[j].first < points[i].first || points[j].second < points[i].second || j < i);
      };
      bool beaten = false;
      for (size_t j = 0; j < points.size(); ++j)
        beaten |= j != i && beats(j);
      EXPECT_EQ(std::ranges::find(front, i) == front.end(), beaten);
    }
    for (size_t k = 1; k < front.size(); ++k) {
      EXPECT_LT(points[front[k - 1]].first, points[front[k]].first);
      EXPECT_GT(points[front[k - 1]].second, points[front[k]].second);
    }
  }
}

} // namespace
