// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/build/startup.h"

#include <llvm/IR/Module.h>

#include <vector>

namespace pbc::build {
namespace {

constexpr std::size_t kMostOptimised = 200;

/// Clang puts the functions that it generates for initialisers, and nothing else, into this section.
bool isInitialiser(const llvm::Function &f) {
  return !f.isDeclaration() && f.getSection() == ".text.startup";
}

} // namespace

void leaveManyInitialisers(llvm::Module &module) {
  std::vector<llvm::Function *> all;
  for (llvm::Function &f : module)
    if (isInitialiser(f))
      all.push_back(&f);
  if (all.size() <= kMostOptimised)
    return;
  for (llvm::Function *f : all) {
    f->removeFnAttr(llvm::Attribute::AlwaysInline);
    f->removeFnAttr(llvm::Attribute::MinSize);
    f->removeFnAttr(llvm::Attribute::OptimizeForSize);
    f->addFnAttr(llvm::Attribute::NoInline);
    f->addFnAttr(llvm::Attribute::OptimizeNone);
  }
}

} // namespace pbc::build
