// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What dependences do to functions of the points: as the definitions say, by maps of all pairs.
#include "compiler/kernel/legal.h"
#include "compiler/poly/poly.h"
#include <gtest/gtest.h>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>

using namespace pbc::kernel;

namespace {

class Legal : public testing::Test {
protected:
  isl::union_map pairs(const char *text) const {
    return isl::manage(isl_union_map_read_from_str(context_.get().get(), text));
  }
  isl::union_pw_aff function(const char *text) const {
    return isl::manage(isl_union_pw_aff_read_from_str(context_.get().get(), text));
  }

  /// Both answers, which must be those of the definitions.
  std::pair<bool, bool> answers(const isl::union_map &dependences, const isl::union_pw_aff &f) const {
    const isl::union_map value = isl::manage(isl_union_map_from_union_pw_aff(f.copy()));
    const isl::union_map down = isl::manage(isl_union_map_lex_gt_union_map(value.copy(), value.copy()));
    EXPECT_EQ(neverDecreases(dependences, f), dependences.intersect(down).is_empty());
    EXPECT_EQ(neverChanges(dependences, f), dependences.is_subset(equalAt(dependences, f)));
    return {neverDecreases(dependences, f), neverChanges(dependences, f)};
  }

  static constexpr std::pair<bool, bool> kStays{true, true}, kGrows{true, false}, kFalls{false, false};
  pbc::poly::Context context_;
};

TEST_F(Legal, OneStatement) {
  const isl::union_map next = pairs("[n] -> { S[i, j] -> S[i + 1, j] : 0 <= i < n }");
  EXPECT_EQ(answers(next, function("{ S[i, j] -> [(i)] }")), kGrows);
  EXPECT_EQ(answers(next, function("{ S[i, j] -> [(j)] }")), kStays);
  EXPECT_EQ(answers(next, function("{ S[i, j] -> [(j - i)] }")), kFalls);
}

TEST_F(Legal, SeveralStatements) {
  const isl::union_map both = pairs("{ S[i] -> R[i]; R[i] -> S[i + 1] }");
  EXPECT_EQ(answers(both, function("{ S[i] -> [(i)]; R[i] -> [(i)] }")), kGrows);
  EXPECT_EQ(answers(both, function("{ S[i] -> [(2 * i)]; R[i] -> [(2 * i + 3)] }")), kFalls);
}

TEST_F(Legal, ParametersOfOneSideOnly) {
  const isl::union_map next = pairs("[n] -> { S[i] -> S[i + n] : n > 0 }");
  EXPECT_EQ(answers(next, function("[m] -> { S[i] -> [(i + m)] }")), kGrows);
  EXPECT_EQ(answers(next, function("[m, n] -> { S[i] -> [(m - i)] }")), kFalls);
}

TEST_F(Legal, Pieces) {
  const isl::union_map next = pairs("{ S[i] -> S[i + 1] : 0 <= i < 8 }");
  EXPECT_EQ(answers(next, function("{ S[i] -> [(i)] : i < 4; S[i] -> [(4)] : i >= 4 }")), kGrows);
  EXPECT_EQ(answers(next, function("{ S[i] -> [(i)] : i < 4; S[i] -> [(2)] : i >= 4 }")), kFalls);
  EXPECT_EQ(answers(next, function("{ S[i] -> [(floor((i + 100)/200))] }")), kStays);
}

TEST_F(Legal, WithoutDependences) {
  EXPECT_EQ(answers(pairs("{ }"), function("{ S[i] -> [(-i)] }")), kStays);
}

TEST_F(Legal, WhereTheFunctionIsNotDefined) {
  EXPECT_EQ(answers(pairs("{ S[i] -> R[i] }"), function("{ S[i] -> [(i)] }")), kGrows);
}

} // namespace
