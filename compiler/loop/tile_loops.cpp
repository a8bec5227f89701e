// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/tile_loops.h"
#include <algorithm>

namespace pbc::loop {
namespace {

using Op = Arithmetic::Op;

std::string ofFunction(const char *name, std::size_t k) { return name + std::to_string(k); }
NodePtr letOne(std::string name, Expr value) {
  return make({Let{.variables = {{std::move(name), std::move(value)}}, .mayBeUnused = true}});
}

class Tile {
public:
  explicit Tile(const std::vector<kernel::LoopNode> &items) : last_(items.size() - 1) {
    for (const kernel::LoopNode &item : items)
      isInRound_.push_back(std::get<kernel::as::Item>(*item.how).of == kernel::as::Item::Of::Round);
  }

  NodePtr loops(const NodePtr &body) const {
    NodePtr inside = block({letOne(ofFunction("item", last_), rest(0)), body});
    for (std::size_t k = 0; k < last_; ++k)
      inside = itemsAlong(k, inside);
    NodePtr all = make({For{"round", sum("begin", last_), less(index("round"), index("past")), nullptr,
                            block({inside, make({Barrier{}})})}});
    for (std::size_t k = 0; k < last_; ++k)
      all = make({Parallel{Parallel::Over::Items, axis(k), ofFunction("lane", k), integer(0), nullptr, all}});
    all = block({place(), all});
    for (std::size_t k = 0; k < last_; ++k)
      all = make({Parallel{Parallel::Over::Groups, axis(k), ofFunction("at", k),
                           ofLaunch(ofFunction("first", k)), nullptr, all}});
    return all;
  }

private:
  static int axis(std::size_t k) { return static_cast<int>(k); }

  /// The group's tile, and the end of its rounds.
  NodePtr place() const {
    std::vector<NodePtr> all;
    Expr at = ofLaunch("diagonal");
    for (std::size_t k = 0; k < last_; ++k)
      at = subtract(at, index(ofFunction("at", k)));
    all.push_back(letOne(ofFunction("at", last_), at));
    for (std::size_t k = 0; k <= last_; ++k) {
      const Expr size = ofLaunch(ofFunction("tile", k)), begin = index(ofFunction("begin", k));
      all.push_back(letOne(ofFunction("begin", k),
                           add(limit(ofFunction("low", k)), multiply(index(ofFunction("at", k)), size))));
      all.push_back(letOne(ofFunction("end", k), minimum(add(begin, size), limit(ofFunction("high", k)))));
    }
    const Expr isBefore = less(index(ofFunction("at", last_)), integer(0));
    const Expr isBehind =
        arithmetic(Op::GreaterEqual, {index(ofFunction("begin", last_)), index(ofFunction("end", last_))});
    all.push_back(letOne("past", arithmetic(Op::Choose, {arithmetic(Op::Or, {isBefore, isBehind}),
                                                         sum("begin", last_), lastOf(last_, 1)})));
    return block(std::move(all));
  }

  /// Whether function `k` is one of the round's functions below `limit`, or the last one.
  bool isSummand(std::size_t k, std::size_t limit) const {
    return isInRound_[k] && (k < limit || k == last_);
  }
  /// begin0 + begin2
  Expr sum(const char *name, std::size_t limit) const {
    Expr all;
    for (std::size_t k = 0; k <= last_; ++k)
      if (isSummand(k, limit))
        all = all ? add(all, index(ofFunction(name, k))) : index(ofFunction(name, k));
    return all;
  }
  /// The sum of the summands' last values, and `more`.
  Expr lastOf(std::size_t limit, long more) const {
    long count = 0;
    for (std::size_t k = 0; k <= last_; ++k)
      count += isSummand(k, limit) ? 1 : 0;
    const Expr ends = sum("end", limit);
    return count == more ? ends : subtract(ends, integer(count - more));
  }

  /// The part of the round that is left for functions `k` and above.
  Expr rest(std::size_t k) const {
    Expr left = index("round");
    for (; k < last_; ++k)
      if (isInRound_[k])
        left = subtract(left, index(ofFunction("item", k)));
    return left;
  }

  /// An item's loop over its values of function `k`: those for which the other functions have values.
  NodePtr itemsAlong(std::size_t k, const NodePtr &body) const {
    Expr begin = index(ofFunction("begin", k)), stop = index(ofFunction("end", k));
    if (isInRound_[k]) {
      begin = maximum(begin, subtract(rest(k + 1), lastOf(k, 0)));
      stop = minimum(stop, add(subtract(rest(k + 1), sum("begin", k)), integer(1)));
    }
    const std::string item = ofFunction("item", k), end = ofFunction("stop", k);
    return block({letOne(end, stop),
                  make({For{item, add(begin, index(ofFunction("lane", k))), less(index(item), index(end)),
                            ofMachine(ofFunction("PB_G", k)), body}})});
  }

  std::vector<bool> isInRound_; // by function
  std::size_t last_;            // the function that follows from the round
};

} // namespace

std::vector<std::string> tileArguments(std::size_t functions) {
  std::vector<std::string> all;
  for (std::size_t k = 0; k < functions; ++k)
    all.push_back(ofFunction("tile", k));
  all.emplace_back("diagonal");
  for (std::size_t k = 0; k + 1 < functions; ++k)
    all.push_back(ofFunction("first", k));
  return all;
}

NodePtr forEachPointOfTile(const std::vector<kernel::LoopNode> &items, const NodePtr &body) {
  return Tile(items).loops(body);
}

} // namespace pbc::loop
