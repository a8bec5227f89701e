// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/verify.h"
#include <gmock/gmock.h>

namespace pbc::loop {
namespace {

using testing::HasSubstr;
using testing::Optional;

const Expr kCell = make(Expression{Element{0, {index("c0")}}});
NodePtr write(const Expr &cell) {
  return make(Node{Assign{cell, {}, make(Expression{Literal{"1.0", Scalar::F64}})}});
}
NodePtr loopOver(const std::string &iterator, NodePtr body) {
  return make(
      Node{For{iterator, integer(0), less(index(iterator), integer(8)), integer(1), std::move(body)}});
}

TEST(LoopVerify, NamesAreDeclaredAroundTheirUse) {
  EXPECT_EQ(problem(loopOver("c0", write(kCell)), Stage::Built), std::nullopt);
  EXPECT_THAT(problem(write(kCell), Stage::Built),
              Optional(HasSubstr("c0 is used where no loop and no Let declares it")));
  EXPECT_THAT(problem(block({loopOver("c0", write(kCell)), write(kCell)}), Stage::Built),
              Optional(HasSubstr("c0 is used")));
}

TEST(LoopVerify, ALetEndsWithItsScope) {
  const NodePtr let = make(Node{Let{{{"c0", integer(0)}}}});
  EXPECT_EQ(problem(block({let, write(kCell)}), Stage::Lowered), std::nullopt);
  EXPECT_THAT(problem(block({scope({let}), write(kCell)}), Stage::Lowered),
              Optional(HasSubstr("c0 is used")));
  EXPECT_THAT(problem(block({let, let}), Stage::Lowered), Optional(HasSubstr("declared again")));
}

TEST(LoopVerify, ScalarsNeedAnArray) {
  const NodePtr use = write(make(Expression{Local{"s", Scalar::F64, {}}}));
  EXPECT_THAT(problem(use, Stage::Built), Optional(HasSubstr("the scalar s is used")));
  EXPECT_EQ(problem(block({make(Node{Array{"s", Scalar::F64, {}}}), use}), Stage::Built), std::nullopt);
}

TEST(LoopVerify, OnlyCellsOfRowsAreTurned) {
  const Expr array = make(Expression{Local{"t", Scalar::F64, {integer(0), integer(0)}}});
  EXPECT_THAT(problem(make(Node{TurnedRows{integer(0), integer(0), array, 8}}), Stage::Lowered),
              Optional(HasSubstr("no cells")));
  EXPECT_THAT(problem(make(Node{TurnedRows{kCell, kCell, integer(0), 8}}), Stage::Lowered),
              Optional(HasSubstr("no array")));
}

TEST(LoopVerify, OnlyCellsArePrefetched) {
  EXPECT_THAT(problem(make(Node{Prefetch{integer(0)}}), Stage::Lowered), Optional(HasSubstr("no cells")));
  EXPECT_THAT(problem(make(Node{Prefetch{kCell}}), Stage::Lowered),
              Optional(HasSubstr("c0 is used where no loop and no Let declares it")));
  EXPECT_THAT(problem(make(Node{Prefetch{make(Expression{CellVector{kCell}})}}), Stage::Lowered),
              Optional(HasSubstr("c0 is used where no loop and no Let declares it")));
}

TEST(LoopVerify, NoRealisationIsLeftAfterLowering) {
  For loop = *loop::as<For>(loopOver("c0", write(kCell)));
  loop.how = kernel::as::Unroll{};
  EXPECT_EQ(problem(make(Node{loop}), Stage::Built), std::nullopt);
  EXPECT_THAT(problem(make(Node{loop}), Stage::Lowered),
              Optional(HasSubstr("still has the realisation unroll")));
}

TEST(LoopVerify, AllItemsReachBarriers) {
  const NodePtr barrier = make(Node{Barrier{}});
  const auto items = [](NodePtr body) {
    return make(Node{Parallel{Parallel::Over::Items, 0, "item", integer(0), integer(64), std::move(body)}});
  };
  EXPECT_EQ(problem(items(loopOver("c0", barrier)), Stage::Lowered), std::nullopt);
  const NodePtr first =
      make(Node{If{arithmetic(Arithmetic::Op::Equal, {index("item"), integer(0)}), barrier, nullptr}});
  EXPECT_THAT(problem(items(first), Stage::Lowered),
              Optional(HasSubstr("a barrier stands where not all items")));
  // A loop whose end differs, also by way of a Let.
  const NodePtr uneven =
      block({make(Node{Let{{{"end", add(index("item"), integer(1))}}}}),
             make(Node{For{"c0", integer(0), less(index("c0"), index("end")), integer(1), barrier}})});
  EXPECT_THAT(problem(items(uneven), Stage::Lowered), Optional(HasSubstr("a barrier stands")));
}

TEST(LoopVerify, AllItemsOfAWarpReachShuffles) {
  const Expr first = arithmetic(Arithmetic::Op::Equal, {index("item"), integer(0)});
  const NodePtr vote = make(Node{Vote{"together", first}}),
                shuffle = make(Node{Shuffle{"other", Scalar::F32, integer(0), integer(1)}});
  const auto items = [](NodePtr body) {
    return make(Node{Parallel{Parallel::Over::Items, 0, "item", integer(0), integer(64), std::move(body)}});
  };
  const auto when = [](const Expr &condition, NodePtr then) {
    return make(Node{If{condition, std::move(then), nullptr}});
  };
  const Expr agreed = arithmetic(Arithmetic::Op::Equal, {index("together"), integer(1)});
  EXPECT_EQ(problem(items(block({vote, when(agreed, shuffle)})), Stage::Lowered), std::nullopt);
  EXPECT_EQ(problem(items(block({vote, when(first, when(agreed, shuffle))})), Stage::Lowered), std::nullopt)
      << "all of the warp agree, so they all come here";
  EXPECT_THAT(problem(items(block({vote, when(agreed, when(first, shuffle))})), Stage::Lowered),
              Optional(HasSubstr("each other's registers")));
  EXPECT_THAT(problem(items(block({vote, when(first, shuffle)})), Stage::Lowered),
              Optional(HasSubstr("each other's registers")));
  EXPECT_THAT(problem(items(when(first, vote)), Stage::Lowered),
              Optional(HasSubstr("a warp votes where not all items")));
}

} // namespace
} // namespace pbc::loop
