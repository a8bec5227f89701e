// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Vector loops in which only the first and the last iterations, or those of the first and the last rows, have to ask where they are, as
// optional inputs of a rule ask, and coordinates that wrap around: the iterations in between get a loop of their own, which does not.
//
//   for c1 = 0; c1 < m [vector]  B[c1, c0] = (int(c1) - 1 >= 0 && int(c1) - 1 < int(n) && int(c0) < int(h) ? A[c1 - 1, c0] : 0.0)
//   =>  { c1 = 0; c1_e = m, c1_i = min(max(c1, 1), c1_e), c1_o = max(min(c1_e, n + 1), c1_i)
//         for ; c1 < c1_i  [vector]  B[c1, c0] = (.. ? A[c1 - 1, c0] : 0.0)
//         if c0 < h  for ; c1 < c1_o  [vector]  B[c1, c0] = A[c1 - 1, c0]
//         for ; c1 < c1_e  [vector]  B[c1, c0] = (.. ? A[c1 - 1, c0] : 0.0) }
//
// Cells that the first and the last iterations choose lie anywhere, so that they are read one by one; those that the first and the last rows choose
// lie side by side all the same:
//
//   B[c1, c0] = (c1 < 1 ? A[c1 + w - 1, c0] : A[c1 - 1, c0]) + (c0 < 1 ? A[c1, h - 1] : A[c1, c0 - 1])
//   =>  { for ; c1 < c1_i  [no vectors]  B[c1, c0] = A[c1 < 1 ? c1 + w - 1 : c1 - 1, c0] + A[c1, c0 < 1 ? h - 1 : c0 - 1]
//         if c0 >= 1  for ; c1 < c1_o  [vector]  B[c1, c0] = A[c1 - 1, c0] + A[c1, c0 - 1]
//         else        for ; c1 < c1_o  [vector]  B[c1, c0] = A[c1 - 1, c0] + A[c1, c0 < 1 ? h - 1 : c0 - 1] }
//
// A loop of constant length, a block of cells that is stored past the caches, is not cut: if it lies between the two places, it does not ask.
//
// Invariant: each iteration computes what it did, with the same operations on the values that it takes, so that results keep their bits.
#include "compiler/loop/lower/chosen_cells.h"
#include "compiler/loop/lower/pass.h"

namespace pbc::loop {
namespace {

class Insides : public LoopPass {
public:
  using LoopPass::LoopPass;

  NodePtr node(const NodePtr &n) override {
    const For *loop = as<For>(n);
    const bool isVector =
        realisedAs<kernel::as::Vector>(loop) || (loop && loop->hint.vectors == Hint::Vectors::Always);
    if (!loop || !isCounting(*loop) || (!isVector && !isPlain(*loop)))
      return Mutator::node(n);
    const ChosenAlike inside(loop->iterator, loop->body, ChosenAlike::Which::All);
    if (inside.hasLoops())
      return Mutator::node(n);
    if (inside.body == loop->body)
      return n;
    const Parts parts = partsOf(*loop, inside);
    if (!isVector && !parts.hasPlaces)
      return n;
    return constantLength(*loop) ? chosen(*loop, parts, inside) : cut(*loop, parts, inside);
  }

private:
  /// A loop of which LLVM makes what it likes, as those of bodies.
  static bool isPlain(const For &loop) {
    return loop.begin && !loop.how && loop.hint == Hint{} && !ChosenAlike::constantRange(loop);
  }

  /// What the loop becomes for different points.
  struct Parts {
    For anywhere;    // the loop for all points
    NodePtr inside;  // points where nothing is asked
    NodePtr along;   // the same where only the loop's variable is known to be inside; null: as anywhere
    NodePtr outside; // all other values of the loop's variable; null: as anywhere
    bool hasPlaces = false; // whether points choose between cells of one matrix
  };

  Parts partsOf(const For &loop, const ChosenAlike &inside) const {
    Parts parts{loop, inside.body, nullptr, nullptr};
    ChosenPlaces places(lowering_.nest, loop.iterator);
    parts.anywhere.body = places.node(loop.body);
    if (!places.hasAny)
      return parts;
    parts.hasPlaces = true;
    const auto withPlaces = [&](ChosenAlike::Which which) {
      return ChosenPlaces(lowering_.nest, loop.iterator)
          .node(ChosenAlike(loop.iterator, loop.body, which).body);
    };
    if (inside.invariant())
      parts.along = withPlaces(ChosenAlike::Which::AlongLoop);
    if (places.isAlongLoop && inside.isOneSided())
      parts.outside = withPlaces(ChosenAlike::Which::Outside);
    if (places.isAlongLoop) { // reads of cells that lie anywhere, at a few points
      parts.anywhere.how.reset();
      parts.anywhere.hint = {.vectors = Hint::Vectors::Never, .unrolling = Hint::Unrolling::Never};
    }
    return parts;
  }

  /// Whether the end is the begin and a constant, written so.
  static bool constantLength(const For &loop) {
    const Arithmetic *end = loop.begin ? as<Arithmetic>(endOf(loop)) : nullptr;
    return end && end->op == Arithmetic::Op::Add && end->operands[0] == loop.begin &&
           as<Integer>(end->operands[1]);
  }

  static Expr both(const Expr &a, const Expr &b) {
    return a && b ? arithmetic(Arithmetic::Op::And, {a, b}) : a ? a : b;
  }

  static NodePtr withBody(For loop, const NodePtr &body) {
    loop.body = body;
    return make({std::move(loop)});
  }

  static NodePtr chosen(const For &loop, const Parts &parts, const ChosenAlike &inside) {
    const Expr from = inside.from(), before = inside.before(), invariant = inside.invariant();
    Expr isInside = from ? arithmetic(Arithmetic::Op::LessEqual, {from, loop.begin}) : nullptr;
    isInside =
        both(isInside, before ? arithmetic(Arithmetic::Op::LessEqual, {endOf(loop), before}) : nullptr);
    const NodePtr straight = withBody(loop, parts.inside), anywhere = make({parts.anywhere});
    if (!parts.along)
      return make({If{both(isInside, invariant), straight, anywhere}});
    const NodePtr along = make({If{invariant, straight, withBody(loop, parts.along)}});
    return isInside ? make({If{isInside, along, anywhere}}) : along;
  }

  static NodePtr cut(const For &loop, const Parts &parts, const ChosenAlike &inside) {
    const std::string begins = loop.iterator + "_i", ends = loop.iterator + "_o";
    std::vector<NodePtr> all;
    Expr end = endOf(loop);
    if (loop.begin)
      end = declareCounter(all, loop);
    const Expr at = index(loop.iterator), from = inside.from(), before = inside.before();
    all.push_back(make({Let{{{begins, from ? minimum(maximum(at, from), end) : at},
                             {ends, before ? maximum(minimum(end, before), index(begins)) : end}}}}));
    const auto part = [&](const Expr &until, const For &like, const NodePtr &of) {
      For one = goOn(loop.iterator, until, of, like.hint);
      one.how = like.how;
      return make({std::move(one)});
    };
    const auto outside = [&](const Expr &until) {
      return parts.outside ? part(until, loop, parts.outside)
                           : part(until, parts.anywhere, parts.anywhere.body);
    };
    if (from)
      all.push_back(outside(index(begins)));
    const NodePtr straight = part(index(ends), loop, parts.inside);
    all.push_back(inside.invariant()
                      ? make({If{inside.invariant(), straight,
                                 parts.along ? part(index(ends), loop, parts.along) : nullptr}})
                      : straight);
    if (before || (inside.invariant() && !parts.along))
      all.push_back(outside(end));
    return loop.begin ? scope(std::move(all)) : block(std::move(all));
  }
};

} // namespace

NodePtr lowerInsides(const NodePtr &n, Lowering &lowering) {
  if (lowering.target.isDevice)
    return n;
  const NodePtr cut = lowering.target.unitStride ? Insides(lowering).node(n) : n;
  return ChosenPlaces(lowering.nest, "").node(cut);
}

} // namespace pbc::loop
