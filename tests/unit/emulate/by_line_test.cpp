// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which lines an elasticity comes from.
#include "compiler/emulate/by_line.h"
#include <gtest/gtest.h>

namespace pbc::emulate {
namespace {

using RegionKind = Region::Kind;

const source::Line kTwelve{"five.pbcc", 12}, kFifteen{"five.pbcc", 15};

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
  EXPECT_EQ(all[0].line, kTwelve) << "the greatest comes first";
  EXPECT_NEAR(all[0].value, 0.715, 1e-12) << "with what is too little to be named";
  EXPECT_EQ(all[0].parts, (std::vector<std::pair<RegionKind, double>>{{RegionKind::Loads, 0.5},
                                                                      {RegionKind::Stores, 0.2}}));
  EXPECT_EQ(all[1].line, kFifteen);
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

TEST(ByLine, OtherFilesAreNamed) {
  EXPECT_EQ(nameOf(kTwelve, "five.pbcc"), "line 12");
  EXPECT_EQ(nameOf(kTwelve, "main.pbcc"), "line 12 of five.pbcc");
  EXPECT_EQ(nameOf({"a/five.pbcc", 12}, "a//five.pbcc"), "line 12") << "the same file";
}

} // namespace
} // namespace pbc::emulate
