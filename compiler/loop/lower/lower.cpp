// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/lower/pass.h"

namespace pbc::loop {

std::string words(Left::Why why) {
  switch (why) {
  case Left::Why::RunsOnce:
    return "the loop has only one iteration";
  case Left::Why::GeneralStrides:
    return "this is the version for matrices whose rows are not contiguous";
  case Left::Why::NotCounting:
    return "the loop does not go up in steps of one";
  case Left::Why::Branches:
    return "a condition inside differs between iterations that would run together";
  case Left::Why::BoundsMove:
    return "a loop inside has other bounds in the next iteration";
  case Left::Why::NoVectorLoop:
    return "the loop is not directly around a vector loop";
  case Left::Why::NotOneCell:
    return "the body of the vector loop does not compute one cell";
  case Left::Why::NotTwoLoops:
    return "the loop is not directly around another loop";
  case Left::Why::OwnRealisation:
    return "a loop inside is to be realised, too";
  case Left::Why::OtherBody:
    return "the body has other parts than statements and loops that go up in steps of one";
  case Left::Why::NoStrips:
    return "the loops inside differ between rows, and read nothing that moves along one side of a block only";
  case Left::Why::NotAnalysed:
    return "it is not known what a block of points would hold in registers";
  case Left::Why::Shifted:
    return "a statement's point is not the one at which the two loops are";
  case Left::Why::NotAllItems:
    return "not all items of a group come to all steps of the loop";
  case Left::Why::NoTeam:
    return "the points belong to no teams";
  }
  return "";
}

bool isExpected(Left::Why why) { return why == Left::Why::RunsOnce || why == Left::Why::GeneralStrides; }

Lowered lower(const Nest &nest, const Target &target) {
  Lowered result{nest.body, {}, {}};
  for (const kernel::Realisation &how : nest.withoutLoop)
    result.left.push_back({how, "", Left::Why::RunsOnce});
  Lowering lowering{nest, target, result.left, result.sharedOut};
  for (const auto pass :
       {lowerSelfCopies, lowerPoints, lowerTeams, lowerItemCopies, lowerGroupCopies, lowerPrivateSums,
        lowerGuards, lowerGuardedPoints, lowerRegisters, lowerStream, lowerJam, lowerLanes, lowerLines,
        lowerInsides, lowerLengths, lowerHints, lowerFixedReads, lowerOnce, lowerRowParts})
    result.body = pass(result.body, lowering);
  return result;
}

} // namespace pbc::loop
