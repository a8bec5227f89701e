// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/build/vector_math.h"

#include <dlfcn.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/VFABIDemangler.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

namespace pbc::build {
namespace {

constexpr unsigned kWidths[] = {2, 4, 8, 16, 32, 64}; // numbers per vector, for all loops that may be made

/// The letter of the vector ABI for the processor's widest vectors, and their bits.
struct Isa {
  char letter;
  unsigned bits;
};

Isa widest(const llvm::Function &compiled) {
  const llvm::StringRef features = compiled.getFnAttribute("target-features").getValueAsString();
  if (features.contains("+avx512dq"))
    return {'e', 512};
  if (features.contains("+avx2"))
    return {'d', 256};
  return {'b', 128};
}

bool systemHas(const std::string &symbol) {
#ifdef __x86_64__
  static void *const library = dlopen("libmvec.so.1", RTLD_LAZY | RTLD_LOCAL); // stays loaded
  return library && dlsym(library, symbol.c_str());
#else
  (void)symbol;
  return false;
#endif
}

class Definer {
public:
  Definer(llvm::Module &module, llvm::Function &scalar, const llvm::Function &compiled, Isa isa)
      : module_(module), scalar_(scalar), compiled_(compiled), type_(scalar.getReturnType()),
        name_(scalar.getName().drop_front(llvm::StringRef(kVectorPrefix).size()).str()),
        width_(isa.bits / static_cast<unsigned>(type_->getPrimitiveSizeInBits())),
        symbol_(std::string("_ZGV") + isa.letter + mangled(width_) + "_" + name_) {}

  /// Defines the function, and returns the vector forms of which the optimiser is told.
  std::vector<std::string> define(bool vectors) {
    if (!vectors || !systemHas(symbol_)) {
      llvm::FunctionCallee plain = module_.getOrInsertFunction(name_, scalar_.getFunctionType());
      finish(scalar_, [&](llvm::IRBuilder<> &b, const std::vector<llvm::Value *> &x) {
        return b.CreateCall(plain, x);
      });
      scalar_.addFnAttr(llvm::Attribute::AlwaysInline);
      return {};
    }
    library_ =
        llvm::cast<llvm::Function>(module_.getOrInsertFunction(symbol_, functionType(width_)).getCallee());
    pure(*library_);
    finish(scalar_, [&](llvm::IRBuilder<> &b, std::vector<llvm::Value *> x) {
      for (llvm::Value *&v : x)
        v = b.CreateVectorSplat(width_, v);
      return b.CreateExtractElement(b.CreateCall(library_, x), std::uint64_t{0});
    });
    scalar_.addFnAttr(llvm::Attribute::NoInline); // loops replace calls of it
    std::vector<std::string> forms;
    for (const unsigned width : kWidths) {
      llvm::Function *form = width == width_ ? library_ : vectorForm(width);
      llvm::appendToCompilerUsed(module_, {form});
      forms.push_back("_ZGV_LLVM_" + mangled(width) + "_" + scalar_.getName().str() + "(" +
                      form->getName().str() + ")");
    }
    return forms;
  }

private:
  std::string mangled(unsigned width) const {
    return "N" + std::to_string(width) + std::string(scalar_.arg_size(), 'v');
  }

  llvm::FunctionType *functionType(unsigned width) const {
    llvm::Type *vector = llvm::FixedVectorType::get(type_, width);
    return llvm::FunctionType::get(vector, std::vector<llvm::Type *>(scalar_.arg_size(), vector), false);
  }

  static void pure(llvm::Function &f) {
    f.setDoesNotAccessMemory();
    f.setDoesNotThrow();
    f.setWillReturn();
    f.setNoSync();
  }

  /// Gives `f` its body and the target processor of all other code.
  template <class Body>
  void finish(llvm::Function &f, Body body) {
    f.setLinkage(llvm::GlobalValue::InternalLinkage);
    f.setDSOLocal(true);
    for (const char *name :
         {"target-cpu", "target-features", "tune-cpu", "prefer-vector-width", "min-legal-vector-width"})
      if (const llvm::Attribute a = compiled_.getFnAttribute(name); a.isValid())
        f.addFnAttr(a);
    pure(f);
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(module_.getContext(), "", &f));
    std::vector<llvm::Value *> arguments;
    for (llvm::Argument &a : f.args())
      arguments.push_back(&a);
    b.CreateRet(body(b, arguments));
  }

  /// The function for vectors of another width: in parts, or in one vector of which a part is used.
  llvm::Function *vectorForm(unsigned width) {
    auto *f = llvm::Function::Create(functionType(width), llvm::GlobalValue::InternalLinkage,
                                     scalar_.getName() + "_" + std::to_string(width), module_);
    finish(*f, [&](llvm::IRBuilder<> &b, const std::vector<llvm::Value *> &x) {
      llvm::SmallVector<llvm::Value *> parts;
      for (unsigned begin = 0; begin < width; begin += width_) {
        std::vector<llvm::Value *> part;
        for (llvm::Value *v : x)
          part.push_back(b.CreateShuffleVector(v, places(begin, width)));
        parts.push_back(b.CreateCall(library_, part));
      }
      if (width > width_)
        return llvm::concatenateVectors(b, parts);
      llvm::SmallVector<int> first;
      for (unsigned k = 0; k < width; ++k)
        first.push_back(static_cast<int>(k));
      return b.CreateShuffleVector(parts[0], first);
    });
    return f;
  }

  /// The lanes of a library vector, filled from `begin` on; lanes beyond the end get existing numbers.
  llvm::SmallVector<int> places(unsigned begin, unsigned width) const {
    llvm::SmallVector<int> from;
    for (unsigned k = 0; k < width_; ++k)
      from.push_back(static_cast<int>(begin + k % width));
    return from;
  }

  llvm::Module &module_;
  llvm::Function &scalar_;
  const llvm::Function &compiled_;
  llvm::Type *type_;
  std::string name_; // in <math.h>
  unsigned width_;   // numbers in one vector of the library's function
  std::string symbol_;
  llvm::Function *library_ = nullptr;
};

/// Makes products of the powers 2 to 8: the library's function takes far longer. Eight factors are three
/// products that round, which is within the library's four units in the last place.
void multiplyOut(llvm::Function &power) {
  for (llvm::User *user : llvm::make_early_inc_range(power.users())) {
    auto *call = llvm::dyn_cast<llvm::CallInst>(user);
    const auto *exponent = call ? llvm::dyn_cast<llvm::ConstantFP>(call->getArgOperand(1)) : nullptr;
    const double value = exponent ? exponent->getValueAPF().convertToDouble() : 0;
    const int n = value >= 2 && value <= 8 ? static_cast<int>(value) : 0;
    if (n == 0 || n != value)
      continue;
    llvm::IRBuilder<> b(call);
    llvm::Value *product = nullptr, *square = call->getArgOperand(0);
    for (int left = n; left > 0; left /= 2) {
      if (left % 2)
        product = product ? b.CreateFMul(product, square) : square;
      if (left > 1)
        square = b.CreateFMul(square, square);
    }
    call->replaceAllUsesWith(product);
    call->eraseFromParent();
  }
}

bool isVectorMath(const llvm::Function &f) { return f.getName().starts_with(kVectorPrefix); }

} // namespace

void defineVectorMath(llvm::Module &module, bool vectors) {
  for (const char *type : {"", "f"})
    if (llvm::Function *power = module.getFunction(std::string(kVectorPrefix) + "pow" + type);
        power && vectors)
      multiplyOut(*power);
  std::vector<llvm::Function *> used;
  for (llvm::Function &f : module)
    if (f.isDeclaration() && isVectorMath(f) && !f.use_empty())
      used.push_back(&f);
  if (used.empty())
    return;
  const llvm::Function *compiled = nullptr;
  for (llvm::Function &f : module)
    if (!f.isDeclaration())
      compiled = &f;
  const Isa isa = widest(*compiled);
  // The widest vectors are also used on processors on which Clang considers them slower: for these functions
  // they are not, and all code between two calls must be equally wide.
  for (llvm::Function &f : module)
    if (vectors && !f.isDeclaration()) {
      f.addFnAttr("prefer-vector-width", std::to_string(isa.bits));
      f.addFnAttr("min-legal-vector-width", std::to_string(isa.bits));
    }
  for (llvm::Function *f : used) {
    const std::vector<llvm::User *> users(f->user_begin(), f->user_end());
    const std::vector<std::string> forms = Definer(module, *f, *compiled, isa).define(vectors);
    for (llvm::User *user : users)
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(user); call && !forms.empty())
        llvm::VFABI::setVectorVariantNames(call, forms);
  }
}

void dropUnusedVectorMath(llvm::Module &module) {
  llvm::removeFromUsedLists(module, [](llvm::Constant *c) {
    return llvm::isa<llvm::Function>(c) && isVectorMath(*llvm::cast<llvm::Function>(c));
  });
  for (llvm::Function &f : llvm::make_early_inc_range(module)) {
    f.removeDeadConstantUsers(); // the list that is gone
    if (isVectorMath(f) && f.hasLocalLinkage() && f.use_empty())
      f.eraseFromParent();
  }
}

} // namespace pbc::build
