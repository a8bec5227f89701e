// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tables: arrays of which Clang knows all elements and that nothing changes. They are defined once for a kernel, so that no item
// fills memory of its own with them.
//
//   const double w[2] = {1, 2};            =>  PB_COMMON_TABLE const double R0_w_5[2] = {1.0, 2.0};
//   for (...; ++k) s += w[k] * a.cell(k);      ... s_3 += R0_w_5[k_4] * ...
//
// An array of std::array is a table as well. One that items read at different indices at the same time is a PB_TABLE.

#include "compiler/body/clang_device_printer.h"
#include <clang/AST/DeclTemplate.h>
#include <fmt/format.h>

namespace pbc::body {

using namespace clang;

namespace {

constexpr std::uint64_t kMostTableElements = 8192;
constexpr long kMostCommonBytes = 32 * 1024; // of the 64 KB that CUDA and OpenCL have for constants

/// The array that is all there is in a std::array; null for other types.
const FieldDecl *arrayField(QualType type) {
  const auto *c = llvm::dyn_cast_or_null<ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
  if (!c || !c->isInStdNamespace() || c->getName() != "array" || c->field_empty())
    return nullptr;
  const FieldDecl *field = *c->field_begin();
  return std::next(c->field_begin()) == c->field_end() && field->getType()->isConstantArrayType() ? field
                                                                                                  : nullptr;
}

/// The type of the elements' array: of T[3] and of std::array<T, 3>.
const ConstantArrayType *arrayOf(const ASTContext &context, QualType type) {
  if (const FieldDecl *field = arrayField(type))
    type = field->getType();
  return context.getAsConstantArrayType(type);
}

bool isConst(const ASTContext &context, QualType type) {
  return type.isConstQualified() || context.getBaseElementType(type).isConstQualified();
}

} // namespace

bool DevicePrinter::isTableType(QualType type) const { return arrayOf(context_, type) != nullptr; }

/// The value that the variable always has; null if there is none, or it is not known.
const APValue *DevicePrinter::knownValue(const VarDecl *v) {
  const QualType type = v->getType();
  if (type.isVolatileQualified() || type->isReferenceType() || !v->hasInit() ||
      v->getInit()->isValueDependent())
    return nullptr;
  const bool isFixed =
      isConst(context_, type) || (v->hasLocalStorage() && isTableType(type) && common_.isOnlyRead(v));
  return isFixed ? v->evaluateValue() : nullptr;
}

/// Defines a table before the functions, if that has not been done.
DevicePrinter::Table &DevicePrinter::table(const VarDecl *v, const APValue &values) {
  for (auto &[variable, known] : tables_)
    if (variable == v)
      return known;
  const SourceRange range = v->getSourceRange();
  Table made;
  made.name = prefix_ + "_" + unique(*v);
  made.bytes = static_cast<long>(context_.getTypeSizeInChars(v->getType()).getQuantity());
  QualType element = v->getType();
  std::string extents;
  std::uint64_t count = 1;
  while (const ConstantArrayType *a = arrayOf(context_, element)) {
    extents += fmt::format("[{}]", a->getSize().getZExtValue());
    count *= a->getSize().getZExtValue();
    element = a->getElementType();
  }
  if (count > kMostTableElements)
    refuse(range,
           fmt::format("the table `{}` has more than {} elements", v->getNameAsString(), kMostTableElements));
  made.definition = fmt::format("const {} {}{} = {}", typeName(element, range), made.name, extents,
                                elements(values, v->getType(), range));
  return tables_.emplace_back(v, std::move(made)).second;
}

/// `w[k][2]`, if `w` is a table; indices are values of the body.
std::optional<std::string> DevicePrinter::tableElement(const Expr *e) {
  std::vector<const Expr *> at;
  for (e = stripped(e);; e = stripped(e)) {
    if (const auto *s = llvm::dyn_cast<ArraySubscriptExpr>(e)) {
      at.push_back(s->getIdx());
      e = s->getBase();
    } else if (const auto *c = llvm::dyn_cast<CXXOperatorCallExpr>(e);
               c && c->getOperator() == OO_Subscript && arrayField(c->getArg(0)->getType())) {
      at.push_back(c->getArg(1));
      e = c->getArg(0);
    } else if (const auto *decay = llvm::dyn_cast<CastExpr>(e);
               decay && decay->getCastKind() == CK_ArrayToPointerDecay) {
      e = decay->getSubExpr();
    } else {
      break;
    }
  }
  const auto *d = llvm::dyn_cast<DeclRefExpr>(e);
  const auto *v = d ? llvm::dyn_cast<VarDecl>(d->getDecl()) : nullptr;
  if (!v || frame_.names.count(v) || !isTableType(v->getType()))
    return std::nullopt;
  QualType type = v->getType();
  for (std::size_t k = 0; k < at.size(); ++k)
    if (const ConstantArrayType *a = arrayOf(context_, type))
      type = a->getElementType();
    else
      return std::nullopt;
  const APValue *known = isTableType(type) ? nullptr : knownValue(v);
  if (!known)
    return std::nullopt;
  std::string indices;
  bool isCommon = true;
  CommonValues::Parameters relies;
  for (auto k = at.rbegin(); k != at.rend(); ++k) {
    isCommon = common_.isCommon(*k, relies) && isCommon;
    indices += "[" + value(*k) + "]";
  }
  Table &t = table(v, *known);
  t.isCommon &= isCommon;
  t.relies.insert(relies.begin(), relies.end());
  return t.name + indices;
}

std::string DevicePrinter::elements(const APValue &values, QualType type, SourceRange range) {
  const ConstantArrayType *array = arrayOf(context_, type);
  if (!array)
    return constant(values, type, range);
  if (arrayField(type) && values.isStruct() && values.getStructNumFields() == 1)
    return elements(values.getStructField(0), arrayField(type)->getType(), range);
  if (!values.isArray())
    refuse(range, "the table's elements are not known");
  std::string out;
  for (unsigned k = 0; k < values.getArrayInitializedElts(); ++k)
    out += (k ? ", " : "") + elements(values.getArrayInitializedElt(k), array->getElementType(), range);
  return "{" + (out.empty() ? elements(values.getArrayFiller(), array->getElementType(), range) : out) + "}";
}

/// The definitions of all tables.
std::string DevicePrinter::tables() const {
  std::string text;
  long bytes = 0;
  for (const auto &[variable, t] : tables_) {
    const bool isCommon = t.isCommon && bytes + t.bytes <= kMostCommonBytes && common_.areCommon(t.relies);
    bytes += isCommon ? t.bytes : 0;
    text += (isCommon ? "PB_COMMON_TABLE " : "PB_TABLE ") + t.definition + ";\n";
  }
  return text;
}

} // namespace pbc::body
