// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/lower/join_steps.h"
#include "compiler/loop/print.h"
#include "compiler/loop/walk.h"
#include <algorithm>

namespace pbc::loop {
namespace {

/// The strips that a node reads, in their order.
std::vector<int> stripsOf(const NodePtr &n) {
  struct Strips : Visitor {
    std::vector<int> all;
    void expr(const Expr &e) override {
      if (const StripValue *strip = as<StripValue>(e);
          strip && std::find(all.begin(), all.end(), strip->strip) == all.end())
        all.push_back(strip->strip);
      Visitor::expr(e);
    }
  } strips;
  strips.node(n);
  return strips.all;
}

/// The statements of a loop at the points of a block; null if some have no such form.
NodePtr stepOf(BlockPoint &points, const CountingLoop &loop) {
  std::vector<NodePtr> all;
  for (const NodePtr &one : sequence(loop.body)) {
    const NodePtr made = points.of(*as<Assign>(one), loop.iterator, false).node;
    if (!made)
      return nullptr;
    all.push_back(replaced(made, {{loop.iterator, index(BlockOfPoints::kK)}}));
  }
  return block(std::move(all));
}

} // namespace

NodePtr withStrips(const NodePtr &n, const std::vector<int> &order) {
  struct Numbers : Mutator {
    const std::vector<int> &order;
    explicit Numbers(const std::vector<int> &order) : order(order) {}
    Expr expr(const Expr &e) override {
      const StripValue *strip = as<StripValue>(e);
      if (!strip)
        return Mutator::expr(e);
      const auto at = std::find(order.begin(), order.end(), strip->strip);
      return make({StripValue{static_cast<int>(at - order.begin()), strip->step}});
    }
  };
  return Numbers(order).node(n);
}

std::optional<JoinedSteps> joinedSteps(const Nest &nest, const std::string &y, const std::string &x,
                                       const CountingLoop &first, const CountingLoop &second) {
  if (text(nest, first.end) != text(nest, second.begin))
    return std::nullopt;
  BlockPoint points(nest, y, x);
  const NodePtr one = stepOf(points, first), other = stepOf(points, second);
  if (!one || !other)
    return std::nullopt;
  JoinedSteps made{stripsOf(one), stripsOf(other), {}, second.begin};
  const std::vector<Registers::Strip> &strips = nest.registers->strips;
  if (made.operands.size() != made.takers.size() || strips.size() != 2 * made.operands.size() ||
      text(nest, withStrips(one, made.operands)) != text(nest, withStrips(other, made.takers)))
    return std::nullopt;
  for (std::size_t k = 0; k < made.operands.size(); ++k) {
    const auto from = static_cast<std::size_t>(made.operands[k]),
               to = static_cast<std::size_t>(made.takers[k]);
    const Registers::Strip &a = strips[from], &b = strips[to];
    made.taken.push_back(points.firstCell(to));
    if (a.isAlongX != b.isAlongX || a.isOutput || b.isOutput || !made.taken.back())
      return std::nullopt;
    if (a.isAlongX && !(text(nest, points.firstCell(from)) == text(nest, made.taken.back()) &&
                        a.across == b.across && a.step == b.step))
      return std::nullopt;
  }
  return made;
}

} // namespace pbc::loop
