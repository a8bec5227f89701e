// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/resumable.h"
#include <clang/AST/RecursiveASTVisitor.h>

namespace pbc::body {
namespace {

class Obstacles : public clang::RecursiveASTVisitor<Obstacles> {
public:
  bool VisitVariableArrayTypeLoc(clang::VariableArrayTypeLoc) { return stop(); }
  bool VisitCallExpr(clang::CallExpr *call) {
    const clang::FunctionDecl *f = call->getDirectCallee();
    const clang::IdentifierInfo *name = f ? f->getIdentifier() : nullptr;
    return name && (name->isStr("alloca") || name->getName().starts_with("__builtin_alloca")) ? stop() : true;
  }
  bool found = false;

private:
  bool stop() {
    found = true;
    return false;
  }
};

} // namespace

bool isResumable(const clang::FunctionDecl &f) {
  Obstacles obstacles;
  obstacles.TraverseStmt(f.getBody());
  return !obstacles.found;
}

} // namespace pbc::body
