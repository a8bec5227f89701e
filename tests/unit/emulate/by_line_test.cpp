// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which lines an elasticity comes from.
#include "compiler/emulate/by_line.h"
#include <gtest/gtest.h>

namespace pbc::emulate {
namespace {

using RegionKind = Region::Kind;

const source::Origin kTwelve{{"five.pbcc", 12}, "Rows"}, kFifteen{{"five.pbcc", 15}, "Rows"};

std::vector<LineShare> sharesOf(const std::vector<std::pair<Region, double>> &all) {
  Trace trace;
  trace.regions.clear();
  Elasticity e;
  for (const auto &[region, value] : all) {
    trace.regions.push_back(region);
    e.byRegion.push_back(value);
  }
  return byLine(e, trace, 0.02);
}

TEST(ByLine, KindsOfOneLineAddUp) {
  const std::vector<LineShare> all = sharesOf({{{RegionKind::Copies, kFifteen}, 0.2},
                                               {{RegionKind::Stores, kTwelve}, 0.2},
                                               {{RegionKind::Loads, kTwelve}, 0.5},
                                               {{RegionKind::Computing, kTwelve}, 0.015}});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].origin, kTwelve) << "the greatest comes first";
  EXPECT_NEAR(all[0].value, 0.715, 1e-12) << "with what is too little to be named";
  EXPECT_EQ(all[0].parts, (std::vector<std::pair<RegionKind, double>>{{RegionKind::Loads, 0.5},
                                                                      {RegionKind::Stores, 0.2}}));
  EXPECT_EQ(all[1].origin, kFifteen);
}

TEST(ByLine, WhatHasNoLineStandsForItself) {
  const std::vector<LineShare> all = sharesOf({{{RegionKind::Computing}, 0.3},
                                               {{RegionKind::Starts}, 0.4},
                                               {{RegionKind::Loads}, 0.01},
                                               {{RegionKind::Loads, kTwelve}, 0.01}});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].parts, (std::vector<std::pair<RegionKind, double>>{{RegionKind::Starts, 0.4}}));
  EXPECT_EQ(all[1].parts, (std::vector<std::pair<RegionKind, double>>{{RegionKind::Computing, 0.3}}));
}

TEST(ByLine, RulesInOneLineStandApart) {
  const source::Origin other{kTwelve.line, "Columns"};
  const std::vector<LineShare> all = sharesOf({{{RegionKind::Loads, kTwelve}, 0.2},
                                               {{RegionKind::Loads, other}, 0.5},
                                               {{RegionKind::Stores, kTwelve}, 0.2}});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].origin, other);
  EXPECT_NEAR(all[1].value, 0.4, 1e-12) << "of both kinds";
}

TEST(ByLine, RulesOfATrace) {
  Trace trace;
  trace.regions = {{RegionKind::Starts},
                   {RegionKind::Loads, kTwelve},
                   {RegionKind::Stores, {kTwelve.line, "Columns"}},
                   {RegionKind::Stores, kFifteen}};
  EXPECT_EQ(rulesOf(trace), (std::vector<std::string>{"Rows", "Columns"}));
}

TEST(ByLine, Names) {
  EXPECT_EQ(nameOf(kTwelve, "five.pbcc", false), "line 12");
  EXPECT_EQ(nameOf(kTwelve, "main.pbcc", false), "line 12 of five.pbcc") << "other files are named";
  EXPECT_EQ(nameOf({{"a/five.pbcc", 12}}, "a//five.pbcc", false), "line 12") << "the same file";
  EXPECT_EQ(nameOf(kTwelve, "five.pbcc", true), "line 12 in Rows");
  EXPECT_EQ(nameOf(kTwelve, "main.pbcc", true), "line 12 of five.pbcc in Rows");
  EXPECT_EQ(nameOf({{"five.pbcc", 12}}, "five.pbcc", true), "line 12") << "of no rule";
}

} // namespace
} // namespace pbc::emulate
