// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/block_values.h"
#include "compiler/body/value.h"
#include "compiler/kernel/along.h"
#include <algorithm>
#include <isl/map.h>
#include <string_view>

namespace pbc::kernel {
namespace {

bool isOneOf(std::string_view text, std::initializer_list<std::string_view> all) {
  return std::find(all.begin(), all.end(), text) != all.end();
}

/// Whether vectors have the function. Others are called for each lane.
bool hasInstruction(std::string_view function) {
  return isOneOf(function, {"fabs", "fmin", "fmax", "sqrt", "fabsf", "fminf", "fmaxf", "sqrtf"});
}

class Values {
public:
  Values(const Kernel &kernel, const Statement &s, const RegisterTile &tile)
      : kernel_(kernel), s_(s), tile_(tile),
        isBehindLoops_(static_cast<int>(s.dimensions.size()) == s.freeCount) {}

  bool canCompute(const Expr &e) const {
    if (!movesWith(kernel_, s_, e, tile_.x))
      return true; // one number for the whole row
    return (isArithmetic(e) || isChoice(e) || isFunction(e)) &&
           std::all_of(e.operands.begin(), e.operands.end(),
                       [&](const ExprPtr &o) { return canCompute(*o); });
  }

private:
  bool isArithmetic(const Expr &e) const {
    using Kind = Expr::Kind;
    return e.type == tile_.element &&
           (e.kind == Kind::Read || e.kind == Kind::Cast || (e.kind == Kind::Unary && e.text == "-") ||
            (e.kind == Kind::Binary && isOneOf(e.text, {"+", "-", "*", "/"})));
  }

  /// A choice, or the comparison that decides it.
  bool isChoice(const Expr &e) const {
    if (e.kind == Expr::Kind::Binary && isOneOf(e.text, {"<", "<=", ">", ">=", "==", "!="}))
      return areOfElement(e.operands);
    return e.kind == Expr::Kind::Select && e.type == tile_.element &&
           isAlwaysDefined(*e.operands[1], *e.operands[0]) && isAlwaysDefined(*e.operands[2], *e.operands[0]);
  }

  bool isFunction(const Expr &e) const {
    return e.kind == Expr::Kind::Call && e.type == tile_.element && areOfElement(e.operands) &&
           (isBehindLoops_ || hasInstruction(e.text));
  }

  bool areOfElement(const std::vector<ExprPtr> &all) const {
    return std::all_of(all.begin(), all.end(), [&](const ExprPtr &o) { return o->type == tile_.element; });
  }

  /// Whether it may be computed where a choice does not ask for it: it reads only cells that the condition reads, too, and divides no whole
  /// numbers.
  bool isAlwaysDefined(const Expr &e, const Expr &condition) const {
    if (e.kind == Expr::Kind::Read) {
      const Access &a = s_.accesses[static_cast<std::size_t>(e.index)];
      return kernel_.buffers[static_cast<std::size_t>(a.buffer)].role == Buffer::Role::Local ||
             isRead(a, condition);
    }
    if (e.kind == Expr::Kind::Binary && body::isInteger(e.type) && isOneOf(e.text, {"/", "%", "<<", ">>"}))
      return false;
    return std::all_of(e.operands.begin(), e.operands.end(),
                       [&](const ExprPtr &o) { return isAlwaysDefined(*o, condition); });
  }

  /// Whether the expression reads the cell, whatever it chooses.
  bool isRead(const Access &cell, const Expr &e) const {
    if (e.kind == Expr::Kind::Read) {
      const Access &a = s_.accesses[static_cast<std::size_t>(e.index)];
      return a.buffer == cell.buffer && a.relation.is_equal(cell.relation);
    }
    const bool isLazy =
        e.kind == Expr::Kind::Select || (e.kind == Expr::Kind::Binary && isOneOf(e.text, {"&&", "||"}));
    return std::any_of(e.operands.begin(), isLazy ? e.operands.begin() + 1 : e.operands.end(),
                       [&](const ExprPtr &o) { return isRead(cell, *o); });
  }

  const Kernel &kernel_;
  const Statement &s_;
  const RegisterTile &tile_;
  const bool isBehindLoops_;
};

} // namespace

bool canCompute(const Kernel &kernel, const Statement &s, const RegisterTile &tile) {
  return Values(kernel, s, tile).canCompute(*s.value);
}

} // namespace pbc::kernel
