// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/processor/clang_loops.h"
#include "compiler/emulate/processor/selection.h"
#include "compiler/kernel/footprint.h"
#include "compiler/loop/walk.h"
#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace pbc::emulate {
namespace {

using loop::Expr;
using loop::NodePtr;

constexpr long kSmall = 20;          // instructions of a round, that may be repeated up to so many
constexpr long kMostVectors = 4;     // in a round, and so many sums side by side
constexpr long kWrittenOut = 16;     // iterations, and
constexpr long kWrittenLength = 400; // instructions of all of them

bool isOneInstruction(std::string name) {
  if (name.size() > 1 && name.back() == 'f')
    name.pop_back();
  for (const char *one : {"fabs", "abs", "min", "max", "fmin", "fmax", "floor", "ceil", "round", "trunc",
                          "rint", "sqrt", "fma"})
    if (name == one)
      return true;
  return false;
}

using IndexOp = loop::Arithmetic::Op;

/// A sum of names with factors; that of "" is the constant.
using Sum = std::map<std::string, long>;

/// Adds `factor` times the value. Whether it is a sum.
bool addTo(Sum &sum, const Expr &e, long factor) {
  if (const loop::Grouped *g = loop::as<loop::Grouped>(e))
    return addTo(sum, g->operand, factor);
  if (const loop::Integer *i = loop::as<loop::Integer>(e))
    return sum[""] += factor * i->value, true;
  if (const loop::Name *n = loop::as<loop::Name>(e))
    return sum[n->name] += factor, true;
  const loop::Arithmetic *a = loop::as<loop::Arithmetic>(e);
  if (!a)
    return false;
  switch (a->op) {
  case IndexOp::Add:
  case IndexOp::Further:
    return addTo(sum, a->operands[0], factor) && addTo(sum, a->operands[1], factor);
  case IndexOp::Subtract:
    return addTo(sum, a->operands[0], factor) && addTo(sum, a->operands[1], -factor);
  case IndexOp::Negate:
    return addTo(sum, a->operands[0], -factor);
  case IndexOp::Multiply:
    for (const std::size_t k : {0u, 1u})
      if (const loop::Integer *i = loop::as<loop::Integer>(a->operands[k]))
        return addTo(sum, a->operands[1 - k], factor * i->value);
    return false;
  default:
    return false;
  }
}

/// How often a loop runs, if its limits are always equally far apart.
std::optional<long> constantRounds(const loop::For &f) {
  const loop::Arithmetic *ends = f.condition ? loop::as<loop::Arithmetic>(f.condition) : nullptr;
  const bool isLess = ends && (ends->op == IndexOp::Less || ends->op == IndexOp::LessEqual);
  const loop::Integer *step = f.step ? loop::as<loop::Integer>(f.step) : nullptr;
  const loop::Name *compared = isLess ? loop::as<loop::Name>(ends->operands[0]) : nullptr;
  Sum sum;
  if (!f.begin || !compared || compared->name != f.iterator || (f.step && (!step || step->value < 1)) ||
      !addTo(sum, ends->operands[1], 1) || !addTo(sum, f.begin, -1))
    return {};
  const long apart = std::exchange(sum[""], 0) + (ends->op == IndexOp::LessEqual ? 1 : 0),
             by = step ? step->value : 1;
  if (std::any_of(sum.begin(), sum.end(), [](const auto &term) { return term.second != 0; }))
    return {};
  return std::max(1L, (apart + by - 1) / by);
}

/// The same of a loop that may be written out without being asked for it.
std::optional<long> roundsToWriteOut(const loop::For &f) {
  const bool isFree =
      f.hint.unrolling != loop::Hint::Unrolling::Never && f.hint.vectors != loop::Hint::Vectors::Always;
  return isFree ? constantRounds(f) : std::nullopt;
}

/// Of a loop with a known number of rounds, so many vectors in one that few or no iterations are left.
long vectorsInRound(long rounds, long lanes, long most) {
  const auto floorOf = [](long n) {
    return static_cast<long>(std::bit_floor(static_cast<unsigned long>(std::max(1L, n))));
  };
  const long upper = floorOf(std::min(rounds / lanes, most)),
             lower = floorOf(std::min(rounds / (2 * lanes), most));
  return rounds % (lanes * upper) == rounds % (lanes * lower) ? upper : lower;
}

/// What decides about a loop's body.
struct Body : loop::Visitor {
  const std::vector<loop::Matrix> &matrices;
  const std::string &iterator;
  const bool reassociates;
  long bytes = 1, instructions = 1;
  std::set<std::string> sums; // of iterations, in any order: local variables
  long values = 0;            // of all such sums
  long copies = 1;            // of what is visited, in loops inside that are written out
  bool hasLoop = false, hasBranch = false, hasFunction = false, isCarried = false, isApart = false;
  std::set<std::string> own;     // values that the iteration has set
  std::set<std::string> moving;  // names of indices that differ between iterations
  std::set<std::string> isSetIn; // somewhere in the body
  std::set<int> loaded, stored;  // matrices

  Body(const std::vector<loop::Matrix> &m, const loop::For &f, bool isFreeOrder)
      : matrices(m), iterator(f.iterator), reassociates(isFreeOrder) {
    struct Sets : loop::Visitor {
      std::set<std::string> &names;
      explicit Sets(std::set<std::string> &n) : names(n) {}
      void node(const NodePtr &n) override {
        const loop::Assign *a = loop::as<loop::Assign>(n);
        if (const loop::Local *local = a ? loop::as<loop::Local>(a->target) : nullptr)
          names.insert(local->name);
        Visitor::node(n);
      }
    } sets(isSetIn);
    sets.node(f.body);
    moving.insert(iterator);
  }

  bool isMoving(const Expr &index) const {
    return std::any_of(moving.begin(), moving.end(),
                       [&](const std::string &name) { return loop::mentions(index, name); });
  }

  void node(const NodePtr &n) override {
    if (const loop::For *f = loop::as<loop::For>(n)) {
      hasLoop = hasLoop || (f->hint.unrolling != loop::Hint::Unrolling::Fully && f->condition &&
                            !isWrittenOut(*f, roundsToWriteOut(*f).value_or(kWrittenOut + 1)));
      const long around = copies;
      copies *= constantRounds(*f).value_or(1);
      Visitor::node(n);
      copies = around;
      return;
    } else if (loop::as<loop::If>(n) || loop::as<loop::BlockOfPoints>(n)) {
      hasBranch = true;
    } else if (const loop::Let *let = loop::as<loop::Let>(n)) {
      for (const loop::Let::Variable &v : let->variables) {
        own.insert(v.name);
        if (isMoving(v.value))
          moving.insert(v.name);
      }
    } else if (const loop::Array *array = loop::as<loop::Array>(n)) {
      own.insert(array->name);
    } else if (const loop::Assign *a = loop::as<loop::Assign>(n)) {
      if (const loop::Local *local = loop::as<loop::Local>(a->target)) {
        expr(a->value);
        if (a->op && !own.contains(local->name) && !isOfOneIteration(*local)) {
          isCarried = isCarried || !isInAnyOrder(*a->op, local->type);
          sums.insert(local->name);
          values += copies;
          bytes = std::max(bytes, static_cast<long>(kernel::bytesOf(local->type)));
        }
        if (!a->op)
          own.insert(local->name);
        return;
      }
      if (const loop::Element *cell = loop::as<loop::Element>(a->target)) {
        if (std::none_of(cell->indices.begin(), cell->indices.end(),
                         [&](const Expr &i) { return isMoving(i); }))
          isCarried = isCarried || !a->op ||
                      !isInAnyOrder(*a->op, matrices[static_cast<std::size_t>(cell->buffer)].element),
          values += copies;
        stored.insert(cell->buffer);
        element(*cell);
        expr(a->value);
        return; // the cell itself is not loaded
      }
    }
    Visitor::node(n);
  }

  void expr(const Expr &e) override {
    if (const loop::Element *cell = loop::as<loop::Element>(e)) {
      loaded.insert(cell->buffer);
      element(*cell);
      return; // its indices are no numbers of vectors
    }
    if (const loop::Local *local = loop::as<loop::Local>(e)) // from the iteration before, if it is set later
      isCarried = isCarried ||
                  (isSetIn.contains(local->name) && !own.contains(local->name) && !isOfOneIteration(*local));
    if (const loop::Operation *o = loop::as<loop::Operation>(e)) {
      bytes = std::max(bytes, static_cast<long>(kernel::bytesOf(o->type)));
      ++instructions;
    } else if (const loop::Function *f = loop::as<loop::Function>(e)) {
      hasFunction = hasFunction || !isOneInstruction(f->name);
      ++instructions;
    }
    Visitor::expr(e);
  }

  void element(const loop::Element &cell) {
    ++instructions;
    bytes = std::max(
        bytes, static_cast<long>(kernel::bytesOf(matrices[static_cast<std::size_t>(cell.buffer)].element)));
    for (std::size_t d = 1; d < cell.indices.size(); ++d)
      isApart = isApart || isMoving(cell.indices[d]);
  }

  /// Each iteration of the loop over a group of lanes has a value of its own.
  bool isOfOneIteration(const loop::Local &local) const {
    return local.isByLane && isMoving(local.indices.back());
  }

  bool isInAnyOrder(loop::Operation::Op op, body::Scalar type) const {
    using Op = loop::Operation::Op;
    return (reassociates || !isReal(type)) && (op == Op::Add || op == Op::Subtract || op == Op::Multiply);
  }

  bool storesWhatItLoads() const {
    return std::any_of(stored.begin(), stored.end(), [&](int m) { return loaded.contains(m); });
  }
};

} // namespace

LoopCode loopCode(const loop::For &f, const std::vector<loop::Matrix> &matrices, const LoopTarget &target) {
  Body body(matrices, f, target.reassociates);
  body.node(f.body);
  LoopCode made{1, 1, !body.hasLoop, false};
  const bool isAsked = f.hint.vectors == loop::Hint::Vectors::Always,
             areCopies = f.hint.unrolling == loop::Hint::Unrolling::Fully;
  const bool isFree = f.hint.vectors == loop::Hint::Vectors::AsItLikes && !body.hasBranch &&
                      !body.hasFunction && !body.isCarried && !body.storesWhatItLoads() &&
                      ((target.hasGathers && !areCopies) || !body.isApart) && !(areCopies && body.values > 0);
  if (body.hasLoop || (!isAsked && !isFree))
    return made;
  const std::optional<long> rounds = constantRounds(f);
  if (areCopies && (!rounds || body.stored.empty()))
    return made;
  made.lanes = f.hint.width ? f.hint.width : std::max(1L, target.vectorBytes / body.bytes);
  made.vectors = f.hint.interleave ? f.hint.interleave
                                   : std::clamp(static_cast<long>(std::bit_floor(static_cast<unsigned long>(
                                                    kSmall / (body.instructions + 1)))),
                                                1L, kMostVectors);
  if (body.values > 0 && made.lanes > 1) { // all of them run together
    const auto room = static_cast<unsigned long>(target.registers / (body.values + 1));
    made.lanes *= f.hint.interleave ? f.hint.interleave
                                    : std::clamp(static_cast<long>(std::bit_floor(room)), 1L, kMostVectors);
    made.vectors = 1;
    made.sums = body.sums;
  }
  if (!rounds)
    return made;
  if (!f.hint.width)
    made.lanes = std::min(made.lanes, static_cast<long>(std::bit_floor(static_cast<unsigned long>(*rounds))));
  if (body.values > 0)
    return made;
  if (!f.hint.interleave)
    made.vectors = vectorsInRound(*rounds, made.lanes, made.vectors);
  const bool isWhole = *rounds % (made.lanes * made.vectors) == 0;
  made.isStraight = areCopies || (isWhole && *rounds / made.lanes * body.instructions <= kWrittenLength &&
                                  *rounds / (made.lanes * made.vectors) <= kWrittenOut);
  return made;
}

bool isWrittenOut(const loop::For &f, long turns) {
  if (turns > kWrittenOut || !roundsToWriteOut(f))
    return false;
  struct Size : loop::Visitor {
    long nodes = 0, times = 1;
    bool hasOther = false;
    void node(const NodePtr &n) override {
      const long before = times;
      if (const loop::For *inner = loop::as<loop::For>(n)) {
        const std::optional<long> rounds = roundsToWriteOut(*inner);
        hasOther = hasOther || (!rounds && inner->hint.unrolling != loop::Hint::Unrolling::Fully);
        times *= rounds.value_or(1);
      }
      hasOther = hasOther || loop::as<loop::BlockOfPoints>(n);
      Visitor::node(n);
      times = before;
    }
    void expr(const Expr &e) override {
      nodes += loop::as<loop::Operation>(e) || loop::as<loop::Element>(e) || loop::as<loop::Function>(e)
                   ? times
                   : 0;
      Visitor::expr(e);
    }
  } size;
  size.node(f.body);
  return !size.hasOther && turns * size.nodes <= kWrittenLength;
}

} // namespace pbc::emulate
