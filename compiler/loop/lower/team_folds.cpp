// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Folds what the items of a team have computed; then all of them have the result.
//
//   team0[slot] = s; for width = team; width > 1; width -= width / 2 { barrier; the upper half is folded onto the lower one }
//   barrier; s = team0[slot of lane 0]
//
// Where a team consists of whole warps, whose items can read each other's registers, those of a warp are folded there, and only one value
// of each warp goes through the group's memory:
//
//   for width = PB_WARP / 2; width > 0; width /= 2 { s = s + shuffle(s, width) }
//   if slot mod PB_WARP = 0 { team0[slot / PB_WARP] = s }
//   barrier; s = the sum of the warps' values
//
// Which of them a kernel has is known when it is built: PB_WARP is 1 on machines without warps. Source: Harris, Optimizing Parallel
// Reduction in CUDA.
#include "compiler/loop/lower/team_code.h"

namespace pbc::loop {
namespace {

using Op = Arithmetic::Op;

Expr dividedBy(const Expr &a, const Expr &b) { return arithmetic(Op::Divide, {a, b}); }
Expr warp() { return ofMachine("PB_WARP"); }

NodePtr halving(const char *iterator, const Expr &begin, long least, const Expr &step, const NodePtr &body) {
  return make({For{iterator, begin, arithmetic(Op::Greater, {index(iterator), integer(least)}),
                   arithmetic(Op::Negate, {step}), body}});
}

NodePtr throughMemory(const std::vector<TeamSum> &sums, const TeamCode &code) {
  const Expr width = index("width"), half = dividedBy(width, integer(2)), lane = index("lane");
  std::vector<NodePtr> all, fold, get;
  const Expr first =
      subtract(index("slot"), code.cells().areNeighbours ? multiply(lane, code.apart()) : lane);
  for (const TeamSum &s : sums) {
    const Expr own = code.ofItem(s.array, s.with.element);
    all.push_back(assignTo(own, s.local));
    fold.push_back(assignTo(own, combined(s.with, own, code.ofItem(s.array, s.with.element, index("half")))));
    get.push_back(assignTo(s.local, make(Expression{Local{s.array, s.with.element, {first}}})));
  }
  const NodePtr step =
      block({make({Barrier{}}), letNumber("half", subtract(width, half)),
             make({If{less(add(lane, index("half")), width), block(std::move(fold)), nullptr}})});
  all.push_back(halving("width", index("team"), 1, half, step));
  all.push_back(make({Barrier{}}));
  all.insert(all.end(), get.begin(), get.end());
  return block(std::move(all));
}

NodePtr throughWarps(const std::vector<TeamSum> &sums) {
  const Expr width = index("width"), slot = index("slot"), other = index("other"), w = index("w");
  std::vector<NodePtr> fold, put, get, others;
  for (const TeamSum &s : sums) {
    const auto ofWarp = [&](const Expr &number) { return TeamCode::ofWarp(s.array, s.with.element, number); };
    fold.push_back(scope({make({Shuffle{"other", s.with.element, s.local, width}}),
                          assignTo(s.local, combined(s.with, s.local, other))}));
    put.push_back(assignTo(ofWarp(dividedBy(slot, warp())), s.local));
    get.push_back(assignTo(s.local, ofWarp(index("firstWarp"))));
    others.push_back(assignTo(s.local, combined(s.with, s.local, ofWarp(add(index("firstWarp"), w)))));
  }
  const Expr isFirst = arithmetic(Op::Equal, {arithmetic(Op::Modulo, {slot, warp()}), integer(0)});
  std::vector<NodePtr> all{halving("width", dividedBy(warp(), integer(2)), 0,
                                   grouped(subtract(width, dividedBy(width, integer(2)))),
                                   block(std::move(fold))),
                           make({If{isFirst, block(std::move(put)), nullptr}}), make({Barrier{}}),
                           letNumber("firstWarp", dividedBy(grouped(subtract(slot, index("lane"))), warp()))};
  all.insert(all.end(), get.begin(), get.end());
  all.push_back(make(
      {For{"w", integer(1), less(w, dividedBy(index("team"), warp())), nullptr, block(std::move(others))}}));
  return block(std::move(all));
}

} // namespace

NodePtr foldedByTeam(const std::vector<TeamSum> &sums, const TeamCode &code) {
  const Expr areWarps = code.areWarps();
  if (!areWarps)
    return throughMemory(sums, code);
  return make({If{areWarps, throughWarps(sums), throughMemory(sums, code)}});
}

} // namespace pbc::loop
