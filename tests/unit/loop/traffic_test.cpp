// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Bytes that a kernel's own accesses load and store for each point.
#include "compiler/loop/traffic.h"
#include <gtest/gtest.h>

using namespace pbc::loop;

namespace {

const Matrix kMatrix{"A", Scalar::F32, 1};

Expr cell(const Expr &at) { return make(Expression{Element{0, {at}}}); }

NodePtr store(const Expr &at) { return make(Node{Assign{cell(at), {}, integer(0)}}); }

NodePtr load(const Expr &at, long together = 1) {
  Assign made{make(Expression{Local{"s", Scalar::F32, {}}}), {}, cell(at)};
  made.together = together;
  return make(Node{made});
}

NodePtr times(const Expr &count, NodePtr body, Hint::Unrolling unrolling) {
  For loop{"k", integer(0), less(index("k"), count), nullptr, std::move(body)};
  loop.hint.unrolling = unrolling;
  return make(Node{loop});
}

/// Of a body for each item, where `lane` is the item; groups have 32 items of 4 points.
std::optional<Traffic> of(NodePtr body) {
  const LaunchShape shape{{32, 1, 1}, {4, 1}, 1};
  body = block({std::move(body), store(index("lane"))});
  return trafficOf(
      {kMatrix}, make(Node{Parallel{Parallel::Over::Items, 0, "lane", integer(0), nullptr, std::move(body)}}),
      shape);
}

TEST(Traffic, CountsBytesOfAllLanes) {
  EXPECT_EQ(of(load(multiply(index("lane"), integer(4)), 4))->loaded, 4); // 16 bytes for 4 points
  EXPECT_EQ(of(load(index("lane")))->loaded, 1);
  const NodePtr edge = make(Node{If{less(index("lane"), integer(1)), load(integer(-1)), nullptr}});
  EXPECT_EQ(of(edge)->loaded, 1.0 / 32);
  EXPECT_EQ(of(edge)->stored, 1);
}

TEST(Traffic, WhatWrittenOutLoopsLoadAgainIsInARegister) {
  EXPECT_EQ(of(times(integer(3), load(index("lane")), Hint::Unrolling::Fully))->loaded, 1);
  EXPECT_EQ(of(times(integer(3), load(index("lane")), Hint::Unrolling::Never))->loaded, 3);
}

TEST(Traffic, IsNotKnownForLoopsAsLongAsSizesSay) {
  EXPECT_FALSE(of(times(index("n"), load(index("lane")), Hint::Unrolling::AsItLikes)));
}

} // namespace
