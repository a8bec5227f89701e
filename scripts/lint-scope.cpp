// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plugin of Clang that keeps clang-tidy's matchers out of the headers of other projects. scripts/lint builds it and
// loads it with --load.
//
// clang-tidy 19 matches the declarations of all headers and then drops what it found in system headers, which is two
// thirds of its time. Before the matching, this plugin sets the traversal scope: the declarations that count as the
// children of the translation unit. For
//
//     #include <vector>                    // namespace std { ... }   is left out
//     #include "runtime/base/caches.h"       // namespace pb { ... }    is visited
//     int main() {}                        // int main()              is visited
//
// only the last two are left. Whatever has its place in a file of the project is visited as before, and all
// declarations can still be looked up; clang-tidy 22 does the same by itself.
//
// bugprone-forward-declaration-namespace compares the names of classes of the whole unit. Therefore the classes of
// system headers that are named as a class that the project declares and does not define are visited as well, if they
// are defined: a system header that only declares such a class would be reported itself.
#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/FrontendPluginRegistry.h>
#include <llvm/ADT/StringSet.h>

namespace {

bool isSystem(const clang::SourceManager &sources, clang::SourceLocation location) {
  return location.isValid() && sources.isInSystemHeader(sources.getExpansionLoc(location));
}

bool isSystem(const clang::SourceManager &sources, const clang::Decl &declaration) {
  return isSystem(sources, declaration.getLocation()) && isSystem(sources, declaration.getBeginLoc()) &&
         isSystem(sources, declaration.getEndLoc());
}

/// Calls `visit` with all classes that are members of the unit or of a namespace, but not with class templates.
template <typename Visit>
void forClasses(const clang::DeclContext &context, Visit visit) {
  for (clang::Decl *declaration : context.decls()) {
    auto *record = llvm::dyn_cast<clang::CXXRecordDecl>(declaration);
    if (record && record->getIdentifier() && context.isFileContext())
      visit(*record);
    if (llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl>(declaration))
      forClasses(*llvm::cast<clang::DeclContext>(declaration), visit);
  }
}

class Scope : public clang::ASTConsumer {
public:
  void HandleTranslationUnit(clang::ASTContext &context) override {
    const clang::SourceManager &sources = context.getSourceManager();
    const clang::DeclContext &unit = *context.getTranslationUnitDecl();
    std::vector<clang::Decl *> scope;
    llvm::StringSet<> undefined;
    forClasses(unit, [&](const clang::CXXRecordDecl &record) {
      if (!isSystem(sources, record) && !record.hasDefinition())
        undefined.insert(record.getName());
    });
    forClasses(unit, [&](clang::CXXRecordDecl &record) {
      if (isSystem(sources, record) && record.hasDefinition() && undefined.contains(record.getName()))
        scope.push_back(&record);
    });
    for (clang::Decl *declaration : unit.decls())
      if (!isSystem(sources, *declaration))
        scope.push_back(declaration);
    context.setTraversalScope(scope);
  }
};

class ScopeAction : public clang::PluginASTAction {
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &, llvm::StringRef) override {
    return std::make_unique<Scope>();
  }
  bool ParseArgs(const clang::CompilerInstance &, const std::vector<std::string> &) override { return true; }
  ActionType getActionType() override { return AddBeforeMainAction; }
};

const clang::FrontendPluginRegistry::Add<ScopeAction> registration("lint-scope", "matches no system headers");

} // namespace
