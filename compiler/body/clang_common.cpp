// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/clang_common.h"
#include <algorithm>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

namespace pbc::body {

using namespace clang;

namespace {

/// The variable of `++v`, `v -= 2`: steps by a constant.
const ValueDecl *steppedVariable(const Expr *e, const ASTContext &context) {
  const Expr *target = nullptr;
  e = e ? e->IgnoreParenImpCasts() : nullptr;
  if (const auto *u = llvm::dyn_cast_or_null<UnaryOperator>(e); u && u->isIncrementDecrementOp())
    target = u->getSubExpr();
  else if (const auto *a = llvm::dyn_cast_or_null<CompoundAssignOperator>(e);
           a && (a->getOpcode() == BO_AddAssign || a->getOpcode() == BO_SubAssign) &&
           !a->getRHS()->isValueDependent() && a->getRHS()->isEvaluatable(context))
    target = a->getLHS();
  const auto *d = target ? llvm::dyn_cast<DeclRefExpr>(target->IgnoreParens()) : nullptr;
  return d ? d->getDecl() : nullptr;
}

bool declares(const Stmt *init, const ValueDecl *variable) {
  const auto *d = llvm::dyn_cast_or_null<DeclStmt>(init);
  return d && std::find(d->decl_begin(), d->decl_end(), variable) != d->decl_end();
}

} // namespace

void CommonValues::collect(const Stmt *s, Changes &out) const {
  if (!s)
    return;
  if (const auto *read = llvm::dyn_cast<ImplicitCastExpr>(s);
      read && read->getCastKind() == CK_LValueToRValue) {
    // The value of a variable, or of an element of one: only its indices are of interest.
    const Expr *place = read->getSubExpr()->IgnoreParens();
    while (const auto *element = llvm::dyn_cast<ArraySubscriptExpr>(place)) {
      collect(element->getIdx(), out);
      const Expr *base = element->getBase()->IgnoreParens();
      const auto *decay = llvm::dyn_cast<ImplicitCastExpr>(base);
      if (!decay || decay->getCastKind() != CK_ArrayToPointerDecay)
        return collect(base, out);
      place = decay->getSubExpr()->IgnoreParens();
    }
    return llvm::isa<DeclRefExpr>(place) ? void() : collect(place, out);
  }
  if (const auto *d = llvm::dyn_cast<DeclRefExpr>(s)) {
    out.any.insert(d->getDecl());
    out.inside.insert(d->getDecl());
    return;
  }
  const Stmt *head = nullptr;
  if (const auto *loop = llvm::dyn_cast<ForStmt>(s))
    if (const ValueDecl *v = steppedVariable(loop->getInc(), context_); v && declares(loop->getInit(), v)) {
      out.any.insert(v);
      head = loop->getInc();
    }
  for (const Stmt *c : s->children())
    if (c != head)
      collect(c, out);
}

const CommonValues::Changes *CommonValues::changesAround(const VarDecl *v) {
  const auto *f = llvm::dyn_cast<FunctionDecl>(v->getDeclContext());
  if (!f || !f->getBody())
    return nullptr;
  const auto [at, isNew] = changes_.try_emplace(f);
  if (isNew)
    collect(f->getBody(), at->second);
  return &at->second;
}

bool CommonValues::isOnlyRead(const VarDecl *v) {
  const Changes *changes = changesAround(v);
  return changes && !changes->any.count(v);
}

bool CommonValues::isCommonVariable(const VarDecl *v, Parameters &relies) {
  const Changes *changes = changesAround(v);
  if (!changes || changes->inside.count(v) || v->getType()->isReferenceType())
    return false;
  if (const auto *p = llvm::dyn_cast<ParmVarDecl>(v)) {
    const auto *f = llvm::cast<FunctionDecl>(p->getDeclContext());
    if (f->getIdentifier() && f->getName() == rule_.function) {
      const Parameter &own = rule_.parameters[p->getFunctionScopeIndex()];
      return own.role == Parameter::Role::Size || own.role == Parameter::Role::Tunable;
    }
    relies.insert(p);
    return true;
  }
  if (!v->hasLocalStorage() || !v->getInit() || !asked_.insert(v).second)
    return false;
  const bool result = isCommon(v->getInit(), relies);
  asked_.erase(v);
  return result;
}

bool CommonValues::isCommon(const Expr *e, Parameters &relies) {
  e = e->IgnoreParenImpCasts();
  if (!e->isValueDependent() && e->isEvaluatable(context_))
    return true;
  if (const auto *d = llvm::dyn_cast<DeclRefExpr>(e)) {
    const auto *v = llvm::dyn_cast<VarDecl>(d->getDecl());
    return v && isCommonVariable(v, relies);
  }
  if (const auto *b = llvm::dyn_cast<BinaryOperator>(e))
    return !b->isAssignmentOp() && isCommon(b->getLHS(), relies) && isCommon(b->getRHS(), relies);
  if (const auto *u = llvm::dyn_cast<UnaryOperator>(e))
    return (u->getOpcode() == UO_Minus || u->getOpcode() == UO_Plus) && isCommon(u->getSubExpr(), relies);
  if (const auto *cast = llvm::dyn_cast<ExplicitCastExpr>(e))
    return isCommon(cast->getSubExpr(), relies);
  if (const auto *whole = llvm::dyn_cast<FullExpr>(e))
    return isCommon(whole->getSubExpr(), relies);
  return false;
}

void CommonValues::passes(const ParmVarDecl *p, const Expr *value) {
  if (!isCommon(value, passed_[p]))
    differing_.insert(p);
}

bool CommonValues::areCommon(const Parameters &parameters) const {
  Parameters seen = parameters;
  std::vector<const ParmVarDecl *> open(parameters.begin(), parameters.end());
  while (!open.empty()) {
    const ParmVarDecl *p = open.back();
    open.pop_back();
    if (differing_.count(p))
      return false;
    if (const auto at = passed_.find(p); at != passed_.end())
      for (const ParmVarDecl *q : at->second)
        if (seen.insert(q).second)
          open.push_back(q);
  }
  return true;
}

} // namespace pbc::body
