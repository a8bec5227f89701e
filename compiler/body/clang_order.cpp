// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/clang_order.h"
#include "compiler/body/clang_nodes.h"
#include <algorithm>
#include <clang/AST/ExprCXX.h>
#include <set>

namespace pbc::body {
namespace {

using namespace clang;

/// The memory that an evaluation reads or writes.
struct Memory {
  std::set<const ValueDecl *> variables;
  bool cells = false;    // of matrices, or of anything else that the function has been given a reference to
  bool anything = false; // the target of a pointer that the function has made itself

  bool empty() const { return variables.empty() && !cells && !anything; }
  void add(const Memory &o) {
    variables.insert(o.variables.begin(), o.variables.end());
    cells |= o.cells, anything |= o.anything;
  }
  bool overlaps(const Memory &o) const {
    if (empty() || o.empty())
      return false;
    return anything || o.anything || (cells && o.cells) ||
           std::any_of(variables.begin(), variables.end(),
                       [&](const ValueDecl *v) { return o.variables.count(v) > 0; });
  }
};

struct Effects {
  Memory reads, writes;
  void add(const Effects &o) { reads.add(o.reads), writes.add(o.writes); }
  bool clashes(const Effects &o) const {
    return writes.overlaps(o.reads) || writes.overlaps(o.writes) || o.writes.overlaps(reads);
  }
};

const Expr *bare(const Expr *e) { return e->IgnoreParenImpCasts(); }

class Order {
public:
  const Expr *unclear = nullptr;

  Effects visit(const Expr *e) {
    e = bare(e);
    if (const auto *b = llvm::dyn_cast<BinaryOperator>(e))
      return b->isAssignmentOp() ? assignment(b) : binary(b);
    if (const auto *u = llvm::dyn_cast<UnaryOperator>(e); u && u->isIncrementDecrementOp()) {
      Effects all = place(u->getSubExpr());
      const Memory target = named(u->getSubExpr());
      all.reads.add(target), all.writes.add(target);
      return all;
    }
    if (const auto *c = llvm::dyn_cast<ConditionalOperator>(e)) {
      Effects all = visit(c->getCond()); // first
      all.add(visit(c->getTrueExpr()));
      all.add(visit(c->getFalseExpr()));
      return all;
    }
    if (const auto *c = llvm::dyn_cast<CallExpr>(e))
      return call(c);
    Effects all = children(e);
    if (e->isGLValue() && !e->getType()->isFunctionType())
      all.reads.add(named(e));
    return all;
  }

private:
  Effects binary(const BinaryOperator *b) {
    Effects left = visit(b->getLHS());
    const Effects right = visit(b->getRHS());
    if (!b->isLogicalOp() && !b->isCommaOp())
      together(b, left, right);
    left.add(right);
    return left;
  }

  /// C++ evaluates the right side first; C only requires that the target is written last.
  Effects assignment(const BinaryOperator *b) {
    Effects all = place(b->getLHS());
    const Effects value = visit(b->getRHS());
    Effects target;
    target.writes = named(b->getLHS());
    if (b->isCompoundAssignmentOp())
      all.reads.add(target.writes);
    together(b, all, value);
    const auto *inner = llvm::dyn_cast<BinaryOperator>(bare(b->getRHS()));
    const bool isChain = inner && inner->isAssignmentOp(); // printed with a comma: its store comes first
    if (!isChain && value.writes.overlaps(target.writes))
      unclear = b;
    all.add(value);
    all.add(target);
    return all;
  }

  Effects call(const CallExpr *c, bool isPlace = false) {
    Effects all, own;
    std::vector<Effects> parts;
    const auto *method = llvm::dyn_cast<CXXMemberCallExpr>(c);
    if (method) // of a view: it does not matter here which cells
      parts.push_back(place(method->getImplicitObjectArgument()));
    const FunctionDecl *f = c->getDirectCallee();
    for (unsigned k = 0; k < c->getNumArgs(); ++k) {
      const Expr *argument = c->getArg(k);
      const QualType type = f && k < f->getNumParams() ? f->getParamDecl(k)->getType() : argument->getType();
      const bool isPointed = type->isPointerType() || type->isReferenceType();
      parts.push_back(type->isReferenceType() && argument->isGLValue() ? place(argument) : visit(argument));
      if (regionClass(argument->getType()) || regionClass(type))
        own.reads.cells = own.writes.cells = true;
      else if (isPointed) {
        own.reads.add(named(argument));
        if (!type->getPointeeType().isConstQualified())
          own.writes.add(named(argument));
      }
    }
    for (const Effects &part : parts) {
      together(c, all, part);
      all.add(part);
    }
    if (method && !isPlace)
      own.reads.cells = true;
    all.add(own); // after all of them
    return all;
  }

  Effects children(const Expr *e) {
    Effects all;
    for (const Stmt *s : e->children())
      if (const auto *inner = llvm::dyn_cast_or_null<Expr>(s)) {
        const Effects part = visit(inner);
        together(e, all, part);
        all.add(part);
      }
    return all;
  }

  /// What is evaluated to find the element.
  Effects place(const Expr *e) {
    e = bare(e);
    if (llvm::isa<DeclRefExpr>(e))
      return {};
    if (const auto *s = llvm::dyn_cast<ArraySubscriptExpr>(e)) {
      Effects base = place(s->getBase());
      const Effects index = visit(s->getIdx());
      together(e, base, index);
      base.add(index);
      return base;
    }
    if (const auto *m = llvm::dyn_cast<CXXMemberCallExpr>(e))
      return call(m, true);
    return visit(e);
  }

  /// The memory that an lvalue or a pointer refers to.
  static Memory named(const Expr *e) {
    Memory m;
    e = bare(e);
    if (const ValueDecl *root = rootVariable(e)) {
      const bool isIndirect = root->getType()->isReferenceType() || root->getType()->isPointerType();
      if (!isIndirect || root->getType()->isPointerType())
        m.variables.insert(root);
      m.cells = isIndirect && llvm::isa<ParmVarDecl>(root);
      m.anything = isIndirect && !m.cells;
    } else if (llvm::isa<CXXMemberCallExpr>(e)) {
      m.cells = true;
    } else if (e->isGLValue() || e->getType()->isPointerType()) {
      m.anything = !llvm::isa<BinaryOperator, ConditionalOperator, MaterializeTemporaryExpr>(e);
    }
    return m;
  }

  void together(const Expr *e, const Effects &a, const Effects &b) {
    if (a.clashes(b))
      unclear = e;
  }
};

} // namespace

const ValueDecl *rootVariable(const Expr *e) {
  for (;;) {
    e = bare(e);
    if (const auto *u = llvm::dyn_cast<UnaryOperator>(e); u && u->getOpcode() == UO_AddrOf)
      e = u->getSubExpr();
    else if (const auto *s = llvm::dyn_cast<ArraySubscriptExpr>(e))
      e = s->getBase();
    else
      break;
  }
  const auto *d = llvm::dyn_cast<DeclRefExpr>(e);
  return d ? d->getDecl() : nullptr;
}

bool writesNothing(const Expr *e) { return Order().visit(e).writes.empty(); }

const Expr *unsequencedPart(const Expr *e) {
  Order order;
  order.visit(e);
  return order.unclear;
}

} // namespace pbc::body
