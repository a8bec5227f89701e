// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How loops are realised, as values on the marks of a schedule tree.
#include "compiler/kernel/tree.h"
#include "compiler/poly/poly.h"
#include <gtest/gtest.h>
#include <isl/schedule.h>
#include <isl/union_set.h>

using namespace pbc;
using namespace pbc::kernel;

namespace {

isl::schedule_node someDomain(poly::Context &context) {
  isl_union_set *domain = isl_union_set_read_from_str(context.get().get(), "{ S[i] : 0 <= i < 10 }");
  isl_schedule *schedule = isl_schedule_from_domain(domain);
  isl_schedule_node *root = isl_schedule_get_root(schedule);
  isl_schedule_free(schedule);
  return isl::manage(isl_schedule_node_child(root, 0));
}

} // namespace

TEST(Realisation, AMarkReturnsWhatWasInserted) {
  poly::Context context;
  const isl::schedule_node leaf = someDomain(context);
  EXPECT_FALSE(markAt(leaf)) << "a leaf is no mark";
  for (const Mark &mark :
       {Mark(as::Scalar{}), Mark(as::Rolled{}), Mark(as::Vector{}), Mark(as::Vector{4}), Mark(as::Jam{3}),
        Mark(as::Unroll{}), Mark(as::Lanes{32}), Mark(as::Registers{}), Mark(Declare{"s"})}) {
    const isl::schedule_node marked = insertMark(leaf, mark);
    EXPECT_EQ(markAt(marked), mark) << text(mark);
  }
  EXPECT_EQ(realisedAs<as::Jam>(insertMark(leaf, as::Jam{3})), as::Jam{3});
  EXPECT_FALSE(realisedAs<as::Vector>(insertMark(leaf, as::Jam{3})));
  EXPECT_FALSE(realisedAs<as::Vector>(insertMark(leaf, Declare{"vector"})));
}

TEST(Realisation, MarksOutliveTheirTree) {
  poly::Context context;
  std::optional<Mark> mark;
  {
    const isl::schedule_node marked = insertMark(someDomain(context), Declare{"a local with a long name"});
    const isl::schedule copy = withDepths(isl::manage(isl_schedule_node_get_schedule(marked.get())));
    mark = markAt(isl::manage(isl_schedule_node_child(isl_schedule_get_root(copy.get()), 0)));
  }
  EXPECT_EQ(mark, Mark(Declare{"a local with a long name"}));
}

TEST(Realisation, TextsAndWords) {
  EXPECT_EQ(text(Mark(as::Vector{})), "vector");
  EXPECT_EQ(text(Mark(as::Vector{4})), "vector:4");
  EXPECT_EQ(text(Mark(as::Lanes{32})), "lanes:32");
  EXPECT_EQ(text(Mark(Declare{"s"})), "alloc:s");
  EXPECT_EQ(words(as::Vector{4}), "vectors, 4 at once");
  EXPECT_EQ(words(as::Jam{3}), "3 at once");
}
