// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Interprets single nodes of Clang's AST (types, constants and callees) and finds their positions in a unit's
// text. Only files that show Clang's types include this header.
#pragma once
#include "compiler/body/tree.h"
#include "compiler/body/unit.h"
#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>
#include <clang/Basic/SourceManager.h>

namespace pbc::body {

std::optional<Scalar> scalarType(clang::QualType);
/// `Region<T, D>` of the runtime, by name: nothing else in namespace pb is a template with that name.
const clang::CXXRecordDecl *regionClass(clang::QualType);
/// The operand of an expression that only wraps it (parentheses, temporaries, copies of regions); null for
/// everything else.
const clang::Expr *operandOf(const clang::Expr *);
/// Whether the variable is `constexpr int k = 3;`: its number replaces its name.
bool isNumber(const clang::VarDecl *);
/// A literal with the same value; "" for values that are not finite.
std::string integerText(const llvm::APInt &, const clang::Expr *);
std::string floatText(const llvm::APFloat &, clang::QualType);
bool isTransform(const clang::FunctionDecl *);
/// Whether the expression calls this function of the prelude, which stands for a keyword of the language.
bool isMarker(const clang::Expr *, llvm::StringRef name);

/// Positions of nodes in the text of a unit.
class NodeText {
public:
  NodeText(const clang::ASTContext &context, const Unit &unit)
      : context_(context), sources_(context.getSourceManager()), unit_(unit) {}

  void place(Tree &, clang::SourceRange) const;
  /// Sets the positions of a call, its callee and its arguments, also for the older form CALL(...).
  void placeCall(Tree &, const clang::CallExpr *) const;
  /// Sets the position of a spawn, whose one child is the call; also for SPAWN(...).
  void placeSpawn(Tree &, const clang::BinaryOperator *) const;
  /// The literal as the user wrote it, without digit separators.
  std::string ofFloat(const clang::FloatingLiteral *) const;
  /// Whether it was first declared by the prelude or a header, in the global namespace, in std or in pb.
  bool isLibrary(const clang::FunctionDecl *) const;

private:
  std::uint32_t offset(clang::SourceLocation at) const { return sources_.getDecomposedLoc(at).second; }
  std::uint32_t endOfToken(clang::SourceLocation) const;
  void arguments(Tree &, char after, std::uint32_t last) const;
  void oldArguments(Tree &, clang::SourceLocation close) const;

  const clang::ASTContext &context_;
  const clang::SourceManager &sources_;
  const Unit &unit_;
};

} // namespace pbc::body
