// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/bank_conflicts.h"
#include "compiler/kernel/footprint.h"
#include "compiler/loop/walk.h"
#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

namespace pbc::loop {
namespace {

constexpr int kLanes = 32, kBanks = 32, kWord = 4, kWidest = 16; // bytes
constexpr long kMany = 1 << 20;                                  // of what a launch decides: sizes, limits
constexpr long kWrittenOut = 256; // iterations of a loop that is written out, at most
constexpr int kTurns = 2;         // of other loops

long floorDivide(long a, long b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

/// Where an access is carried out: which one, and in which iterations of the loops that are not written out.
struct Moment {
  const void *access;
  std::vector<long> turns;
  auto operator<=>(const Moment &) const = default;
};

/// Memory of a group: a copy of a part of a matrix, or an array that lowering has made.
struct Memory {
  std::string name;
  int bytesOfCell;
};

struct Asked {
  Memory memory;
  bool isWrite;
  long cells; // at once
  std::map<std::vector<long>, std::map<int, long>>
      places; // by iteration of the loops that are written out: lane -> cell
};

/// Carries out the loops for one lane, and notes what it asks of the group's memory.
class Lane {
public:
  Lane(const std::vector<Matrix> &matrices, const LaunchShape &shape, int lane,
       std::map<Moment, Asked> &asked)
      : matrices_(matrices), shape_(shape), lane_(lane), asked_(asked) {}

  void run(const NodePtr &n) {
    if (const Block *b = as<Block>(n)) {
      for (const NodePtr &one : b->nodes)
        run(one);
    } else if (const For *f = as<For>(n)) {
      loop(*f);
    } else if (const If *i = as<If>(n)) {
      reads(i->condition);
      if (const NodePtr &taken = valueOf(i->condition) ? i->then : i->otherwise)
        run(taken);
    } else if (const Let *l = as<Let>(n)) {
      for (const Let::Variable &v : l->variables)
        values_[v.name] = l->type ? 0 : valueOf(v.value);
    } else if (const Vote *v = as<Vote>(n)) {
      values_[v->name] = valueOf(v->condition);
    } else if (const Parallel *p = as<Parallel>(n)) {
      values_[p->iterator] = valueOf(p->begin) + number(*p);
      run(p->body);
    } else if (const Assign *a = as<Assign>(n)) {
      reads(a->value);
      if (const Name *variable = as<Name>(a->target))
        values_[variable->name] = valueOf(a->value);
      if (a->op)
        note(a->target, false, 1);
      note(a->target, true, a->isBackground ? a->together : 1);
    } else if (const Array *array = as<Array>(n); array && array->space == Array::Space::Group) {
      arrays_[array->name] = array;
    }
  }

private:
  long group(int axis) const { return shape_.group[axis]; }

  /// Which item of its kind the lane is; it belongs to the first group.
  long number(const Parallel &p) const {
    const long along[3] = {lane_ % group(0), lane_ / group(0) % group(1), lane_ / (group(0) * group(1))};
    switch (p.over) {
    case Parallel::Over::InGroup:
      return lane_;
    case Parallel::Over::Items:
    case Parallel::Over::Launch:
      return along[p.axis];
    default:
      return 0;
    }
  }

  void loop(const For &f) {
    const bool isWrittenOut = f.hint.unrolling == Hint::Unrolling::Fully;
    long &at = values_[f.iterator];
    if (f.begin)
      at = valueOf(f.begin);
    for (long turn = 0;
         (!f.condition || valueOf(f.condition)) && turn < (isWrittenOut ? kWrittenOut : kTurns); ++turn) {
      (isWrittenOut ? copies_ : turns_).push_back(turn);
      run(f.body);
      (isWrittenOut ? copies_ : turns_).pop_back();
      at += f.step ? valueOf(f.step) : 1;
      if (!f.condition)
        return;
    }
  }

  /// What the expression reads of the group's memory.
  void reads(const Expr &e) {
    struct Reads : Visitor {
      Lane &lane;
      explicit Reads(Lane &lane) : lane(lane) {}
      void expr(const Expr &one) override {
        lane.note(one, false, 1);
        Visitor::expr(one);
      }
    } visitor(*this);
    visitor.expr(e);
  }

  void note(const Expr &e, bool isWrite, long cells) {
    if (const Element *element = as<Element>(e)) {
      const Matrix &memory = matrices_[static_cast<std::size_t>(element->buffer)];
      if (memory.ofGroup.empty() || memory.isOfItem)
        return;
      long place = 0;
      for (std::size_t d = 0; d < element->indices.size(); ++d)
        place += valueOf(element->indices[d]) * valueOf(groupStride(memory, d));
      note(e, {memory.name, static_cast<int>(kernel::bytesOf(memory.element))}, isWrite, cells, place);
    } else if (const Local *local = as<Local>(e)) {
      const auto array = arrays_.find(local->name);
      if (array == arrays_.end())
        return;
      long place = 0;
      for (std::size_t d = 0; d < local->indices.size(); ++d)
        place = place * valueOf(array->second->extents[d]) + valueOf(local->indices[d]);
      note(e, {local->name, static_cast<int>(kernel::bytesOf(local->type))}, isWrite, cells, place);
    }
  }

  void note(const Expr &e, const Memory &memory, bool isWrite, long cells, long place) {
    Moment moment{e.get(), turns_};
    moment.turns.push_back(isWrite);
    asked_.try_emplace(std::move(moment), Asked{memory, isWrite, cells, {}})
        .first->second.places[copies_][lane_] = place;
  }

  long valueOf(const Expr &e) const {
    if (const Integer *i = as<Integer>(e))
      return i->value;
    if (const Grouped *g = as<Grouped>(e))
      return valueOf(g->operand);
    if (const Name *n = as<Name>(e))
      return ofName(*n);
    if (const Arithmetic *a = as<Arithmetic>(e))
      return ofArithmetic(*a);
    return 0; // what a body computes decides nothing here
  }

  long ofName(const Name &n) const {
    if (const auto at = values_.find(n.name); at != values_.end())
      return at->second;
    if (n.name == "PB_WIDE")
      return 1;
    if (n.name.starts_with("PB_G"))
      return group(n.name.back() - '0');
    if (n.name.starts_with("PB_C"))
      return shape_.cells[n.name.back() - '0'];
    if (n.name == "PB_WARP")
      return kLanes;
    return n.name.starts_with("low") ? 0 : kMany;
  }

  long ofArithmetic(const Arithmetic &a) const {
    using Op = Arithmetic::Op;
    const auto at = [&](std::size_t k) { return valueOf(a.operands[k]); };
    const auto nonzero = [](long n) { return n == 0 ? 1 : n; };
    switch (a.op) {
    case Op::Add:
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

  const std::vector<Matrix> &matrices_;
  const LaunchShape &shape_;
  const int lane_;
  std::map<Moment, Asked> &asked_;
  std::map<std::string, long> values_;
  std::map<std::string, const Array *> arrays_; // of the group
  std::vector<long> turns_, copies_;            // of the loops around that are not and that are written out
};

/// The turns that the memory takes for one access, in each part of the warp that is served at once.
int degreeOf(const std::map<int, long> &cells, int bytesOfCell, int bytesAtOnce) {
  const int lanesAtOnce = std::max(1, kLanes * kWord / std::max(kWord, bytesAtOnce));
  int worst = 1;
  for (int first = 0; first < kLanes; first += lanesAtOnce) {
    std::map<long, std::set<long>> wordsOfBank;
    for (auto at = cells.lower_bound(first); at != cells.end() && at->first < first + lanesAtOnce; ++at)
      for (int byte = 0; byte < bytesAtOnce; byte += kWord) {
        const long word = (at->second * bytesOfCell + byte) / kWord;
        wordsOfBank[word % kBanks].insert(word);
      }
    for (const auto &[bank, words] : wordsOfBank)
      worst = std::max(worst, static_cast<int>(words.size()));
  }
  return worst;
}

/// Whether the second access has the neighbours of what each lane has in the first one, `distance` cells further.
bool isBehind(const std::map<int, long> &first, const std::map<int, long> &second, long distance) {
  return first.size() == second.size() && std::all_of(first.begin(), first.end(), [&](const auto &one) {
           const auto at = second.find(one.first);
           return at != second.end() && at->second == one.second + distance;
         });
}

int worstOf(const Asked &asked) {
  const int bytesOfCell = asked.memory.bytesOfCell;
  std::set<std::map<int, long>> different;
  for (const auto &[copy, places] : asked.places)
    different.insert(places);
  const std::vector<std::map<int, long>> all(different.begin(), different.end());
  const long wide = std::max(1, kWidest / bytesOfCell);
  int worst = 0;
  for (std::size_t k = 0; k < all.size();) {
    const std::map<int, long> &first = all[k];
    std::size_t together = 1;
    if (!asked.isWrite &&
        std::all_of(first.begin(), first.end(), [&](const auto &one) { return one.second % wide == 0; }))
      while (static_cast<long>(together) < wide && k + together < all.size() &&
             isBehind(first, all[k + together], static_cast<long>(together)))
        ++together;
    const bool isWide = static_cast<long>(together) == wide;
    const long cells = isWide ? wide : asked.cells;
    worst = std::max(worst, degreeOf(first, bytesOfCell, static_cast<int>(cells) * bytesOfCell));
    k += isWide ? together : 1;
  }
  return worst;
}

} // namespace

std::vector<BankUse> bankUses(const std::vector<Matrix> &matrices, const NodePtr &lowered,
                              const LaunchShape &shape) {
  std::map<Moment, Asked> asked;
  const int items = shape.group[0] * shape.group[1] * shape.group[2];
  for (int lane = 0; lane < std::min(kLanes, items); ++lane)
    Lane(matrices, shape, lane, asked).run(lowered);
  std::map<std::string, BankUse> all;
  for (const auto &[moment, one] : asked) {
    BankUse &use = all.try_emplace(one.memory.name, BankUse{one.memory.name}).first->second;
    int &degree = one.isWrite ? use.writes : use.reads;
    degree = std::max(degree, worstOf(one));
  }
  std::vector<BankUse> uses;
  for (const auto &[name, use] : all)
    uses.push_back(use);
  return uses;
}

} // namespace pbc::loop
