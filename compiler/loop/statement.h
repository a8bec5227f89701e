// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Statements of a Kernel as nodes of the loop tree, at one place among the loops.
//
//   S2[i]: B[i] = s[i] / 3.0   at { c0 }   =>   Assign { Element B[c0], Operation { Divide, { Local s, Literal 3.0 } } }
//
// A body that was not lifted becomes a Call, of its function for the processor or of the one for devices.
#pragma once
#include "compiler/kernel/schedule.h"
#include "compiler/loop/tree.h"

namespace pbc::loop {

/// A function of a statement's dimensions, ready to be converted at any place (convert.h).
isl::ast_expr indexExpression(const isl::pw_aff &, const isl::set &domain);
/// A function of the parameters.
Expr parametersOnly(const isl::pw_aff &, const isl::set &context);

/// Whether the array of a scratch buffer gets its memory when its task runs, because its size is not constant or too large.
bool isSized(const kernel::Buffer &scratch);

class StatementBuilder {
public:
  struct Purpose {
    bool device = false;     // calls use the device version of a body (body/device_body.h)
    bool vectorMath = false; // functions are called in the form that has vector versions
  };
  StatementBuilder(const kernel::Scheduled &, int statement, Purpose);

  /// The node at the place where the statement's dimensions have these values. `lane`: index into a Local's array.
  NodePtr node(const std::vector<Expr> &dimensions, const Expr &lane = nullptr) const;

private:
  struct At {
    const std::vector<Expr> &dimensions;
    const Expr &lane;
    bool isGuard =
        false; // it decides whether a cell exists that is then read: passes of lowering look for these conditions
  };
  /// The value that an assignment writes, in the element's type.
  Expr value(const At &) const;
  /// The cell of an access to a matrix.
  Expr cell(int access, const std::vector<Expr> &dimensions) const;
  Expr element(int access, const At &) const;
  Expr expr(const kernel::Expr &, const At &) const;
  Operation::Op operationOf(const kernel::Expr &, const At &) const;
  Expr choice(const kernel::Expr &, const At &) const;
  std::vector<Expr> operands(const kernel::Expr &, const At &) const;
  Expr function(const kernel::Expr &, const At &) const;
  Expr firstCell(std::size_t argument, const At &) const;
  Expr cellOr(std::size_t argument, const At &) const;
  Call call(const At &) const;
  Call deviceCall(const At &) const;
  Call::Argument deviceArgument(const body::DeviceBody::Argument &, const At &) const;
  Call::View view(std::size_t argument, const At &) const;
  const kernel::Buffer &target() const;

  const kernel::Kernel &kernel_;
  const int number_;
  const kernel::Statement &statement_;
  const Purpose for_;
  std::vector<std::vector<isl::ast_expr>> indices_;          // per access
  std::vector<bool> mayBeNegative_;                          // of a copy, per dimension
  std::optional<long> phase_;                                // the same (GroupCopy)
  bool isAlignedAcross_ = false;                             // the same
  std::vector<std::vector<isl::ast_expr>> begins_, extents_; // per argument of an opaque statement
};

} // namespace pbc::loop
