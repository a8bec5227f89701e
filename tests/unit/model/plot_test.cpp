// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Plots: the numbers on their axes, and the text that is written.
#include "compiler/model/answer.h"
#include "compiler/model/command/axis.h"
#include "compiler/model/problem.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace pbc::model;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace {

TEST(Axis, RoundNumbers) {
  EXPECT_THAT(Axis(0.3, 97, false).ticks(), ElementsAre(0, 20, 40, 60, 80, 100));
  EXPECT_THAT(Axis(-3, 4, false).ticks(), ElementsAre(-4, -2, 0, 2, 4));
  EXPECT_THAT(Axis(2, 70, true).ticks(), ElementsAre(2, 5, 10, 20, 50, 100));
  EXPECT_DOUBLE_EQ(Axis(0, 100, false).share(50), 0.5);
  EXPECT_DOUBLE_EQ(Axis(1e-6, 1, true).share(1e-3), 0.5);
}

TEST(Axis, ValuesLieWithinDistinctTicks) {
  std::mt19937_64 random(9);
  const auto any = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random() % 100001) / 1e5;
  };
  for (int round = 0; round < 3000; ++round) {
    const bool logarithmic = round % 2;
    double a = std::pow(10, any(-30, 30)), b = a * std::pow(10, any(0, round % 3 ? 2 : 40));
    if (!logarithmic && round % 4 == 0)
      a = -a;
    const Axis axis(std::min(a, b), std::max(a, b), logarithmic);
    for (const double value : {a, b}) {
      EXPECT_GE(axis.share(value), -1e-9);
      EXPECT_LE(axis.share(value), 1 + 1e-9);
    }
    EXPECT_GE(axis.ticks().size(), 2U);
    EXPECT_LE(axis.ticks().size(), 14U);
    std::set<std::string> texts;
    for (const double tick : axis.ticks())
      EXPECT_TRUE(texts.insert(tickText(tick)).second) << tickText(tick);
  }
  EXPECT_GE(Axis(5, 5, false).ticks().size(), 2U); // one value
  EXPECT_GE(Axis(0, 0, false).ticks().size(), 2U);
  EXPECT_GE(Axis(5, 5, true).ticks().size(), 2U);
}

TEST(Axis, Texts) {
  EXPECT_EQ(tickText(0), "0");
  EXPECT_EQ(tickText(0.25), "0.25");
  EXPECT_EQ(tickText(-1500), "-1500");
  EXPECT_EQ(tickText(2e-6), "2×10⁻⁶");
  EXPECT_EQ(tickText(1e12), "10¹²");
  EXPECT_EQ(tickText(0.1 + 0.2), "0.3");
}

Answer answerWith(std::vector<PlotSeries> series) {
  Answer answer("a <title> & more");
  answer.plots.push_back({"area & time", "area <mm²>", "Giter/s", false, false, std::move(series)});
  return answer;
}

TEST(Svg, NamesAreEscapedAndTheTextIsTheSameEachTime) {
  const Answer answer =
      answerWith({{"all \"designs\" <3>", {{1, 2}, {3, 4}}}, {"front", {{1, 2}, {2, 3}}, true}});
  const std::string svg = asSvg(answer);
  EXPECT_EQ(svg, asSvg(answer));
  EXPECT_THAT(svg, HasSubstr("<title>area &amp; time</title>"));
  EXPECT_THAT(svg, HasSubstr("designs"));
  EXPECT_THAT(svg, Not(HasSubstr("<3>")));
  EXPECT_THAT(svg, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(svg, Not(HasSubstr("http://www.w3.org/1999"))); // nothing from elsewhere
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(Svg, ManyEqualPointsAreDrawnOnce) {
  const Answer once = answerWith({{"x", {{1, 1}, {2, 2}}}});
  Answer often = once;
  for (int i = 0; i < 10000; ++i)
    often.plots[0].series[0].points.emplace_back(1, 1);
  EXPECT_EQ(asSvg(once), asSvg(often));
}

TEST(Svg, WhatCannotBeDrawn) {
  EXPECT_THROW(asSvg(Answer("nothing")), Problem);
  EXPECT_THROW(asSvg(answerWith({{"x", {}}})), Problem);
  EXPECT_THROW(asSvg(answerWith({{"x", {{1, NAN}}}})), Problem);
  Answer zero = answerWith({{"x", {{0, 1}, {1, 1}}}});
  zero.plots[0].logarithmicX = true;
  EXPECT_THROW(asSvg(zero), Problem);
}

} // namespace
