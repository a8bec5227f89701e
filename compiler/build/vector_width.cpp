// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/build/vector_width.h"
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <memory>

namespace pbc::build {

int loopVectorBytes() {
  llvm::InitializeNativeTarget();
  const std::string triple = llvm::sys::getDefaultTargetTriple();
  std::string problem;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, problem);
  if (!target)
    return 0;
  std::string features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    features +=
        (features.empty() ? "" : ",") + std::string(feature.second ? "+" : "-") + feature.first().str();
  const std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, llvm::sys::getHostCPUName(), features, {}, {}));
  if (!machine)
    return 0;
  llvm::LLVMContext context;
  llvm::Module module("width", context);
  module.setDataLayout(machine->createDataLayout());
  llvm::Function *f = llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
                                             llvm::GlobalValue::ExternalLinkage, "f", module);
  const llvm::TargetTransformInfo facts = machine->getTargetTransformInfo(*f);
  return static_cast<int>(
      facts.getRegisterBitWidth(llvm::TargetTransformInfo::RGK_FixedWidthVector).getFixedValue() / 8);
}

} // namespace pbc::build
