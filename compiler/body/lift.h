// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lifts a body's Tree to Nodes, if it consists only of assignments and counted loops; otherwise gives one
// sentence that says why not.
//
//   double s = 0; for (int k = 0; k < a.width(); ++k) s += a.cell(k); return s;
//   =>  s = 0.0; for k in [0, n) { s += a[k] }; out = s
//
// The Nodes compute exactly what C++ computes, including conversions. What is evaluated only under a
// condition stays so: an `if` becomes Selects only if its branches may be evaluated without the condition (no
// division of integers, no cell that is not read anyway).
#pragma once
#include "compiler/body/counters.h"
#include "compiler/body/facts.h"
#include "compiler/body/pieces.h"
#include "compiler/body/tree.h"
#include "compiler/body/unit.h"
#include "compiler/body/value.h"
#include <functional>
#include <map>
#include <set>

namespace pbc::body {

/// What the files of the lifting share: the rule, and the mapping from the unit's bytes to the user's.
struct RuleContext {
  const sema::Transform &transform;
  const sema::Rule &rule;
  const RuleText &text;
  const Unit &unit;
  const Function &function;

  Span span(const Tree &t) const;
  std::string source(const Tree &t) const; // at most about 40 characters, on one line
};

/// Fills liftable, locals, iterators and nodes; or obstacle and obstacleSpan.
void lift(const RuleContext &, Facts &);

/// Thrown only inside this folder, caught by lift().
struct Obstacle {
  std::string sentence;
  Span span;
};

/// A region that the body can name: a binding's view or a part of one.
struct View {
  int binding = 0;
  Scalar type = Scalar::F64;
  std::vector<ValuePtr> origin; // per dimension of the binding's view
  std::vector<int> dims;        // dimensions of the binding's view that this one keeps, in its order
  std::vector<ValuePtr> extent; // per dimension of this one
};

class Lifter {
public:
  Lifter(const RuleContext &c, Facts &facts);
  void run();

private:
  using Nodes = std::vector<NodePtr>;
  [[noreturn]] void stop(const Tree &, std::string sentence) const;
  [[noreturn]] void stopKind(const Tree &) const;

  // lift.cpp, lift_loop.cpp: statements
  void countWrites(const Tree &, const Tree *loop);
  enum class Of { Body, Loop, Block };
  void statements(const Statements &, Nodes &, Of);
  void statement(const Tree &, Nodes &);
  void declare(const Tree &, Nodes &);
  void discard(const Tree &, Nodes &);
  /// Where a variable that loops count with is declared or assigned outside of these; false: it is another statement.
  bool setsCounter(const Tree &);
  void loop(const Tree &, Nodes &);
  const Tree &firstOf(const CountedLoop &, const Tree &) const;
  const std::string &nameOf(int variable) const { return c_.function.variables[variable].name; }
  void store(Target, std::string op, ValuePtr, const Tree &, Nodes &);
  Target target(const Tree &);
  int newLocal(const std::string &name, Scalar);
  std::string unique(const std::string &name) const;

  // lift_branch.cpp: `if` as Selects
  ValuePtr tailValue(const Statements &, std::size_t from);
  ValuePtr onceComputed(const ValuePtr &condition, const Tree &, Nodes &out);
  void branch(const Tree &, Nodes &);
  void guarded(const Tree &, const ValuePtr &guard, Nodes &);
  /// `if (c) continue; rest` in a loop is `if (!c) { rest }`; false if the list does not begin so.
  bool skipsRest(const Statements &, std::size_t from, Nodes &);
  /// The condition of `if (c) continue;`; null: it is another statement.
  const Tree *skipCondition(const Tree &) const;
  void guardedStore(const Tree &, const Target &, const ValuePtr &, const ValuePtr &guard, Nodes &);
  ValuePtr readBack(const Target &) const;
  void requireSafe(const Value &, const Tree &) const;
  void requireSafeUnder(const Value &condition, const Value &, const Tree &) const;
  bool safe(const Value &, std::string &why) const;
  bool alwaysInside(const Value &cell) const;
  void remember(const Value &);

  // lift_whole.cpp: whole numbers that are choices between sums
  bool isChoice(const ValuePtr &) const;
  ValuePtr condition(const Tree &);
  ValuePtr cellInPieces(const Value &cell, std::size_t dimension) const;
  bool isKnown(const Tree &assignment) const;
  bool setsKnown(const Tree &, const ValuePtr &guard, Nodes &);
  void forget(int variable, const Tree &, Nodes &);

  // lift_value.cpp: expressions and views
  ValuePtr expression(const Tree &);
  ValuePtr parameter(const Tree &);
  ValuePtr variable(const Tree &);
  ValuePtr call(const Tree &);
  ValuePtr method(const Tree &);
  ValuePtr cell(const Tree &);
  View view(const Tree &);
  View bindingView(int number, const Tree &) const;
  ValuePtr index(const Tree &);
  ValuePtr extentValue(const sema::Binding &, int dimension) const;
  Scalar scalar(const Tree &) const;
  void requireIndex(const Value &, const Tree &) const;
  void requireBound(const Value &, const Tree &) const;
  [[noreturn]] void stopAt(const Value &, const Tree &, const std::string &what) const;

  /// Each loop adds a dimension to a statement's domain, and isl's work grows faster than any power of their number.
  static constexpr int kMostLoops = 10;

  const RuleContext &c_;
  Facts &facts_;
  int loopsAround_ = 0;
  std::vector<int> writes_;            // per variable: how often the body assigns to it
  std::map<int, const Tree *> loopOf_; // variable -> the loop that declares it; null: the body
  std::set<int> assignedInLoops_;      // variables that a loop inside of that one assigns
  std::set<int> knownNumbers_;         // variables that have another substitute behind each assignment
  Instances instances_;
  std::set<int> counters_;                 // variables that only loops use
  std::map<int, const Tree *> firstOf_;    // counter -> what it has here, where that is known
  std::map<int, ValuePtr> substitutes_;    // variable -> the value that it always has
  std::map<int, int> localOf_;             // variable -> Facts::locals
  std::map<int, View> viewOf_;             // variable -> the region that it always is
  std::set<int> assigned_, maybeAssigned_; // locals that are certainly or possibly assigned so far
  std::vector<ValuePtr> known_;            // cells that are accessed in any case
};

} // namespace pbc::body
