// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Translates Clang's AST of one rule's function into a Tree. Only for clang_reader.cpp: the one header of
// this folder that shows Clang's types.
#pragma once
#include "compiler/body/tree.h"
#include "compiler/body/unit.h"

namespace clang {
class ASTContext;
class FunctionDecl;
} // namespace clang

namespace pbc::body {

Function readFunction(const clang::FunctionDecl &, clang::ASTContext &, const Unit &);

} // namespace pbc::body
