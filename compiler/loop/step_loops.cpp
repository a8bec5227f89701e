// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/step_loops.h"
#include "compiler/kernel/item_values.h"
#include "compiler/loop/box_conditions.h"
#include "compiler/loop/convert.h"
#include "compiler/loop/statement.h"
#include "compiler/loop/walk.h"
#include <algorithm>

namespace pbc::loop {
namespace {

using Op = Arithmetic::Op;

std::string alongAxis(const char *name, std::size_t k) { return name + std::to_string(k); }
NodePtr define(std::string name, Expr value, Let::Within within = Let::Within::Nothing) {
  return make(
      {Let{.variables = {{std::move(name), std::move(value)}}, .mayBeUnused = true, .within = within}});
}
/// A launch has fewer rounds than a group has places along an axis (runtime/device/launch_rounds.h).
NodePtr defineRounds(std::string name, Expr value) {
  return define(std::move(name), std::move(value), Let::Within::Group);
}
/// The places of the group's memory along an axis.
Expr widthOf(std::size_t k) {
  return multiply(ofMachine(alongAxis("PB_G", k)), ofMachine(alongAxis("PB_C", k)));
}
/// How far so many rounds read.
Expr haloOf(const char *rounds, long reach) {
  return reach == 1 ? index(rounds) : grouped(multiply(index(rounds), integer(reach)));
}
/// The cells in front of the first place and behind the last one, which points at the edge of the group's memory read.
Expr paddingOf(const kernel::TimeSteps &steps) {
  Expr all = integer(steps.reach[0]), row = widthOf(0);
  for (std::size_t k = 1; k < steps.reach.size();
       ++k, row = multiply(std::move(row), grouped(widthOf(k - 1))))
    all = add(all, steps.reach[k] == 1 ? row : multiply(integer(steps.reach[k]), row));
  return grouped(all);
}
Expr both(Expr l, Expr r) { return l ? arithmetic(Op::And, {std::move(l), std::move(r)}) : r; }

/// Whether a point that nobody needs may be computed of any values.
class Harmless : public Visitor {
public:
  static bool of(const NodePtr &body) {
    Harmless all;
    all.node(body);
    return all.isHarmless_;
  }

private:
  void expr(const Expr &e) override {
    if (const Element *cell = as<Element>(e))
      for (const Expr &i : cell->indices)
        isHarmless_ &= isOfPlaces(i);
    if (const Operation *o = as<Operation>(e)) {
      using Computed = Operation::Op;
      const bool mayTrap = o->op == Computed::Divide || o->op == Computed::Modulo ||
                           o->op == Computed::ShiftLeft || o->op == Computed::ShiftRight;
      isHarmless_ &= !mayTrap || as<Literal>(o->operands[1]);
    }
    Visitor::expr(e);
  }

  /// Whether no value decides which cell it is.
  static bool isOfPlaces(const Expr &e) {
    struct Find : Visitor {
      bool found = false;
      void expr(const Expr &one) override {
        found |= !as<Arithmetic>(one) && !as<Grouped>(one) && !as<Name>(one) && !as<Integer>(one);
        Visitor::expr(one);
      }
    } find;
    find.expr(e);
    return !find.found;
  }

  bool isHarmless_ = true;
};

/// The statements of a point in one round, with the group's memory in the place of matrices.
class Keeping : public Mutator {
public:
  /// What a point writes to a matrix of which the group keeps cells.
  struct Result {
    std::string name; // of the array that has it, of the item's points
    int buffer;
    Expr target;
  };

  /// `number`: of the point among those of its item, whose results are stored when all have them; null: each is stored at once.
  Keeping(const kernel::Scheduled &kernel, bool isFirst, Expr number = nullptr)
      : kernel_(kernel), steps_(*kernel.schedule.steps), isFirst_(isFirst), number_(std::move(number)) {}

  NodePtr node(const NodePtr &n) override {
    const Assign *assign = as<Assign>(n);
    if (!assign || assign->statement < 0)
      return Mutator::node(n);
    assign_ = assign;
    Assign made = *assign;
    made.value = expr(assign->value);
    const Element *to = as<Element>(assign->target);
    if (!to)
      return make({std::move(made)});
    const bool isKept = std::find(steps_.kept.begin(), steps_.kept.end(), to->buffer) != steps_.kept.end();
    if (isKept && number_) {
      results.push_back({kResult + std::to_string(results.size()), to->buffer, assign->target});
      return make({Assign{resultOf(results.back()), {}, made.value}});
    }
    hasOthers |= !isKept;
    if (!isKept)
      return make({If{isOwn(false), make({std::move(made)}), nullptr}});
    const kernel::Scalar element = kernel_.buffers[static_cast<std::size_t>(to->buffer)].element;
    const Expr result = make(Expression{Local{kResult, element, {}}});
    return scope({make({Array{kResult, element, {}}}), make({Assign{result, {}, made.value}}),
                  make({Assign{kept(to->buffer, 0, {}), {}, result}}),
                  make({If{isOwn(true), make({Assign{assign->target, {}, result}}), nullptr}})});
  }

  Expr expr(const Expr &e) override {
    const Element *cell = as<Element>(e);
    if (cell && assign_ && cell->access >= 0)
      for (const kernel::TimeSteps::Read &read : steps_.reads)
        if (read.statement == assign_->statement && read.access == cell->access &&
            (read.behind == 0 || !isFirst_))
          return kept(cell->buffer, read.behind, away(read));
    return Mutator::expr(e);
  }

  static std::string arrayName(const kernel::Buffer &b) { return b.name + "_kept"; }

  /// Stores the point's results.
  NodePtr stores() const {
    std::vector<NodePtr> all;
    for (const Result &r : results) {
      all.push_back(make({Assign{kept(r.buffer, 0, {}), {}, resultOf(r)}}));
      all.push_back(make({If{isOwn(true), make({Assign{r.target, {}, resultOf(r)}}), nullptr}}));
    }
    return block(std::move(all));
  }
  std::vector<Result> results;
  bool hasOthers = false; // it writes matrices of which the group keeps nothing

private:
  Expr resultOf(const Result &r) const {
    return make(
        Expression{Local{r.name, kernel_.buffers[static_cast<std::size_t>(r.buffer)].element, {number_}}});
  }

  std::vector<Expr> away(const kernel::TimeSteps::Read &read) const {
    const kernel::Statement &s = kernel_.statements[static_cast<std::size_t>(read.statement)];
    std::vector<Expr> all;
    for (const isl::pw_aff &distance : read.away)
      all.push_back(expression(indexExpression(distance, s.domain), assign_->dimensions));
    return all;
  }

  /// The group's cell of this point, or of one that lies so far away.
  Expr kept(int buffer, int behind, const std::vector<Expr> &away) const {
    const kernel::Buffer &b = kernel_.buffers[static_cast<std::size_t>(buffer)];
    const Expr number = subtract(index("step"), limit("low0"));
    Expr at = arithmetic(Op::Modulo, {grouped(behind ? add(number, integer(behind)) : number), integer(2)});
    for (std::size_t k = steps_.reach.size(); k-- > 0;) {
      const Expr place = index(alongAxis("place", k));
      const bool isSame = away.empty() || isInteger(away[k], 0);
      at = add(multiply(grouped(std::move(at)), grouped(widthOf(k))),
               isSame ? place : subtract(place, grouped(away[k])));
    }
    return make(Expression{Local{arrayName(b), b.element, {add(paddingOf(steps_), std::move(at))}}});
  }

  /// Whether the group stores what the point writes.
  Expr isOwn(bool isOverwritten) const {
    Expr all;
    for (std::size_t k = 0; k < steps_.reach.size(); ++k) {
      const Expr item = index(alongAxis("item", k));
      all = both(all, arithmetic(Op::LessEqual, {index(alongAxis("begin", k)), item}));
      all = both(all, less(item, index(alongAxis("end", k))));
    }
    if (isOverwritten && steps_.slots)
      all = both(all, arithmetic(Op::Equal, {add(index("step"), integer(1)), limit("high0")}));
    return all;
  }

  static constexpr const char *kResult = "result";
  const kernel::Scheduled &kernel_;
  const kernel::TimeSteps &steps_;
  const bool isFirst_;
  const Expr number_;
  const Assign *assign_ = nullptr; // around the expression
};

class Steps {
public:
  explicit Steps(const kernel::Scheduled &kernel) : kernel_(kernel), steps_(*kernel.schedule.steps) {}

  NodePtr loops(const NodePtr &body) const {
    const Expr step = index("step");
    const auto at = [&](bool isFirst) {
      return Keeping(kernel_, isFirst)
          .node(replaced(body, {{"low0", step}, {"high0", add(step, integer(1))}}));
    };
    const Expr isFirst = arithmetic(Op::Equal, {step, limit("low0")});
    NodePtr all = make({If{isFirst, scope({at(true)}), scope({at(false)})}});
    all = make({If{isNeeded(), all, nullptr}});
    for (std::size_t k = 0; k < axes(); ++k)
      all = places(k, all);
    const std::vector<Inner> inside = inners(body);
    for (const Inner &one : inside)
      all = make({If{arithmetic(Op::Choose, {isFirst, one.isFirst ? index(one.name) : integer(0),
                                             one.isFirst ? integer(0) : index(one.name)}),
                     one.loops, all}});
    std::vector<NodePtr> round{defineRounds("more", subtract(subtract(limit("high0"), integer(1)), step))};
    for (std::size_t k = 0; k < axes(); ++k)
      needed(k, round);
    round.push_back(all);
    round.push_back(make({Barrier{}}));
    all = make({For{"step", limit("low0"), less(step, limit("high0")), nullptr, block(std::move(round))}});
    for (std::size_t k = 0; k < axes(); ++k)
      all = make({Parallel{Parallel::Over::Items, static_cast<int>(k), alongAxis("lane", k), integer(0),
                           nullptr, all}});
    std::vector<NodePtr> group;
    group.push_back(defineRounds("past", subtract(subtract(limit("high0"), limit("low0")), integer(1))));
    for (std::size_t k = 0; k < axes(); ++k)
      own(k, group);
    for (const Inner &one : inside)
      group.push_back(define(one.name, one.condition));
    group.push_back(all);
    all = block(std::move(group));
    for (std::size_t k = 0; k < axes(); ++k)
      all = make({Parallel{Parallel::Over::Groups, static_cast<int>(k), alongAxis("group", k), integer(0),
                           nullptr, all}});
    std::vector<NodePtr> kernel = arrays();
    kernel.push_back(all);
    return block(std::move(kernel));
  }

private:
  /// The round of a group at whose places all points do the same: what an item reads comes before what it writes, so that it reads a cell
  /// for several of its points once. They lie in columns, of places side by side along all axes but the first. Points near the edge
  /// of the group's memory are computed of cells that have no meaning, and are no points that anyone needs.
  struct Inner {
    std::string name; // of the number that says so
    bool isFirst;     // in the first round of a launch, or in later ones
    NodePtr loops;
    Expr condition; // that the group is such a one
  };

  /// The first round of the first launch may be another one than those of later launches.
  std::vector<Inner> inners(const NodePtr &body) const {
    std::vector<Inner> all;
    for (Inner one : {inner("isInside", body, false, ""), inner("isInsideAtFirst", body, true, ""),
                      inner("isInsideAtBegin", body, true, "step")})
      if (one.loops)
        all.push_back(std::move(one));
    return all;
  }

  /// Without loops if the points do not all do the same.
  Inner inner(const char *name, const NodePtr &body, bool isFirst, const std::string &other) const {
    const Expr step = index("step");
    const NodePtr ofStep = replaced(body, {{"low0", step}, {"high0", add(step, integer(1))}});
    Corners corners{{"step",
                     {isFirst ? limit("low0") : add(limit("low0"), integer(1)),
                      isFirst ? limit("low0") : subtract(limit("high0"), integer(1))}}};
    Expr condition;
    for (std::size_t k = 0; k < axes(); ++k) {
      const Expr origin = index(alongAxis("origin", k)), last = subtract(add(origin, widthOf(k)), integer(1));
      corners[alongAxis("item", k)] = {origin, last};
      condition = both(condition, arithmetic(Op::LessEqual, {low(k), origin}));
      condition = both(condition, less(last, high(k)));
    }
    const std::optional<StraightBody> straight = straightInBox(ofStep, corners, other);
    if (!straight || !Harmless::of(straight->body))
      return {name, isFirst, nullptr, nullptr};
    if (straight->condition)
      condition = both(condition, grouped(straight->condition));
    Expr number, count;
    for (std::size_t k = axes(); k-- > 0;) {
      const Expr cell = index(alongAxis("cell", k)), cells = ofMachine(alongAxis("PB_C", k));
      number = number ? add(multiply(grouped(number), cells), cell) : cell;
      count = count ? multiply(count, cells) : cells;
    }
    const auto numbered = [&](NodePtr of) {
      return block({define("number", number, Let::Within::Places), std::move(of)});
    };
    Keeping keeping(kernel_, isFirst, index("number"));
    const NodePtr values = numbered(keeping.node(straight->body)), stores = numbered(keeping.stores());
    if (keeping.hasOthers || keeping.results.empty())
      return {name, isFirst, nullptr, nullptr};
    std::vector<NodePtr> all;
    for (const Keeping::Result &r : keeping.results)
      all.push_back(
          make({Array{r.name, kernel_.buffers[static_cast<std::size_t>(r.buffer)].element, {count}}}));
    all.push_back(cells(values));
    all.push_back(cells(stores));
    return {name, isFirst, scope(std::move(all)), condition};
  }

  /// The item's places, one after the other.
  NodePtr cells(NodePtr body) const {
    for (std::size_t k = 0; k < axes(); ++k) {
      const Expr cell = index(alongAxis("cell", k)), count = ofMachine(alongAxis("PB_C", k)),
                 lane = index(alongAxis("lane", k)), place = index(alongAxis("place", k));
      const Expr at =
          k == 0 ? add(lane, multiply(cell, ofMachine("PB_G0"))) : add(multiply(lane, count), cell);
      body = make({For{alongAxis("cell", k),
                       integer(0),
                       less(cell, count),
                       nullptr,
                       scope({define(alongAxis("place", k), at, Let::Within::Places),
                              define(alongAxis("item", k), add(index(alongAxis("origin", k)), place)), body}),
                       {},
                       {.unrolling = Hint::Unrolling::Fully}}});
    }
    return body;
  }

  std::size_t axes() const { return steps_.reach.size(); }
  static Expr low(std::size_t k) { return limit(alongAxis("low", k + 1)); }
  static Expr high(std::size_t k) { return limit(alongAxis("high", k + 1)); }

  std::vector<NodePtr> arrays() const {
    std::vector<NodePtr> all;
    for (const int number : steps_.kept) {
      const kernel::Buffer &b = kernel_.buffers[static_cast<std::size_t>(number)];
      Expr cells = integer(2);
      for (std::size_t k = axes(); k-- > 0;)
        cells = multiply(std::move(cells), grouped(widthOf(k)));
      cells = add(cells, multiply(integer(2), paddingOf(steps_)));
      all.push_back(make({Array{Keeping::arrayName(b), b.element, {cells}, false, Array::Space::Group}}));
    }
    return all;
  }

  /// The box of the group's own points, and where its memory begins.
  void own(std::size_t k, std::vector<NodePtr> &to) const {
    const Expr size = grouped(subtract(widthOf(k), haloOf("past", 2 * steps_.reach[k])));
    to.push_back(define(alongAxis("begin", k), add(low(k), multiply(index(alongAxis("group", k)), size))));
    const Expr begin = index(alongAxis("begin", k));
    to.push_back(define(alongAxis("end", k), minimum(add(begin, size), high(k))));
    to.push_back(define(alongAxis("origin", k), subtract(begin, haloOf("past", steps_.reach[k]))));
  }

  /// The box of the points that are needed in a round.
  void needed(std::size_t k, std::vector<NodePtr> &to) const {
    const Expr halo = haloOf("more", steps_.reach[k]);
    to.push_back(define(alongAxis("from", k), maximum(low(k), subtract(index(alongAxis("begin", k)), halo))));
    to.push_back(define(alongAxis("to", k), minimum(high(k), add(index(alongAxis("end", k)), halo))));
  }

  Expr isNeeded() const {
    Expr all;
    for (std::size_t k = 0; k < axes(); ++k) {
      const Expr item = index(alongAxis("item", k));
      all = both(all, arithmetic(Op::LessEqual, {index(alongAxis("from", k)), item}));
      all = both(all, less(item, index(alongAxis("to", k))));
    }
    return all;
  }

  static NodePtr places(std::size_t k, const NodePtr &body) {
    const std::string place = alongAxis("place", k);
    const NodePtr item = define(alongAxis("item", k), add(index(alongAxis("origin", k)), index(place)));
    return make({For{place, index(alongAxis("lane", k)), less(index(place), widthOf(k)),
                     ofMachine(alongAxis("PB_G", k)), block({item, body})}});
  }

  const kernel::Scheduled &kernel_;
  const kernel::TimeSteps &steps_;
};

} // namespace

NodePtr forEachStep(const kernel::Scheduled &kernel, const NodePtr &body) {
  return Steps(kernel).loops(body);
}

} // namespace pbc::loop
