// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/build/assembly_files.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

namespace pbc::build {
namespace {

/// Directives may be written in capital letters, and directives that repeat text can compose names.
bool namesFiles(llvm::StringRef text) {
  for (const char *directive : {".inc", ".macro", ".irp", ".rep"})
    if (text.contains_insensitive(directive))
      return true;
  return false;
}

} // namespace

bool mayReadFiles(const llvm::Module &module) {
  if (namesFiles(module.getModuleInlineAsm()))
    return true;
  for (const llvm::Function &function : module)
    for (const llvm::Instruction &instruction : llvm::instructions(function))
      if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        if (const auto *assembly = llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()))
          if (namesFiles(assembly->getAsmString()))
            return true;
  return false;
}

} // namespace pbc::build
