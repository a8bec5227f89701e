// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/clang_device_printer.h"
#include "compiler/body/clang_order.h"
#include <fmt/format.h>

namespace pbc::body {

using namespace clang;

namespace {

/// An item of a device has registers and a few kilobytes of its own; drivers refuse more.
constexpr long kMostBytes = 16 * 1024;
constexpr std::size_t kMostNesting =
    100; // number of statements: the text grows with its square; bodies written by hand have fewer

/// The text without parentheses around all of it.
std::string bareText(const std::string &text) {
  if (text.empty() || text.front() != '(' || text.back() != ')')
    return text;
  int depth = 0;
  for (std::size_t k = 0; k + 1 < text.size(); ++k) {
    depth += text[k] == '(' ? 1 : text[k] == ')' ? -1 : 0;
    if (depth == 0)
      return text;
  }
  return text.substr(1, text.size() - 2);
}

/// "[4][3]"
std::string arrayExtents(const ASTContext &context, QualType &element) {
  std::string extents;
  while (const auto *a = context.getAsConstantArrayType(element)) {
    extents += fmt::format("[{}]", a->getSize().getZExtValue());
    element = a->getElementType();
  }
  return extents;
}

} // namespace

std::string DevicePrinter::full(const Expr *e) {
  requireOrder(e);
  const auto *b = llvm::dyn_cast<BinaryOperator>(stripped(e));
  return bareText(b && b->isAssignmentOp() ? assignment(b) : value(e));
}

std::string DevicePrinter::block(const Stmt *s, const std::string &indent) {
  if (indent.size() > 2 * kMostNesting)
    refuse(s, fmt::format("its statements are nested more than {} deep", kMostNesting));
  std::string out = "{\n";
  if (const auto *c = llvm::dyn_cast<CompoundStmt>(s))
    for (const Stmt *inner : c->body())
      out += statement(inner, indent + "  ");
  else
    out += statement(s, indent + "  ");
  return out + indent + "}";
}

std::string DevicePrinter::statement(const Stmt *s, const std::string &indent) {
  if (const auto *e = llvm::dyn_cast<Expr>(s))
    return effect(e, indent);
  switch (s->getStmtClass()) {
  case Stmt::CompoundStmtClass:
    return indent + block(s, indent) + "\n";
  case Stmt::NullStmtClass:
    return "";
  case Stmt::AttributedStmtClass:
    return statement(llvm::cast<AttributedStmt>(s)->getSubStmt(), indent);
  case Stmt::DeclStmtClass:
    return declaration(llvm::cast<DeclStmt>(s), indent);
  case Stmt::IfStmtClass:
    return indent + branch(llvm::cast<IfStmt>(s), indent) + "\n";
  case Stmt::ForStmtClass:
    return loop(llvm::cast<ForStmt>(s), indent);
  case Stmt::WhileStmtClass: {
    const auto *w = llvm::cast<WhileStmt>(s);
    if (w->getConditionVariable())
      refuse(s, "the `while` loop declares a variable in its condition");
    const std::string condition = full(w->getCond());
    return fmt::format("{}while ({}) {}\n", indent, condition, block(w->getBody(), indent));
  }
  case Stmt::DoStmtClass: {
    const auto *d = llvm::cast<DoStmt>(s);
    const std::string body = block(d->getBody(), indent);
    return fmt::format("{}do {} while ({});\n", indent, body, full(d->getCond()));
  }
  case Stmt::SwitchStmtClass: {
    const auto *w = llvm::cast<SwitchStmt>(s);
    if (w->getConditionVariable() || w->getInit())
      refuse(s, "the `switch` declares a variable");
    const std::string condition = full(w->getCond());
    return fmt::format("{}switch ({}) {}\n", indent, condition, block(w->getBody(), indent));
  }
  case Stmt::CaseStmtClass: {
    const auto *c = llvm::cast<CaseStmt>(s);
    if (c->getRHS())
      refuse(s, "a `case` is a range of numbers");
    const llvm::APSInt number = c->getLHS()->EvaluateKnownConstInt(context_);
    return fmt::format("{}case {}:;\n", indent,
                       constant(APValue(number), c->getLHS()->getType(), c->getSourceRange())) +
           statement(c->getSubStmt(), indent);
  }
  case Stmt::DefaultStmtClass:
    return indent + "default:;\n" + statement(llvm::cast<DefaultStmt>(s)->getSubStmt(), indent);
  case Stmt::BreakStmtClass:
    return indent + "break;\n";
  case Stmt::ContinueStmtClass:
    return indent + "continue;\n";
  case Stmt::ReturnStmtClass: {
    const Expr *result = llvm::cast<ReturnStmt>(s)->getRetValue();
    return indent + (result ? "return " + full(result) : "return") + ";\n";
  }
  case Stmt::CXXForRangeStmtClass:
    refuse(s, "it has a range-based `for`");
  case Stmt::CXXTryStmtClass:
    refuse(s, "it has a `try` block");
  case Stmt::GotoStmtClass:
  case Stmt::IndirectGotoStmtClass:
  case Stmt::LabelStmtClass:
    refuse(s, "it has a `goto`");
  default:
    refuse(s, "devices have no `" + source(s) + "`");
  }
}

std::string DevicePrinter::branch(const IfStmt *s, const std::string &indent) {
  if (s->isConsteval() || s->isNonNegatedConsteval())
    refuse(s, "it has an `if consteval`");
  if (s->getInit() || s->getConditionVariable())
    refuse(s, "the `if` declares a variable");
  if (s->isConstexpr())
    if (const auto taken = s->getNondiscardedCase(context_))
      return *taken ? block(*taken, indent) : "{\n" + indent + "}";
  const std::string condition = full(s->getCond());
  std::string out = fmt::format("if ({}) {}", condition, block(s->getThen(), indent));
  if (const Stmt *other = s->getElse()) {
    const auto *next = llvm::dyn_cast<IfStmt>(other);
    out += " else " + (next && !next->isConstexpr() ? branch(next, indent) : block(other, indent));
  }
  return out;
}

/// The loop's own variables are declared before it, in a block.
std::string DevicePrinter::loop(const ForStmt *s, const std::string &indent) {
  if (s->getConditionVariable())
    refuse(s, "the `for` loop declares a variable in its condition");
  std::string before;
  const std::string inner = indent + "  ";
  if (s->getInit())
    before = statement(s->getInit(), inner);
  const std::string condition = s->getCond() ? full(s->getCond()) : "";
  const std::string step = s->getInc() ? full(s->getInc()) : "";
  const std::string body = block(s->getBody(), before.empty() ? indent : inner);
  if (before.empty())
    return fmt::format("{}for (; {}; {}) {}\n", indent, condition, step, body);
  return fmt::format("{0}{{\n{1}{2}for (; {3}; {4}) {5}\n{0}}}\n", indent, before, inner, condition, step,
                     body);
}

std::string DevicePrinter::effect(const Expr *e, const std::string &indent) {
  e = stripped(e);
  if (const auto *cast = llvm::dyn_cast<CastExpr>(e); cast && cast->getCastKind() == CK_ToVoid) {
    if (writesNothing(cast->getSubExpr())) // `(void)a;` only marks `a` as used
      return "";
    return effect(cast->getSubExpr(), indent);
  }
  if (const auto *c = llvm::dyn_cast<CallExpr>(e))
    if (const FunctionDecl *f = c->getDirectCallee(); f && f->getIdentifier() && f->getName() == "swap" &&
                                                      text_.isLibrary(f) && c->getNumArgs() == 2 &&
                                                      c->getArg(0)->getType()->isArithmeticType())
      return swapped(c, indent);
  return indent + full(e) + ";\n";
}

std::string DevicePrinter::swapped(const CallExpr *c, const std::string &indent) {
  requireRepeatable(c->getArg(0));
  requireRepeatable(c->getArg(1));
  const std::string a = target(c->getArg(0)), b = target(c->getArg(1));
  const std::string kept = fmt::format("kept_{}", count_++);
  return fmt::format("{0}{{\n{0}  const {1} {2} = {3};\n{0}  {3} = {4};\n{0}  {4} = {2};\n{0}}}\n", indent,
                     typeName(c->getArg(0)->getType(), c->getSourceRange()), kept, a, b);
}

// ---- declarations ----

std::string DevicePrinter::declaration(const DeclStmt *s, const std::string &indent) {
  std::string out;
  for (const Decl *d : s->decls()) {
    if (const auto *v = llvm::dyn_cast<VarDecl>(d))
      out += variable(v, indent);
    else if (!llvm::isa<TypedefNameDecl, StaticAssertDecl, UsingDecl, UsingDirectiveDecl, EnumDecl,
                        EmptyDecl>(d))
      refuse(s, "it declares something other than a variable: `" + source(s) + "`");
  }
  return out;
}

std::string DevicePrinter::variable(const VarDecl *v, const std::string &indent) {
  const QualType type = v->getType();
  const SourceRange range = v->getSourceRange();
  if (type.isVolatileQualified())
    refuse(range, "the variable `" + v->getNameAsString() + "` is volatile");
  if ((!v->hasLocalStorage() || isTableType(type)) && knownValue(v))
    return ""; // its value, or a table, wherever it is named
  if (!v->hasLocalStorage())
    refuse(range, "the `static` variable `" + v->getNameAsString() + "` outlives the point");
  if (regionClass(type) && !type->isReferenceType())
    return viewVariable(v, indent);
  if (type->isReferenceType())
    return reference(v, indent);
  if (const CXXRecordDecl *c = context_.getBaseElementType(type)->getAsCXXRecordDecl(); c && c->isLambda())
    refuse(range, "it has a lambda");
  else if (c)
    refuse(range, fmt::format("the variable `{}` is of the class `{}`", v->getNameAsString(),
                              context_.getBaseElementType(type).getAsString(context_.getPrintingPolicy())));
  Name name;
  name.text = unique(*v);
  if (type->isPointerType()) {
    if (!v->getInit())
      refuse(range, "the pointer `" + v->getNameAsString() + "` points nowhere at first");
    name.kind = Name::Kind::Pointer;
    const std::string to = pointer(v->getInit(), name.space);
    const QualType element = type->getPointeeType();
    const std::string out =
        fmt::format("{}{}{}{}{} *{} = {};\n", indent, name.space, name.space.empty() ? "" : " ",
                    element.isConstQualified() ? "const " : "", typeName(element, range), name.text, to);
    frame_.names[v] = std::move(name);
    return out;
  }
  std::string extents;
  if (type->isArrayType()) {
    if (!type->isConstantArrayType())
      refuse(range, "the length of the array `" + v->getNameAsString() + "` is not a constant");
    const auto bytes = static_cast<long>(context_.getTypeSizeInChars(type).getQuantity());
    if ((frame_.bytes += bytes) > kMostBytes)
      refuse(range,
             fmt::format("with the array `{}` its variables have {} bytes, and a work-item has {} of its own",
                         v->getNameAsString(), frame_.bytes, kMostBytes));
    QualType element = type;
    extents = arrayExtents(context_, element);
    const std::string declared =
        fmt::format("{}{} {}{}", indent, typeName(element, range), name.text, extents);
    std::string init;
    if (const Expr *e = v->getInit(); e && llvm::isa<InitListExpr, ImplicitValueInitExpr>(stripped(e))) {
      requireOrder(e);
      init = " = " + initialiser(e);
    } else if (e && !llvm::isa<CXXConstructExpr>(stripped(e)))
      refuse(e, "devices have no `" + source(e) + "`");
    frame_.names[v] = std::move(name);
    return declared + init + ";\n";
  }
  // The variable's name is visible in its initialiser, but `int x = x;` is never intended.
  const std::string init = v->getInit() ? " = " + full(v->getInit()) : "";
  const std::string out = fmt::format("{}{} {}{};\n", indent, typeName(type, range), name.text, init);
  frame_.names[v] = std::move(name);
  return out;
}

std::string DevicePrinter::viewVariable(const VarDecl *v, const std::string &indent) {
  const Expr *init = v->getInit();
  if (const auto *c = init ? llvm::dyn_cast<CXXConstructExpr>(init->IgnoreImplicit()) : nullptr;
      !init || (c && c->getNumArgs() == 0))
    refuse(v->getSourceRange(), "the view `" + v->getNameAsString() + "` is of nothing at first");
  requireOrder(init);
  const View from = view(init);
  Name name;
  name.kind = Name::Kind::View;
  name.text = unique(*v);
  name.view = from;
  name.view.pointer = name.text;
  name.view.element = elementOf(v->getType(), v->getSourceRange());
  std::string out = fmt::format("{}{}{} = {};\n", indent, pointerTo(name.view), name.text, from.pointer);
  for (std::size_t d = 0; d < from.strides.size(); ++d) {
    name.view.strides[d] = fmt::format("{}_s{}", name.text, d);
    name.view.extents[d] = fmt::format("{}_n{}", name.text, d);
    out += fmt::format("{}const long {} = {};\n", indent, name.view.strides[d], from.strides[d]);
    out += fmt::format("{}const int {} = {};\n", indent, name.view.extents[d], from.extents[d]);
  }
  frame_.names[v] = std::move(name);
  return out;
}

/// `T &x = place;` is a pointer, `const T &x = value;` a variable.
std::string DevicePrinter::reference(const VarDecl *v, const std::string &indent) {
  const QualType type = v->getType()->getPointeeType();
  const SourceRange range = v->getSourceRange();
  const Expr *init = v->getInit();
  while (const auto *f = llvm::dyn_cast<FullExpr>(init))
    init = f->getSubExpr();
  Name name;
  name.text = unique(*v);
  std::string out;
  if (regionClass(type)) {
    name.kind = Name::Kind::View;
    requireOrder(init);
    requireRepeatable(init);
    name.view = view(init);
  } else if (llvm::isa<MaterializeTemporaryExpr>(init)) {
    out = fmt::format("{}{} {} = {};\n", indent, typeName(type, range), name.text, full(init));
  } else {
    requireOrder(init);
    name.kind = type->isArrayType() ? Name::Kind::Pointer : Name::Kind::Indirect;
    name.space = spaceOf(init);
    QualType element = type;
    if (type->isArrayType())
      element = context_.getAsArrayType(type)->getElementType();
    out = fmt::format("{}{}{}{}{} *{} = {}{};\n", indent, name.space, name.space.empty() ? "" : " ",
                      context_.getBaseElementType(type).isConstQualified() ? "const " : "",
                      typeName(element, range), name.text, type->isArrayType() ? "" : "&", target(init));
  }
  frame_.names[v] = std::move(name);
  return out;
}

std::string DevicePrinter::initialiser(const Expr *e) {
  e = stripped(e);
  if (llvm::isa<ImplicitValueInitExpr>(e) && e->getType()->isArrayType())
    return "{0}";
  const auto *list = llvm::dyn_cast<InitListExpr>(e);
  if (!list || !e->getType()->isArrayType())
    return bareText(value(e));
  std::string out;
  for (unsigned k = 0; k < list->getNumInits(); ++k)
    out += (k ? ", " : "") + initialiser(list->getInit(k));
  return "{" + (out.empty() ? "0" : out) + "}";
}

} // namespace pbc::body
