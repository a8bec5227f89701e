// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/build/isolate.h"

#include <llvm/IR/Module.h>

namespace pbc::build {

void isolate(llvm::Module &module, const std::string &shared) {
  const std::string scope = std::to_string(shared.size()) + shared; // as it is mangled
  const auto keep = [&](llvm::GlobalValue &f) {
    llvm::StringRef name = f.getName();
    if (!name.consume_front("_ZN"))
      return false;
    name.consume_front("K");
    return name.starts_with(scope);
  };
  const auto make = [&](llvm::GlobalValue &f) {
    if (f.isDeclaration() || f.hasLocalLinkage() || f.hasAvailableExternallyLinkage() || keep(f))
      return;
    f.setLinkage(llvm::GlobalValue::InternalLinkage);
    f.setVisibility(llvm::GlobalValue::DefaultVisibility);
    f.setDSOLocal(true);
  };
  for (llvm::Function &f : module) {
    make(f);
    if (f.hasLocalLinkage())
      f.setComdat(nullptr);
  }
  for (llvm::GlobalAlias &a : module.aliases()) // of constructors and destructors
    if (llvm::isa<llvm::Function>(a.getAliaseeObject()))
      make(a);
}

} // namespace pbc::build
