// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which matrices of blocks of points may have any strides.
#include "compiler/emit/kernel/nest.h"
#include "compiler/kernel/policy/processor.h"
#include "compiler/loop/lower/lower.h"
#include "compiler/loop/strips.h"
#include "tests/unit/kernel/support.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pbc::loop {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// The names of these matrices in the default schedule of a rule for C[n, n] over A, B and D.
std::vector<std::string> free(const std::string &from, const std::string &body) {
  kernel::Lifted lifted("transform T from A[n, n], B[n, n], D[n, n] to C[n, n] { C.cell(x, y) from(" + from +
                        ") { " + body + " } }");
  EXPECT_EQ(lifted.messages, "");
  const Nest nest = emit::kernelNest(kernel::defaultSchedule(lifted.kernel()).kernel).nest;
  std::vector<std::string> names;
  for (const int b : ofAnyStrides(lower(nest, {.unitStride = true, .streams = true}).body, nest.buffers))
    names.push_back(nest.buffers[static_cast<std::size_t>(b)].name);
  return names;
}

/// A product that begins with `first`.
std::string product(const std::string &first) {
  return "double s = " + first + "; for (int i = 0; i < n; ++i) s += a.cell(i) * b.cell(i); return s;";
}

TEST(AnyStrides, ProductsInBlocks) {
  EXPECT_THAT(free("A.row(y) a, B.column(x) b", product("0")), UnorderedElementsAre("A", "B", "C"));
}

TEST(AnyStrides, WhatABlockLoadsOnce) {
  EXPECT_THAT(free("A.row(y) a, B.column(x) b, D.cell(x, y) d", product("d")),
              UnorderedElementsAre("A", "B", "C", "D"));
}

TEST(AnyStrides, NotWhatIsAlsoReadAsACell) {
  EXPECT_THAT(free("A.row(y) a, B.column(x) b, A.cell(0, y) first", product("first")),
              UnorderedElementsAre("B", "C"));
}

TEST(AnyStrides, NotWithoutBlocks) {
  EXPECT_THAT(free("A.cell(x, y) a, B.cell(x, y) b", "return a + b;"), IsEmpty());
}

} // namespace
} // namespace pbc::loop
