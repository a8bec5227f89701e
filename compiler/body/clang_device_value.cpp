// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/clang_device_printer.h"
#include "compiler/body/clang_order.h"
#include "compiler/body/math_functions.h"
#include <fmt/format.h>
#include <llvm/ADT/StringExtras.h>

namespace pbc::body {

using namespace clang;

namespace {

std::string wrapped(const std::string &text) { return "(" + text + ")"; }

/// Operators of one class may follow each other without parentheses, from left to right.
int classOf(BinaryOperatorKind op) {
  switch (op) {
  case BO_Add:
  case BO_Sub:
    return 1;
  case BO_Mul:
  case BO_Div:
  case BO_Rem:
    return 2;
  default:
    return 100 + op;
  }
}

} // namespace

const Expr *DevicePrinter::transparent(const Expr *e) const {
  if (const Expr *operand = operandOf(e))
    return operand;
  if (const auto *d = llvm::dyn_cast<CXXDefaultArgExpr>(e))
    return d->getExpr();
  if (const auto *c = llvm::dyn_cast<CastExpr>(e))
    switch (c->getCastKind()) {
    case CK_NoOp:
    case CK_LValueToRValue:
    case CK_FunctionToPointerDecay:
    case CK_UserDefinedConversion:
    case CK_ConstructorConversion:
      return c->getSubExpr();
    default:
      return nullptr;
    }
  return nullptr;
}

const Expr *DevicePrinter::stripped(const Expr *e) const {
  while (const Expr *inner = transparent(e))
    e = inner;
  return e;
}

void DevicePrinter::requireOrder(const Expr *e) {
  if (const Expr *part = unsequencedPart(e))
    refuse(part, "its value depends on the order in which C++ evaluates its parts");
}

void DevicePrinter::requireRepeatable(const Expr *e) const {
  if (!writesNothing(e))
    refuse(e, "`" + source(e) + "` changes a variable, and would be evaluated twice");
}

std::string DevicePrinter::typeName(QualType type, SourceRange range) const {
  QualType t = type.getCanonicalType().getUnqualifiedType();
  if (const auto *e = t->getAs<EnumType>())
    t = e->getDecl()->getIntegerType().getCanonicalType().getUnqualifiedType();
  if (const auto *b = t->getAs<BuiltinType>())
    switch (b->getKind()) {
    case BuiltinType::Bool:
      return "bool";
    case BuiltinType::Char_S:
    case BuiltinType::SChar:
      return "signed char";
    case BuiltinType::Char_U:
    case BuiltinType::UChar:
      return "unsigned char";
    case BuiltinType::Short:
      return "short";
    case BuiltinType::UShort:
      return "unsigned short";
    case BuiltinType::Int:
      return "int";
    case BuiltinType::UInt:
      return "unsigned int";
    case BuiltinType::Long:
    case BuiltinType::LongLong:
      return "long";
    case BuiltinType::ULong:
    case BuiltinType::ULongLong:
      return "unsigned long";
    case BuiltinType::Float:
      return "float";
    case BuiltinType::Double:
      return "double";
    default:
      break;
    }
  refuse(range, "devices have no type `" +
                    type.getUnqualifiedType().getAsString(context_.getPrintingPolicy()) + "`");
}

std::string DevicePrinter::constant(const APValue &v, QualType type, SourceRange range) const {
  const std::string name = typeName(type, range);
  if (v.isInt() && name == "bool")
    return v.getInt().getBoolValue() ? "true" : "false";
  if (v.isInt()) {
    const std::string suffix = name == "long"            ? "L"
                               : name == "unsigned int"  ? "U"
                               : name == "unsigned long" ? "UL"
                                                         : "";
    if (v.getInt().isNegative() && v.getInt().isMinSignedValue()) // there is no literal for it
      return fmt::format("(-{}{} - 1)", std::to_string(-(v.getInt().getSExtValue() + 1)), suffix);
    const std::string digits = llvm::toString(v.getInt(), 10) + suffix;
    const bool isSmall = suffix.empty() && name != "int";
    return isSmall ? fmt::format("(({}){})", name, digits) : digits.front() == '-' ? wrapped(digits) : digits;
  }
  if (v.isFloat()) {
    const llvm::APFloat &f = v.getFloat();
    if (f.isInfinity())
      return fmt::format("({}({})INFINITY)", f.isNegative() ? "-" : "", name);
    if (const std::string text = floatText(f, type); !text.empty())
      return text.front() == '-' ? wrapped(text) : text;
  }
  refuse(range, "a constant is not a finite number");
}

const DevicePrinter::Name *DevicePrinter::nameOf(const Expr *e) const {
  const auto *d = llvm::dyn_cast<DeclRefExpr>(stripped(e));
  const auto at = d ? frame_.names.find(d->getDecl()) : frame_.names.end();
  return at == frame_.names.end() ? nullptr : &at->second;
}

std::string DevicePrinter::named(const DeclRefExpr *e) {
  const ValueDecl *d = e->getDecl();
  if (const auto at = frame_.names.find(d); at != frame_.names.end()) {
    const Name &name = at->second;
    if (name.parameter >= 0)
      used_[static_cast<std::size_t>(name.parameter)] = true;
    if (name.kind == Name::Kind::View)
      refuse(e, "the view `" + d->getNameAsString() + "` is used as a whole");
    if (name.kind == Name::Kind::Array)
      refuse(e, "the array `" + d->getNameAsString() + "` is used as a whole");
    return name.kind == Name::Kind::Indirect ? "(*" + name.text + ")" : name.text;
  }
  if (const auto *c = llvm::dyn_cast<EnumConstantDecl>(d))
    return constant(APValue(c->getInitVal()), e->getType(), e->getSourceRange());
  if (const auto *v = llvm::dyn_cast<VarDecl>(d)) {
    if (const APValue *known = knownValue(v); known && isTableType(v->getType())) {
      Table &whole = table(v, *known);
      whole.isCommon = false; // whoever gets it may read it at any index
      return whole.name;
    } else if (known) {
      return constant(*known, v->getType(), e->getSourceRange());
    }
    refuse(e, "it uses the global variable `" + v->getNameAsString() + "`");
  }
  refuse(e, "it uses `" + d->getNameAsString() + "` other than by calling it");
}

std::string DevicePrinter::value(const Expr *e) {
  if (const Expr *inner = transparent(e))
    return value(inner);
  if (e->getType()->isPointerType() && !llvm::isa<CallExpr>(e))
    refuse(e, "the pointer `" + source(e) + "` is used other than to read or write what it points to");
  switch (e->getStmtClass()) {
  case Stmt::IntegerLiteralClass: {
    llvm::APSInt number(llvm::cast<IntegerLiteral>(e)->getValue(), e->getType()->isUnsignedIntegerType());
    return constant(APValue(number), e->getType(), e->getSourceRange());
  }
  case Stmt::CharacterLiteralClass:
    return fmt::format("(({}){})", typeName(e->getType(), e->getSourceRange()),
                       static_cast<int>(llvm::cast<CharacterLiteral>(e)->getValue()));
  case Stmt::FloatingLiteralClass:
    typeName(e->getType(), e->getSourceRange()); // no long double
    return text_.ofFloat(llvm::cast<FloatingLiteral>(e));
  case Stmt::CXXBoolLiteralExprClass:
    return llvm::cast<CXXBoolLiteralExpr>(e)->getValue() ? "true" : "false";
  case Stmt::ImplicitValueInitExprClass:
  case Stmt::CXXScalarValueInitExprClass:
    return wrapped(wrapped(typeName(e->getType(), e->getSourceRange())) + "0");
  case Stmt::InitListExprClass: {
    const auto *list = llvm::cast<InitListExpr>(e);
    if (e->getType()->isArithmeticType() && list->getNumInits() <= 1)
      return list->getNumInits() ? value(list->getInit(0))
                                 : wrapped(wrapped(typeName(e->getType(), e->getSourceRange())) + "0");
    break;
  }
  case Stmt::UnaryExprOrTypeTraitExprClass:
    if (Expr::EvalResult known; e->EvaluateAsInt(known, context_))
      return constant(known.Val, e->getType(), e->getSourceRange());
    break;
  case Stmt::DeclRefExprClass:
    return named(llvm::cast<DeclRefExpr>(e));
  case Stmt::UnaryOperatorClass:
    return unary(llvm::cast<UnaryOperator>(e));
  case Stmt::BinaryOperatorClass:
  case Stmt::CompoundAssignOperatorClass:
    return binary(llvm::cast<BinaryOperator>(e));
  case Stmt::ConditionalOperatorClass: {
    const auto *c = llvm::cast<ConditionalOperator>(e);
    const std::string condition = value(c->getCond()), yes = value(c->getTrueExpr());
    return wrapped(condition + " ? " + yes + " : " + value(c->getFalseExpr()));
  }
  case Stmt::ArraySubscriptExprClass: {
    const auto *s = llvm::cast<ArraySubscriptExpr>(e);
    if (const auto read = tableElement(e))
      return *read;
    std::string space;
    const std::string base = pointer(s->getBase(), space);
    return base + "[" + value(s->getIdx()) + "]";
  }
  case Stmt::CXXMemberCallExprClass:
    return method(llvm::cast<CXXMemberCallExpr>(e));
  case Stmt::CallExprClass:
    return call(llvm::cast<CallExpr>(e));
  case Stmt::CXXOperatorCallExprClass:
    if (const auto *c = llvm::cast<CXXOperatorCallExpr>(e); regionClass(c->getArg(0)->getType()))
      refuse(e, "a view is bound anew");
    else if (const Name *name = c->getOperator() == OO_Subscript ? nameOf(c->getArg(0)) : nullptr;
             name && name->kind == Name::Kind::Array)
      return element(c);
    else if (const auto read = tableElement(e))
      return *read;
    else if (c->getOperator() == OO_Subscript && llvm::isa<DeclRefExpr>(stripped(c->getArg(0))))
      refuse(e, "it uses the array `" + source(c->getArg(0)) + "`, which is not a part of the body");
    refuse(e, "it uses an operator of a class: `" + source(e) + "`");
  case Stmt::LambdaExprClass:
    refuse(e, "it has a lambda");
  case Stmt::CXXNewExprClass:
  case Stmt::CXXDeleteExprClass:
    refuse(e, "it asks for memory of its own");
  case Stmt::CXXThrowExprClass:
    refuse(e, "it throws an exception");
  case Stmt::StringLiteralClass:
    refuse(e, "it uses a string");
  default:
    break;
  }
  if (const auto *cast = llvm::dyn_cast<CastExpr>(e))
    return conversion(cast);
  refuse(e, "devices have no `" + source(e) + "`");
}

std::string DevicePrinter::target(const Expr *e) {
  const Expr *inner = stripped(e);
  const auto *u = llvm::dyn_cast<UnaryOperator>(inner);
  if (llvm::isa<DeclRefExpr, ArraySubscriptExpr>(inner) || (u && u->getOpcode() == UO_Deref))
    return value(inner);
  if (const auto *m = llvm::dyn_cast<CXXMemberCallExpr>(inner); m && m->isGLValue())
    return value(inner);
  refuse(e, "`" + source(e) + "` is changed, and devices know it as a value only");
}

std::string DevicePrinter::unary(const UnaryOperator *u) {
  switch (u->getOpcode()) {
  case UO_Plus:
  case UO_Extension:
    return value(u->getSubExpr());
  case UO_Minus:
  case UO_LNot:
  case UO_Not:
    return wrapped(UnaryOperator::getOpcodeStr(u->getOpcode()).str() + value(u->getSubExpr()));
  case UO_PreInc:
  case UO_PreDec:
    return wrapped((u->isIncrementOp() ? "++" : "--") + target(u->getSubExpr()));
  case UO_PostInc:
  case UO_PostDec:
    return wrapped(target(u->getSubExpr()) + (u->isIncrementOp() ? "++" : "--"));
  case UO_Deref: {
    std::string space;
    return wrapped("*" + pointer(u->getSubExpr(), space));
  }
  default:
    refuse(u, "devices have no `" + source(u) + "`");
  }
}

std::string DevicePrinter::assignment(const BinaryOperator *b) {
  if (!b->getType()->isArithmeticType())
    refuse(b, "devices have no `" + source(b) + "`");
  return target(b->getLHS()) + " " + b->getOpcodeStr().str() + " " + value(b->getRHS());
}

std::string DevicePrinter::binary(const BinaryOperator *b) {
  if (b->isAssignmentOp()) { // its value is used: a comma expression stores first
    requireRepeatable(b->getLHS());
    return wrapped(assignment(b) + ", " + target(b->getLHS()));
  }
  if (b->getOpcode() > BO_Comma || b->isPtrMemOp() || b->getOpcode() == BO_Cmp ||
      b->getLHS()->getType()->isPointerType())
    refuse(b, "devices have no `" + source(b) + "`");
  // A sum of a thousand terms is a deep tree of left operands.
  std::vector<const BinaryOperator *> spine = {b};
  while (const auto *left = llvm::dyn_cast<BinaryOperator>(stripped(spine.back()->getLHS()))) {
    if (classOf(left->getOpcode()) != classOf(b->getOpcode()))
      break;
    spine.push_back(left);
  }
  std::string text = value(spine.back()->getLHS());
  for (auto at = spine.rbegin(); at != spine.rend(); ++at) {
    const bool isComma = (*at)->getOpcode() == BO_Comma;
    text += (isComma ? "" : " ") + (*at)->getOpcodeStr().str() + " " + value((*at)->getRHS());
  }
  return wrapped(text);
}

std::string DevicePrinter::conversion(const CastExpr *c) {
  switch (c->getCastKind()) {
  case CK_IntegralCast:
  case CK_FloatingCast:
  case CK_IntegralToFloating:
  case CK_FloatingToIntegral:
  case CK_IntegralToBoolean:
  case CK_FloatingToBoolean: {
    const std::string to = typeName(c->getType(), c->getSourceRange());
    const std::string inner = value(c->getSubExpr());
    return to == typeName(c->getSubExpr()->getType(), c->getSourceRange()) ? inner
                                                                           : wrapped(wrapped(to) + inner);
  }
  default:
    refuse(c, "devices have no `" + source(c) + "`");
  }
}

std::string DevicePrinter::call(const CallExpr *c) {
  const FunctionDecl *f = c->getDirectCallee();
  if (!f || !f->getIdentifier())
    refuse(c, "it calls what is known when the program runs only: `" + source(c) + "`");
  if (isTransform(f) || f->getName() == "pb_sync_" || f->getName() == "pb_verify_")
    refuse(c, "it calls transforms");
  if (text_.isLibrary(f))
    if (const auto known = libraryCall(c, f))
      return *known;
  return callFunction(c, f);
}

/// Calls a function that the dialect has; nothing for all others.
std::optional<std::string> DevicePrinter::libraryCall(const CallExpr *c, const FunctionDecl *f) {
  std::string name = f->getNameAsString();
  const auto type = scalarType(c->getType());
  if (name.starts_with("__builtin_inf") || name.starts_with("__builtin_huge_val"))
    return "((" + typeName(c->getType(), c->getSourceRange()) + ")INFINITY)";
  if (name.starts_with("__builtin_nan") && type)
    return "((" + typeName(c->getType(), c->getSourceRange()) + ")NAN)";
  if (c->getNumArgs() == 0 && f->isConstexpr())
    if (Expr::EvalResult known; c->EvaluateAsRValue(known, context_) && !known.HasSideEffects)
      return constant(known.Val, c->getType(), c->getSourceRange());
  if (!type)
    return std::nullopt;
  const std::string typeText = cxxType(*type);
  const auto arguments = [&] {
    std::string list;
    for (const Expr *a : c->arguments()) {
      const std::string text = value(a);
      list +=
          (list.empty() ? "" : ", ") + (scalarType(a->getType()) == type ? text : wrapped(typeText) + text);
    }
    return wrapped(list);
  };
  const bool isNumber =
      type == Scalar::F64 || type == Scalar::F32 || type == Scalar::I32 || type == Scalar::I64;
  if ((name == "min" || name == "max") && c->getNumArgs() == 2 && isNumber)
    return fmt::format("pb_{}_{}{}", name, typeText, arguments());
  if ((name == "abs" || name == "labs" || name == "llabs") && c->getNumArgs() == 1 && isNumber)
    return fmt::format("pb_abs_{}{}", typeText, arguments());
  if (name == "missing" && c->getNumArgs() == 0)
    return "pb_missing()";
  if (name == "isMissing" && c->getNumArgs() == 1)
    return "pb_isMissing((double)" + value(c->getArg(0)) + ")";
  if (name == "nan" || name == "nanf")
    return wrapped(wrapped(typeText) + "NAN");
  if (const auto written = writingCall(c, f))
    return written;
  const MathFunction *known = mathFunction(name, static_cast<int>(c->getNumArgs()));
  if (!known || f->getNumParams() != c->getNumArgs())
    return std::nullopt;
  const Scalar real = scalarType(f->getParamDecl(0)->getType().getNonReferenceType()) == Scalar::F32
                          ? Scalar::F32
                          : Scalar::F64;
  std::string list;
  for (unsigned k = 0; k < c->getNumArgs(); ++k) {
    const Scalar wanted = parameterType(*known, k, real);
    const std::string text = value(c->getArg(k));
    list += (k ? ", " : "") +
            (scalarType(c->getArg(k)->getType()) == wanted ? text : wrapped(cxxType(wanted)) + text);
  }
  std::string called = calledName(*known, real);
  if (called.starts_with("pb::"))
    called.replace(0, 4, "pb_");
  return called + wrapped(list);
}

/// Calls a function that stores a second result in a variable of the body.
std::optional<std::string> DevicePrinter::writingCall(const CallExpr *c, const FunctionDecl *f) {
  const std::string name = f->getNameAsString();
  const bool isFloat = scalarType(c->getType()) == Scalar::F32;
  const std::string base =
      isFloat && name.ends_with('f') && name != "modf" ? name.substr(0, name.size() - 1) : name;
  if ((base != "frexp" && base != "modf") || !scalarType(c->getType()))
    return std::nullopt;
  std::string list, space;
  const unsigned last = c->getNumArgs() - 1;
  for (unsigned k = 0; k < last; ++k)
    list += wrapped(cxxType(*scalarType(c->getType()))) + value(c->getArg(k)) + ", ";
  list += pointer(c->getArg(last), space);
  if (!space.empty())
    refuse(c, "`" + name + "` writes to something other than a variable of the body");
  return "pb_" + base + (isFloat ? "f" : "") + wrapped(list);
}

/// A pointer, and the memory space that it points to.
std::string DevicePrinter::pointer(const Expr *e, std::string &space) {
  const Expr *inner = stripped(e);
  if (const auto *cast = llvm::dyn_cast<CastExpr>(inner);
      cast && cast->getCastKind() == CK_ArrayToPointerDecay) {
    space = spaceOf(cast->getSubExpr());
    return target(cast->getSubExpr());
  }
  if (const auto *u = llvm::dyn_cast<UnaryOperator>(inner); u && u->getOpcode() == UO_AddrOf) {
    space = spaceOf(u->getSubExpr());
    return wrapped("&" + target(u->getSubExpr()));
  }
  if (const auto *b = llvm::dyn_cast<BinaryOperator>(inner);
      b && (b->getOpcode() == BO_Add || b->getOpcode() == BO_Sub) &&
      b->getLHS()->getType()->isPointerType() && b->getRHS()->getType()->isIntegerType())
    return wrapped(pointer(b->getLHS(), space) + " " + b->getOpcodeStr().str() + " " + value(b->getRHS()));
  if (const Name *name = nameOf(inner); name && name->kind == Name::Kind::Pointer) {
    space = name->space;
    return name->text;
  }
  refuse(e, "it uses the pointer `" + source(e) + "`");
}

std::string DevicePrinter::spaceOf(const Expr *e) {
  const Expr *inner = stripped(e);
  if (const Name *name = nameOf(inner))
    return name->space;
  if (llvm::isa<DeclRefExpr>(inner))
    return "PB_CONSTANT"; // a table, or refused when it is printed
  std::string space;
  if (const auto *s = llvm::dyn_cast<ArraySubscriptExpr>(inner)) {
    pointer(s->getBase(), space);
    return space;
  }
  if (const auto *u = llvm::dyn_cast<UnaryOperator>(inner); u && u->getOpcode() == UO_Deref) {
    pointer(u->getSubExpr(), space);
    return space;
  }
  if (const auto *m = llvm::dyn_cast<CXXMemberCallExpr>(inner); m && m->isGLValue())
    return view(m->getImplicitObjectArgument()).space;
  refuse(e, "`" + source(e) + "` has no place in memory that devices know");
}

} // namespace pbc::body
