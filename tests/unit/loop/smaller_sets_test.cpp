// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What isl's loops are made from: parameters that nothing names, and divisions of the context.
#include "compiler/loop/smaller_sets.h"
#include "compiler/poly/poly.h"
#include <gmock/gmock.h>
#include <isl/schedule.h>

using namespace pbc;

namespace {

class SmallerSets : public testing::Test {
protected:
  /// The domain and the context that are left.
  std::string smaller(const std::string &domain, const std::string &band, const std::string &context) {
    const isl::schedule tree(texts_.get(), "{ domain: \"" + domain + "\", child: { schedule: \"" + band +
                                               "\", child: { sequence: [ { filter: \"" + domain +
                                               "\" } ] } } }");
    made_ = loop::withSmallerSets(tree, texts_.set(context));
    const isl::union_set left = isl::manage(isl_schedule_get_domain(made_.tree.get()));
    return poly::text(left) + " in " + poly::text(made_.context);
  }

  poly::Context texts_;
  loop::SmallerSets made_;
};

TEST_F(SmallerSets, ParametersThatNothingNames) {
  EXPECT_EQ(smaller("[n, low0, high0, low1, high1] -> { S[i] : low0 <= i < high0 }",
                    "[n, low0, high0, low1, high1] -> [{ S[i] -> [(i)] }]", "[n, low0] -> { : low0 >= 0 }"),
            "[low0, high0] -> { S[i] : low0 <= i < high0 } in [low0] -> {  : low0 >= 0 }");
}

/// One that only some sets name stays in all of them, in its place.
TEST_F(SmallerSets, TheOrderOfParametersStays) {
  EXPECT_EQ(smaller("[m, n, k, l] -> { S[i] : l <= i < k; T[i] : 0 <= i < m }",
                    "[m, n, k, l] -> [{ S[i] -> [(i)]; T[i] -> [(i)] }]", "[l, n, m] -> { : m >= 0 }"),
            "[m, k, l] -> { T[i] : 0 <= i < m; S[i] : l <= i < k } in [l, m] -> {  : m >= 0 }");
}

/// The bands and the filters are the old ones.
TEST_F(SmallerSets, NothingElseChanges) {
  smaller("[n, m] -> { S[i] : 0 <= i < n }", "[n, m] -> [{ S[i] -> [(n - i)] }]", "[n, m] -> { : n >= 0 }");
  const isl::schedule same(texts_.get(), R"({ domain: "[n] -> { S[i] : 0 <= i < n }",
    child: { schedule: "[n] -> [{ S[i] -> [(n - i)] }]",
      child: { sequence: [ { filter: "[n] -> { S[i] : 0 <= i < n }" } ] } } })");
  EXPECT_TRUE(isl_schedule_plain_is_equal(made_.tree.get(), same.get()));
}

/// The last turn of two arrays in turns is even: the instances need no bound by sizes of their own, and the context no division.
TEST_F(SmallerSets, DivisionsOfTheContext) {
  EXPECT_EQ(smaller("[n, high0] -> { S[t] : 0 <= 2t < high0 and 2t <= n }",
                    "[n, high0] -> [{ S[t] -> [(t)] }]", "[n, high0] -> { : high0 <= 1 + 2*floor(n/2) }"),
            "[n, high0] -> { S[t] : t >= 0 and 2t < high0 } in [n, high0] -> {  : high0 <= 1 + n }");
}

/// Without a division, isl finds out itself what the context has said.
TEST_F(SmallerSets, ContextWithoutDivisions) {
  EXPECT_EQ(smaller("[n, high0] -> { S[t] : 0 <= t < high0 and t < n }", "[n, high0] -> [{ S[t] -> [(t)] }]",
                    "[n, high0] -> { : high0 <= n }"),
            "[n, high0] -> { S[t] : 0 <= t < high0 and t < n } in [n, high0] -> {  : high0 <= n }");
}

} // namespace
