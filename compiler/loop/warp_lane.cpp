// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/warp_lane.h"
#include "compiler/loop/walk.h"
#include <algorithm>
#include <stdexcept>

namespace pbc::loop {
namespace {

constexpr long kMany = 1 << 20;   // of what a launch decides: sizes, limits
constexpr long kWrittenOut = 256; // iterations of a loop that is written out, at most

long floorDivide(long a, long b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

} // namespace

void WarpLane::run(const NodePtr &n) {
  if (const Block *b = as<Block>(n)) {
    for (const NodePtr &one : b->nodes)
      run(one);
  } else if (const For *f = as<For>(n)) {
    if (!isIdle(n))
      loop(*f);
  } else if (const If *i = as<If>(n)) {
    reads(i->condition, 1);
    if (const NodePtr &taken = valueOf(i->condition) ? i->then : i->otherwise)
      run(taken);
  } else if (const Let *l = as<Let>(n)) {
    for (const Let::Variable &v : l->variables) {
      if (l->type) {
        reads(v.value, 1);
        declare(v);
      }
      values_[v.name] = l->type ? 0 : valueOf(v.value);
      changedIn_[v.name] = l->type ? open_ : changedIn(v.value);
    }
  } else if (const Vote *v = as<Vote>(n)) {
    values_[v->name] = valueOf(v->condition);
    changedIn_[v->name] = changedIn(v->condition);
  } else if (const Parallel *p = as<Parallel>(n)) {
    values_[p->iterator] = valueOf(p->begin) + number(*p);
    run(p->body);
  } else if (const Assign *a = as<Assign>(n)) {
    assign(*a);
    reads(a->value, a->together);
    if (const Name *variable = as<Name>(a->target)) {
      values_[variable->name] = valueOf(a->value);
      changedIn_[variable->name] = open_;
    }
    if (a->op)
      access(a->target, false, 1);
    access(a->target, true, a->together);
  } else if (const Array *array = as<Array>(n); array && array->space == Array::Space::Group) {
    declare(*array);
  } else if (const Barrier *b = as<Barrier>(n)) {
    barrier(*b);
  } else if (const Shuffle *s = as<Shuffle>(n)) {
    shuffle(*s);
  } else if (const BlockOfPoints *block = as<BlockOfPoints>(n)) {
    blockOfPoints(*block);
  }
}

/// Which item of its kind the lane is.
long WarpLane::number(const Parallel &p) const {
  const long along[3] = {lane_ % shape_.group[0], lane_ / shape_.group[0] % shape_.group[1],
                         lane_ / (shape_.group[0] * shape_.group[1])};
  switch (p.over) {
  case Parallel::Over::InGroup:
    return lane_;
  case Parallel::Over::Items:
    return along[p.axis];
  case Parallel::Over::Launch:
    return group_[p.axis] * shape_.group[p.axis] + along[p.axis];
  case Parallel::Over::Groups:
    return group_[p.axis];
  default:
    return 0;
  }
}

void WarpLane::loop(const For &f) {
  const bool isWrittenOut = f.hint.unrolling == Hint::Unrolling::Fully && !isTakenAsLoop(f);
  const long step = f.step ? valueOf(f.step) : 1;
  if (f.begin)
    values_[f.iterator] = valueOf(f.begin);
  changedIn_[f.iterator] = f.begin ? changedIn(f.begin) : open_;
  if (isWrittenOut) {
    runTurns(f, step, kWrittenOut);
    return;
  }
  const long first = values_[f.iterator];
  const std::optional<long> turns = turnsOf(f);
  if (turns && *turns == 0 && !ignoresLimits())
    return;
  if (turns && *turns > 0 && goesThroughAll(f, *turns)) {
    runTurns(f, step, kWrittenOut);
    return;
  }
  beginLoop(f, turns.value_or(1));
  changedIn_[f.iterator] = ++open_;
  const std::vector<long> from = firstTurns(turns.value_or(1));
  if (turns) {
    for (std::size_t k = 0; k < from.size(); ++k) {
      values_[f.iterator] = first + from[k] * step;
      beginTurns(k);
      runTurns(f, step, turnsOfLoop_);
    }
    values_[f.iterator] = first + *turns * step; // a later loop may go on from there
  } else {                                       // as often as the body's changes take to the end
    const auto [compared, end] = *comparedBy(f);
    if (!from.empty())
      values_[f.iterator] += from.front() * step;
    const long before = values_[compared.name];
    runTurns(f, step, turnsOfLoop_);
    const long change = std::max(1L, values_[compared.name] - before);
    const long all = std::max(1L, (valueOf(end) - before + change - 1) / change);
    turnsAre(all);
    values_[compared.name] = before + all * change;
  }
  --open_;
  endLoop();
}

/// At most so many turns, from the iterator's value on.
void WarpLane::runTurns(const For &f, long step, long most) {
  const bool isWrittenOut = f.hint.unrolling == Hint::Unrolling::Fully;
  std::vector<long> &counted = isWrittenOut ? copies_ : turns_;
  const bool isSure = most == turnsOfLoop_ && ignoresLimits();
  for (long turn = 0; turn < most && (isSure || !f.condition || valueOf(f.condition)); ++turn) {
    counted.push_back(turn);
    run(f.body);
    counted.pop_back();
    values_[f.iterator] += step;
    if (!f.condition)
      break;
  }
}

/// Of a condition `variable < end`; none of another one.
std::optional<std::pair<Name, Expr>> WarpLane::comparedBy(const For &f) {
  const Arithmetic *ends = f.condition ? as<Arithmetic>(f.condition) : nullptr;
  const Name *name = ends && ends->op == Arithmetic::Op::Less ? as<Name>(ends->operands[0]) : nullptr;
  return name ? std::optional(std::pair(*name, ends->operands[1])) : std::nullopt;
}

/// How often the loop runs, if nothing ends it but its condition.
std::optional<long> WarpLane::turnsOf(const For &f) {
  if (!f.condition)
    return 1;
  const Arithmetic *ends = as<Arithmetic>(f.condition);
  const Name *counted = ends ? as<Name>(ends->operands[0]) : nullptr;
  const long step = f.step ? valueOf(f.step) : 1, at = values_[f.iterator];
  if (counted && counted->name == f.iterator && step > 0 &&
      (ends->op == Arithmetic::Op::Less || ends->op == Arithmetic::Op::LessEqual)) {
    const long end = valueOf(ends->operands[1]) + (ends->op == Arithmetic::Op::Less ? 0 : 1);
    return end > at ? (end - at + step - 1) / step : 0;
  }
  if (comparedBy(f) && !mentions(f.condition, f.iterator))
    return valueOf(f.condition) ? std::nullopt : std::optional(0L);
  long turns = 0;
  for (long &here = values_[f.iterator]; turns < kMany && valueOf(f.condition); here += step)
    ++turns;
  values_[f.iterator] = at;
  return turns;
}

void WarpLane::reads(const Expr &e, long cells) {
  struct Reads : Visitor {
    WarpLane &lane;
    long cells;
    Reads(WarpLane &lane, long cells) : lane(lane), cells(cells) {}
    void expr(const Expr &one) override {
      lane.access(one, false, cells);
      Visitor::expr(one);
    }
  } visitor(*this, cells);
  visitor.expr(e);
}

long WarpLane::valueOf(const Expr &e) const {
  if (const Integer *i = as<Integer>(e))
    return i->value;
  if (const Grouped *g = as<Grouped>(e))
    return valueOf(g->operand);
  if (const Name *n = as<Name>(e))
    return ofName(*n);
  if (const Arithmetic *a = as<Arithmetic>(e))
    return ofArithmetic(*a);
  if (const StripCells *s = as<StripCells>(e))
    return s->most; // the longest strips that a processor has
  return 0;         // what a body computes decides nothing here
}

int WarpLane::changedIn(const Expr &e) const {
  struct Names : Visitor {
    const WarpLane &lane;
    int innermost = 0;
    explicit Names(const WarpLane &lane) : lane(lane) {}
    void expr(const Expr &one) override {
      if (const Name *n = as<Name>(one)) {
        const auto at = lane.changedIn_.find(n->name);
        innermost = std::max(innermost, at == lane.changedIn_.end() ? 0 : std::min(at->second, lane.open_));
      } else if (as<Element>(one) || as<Local>(one)) {
        innermost = lane.open_; // what memory holds may change
      }
      Visitor::expr(one);
    }
  } names(*this);
  names.expr(e);
  return names.innermost;
}

long WarpLane::ofName(const Name &n) const {
  if (n.kind == Name::Kind::Machine)
    return ofMachine(n.name);
  const auto at = values_.find(n.name);
  if (at != values_.end())
    return at->second;
  const auto built = n.kind == Name::Kind::Value ? shape_.sizes.find(n.name) : shape_.sizes.end();
  return built != shape_.sizes.end() ? built->second : ofLaunch(n);
}

long WarpLane::ofMachine(const std::string &name) const {
  if (name == "PB_WIDE")
    return 1;
  if (name.starts_with("PB_G"))
    return shape_.group[name.back() - '0'];
  if (name.starts_with("PB_C"))
    return shape_.cells[name.back() - '0'];
  if (name == "PB_R1")
    return shape_.rows;
  if (name == "PB_LOCAL_INDEX")
    return lane_;
  return name == "PB_WARP" ? kLanes : kMany;
}

long WarpLane::ofLaunch(const Name &n) const { return n.name.starts_with("low") ? low_ : kMany; }

long WarpLane::ofArithmetic(const Arithmetic &a) const {
  using Op = Arithmetic::Op;
  const auto at = [&](std::size_t k) { return valueOf(a.operands[k]); };
  const auto nonzero = [](long n) { return n == 0 ? 1 : n; };
  switch (a.op) {
  case Op::Add:
  case Op::Further:
    return at(0) + at(1);
  case Op::Subtract:
    return at(0) - at(1);
  case Op::Multiply:
    return at(0) * at(1);
  case Op::Divide:
    return at(0) / nonzero(at(1));
  case Op::FloorDivide:
    return floorDivide(at(0), nonzero(at(1)));
  case Op::Modulo:
    return at(0) % nonzero(at(1));
  case Op::Negate:
    return -at(0);
  case Op::Minimum:
    return std::min(at(0), at(1));
  case Op::Maximum:
    return std::max(at(0), at(1));
  case Op::Choose:
    return at(0) ? at(1) : at(2);
  case Op::And:
    return at(0) && at(1);
  case Op::Or:
    return at(0) || at(1);
  case Op::Equal:
    return at(0) == at(1);
  case Op::Less:
    return at(0) < at(1);
  case Op::LessEqual:
    return at(0) <= at(1);
  case Op::Greater:
    return at(0) > at(1);
  case Op::GreaterEqual:
    return at(0) >= at(1);
  }
  throw std::logic_error("an operation of whole numbers without a value");
}

} // namespace pbc::loop
