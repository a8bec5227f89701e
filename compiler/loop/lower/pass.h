// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the passes of lowering share; lower.cpp runs them one after the other.
#pragma once
#include "compiler/loop/lower/lower.h"
#include "compiler/loop/walk.h"
#include <set>

namespace pbc::loop {

/// What a pass knows besides the tree, and where it says what it leaves.
struct Lowering {
  const Nest &nest;
  const Target &target;
  std::vector<Left> &left;
  SharedOut &sharedOut;

  void leave(const For &loop, Left::Why why) { left.push_back({*loop.how, loop.iterator, why}); }
};

/// A pass over the loops: none of them changes expressions where it does not make new nodes.
class LoopPass : public Mutator {
public:
  explicit LoopPass(Lowering &lowering) : lowering_(lowering) {}
  Expr expr(const Expr &e) override { return e; }

protected:
  /// The same loop without a realisation.
  static NodePtr plain(For loop) {
    loop.how.reset();
    return make({std::move(loop)});
  }
  Lowering &lowering_;
};

/// How many cells a matrix of which a part is copied has along a dimension; whether it has any.
Expr sizeOf(const Matrix &, std::size_t dimension);
Expr hasCells(const Matrix &);

/// The realisation of a loop, if it is of this kind.
template <class How>
const How *realisedAs(const For *loop) {
  return loop && loop->how ? std::get_if<How>(&*loop->how) : nullptr;
}

/// Whether all points of an item are points of the launch, and what it keeps is in the matrices, where items have runs of points: a
/// variable of points.cpp.
inline constexpr const char *kWhole = "whole";
/// 1 where that is so for all items of a warp, which then read each other's registers.
inline constexpr const char *kTogether = "together";
/// 1 where all items of a warp come to all turns of planes, in which they read each other's registers.
inline constexpr const char *kInWarps = "inWarps";
/// The number of an item's turn along this axis: how many times PB_R1 rows of its points it has gone through before along axis 1, or how
/// many planes along axis 2. In turns of negative numbers it only reads what the first plane needs of the planes before it.
inline std::string turnOf(int axis) { return "turn" + std::to_string(axis); }
/// How many such turns there are in front of the turn with number 0.
long turnsBefore(const std::vector<Matrix> &);
/// How many cells along this dimension of an item's memory the next turn along the axis needs, too.
long keptAlong(const kernel::GroupDimension &, int axis);
/// Whether the boxes of cells that the item keeps lie in their matrices, for the copies into these memories; null if there are none, as
/// that follows from the item's points.
Expr hasBoxes(const NodePtr &body, const Nest &, std::set<int> &memories);
/// Whether there are copies for groups or items inside.
bool hasCopies(const NodePtr &);
/// Whether neighbouring items read common cells of a row of the matrix of which this memory has a part.
bool sharesRows(const Matrix &memory);

/// A counting loop over a variable that goes on in further loops: declares the variable and its end, which is returned.
Expr declareCounter(std::vector<NodePtr> &to, const For &);
/// Where the line of the cache begins from which on vectors are stored; `first` is the cell that the loop writes first.
Let::Variable line(const std::string &variable, const Expr &end, const Expr &first);
/// for (; variable < end; ++variable)
For goOn(const std::string &variable, const Expr &end, NodePtr body, Hint = {});
/// The vector loop as a hint.
Hint vectorHint(const kernel::as::Vector &);

/// Appends a vector loop over a declared counter; if it `isFromLine`, it first runs singly up to that line.
void addVectorLoop(std::vector<NodePtr> &to, const std::string &variable, const Expr &end,
                   const NodePtr &body, Hint, bool isFromLine);

NodePtr lowerPoints(const NodePtr &, Lowering &);
NodePtr lowerItemCopies(const NodePtr &, Lowering &);
NodePtr lowerTeams(const NodePtr &, Lowering &);
NodePtr lowerGroupCopies(const NodePtr &, Lowering &);
NodePtr lowerGuards(const NodePtr &, Lowering &);
NodePtr lowerGuardedPoints(const NodePtr &, Lowering &);
NodePtr lowerPrivateSums(const NodePtr &, Lowering &);
NodePtr lowerRegisters(const NodePtr &, Lowering &);
NodePtr lowerStream(const NodePtr &, Lowering &);
NodePtr lowerJam(const NodePtr &, Lowering &);
NodePtr lowerLanes(const NodePtr &, Lowering &);
NodePtr lowerLines(const NodePtr &, Lowering &);
NodePtr lowerInsides(const NodePtr &, Lowering &);
NodePtr lowerLengths(const NodePtr &, Lowering &);
NodePtr lowerHints(const NodePtr &, Lowering &);
NodePtr lowerFixedReads(const NodePtr &, Lowering &);
NodePtr lowerSelfCopies(const NodePtr &, Lowering &);
NodePtr lowerOnce(const NodePtr &, Lowering &);
NodePtr lowerRowParts(const NodePtr &, Lowering &);

} // namespace pbc::loop
