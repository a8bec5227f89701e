// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/clang_data.h"
#include "compiler/preamble/assembly_files.h"
#include <algorithm>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>
#include <clang/Basic/SourceManager.h>

namespace pbc::body {
namespace {

constexpr std::int64_t kSmallTable = 1 << 16; // smaller ones are not counted

/// Whether an object with this value needs no bytes in the program.
bool isAllZero(const clang::APValue &v) {
  switch (v.getKind()) {
  case clang::APValue::None:
  case clang::APValue::Indeterminate:
    return true;
  case clang::APValue::Int:
    return v.getInt().isZero();
  case clang::APValue::Float:
    return v.getFloat().isPosZero();
  case clang::APValue::ComplexInt:
    return v.getComplexIntReal().isZero() && v.getComplexIntImag().isZero();
  case clang::APValue::ComplexFloat:
    return v.getComplexFloatReal().isPosZero() && v.getComplexFloatImag().isPosZero();
  case clang::APValue::LValue:
    return v.isNullPointer();
  case clang::APValue::Array:
    for (unsigned i = 0; i < v.getArrayInitializedElts(); ++i)
      if (!isAllZero(v.getArrayInitializedElt(i)))
        return false;
    return !v.hasArrayFiller() || isAllZero(v.getArrayFiller());
  case clang::APValue::Struct:
    for (unsigned i = 0; i < v.getStructNumBases(); ++i)
      if (!isAllZero(v.getStructBase(i)))
        return false;
    for (unsigned i = 0; i < v.getStructNumFields(); ++i)
      if (!isAllZero(v.getStructField(i)))
        return false;
    return true;
  default:
    return false;
  }
}

/// Walks the declarations of the unit itself, and all statements of their functions.
class Limits {
public:
  Limits(clang::ASTContext &context, const std::vector<std::string> &folders)
      : context_(context), folders_(folders) {}

  void declarations(const clang::DeclContext &where) {
    for (const clang::Decl *d : where.noload_decls())
      declaration(*d);
  }

private:
  void declaration(const clang::Decl &d) {
    if (d.isInvalidDecl() || context_.getSourceManager().isInSystemHeader(d.getLocation()))
      return;
    if (const auto *f = llvm::dyn_cast<clang::FunctionDecl>(&d)) {
      if (f->doesThisDeclarationHaveABody())
        statement(f->getBody());
    } else if (const auto *v = llvm::dyn_cast<clang::VarDecl>(&d)) {
      variable(*v);
    } else if (const auto *assembly = llvm::dyn_cast<clang::FileScopeAsmDecl>(&d)) {
      text(assembly->getAsmString());
    } else if (const auto *functions = llvm::dyn_cast<clang::FunctionTemplateDecl>(&d)) {
      declaration(*functions->getTemplatedDecl());
      for (const clang::FunctionDecl *made : functions->specializations())
        declaration(*made);
    } else if (const auto *classes = llvm::dyn_cast<clang::ClassTemplateDecl>(&d)) {
      declaration(*classes->getTemplatedDecl());
      for (const clang::CXXRecordDecl *made : classes->specializations())
        declaration(*made);
    } else if (const auto *variables = llvm::dyn_cast<clang::VarTemplateDecl>(&d)) {
      for (const clang::VarDecl *made : variables->specializations())
        variable(*made);
    } else if (const auto *inner = llvm::dyn_cast<clang::DeclContext>(&d)) {
      declarations(*inner);
    }
  }

  void statement(const clang::Stmt *s) {
    if (!s)
      return;
    if (const auto *declared = llvm::dyn_cast<clang::DeclStmt>(s)) {
      for (const clang::Decl *d : declared->decls())
        declaration(*d);
    } else if (const auto *assembly = llvm::dyn_cast<clang::GCCAsmStmt>(s)) {
      text(assembly->getAsmString());
    }
    for (const clang::Stmt *child : s->children())
      statement(child);
  }

  void text(const clang::StringLiteral *assembly) {
    if (!assembly || assembly->getCharByteWidth() != 1)
      return;
    if (const auto why = preamble::unreadableFile(assembly->getString(), folders_))
      report(assembly->getBeginLoc(), *why);
  }

  void variable(const clang::VarDecl &v) {
    const clang::Expr *init = v.getInit();
    if (isReported_ || !init || init->getType().isNull() || v.getType()->isDependentType() ||
        init->isValueDependent() || init->isTypeDependent() || init->getType()->isIncompleteType() ||
        init->getType()->isSizelessType())
      return;
    const std::int64_t size = context_.getTypeSizeInChars(init->getType()).getQuantity();
    if (size < kSmallTable)
      return;
    const clang::APValue *value = v.evaluateValue();
    if (!value ||
        isAllZero(*value)) // without a constant value, code fills the variable when the program runs
      return;
    size_ += std::min(size, 2 * kMostData);
    if (size_ <= kMostData)
      return;
    isReported_ = true;
    report(v.getLocation(), "the initialised data of the program is too large: `" + v.getNameAsString() +
                                "` has " + std::to_string(size >> 20) + " MiB");
  }

  void report(clang::SourceLocation at, const std::string &why) {
    clang::DiagnosticsEngine &d = context_.getDiagnostics();
    d.Report(at, d.getCustomDiagID(clang::DiagnosticsEngine::Error, "%0")) << why;
  }

  clang::ASTContext &context_;
  const std::vector<std::string> &folders_;
  std::int64_t size_ = 0;
  bool isReported_ = false;
};

} // namespace

void refuseEndlessData(clang::ASTContext &context, const std::vector<std::string> &assemblyFolders) {
  Limits(context, assemblyFolders).declarations(*context.getTranslationUnitDecl());
}

} // namespace pbc::body
