// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Vector loops of tiles in time, which begin anywhere: singly up to the line of the cache from which on vectors are stored.
//
//   for c1 [vector] B[c1] = ..
//   =>  { c1 = begin; c1_e = end, c1_a = c1 + cellsToLine(B[c1], c1_e - c1)
//         for ; c1 < c1_a  { B[c1] = .. }  [no vectors]
//         for ; c1 < c1_e  { B[c1] = .. }  [vectors] }
#include "compiler/loop/lower/pass.h"

namespace pbc::loop {

Expr declareCounter(std::vector<NodePtr> &to, const For &loop) {
  Let counter{{{loop.iterator, loop.begin}}};
  counter.isConstant = false;
  to.push_back(make({std::move(counter)}));
  const std::string end = loop.iterator + "_e";
  to.push_back(make({Let{{{end, endOf(loop)}}}}));
  return index(end);
}

Let::Variable line(const std::string &variable, const Expr &end, const Expr &first) {
  const Expr at = index(variable);
  return {variable + "_a", add(at, make({CellsToLine{first, subtract(end, at)}}))};
}

For goOn(const std::string &variable, const Expr &end, NodePtr body, Hint hint) {
  return {variable, nullptr, less(index(variable), end), nullptr, std::move(body), {}, hint};
}

void addVectorLoop(std::vector<NodePtr> &to, const std::string &variable, const Expr &end,
                   const NodePtr &body, Hint hint, bool isFromLine) {
  if (isFromLine)
    to.push_back(make({goOn(variable, index(variable + "_a"), body,
                            {.vectors = Hint::Vectors::Never, .unrolling = Hint::Unrolling::Never})}));
  to.push_back(make({goOn(variable, end, body, hint)}));
}

namespace {

struct Lines : LoopPass {
  using LoopPass::LoopPass;
  NodePtr node(const NodePtr &n) override {
    NodePtr below = Mutator::node(n);
    const For *loop = as<For>(below);
    const auto *how = realisedAs<kernel::as::Vector>(loop);
    if (!how || !lowering_.target.unitStride || !lowering_.nest.isTiledInTime || !isCounting(*loop))
      return below;
    const Assign *body = as<Assign>(loop->body);
    if (!body || !as<Element>(body->target))
      return below;
    std::vector<NodePtr> all;
    const Expr end = declareCounter(all, *loop);
    Let ends = *as<Let>(all.back());
    ends.variables.push_back(line(loop->iterator, end, body->target));
    all.back() = make({std::move(ends)});
    addVectorLoop(all, loop->iterator, end, loop->body, vectorHint(*how), true);
    return scope(std::move(all));
  }
};

} // namespace

NodePtr lowerLines(const NodePtr &n, Lowering &lowering) { return Lines(lowering).node(n); }

} // namespace pbc::loop
