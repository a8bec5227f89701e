// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/clang_tree.h"
#include "compiler/body/clang_nodes.h"
#include "compiler/body/resumable.h"
#include "compiler/body/value.h"
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <llvm/ADT/StringExtras.h>

namespace pbc::body {
namespace {

using namespace clang;
using Kind = Tree::Kind;

constexpr int kMostDepth = 1500; // of a tree; bodies written by hand are less deep

class TreeReader {
public:
  TreeReader(ASTContext &context, const Unit &unit) : context_(context), text_(context, unit) {}

  Function read(const FunctionDecl &f) {
    for (const ParmVarDecl *p : f.parameters())
      parameters_[p] = static_cast<int>(parameters_.size());
    function_.body = statement(f.getBody());
    return std::move(function_);
  }

private:
  TreePtr make(Kind kind, const Stmt *s, std::string text = "") const {
    auto t = std::make_unique<Tree>();
    t->kind = kind;
    t->text = std::move(text);
    text_.place(*t, s->getSourceRange());
    if (const auto *e = llvm::dyn_cast<Expr>(s)) {
      t->type = scalarType(e->getType());
      t->typeText = e->getType().getUnqualifiedType().getAsString(context_.getPrintingPolicy());
    }
    return t;
  }

  // ---- statements ----
  TreePtr optional(const Stmt *s) { return s ? statement(s) : nullptr; }

  TreePtr statement(const Stmt *s) {
    Depth depth(*this);
    if (depth.tooDeep())
      return make(Kind::Control, s, "deeply nested code");
    if (const auto *e = llvm::dyn_cast<Expr>(s)) {
      auto t = make(Kind::Discard, s);
      t->children.push_back(expression(e));
      return t;
    }
    switch (s->getStmtClass()) {
    case Stmt::CompoundStmtClass: {
      auto t = make(Kind::Block, s);
      for (const Stmt *inner : llvm::cast<CompoundStmt>(s)->body())
        t->children.push_back(statement(inner));
      return t;
    }
    case Stmt::NullStmtClass:
      return make(Kind::Nothing, s);
    case Stmt::DeclStmtClass:
      return declarations(llvm::cast<DeclStmt>(s));
    case Stmt::IfStmtClass:
      return conditional(llvm::cast<IfStmt>(s));
    case Stmt::ForStmtClass: {
      const auto *f = llvm::cast<ForStmt>(s);
      auto t = make(Kind::For, s);
      t->children.push_back(optional(f->getInit()));
      t->children.push_back(f->getCond() ? expression(f->getCond()) : nullptr);
      t->children.push_back(f->getInc() ? expression(f->getInc()) : nullptr);
      t->children.push_back(statement(f->getBody()));
      return t;
    }
    case Stmt::ReturnStmtClass: {
      auto t = make(Kind::Return, s);
      if (const Expr *value = llvm::cast<ReturnStmt>(s)->getRetValue())
        t->children.push_back(expression(value));
      return t;
    }
    case Stmt::BreakStmtClass:
      return make(Kind::Jump, s, "break");
    case Stmt::ContinueStmtClass:
      return make(Kind::Jump, s, "continue");
    case Stmt::GotoStmtClass:
    case Stmt::IndirectGotoStmtClass:
      return make(Kind::Jump, s, "goto");
    case Stmt::WhileStmtClass: {
      constexpr const char *kUnknown = "the `while` loop has no known trip count";
      const auto *w = llvm::cast<WhileStmt>(s);
      if (w->hasVarStorage())
        return other(s, Kind::Control, kUnknown);
      auto t = make(Kind::While, s, kUnknown);
      t->children.push_back(expression(w->getCond()));
      t->children.push_back(statement(w->getBody()));
      return t;
    }
    case Stmt::DoStmtClass:
      return other(s, Kind::Control, "the `do` loop has no known trip count");
    case Stmt::SwitchStmtClass:
      return other(s, Kind::Control, "it has a `switch`");
    case Stmt::CXXForRangeStmtClass:
      return other(s, Kind::Control, "it has a range-based `for`");
    case Stmt::CXXTryStmtClass:
      return other(s, Kind::Control, "it has a `try` block");
    // A coroutine cannot be suspended inside a handler.
    case Stmt::CXXCatchStmtClass:
      return other(s, Kind::Lambda, "a `catch` block");
    default:
      return other(s, Kind::Control, "");
    }
  }

  TreePtr other(const Stmt *s, Kind kind, std::string text) {
    auto t = make(kind, s, std::move(text));
    for (const Stmt *c : s->children())
      if (c)
        t->children.push_back(child(s, c));
    return t;
  }

  /// A child of a construct without a kind of its own. An expression there is either a statement or a part of
  /// one.
  TreePtr child(const Stmt *parent, const Stmt *c) {
    const auto *e = llvm::dyn_cast<Expr>(c);
    if (!e)
      return statement(c);
    bool isBody = false;
    if (const auto *w = llvm::dyn_cast<WhileStmt>(parent))
      isBody = c == w->getBody();
    else if (const auto *d = llvm::dyn_cast<DoStmt>(parent))
      isBody = c == d->getBody();
    else if (const auto *r = llvm::dyn_cast<CXXForRangeStmt>(parent))
      isBody = c == r->getBody();
    else if (const auto *k = llvm::dyn_cast<SwitchCase>(parent))
      isBody = c == k->getSubStmt();
    else if (const auto *l = llvm::dyn_cast<LabelStmt>(parent))
      isBody = c == l->getSubStmt();
    else if (const auto *i = llvm::dyn_cast<IfStmt>(parent))
      isBody = c == i->getThen() || c == i->getElse();
    else if (const auto *a = llvm::dyn_cast<AttributedStmt>(parent))
      isBody = c == a->getSubStmt();
    return isBody ? statement(c) : expression(e);
  }

  TreePtr conditional(const IfStmt *s) {
    if (s->getInit() || s->getConditionVariable() || s->isConstexpr() || s->isConsteval())
      return other(s, Kind::Control, "the `if` declares a variable or is `constexpr`");
    auto t = make(Kind::If, s);
    t->children.push_back(expression(s->getCond()));
    t->children.push_back(statement(s->getThen()));
    t->children.push_back(optional(s->getElse()));
    return t;
  }

  TreePtr declarations(const DeclStmt *s) {
    auto all = make(Kind::Block, s);
    for (const Decl *d : s->decls()) {
      if (const auto *v = llvm::dyn_cast<VarDecl>(d))
        all->children.push_back(declaration(s, v));
      else if (const auto *r = llvm::dyn_cast<CXXRecordDecl>(d))
        all->children.push_back(localClass(s, r));
      else if (!llvm::isa<TypedefNameDecl, StaticAssertDecl, UsingDecl, UsingDirectiveDecl, EnumDecl,
                          EmptyDecl>(d))
        all->children.push_back(make(Kind::Control, s));
    }
    if (all->children.size() == 1)
      return std::move(all->children[0]);
    return all;
  }

  TreePtr declaration(const DeclStmt *s, const VarDecl *v) {
    if (isNumber(v))
      return make(Kind::Nothing, s);
    auto t = make(Kind::Declare, s);
    t->index = static_cast<int>(function_.variables.size());
    variables_[v] = t->index;
    Variable out;
    out.name = v->getNameAsString();
    out.typeText = v->getType().getAsString(context_.getPrintingPolicy());
    out.type = scalarType(v->getType());
    out.isRegion = !v->getType()->isReferenceType() && regionClass(v->getType());
    out.isStatic = !v->hasLocalStorage();
    out.isConstant = v->getType().isConstQualified();
    out.isVolatile = v->getType().isVolatileQualified();
    out.isReference = v->getType()->isReferenceType();
    out.isArray = v->getType()->isArrayType();
    const bool scalar = out.type.has_value();
    function_.variables.push_back(std::move(out));
    if (const Expr *init = v->getInit()) {
      // `Region r;` has an initialiser too: the call of its constructor.
      const auto *construct = llvm::dyn_cast<CXXConstructExpr>(init->IgnoreImplicit());
      if (scalar || !construct || construct->getNumArgs() != 0)
        t->children.push_back(expression(init));
    }
    return t;
  }

  TreePtr localClass(const DeclStmt *s, const CXXRecordDecl *r) {
    auto t = make(Kind::Lambda, s, "a local class");
    for (const CXXMethodDecl *m : r->methods())
      if (m->hasBody())
        t->children.push_back(statement(m->getBody()));
    return t;
  }

  // ---- expressions ----
  TreePtr expression(const Expr *e) {
    Depth depth(*this);
    if (depth.tooDeep())
      return make(Kind::Other, e, "an expression of that depth");
    if (const Expr *inner = operandOf(e))
      return expression(inner);
    switch (e->getStmtClass()) {
    case Stmt::IntegerLiteralClass:
      return literal(e, integerText(llvm::cast<IntegerLiteral>(e)->getValue(), e));
    case Stmt::FloatingLiteralClass:
      return literal(e, text_.ofFloat(llvm::cast<FloatingLiteral>(e)));
    case Stmt::CXXBoolLiteralExprClass:
      return literal(e, llvm::cast<CXXBoolLiteralExpr>(e)->getValue() ? "true" : "false");
    case Stmt::ImplicitValueInitExprClass:
    case Stmt::CXXScalarValueInitExprClass:
      return zero(e);
    case Stmt::InitListExprClass: {
      const auto *list = llvm::cast<InitListExpr>(e);
      if (scalarType(e->getType()) && list->getNumInits() == 1)
        return expression(list->getInit(0));
      if (scalarType(e->getType()) && list->getNumInits() == 0)
        return zero(e);
      return other(e, Kind::Other, "");
    }
    case Stmt::DeclRefExprClass:
      return name(llvm::cast<DeclRefExpr>(e));
    case Stmt::UnresolvedLookupExprClass: {
      for (const NamedDecl *d : llvm::cast<UnresolvedLookupExpr>(e)->decls())
        if (const auto *f = llvm::dyn_cast<FunctionDecl>(d); f && isTransform(f))
          return make(Kind::TransformName, e, f->getNameAsString());
      return other(e, Kind::Other, "");
    }
    case Stmt::UnaryOperatorClass:
      return unary(llvm::cast<UnaryOperator>(e));
    case Stmt::BinaryOperatorClass:
      return binary(llvm::cast<BinaryOperator>(e));
    case Stmt::CompoundAssignOperatorClass: {
      const auto *a = llvm::cast<CompoundAssignOperator>(e);
      auto t = make(
          Kind::Assign, e,
          BinaryOperator::getOpcodeStr(BinaryOperator::getOpForCompoundAssignment(a->getOpcode())).str());
      t->computation = scalarType(a->getComputationLHSType());
      t->children.push_back(expression(a->getLHS()));
      t->children.push_back(expression(a->getRHS()));
      return t;
    }
    case Stmt::ConditionalOperatorClass: {
      const auto *c = llvm::cast<ConditionalOperator>(e);
      auto t = make(Kind::Conditional, e);
      for (const Expr *part : {c->getCond(), c->getTrueExpr(), c->getFalseExpr()})
        t->children.push_back(expression(part));
      return t;
    }
    case Stmt::CXXMemberCallExprClass:
      return method(llvm::cast<CXXMemberCallExpr>(e));
    case Stmt::CallExprClass:
      return call(llvm::cast<CallExpr>(e));
    case Stmt::LambdaExprClass:
      return other(e, Kind::Lambda, "a lambda"); // its children: captures and body
    case Stmt::RecoveryExprClass:
      return make(Kind::Other, e, "an error"); // reported already
    case Stmt::StringLiteralClass:
      return make(Kind::Other, e, "a string");
    case Stmt::CXXNewExprClass:
      return other(e, Kind::Other, "`new`");
    case Stmt::CXXDeleteExprClass:
      return other(e, Kind::Other, "`delete`");
    case Stmt::CXXThrowExprClass:
      return other(e, Kind::Other, "`throw`");
    case Stmt::ArraySubscriptExprClass:
      return other(e, Kind::Other, "");
    default:
      break;
    }
    if (const auto *cast = llvm::dyn_cast<CastExpr>(e))
      return conversion(cast);
    return other(e, Kind::Other, "");
  }

  TreePtr literal(const Expr *e, std::string text) const { return make(Kind::Literal, e, std::move(text)); }
  TreePtr zero(const Expr *e) const {
    const auto type = scalarType(e->getType());
    return literal(e, type ? body::zero(*type) : "0");
  }
  TreePtr name(const DeclRefExpr *e) {
    const ValueDecl *d = e->getDecl();
    if (const auto found = parameters_.find(d); found != parameters_.end()) {
      auto t = make(Kind::Parameter, e);
      t->index = found->second;
      return t;
    }
    if (const auto found = variables_.find(d); found != variables_.end()) {
      auto t = make(Kind::Variable, e);
      t->index = found->second;
      return t;
    }
    if (const auto *c = llvm::dyn_cast<EnumConstantDecl>(d)) {
      auto t = literal(e, llvm::toString(c->getInitVal(), 10));
      t->type = Scalar::I32;
      return t;
    }
    if (const auto *f = llvm::dyn_cast<FunctionDecl>(d); f && isTransform(f))
      return make(Kind::TransformName, e, f->getNameAsString());
    if (const auto *v = llvm::dyn_cast<VarDecl>(d))
      return global(e, v);
    return make(Kind::Other, e);
  }

  /// Its absolute value as a literal, or as INFINITY, and its sign.
  TreePtr constant(const DeclRefExpr *e, llvm::APFloat value) {
    const bool isNegative = value.isNegative();
    value.clearSign();
    TreePtr t = value.isInfinity() ? make(Kind::Function, e, "__builtin_inf")
                                   : literal(e, floatText(value, e->getType()));
    t->index = value.isInfinity() ? 1 : t->index;
    if (!isNegative)
      return t;
    auto negative = make(Kind::Unary, e, "-");
    negative->children.push_back(std::move(t));
    return negative;
  }

  TreePtr global(const DeclRefExpr *e, const VarDecl *v) {
    if (v->getType().isConstQualified() && !v->getType().isVolatileQualified() && v->hasInit() &&
        !v->getInit()->isValueDependent())
      if (const APValue *value = v->evaluateValue()) {
        if (value->isInt() && scalarType(v->getType()) == Scalar::Bool)
          return literal(e, value->getInt().getBoolValue() ? "true" : "false");
        if (value->isInt() && value->getInt().isNonNegative())
          return literal(e, integerText(value->getInt(), e));
        if (value->isInt() && !value->getInt().isMinSignedValue()) {
          auto t = make(Kind::Unary, e, "-");
          t->children.push_back(literal(e, integerText(-value->getInt(), e)));
          return t;
        }
        if (value->isFloat() && !value->getFloat().isNaN())
          return constant(e, value->getFloat());
      }
    return make(Kind::Other, e, "the global variable `" + v->getNameAsString() + "`");
  }

  TreePtr unary(const UnaryOperator *u) {
    if (u->getOpcode() == UO_Plus || u->getOpcode() == UO_Extension)
      return expression(u->getSubExpr());
    Kind kind = Kind::Other;
    std::string text;
    if (u->isIncrementDecrementOp())
      kind = Kind::Step, text = u->isIncrementOp() ? "++" : "--";
    else if (u->getOpcode() == UO_Minus || u->getOpcode() == UO_LNot || u->getOpcode() == UO_Not)
      kind = Kind::Unary, text = UnaryOperator::getOpcodeStr(u->getOpcode()).str();
    else if (u->getOpcode() == UO_Deref)
      text = "a pointer";
    else if (u->getOpcode() == UO_AddrOf)
      text = "an address";
    auto t = make(kind, u, text);
    t->children.push_back(expression(u->getSubExpr()));
    return t;
  }

  TreePtr binary(const BinaryOperator *b) {
    if (b->getOpcode() == BO_Comma && isMarker(b->getLHS(), "pb_spawn_"))
      return spawned(b);
    // A sum of a thousand terms is a deep tree of left operands; it is walked without recursion.
    std::vector<const BinaryOperator *> spine = {b};
    while (const auto *left = llvm::dyn_cast<BinaryOperator>(spine.back()->getLHS())) {
      if (left->getOpcode() != b->getOpcode() || left->isAssignmentOp() || left->getOpcode() == BO_Comma ||
          depth_ + static_cast<int>(spine.size()) > kMostDepth)
        break;
      spine.push_back(left);
    }
    const int below = static_cast<int>(spine.size()); // the depth counts as if it had been walked recursively
    depth_ += below;
    TreePtr left = expression(spine.back()->getLHS());
    depth_ -= below;
    for (auto at = spine.rbegin(); at != spine.rend(); ++at) {
      const BinaryOperator *op = *at;
      auto t = op->getOpcode() == BO_Assign ? make(Kind::Assign, op)
                                            : make(Kind::Binary, op, op->getOpcodeStr().str());
      t->children.push_back(std::move(left));
      t->children.push_back(expression(op->getRHS()));
      left = std::move(t);
    }
    return left;
  }

  TreePtr conversion(const CastExpr *c) {
    switch (c->getCastKind()) {
    case CK_IntegralCast:
    case CK_FloatingCast:
    case CK_IntegralToFloating:
    case CK_FloatingToIntegral:
    case CK_IntegralToBoolean:
    case CK_FloatingToBoolean: {
      TreePtr inner = expression(c->getSubExpr());
      const auto to = scalarType(c->getType());
      if (to && to == inner->type) {
        if (llvm::isa<ExplicitCastExpr>(c))
          text_.place(*inner, c->getSourceRange());
        return inner;
      }
      auto t = make(to ? Kind::Cast : Kind::Other, c);
      t->children.push_back(std::move(inner));
      return t;
    }
    case CK_LValueToRValue:
    case CK_NoOp:
    case CK_FunctionToPointerDecay:
    case CK_UserDefinedConversion:
    case CK_ConstructorConversion: {
      TreePtr inner = expression(c->getSubExpr());
      if (llvm::isa<ExplicitCastExpr>(c))
        text_.place(*inner, c->getSourceRange());
      return inner;
    }
    default:
      return other(c, Kind::Other, "");
    }
  }

  // ---- calls ----
  TreePtr method(const CXXMemberCallExpr *c) {
    const CXXMethodDecl *m = c->getMethodDecl();
    if (!m || !regionClass(context_.getRecordType(m->getParent())))
      return other(c, Kind::Other, "");
    auto t = make(Kind::Method, c, llvm::isa<CXXConversionDecl>(m) ? "cell" : m->getNameAsString());
    t->children.push_back(expression(c->getImplicitObjectArgument()));
    for (const Expr *a : c->arguments())
      t->children.push_back(expression(a));
    return t;
  }

  TreePtr call(const CallExpr *c) {
    const FunctionDecl *f = c->getDirectCallee();
    if (!f || !f->getIdentifier())
      return other(c, Kind::Other, "");
    if (f->getName() == "pb_sync_")
      return make(Kind::Sync, c);
    if (f->getName() == "pb_verify_")
      return make(Kind::Verify, c);
    if (isTransform(f))
      return transformCall(c, f);
    auto t = make(Kind::Function, c, f->getNameAsString());
    t->index = text_.isLibrary(f) ? 1 : 0;
    for (const Expr *a : c->arguments())
      t->children.push_back(expression(a));
    return t;
  }

  TreePtr transformCall(const CallExpr *c, const FunctionDecl *f) {
    auto t = make(Kind::TransformCall, c, f->getNameAsString());
    for (const Expr *a : c->arguments())
      t->children.push_back(expression(a));
    text_.placeCall(*t, c);
    return t;
  }

  TreePtr spawned(const BinaryOperator *b) {
    auto t = make(Kind::Spawn, b);
    t->children.push_back(expression(b->getRHS()));
    text_.placeSpawn(*t, b);
    return t;
  }

  struct Depth {
    explicit Depth(TreeReader &r) : reader(r) { ++reader.depth_; }
    ~Depth() { --reader.depth_; }
    bool tooDeep() const { return reader.depth_ > kMostDepth; }
    TreeReader &reader;
  };

  ASTContext &context_;
  const NodeText text_;
  Function function_;
  std::map<const ValueDecl *, int> parameters_, variables_;
  int depth_ = 0;
};

} // namespace

Function readFunction(const FunctionDecl &f, ASTContext &context, const Unit &unit) {
  Function function = TreeReader(context, unit).read(f);
  function.isResumable = isResumable(f);
  return function;
}

} // namespace pbc::body
