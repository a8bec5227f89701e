// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/clang_nodes.h"
#include <clang/AST/ExprCXX.h>
#include <clang/Lex/Lexer.h>
#include <llvm/ADT/StringExtras.h>

namespace pbc::body {

using namespace clang;

std::optional<Scalar> scalarType(QualType type) {
  const auto *builtin = type.getCanonicalType().getUnqualifiedType()->getAs<BuiltinType>();
  if (!builtin)
    return std::nullopt;
  switch (builtin->getKind()) {
  case BuiltinType::Double:
    return Scalar::F64;
  case BuiltinType::Float:
    return Scalar::F32;
  case BuiltinType::Int:
    return Scalar::I32;
  case BuiltinType::Long:
  case BuiltinType::LongLong:
    return Scalar::I64;
  case BuiltinType::UChar:
    return Scalar::U8;
  case BuiltinType::Bool:
    return Scalar::Bool;
  default:
    return std::nullopt;
  }
}

const CXXRecordDecl *regionClass(QualType type) {
  const CXXRecordDecl *record = type.getNonReferenceType().getCanonicalType()->getAsCXXRecordDecl();
  if (!record || !record->getIdentifier() || record->getName() != "Region")
    return nullptr;
  const auto *space = llvm::dyn_cast<NamespaceDecl>(record->getDeclContext());
  return space && space->getName() == "pb" ? record : nullptr;
}

const Expr *operandOf(const Expr *e) {
  if (const auto *p = llvm::dyn_cast<ParenExpr>(e))
    return p->getSubExpr();
  if (const auto *f = llvm::dyn_cast<FullExpr>(e)) // ExprWithCleanups, ConstantExpr
    return f->getSubExpr();
  if (const auto *m = llvm::dyn_cast<MaterializeTemporaryExpr>(e))
    return m->getSubExpr();
  if (const auto *b = llvm::dyn_cast<CXXBindTemporaryExpr>(e))
    return b->getSubExpr();
  if (const auto *s = llvm::dyn_cast<SubstNonTypeTemplateParmExpr>(e))
    return s->getReplacement();
  if (const auto *c = llvm::dyn_cast<CXXConstructExpr>(e);
      c && c->getNumArgs() == 1 && regionClass(c->getType()) && regionClass(c->getArg(0)->getType()))
    return c->getArg(0);
  return nullptr;
}

bool isNumber(const VarDecl *v) {
  const APValue *value =
      v->isConstexpr() && v->hasInit() && !v->getInit()->isValueDependent() && scalarType(v->getType())
          ? v->evaluateValue()
          : nullptr;
  return value && value->isInt() && !value->getInt().isMinSignedValue();
}

std::string integerText(const llvm::APInt &value, const Expr *e) {
  return llvm::toString(value, 10, e->getType()->isSignedIntegerType()) +
         (scalarType(e->getType()) == Scalar::I64 ? "L" : "");
}

std::string floatText(const llvm::APFloat &value, QualType type) {
  if (!value.isFinite())
    return "";
  llvm::SmallString<40> digits;
  value.toString(digits, 17, 0);
  std::string text = digits.str().str();
  if (text.find_first_of(".eE") == std::string::npos)
    text += ".0";
  return text + (scalarType(type) == Scalar::F32 ? "f" : "");
}

bool isTransform(const FunctionDecl *f) {
  const auto *space = llvm::dyn_cast<NamespaceDecl>(f->getDeclContext());
  return space && f->getIdentifier() && space->getName() == "pb_program" && !f->getName().starts_with("pb_");
}

bool isMarker(const Expr *e, llvm::StringRef marker) {
  const auto *c = llvm::dyn_cast<CallExpr>(e->IgnoreParenImpCasts());
  const FunctionDecl *f = c ? c->getDirectCallee() : nullptr;
  return f && f->getIdentifier() && f->getName() == marker;
}

void NodeText::place(Tree &t, SourceRange range) const {
  CharSourceRange text =
      Lexer::makeFileCharRange(CharSourceRange::getTokenRange(range), sources_, context_.getLangOpts());
  if (text.isInvalid()) { // it begins or ends inside a macro: take the whole macro
    text = sources_.getExpansionRange(range);
    if (text.isTokenRange())
      text.setEnd(Lexer::getLocForEndOfToken(text.getEnd(), 0, sources_, context_.getLangOpts()));
  }
  const auto [file, begin] = sources_.getDecomposedLoc(text.getBegin());
  const auto [endFile, end] = sources_.getDecomposedLoc(text.getEnd());
  if (file == sources_.getMainFileID() && endFile == file && begin <= end)
    t.begin = begin, t.end = end;
}

std::uint32_t NodeText::endOfToken(SourceLocation at) const {
  return offset(at) + Lexer::MeasureTokenLength(at, sources_, context_.getLangOpts());
}

/// Sets the range after the callee's `(`, or after its `,` in the older forms, up to the last `)`.
void NodeText::arguments(Tree &t, char after, std::uint32_t last) const {
  std::uint32_t at = t.calleeEnd;
  std::string_view text = unit_.text;
  while (at < last && text[at] != after) {
    if (text.compare(at, 2, "/*") == 0)
      at = static_cast<std::uint32_t>(std::min<std::size_t>(text.find("*/", at + 2), last));
    else if (text.compare(at, 2, "//") == 0)
      at = static_cast<std::uint32_t>(std::min<std::size_t>(text.find('\n', at), last));
    else
      ++at;
  }
  t.argumentsBegin = std::min(at + 1, last);
  t.argumentsEnd = last;
}

/// Sets the range of the arguments of `CALL(F, out, in)` or `CALL(F(out, in))`.
void NodeText::oldArguments(Tree &t, SourceLocation close) const {
  const std::size_t next = unit_.text.find_first_not_of(" \t\r\n", t.calleeEnd);
  if (next < unit_.text.size() && unit_.text[next] == '(')
    arguments(t, '(', offset(sources_.getFileLoc(close)));
  else
    arguments(t, ',', t.end - 1);
}

void NodeText::placeCall(Tree &t, const CallExpr *c) const {
  const SourceLocation callee = sources_.getFileLoc(c->getCallee()->getBeginLoc());
  t.calleeBegin = offset(callee);
  t.calleeEnd = endOfToken(callee);
  const SourceLocation close = c->getRParenLoc();
  if (close.isMacroID() && !unit_.text.compare(offset(sources_.getExpansionLoc(close)), 4, "CALL")) {
    const CharSourceRange whole = sources_.getExpansionRange(close);
    t.begin = offset(whole.getBegin());
    t.end = endOfToken(whole.getEnd());
    oldArguments(t, close);
  } else {
    t.begin = t.calleeBegin;
    t.end = close.isMacroID() ? t.end : endOfToken(close);
    arguments(t, '(', t.end - 1);
  }
}

void NodeText::placeSpawn(Tree &t, const BinaryOperator *b) const {
  Tree &call = *t.children[0];
  const CharSourceRange macro = sources_.getExpansionRange(b->getLHS()->getBeginLoc());
  t.begin = offset(macro.getBegin());
  const std::uint32_t macroEnd = endOfToken(macro.getEnd());
  if (unit_.text.compare(t.begin, 5, "SPAWN") == 0) {
    t.end = macroEnd;
    if (call.kind == Tree::Kind::TransformCall) {
      call.end = macroEnd;
      oldArguments(call, llvm::cast<CallExpr>(b->getRHS()->IgnoreParenImpCasts())->getRParenLoc());
    }
  } else
    t.end = std::max(call.end, macroEnd);
}

std::string NodeText::ofFloat(const FloatingLiteral *f) const {
  llvm::SmallString<32> buffer;
  bool invalid = false;
  std::string text = Lexer::getSpelling(sources_.getSpellingLoc(f->getLocation()), buffer, sources_,
                                        context_.getLangOpts(), &invalid)
                         .str();
  std::erase(text, '\'');
  if (!invalid && !text.empty() && (std::isdigit(static_cast<unsigned char>(text[0])) || text[0] == '.'))
    return text;
  return floatText(f->getValue(), f->getType());
}

bool NodeText::isLibrary(const FunctionDecl *f) const {
  if (f->getBuiltinID() && f->isImplicit())
    return true; // placed where it was first used
  const DeclContext *where = f->getDeclContext()->getRedeclContext();
  const auto *space = llvm::dyn_cast<NamespaceDecl>(where);
  while (space && space->isInline())
    space = llvm::dyn_cast<NamespaceDecl>(space->getDeclContext());
  if (!where->isTranslationUnit() && !(space && (space->getName() == "std" || space->getName() == "pb")))
    return false;
  const SourceLocation at = sources_.getFileLoc(f->getCanonicalDecl()->getLocation());
  if (at.isInvalid())
    return f->getBuiltinID() != 0;
  const auto [file, position] = sources_.getDecomposedLoc(at);
  return file != sources_.getMainFileID() || !unit_.isUserText(position);
}

} // namespace pbc::body
