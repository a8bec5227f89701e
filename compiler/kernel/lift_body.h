// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Turns one rule's body into statements; the only part of lift that uses body::Facts.
#pragma once
#include "compiler/kernel/kernel.h"
#include "compiler/kernel/scalar_parts.h"
#include "compiler/schedule/plan.h"
#include <set>

namespace pbc::kernel {

/// Program order inside one rule point.
struct Block {
  int statement = -1;   // index into Kernel::statements, or
  std::string iterator; // a loop over this dimension
  int step = 1;
  std::vector<Block> body;
};

class BodyLifter {
public:
  /// `sources`: of the lines of statements; null: they get none.
  BodyLifter(Kernel &kernel, const sema::Transform &transform, const std::string &prefix, poly::Context &ctx,
             const source::SourceManager *sources)
      : kernel_(kernel), transform_(transform), prefix_(prefix), ctx_(ctx), sources_(sources) {}

  /// Appends the statements of one rule; nothing if an index or bound is not affine.
  std::optional<std::vector<Block>> lift(const schedule::RuleUse &, const body::Facts &);
  /// Appends one call of the rule's emitted function.
  Block opaque(const schedule::RuleUse &, const body::Facts &);

private:
  struct Loop {
    int iterator;
    std::string constraint; // isl text
    bool isLong;            // it has no constant number of steps
  };
  struct NotAffine {};
  /// Thrown where a structured matrix has several values in the statement's domain: in `part` of it, it has only one.
  struct Several {
    isl::set part;
  };

  /// A sum whose terms are added under a condition: the addition, and where it is done (lift_guarded.cpp).
  struct GuardedSum {
    body::Node addition;
    std::string where; // isl text
  };
  std::optional<GuardedSum> guardedSum(const body::Node &) const;
  bool namesLongLoop(const body::Value &) const;
  /// One statement, or one for each value that matrices with a structure have in it, in any order.
  std::vector<Block> assign(const body::Node &);
  Block assign(const body::Node &, Statement);
  ExprPtr structured(const body::Value &, Statement &);
  /// What a scalar whose parts are known is in the statement's domain; null: it has to be read.
  ExprPtr constantOf(int local, const Statement &) const;
  /// Of the scalars that may be cut.
  std::set<int> privateBuffers() const;
  Block store(int binding);
  /// One loop, or one for each part of its only statement, if they come one after the other.
  std::vector<Block> loop(const body::Node &);
  std::vector<Block> blocks(const std::vector<body::NodePtr> &);
  /// For an optional cell: the cell itself, if it is inside its matrix at every point; else null.
  const body::Value *neverOutside(const body::Value &, Statement &);
  ExprPtr expr(const body::Value &, Statement &);
  std::string affine(const body::Value &) const;
  std::string bound(const body::Value &) const;
  int access(Statement &, int buffer, bool isWrite, const std::vector<std::string> &indices,
             const std::string &condition = "");
  std::string insideText(const sema::Binding &, const std::vector<std::string> &indices) const;
  std::vector<std::string> coordinates(int binding, const std::vector<body::ValuePtr> &indices) const;
  int cell(Statement &, int binding, const std::vector<body::ValuePtr> &indices, bool isWrite);
  int cellAt(Statement &, int binding, const std::vector<std::string> &at, bool isWrite);
  int local(Statement &, int index, bool isWrite);
  int local(Statement &, int &buffer, const std::string &name, Scalar, bool isWrite);
  bool isAccumulated(int binding) const;
  int accumulator(Statement &, int binding, bool isWrite);
  std::vector<Block> body();
  Statement begin(source::Span) const;
  Block end(Statement);
  int matrixBuffer(int matrix);
  const sema::Binding &binding(int index) const;
  std::vector<std::string> freeNames() const;
  isl::set domain(const std::string &tuple, const std::vector<std::string> &dimensions) const;
  std::string tuple(const Statement &) const;

  Kernel &kernel_;
  const sema::Transform &transform_;
  const std::string &prefix_;
  poly::Context &ctx_;
  const source::SourceManager *sources_;
  const sema::Rule *rule_ = nullptr;
  const body::Facts *facts_ = nullptr;
  isl::set points_;
  std::vector<Loop> loops_;
  std::vector<int> localBuffers_;
  ScalarParts scalars_;
  // By output: the Local buffer in which a cell that the body's loops update is kept until it is stored at
  // the end. -1: it has not been accessed yet.
  static constexpr int kNotAccumulated = -2;
  std::vector<int> accumulators_;
  std::string
      condition_; // isl text: where what is being lifted is computed, as far as that does not depend on data; "": everywhere
  bool isConditional_ = false; // what is being lifted is computed under a condition of its statement only
};

} // namespace pbc::kernel
