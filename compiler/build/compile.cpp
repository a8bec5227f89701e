// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/build/compile.h"

#include "compiler/build/driver_arguments.h"
#include "compiler/build/isolate.h"
#include "compiler/build/startup.h"
#include "compiler/build/vector_math.h"
#include "compiler/preamble/assembly_files.h"
#include "compiler/preamble/preamble_use.h"
#include "compiler/preamble/regular_files.h"

#include <clang/CodeGen/BackendUtil.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Frontend/Utils.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/thread.h>
#include <llvm/Transforms/Scalar/LoopSimplifyCFG.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <optional>

namespace pbc::build {
namespace {

class Clock {
public:
  /// Seconds since the last call.
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    return seconds;
  }

private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

std::string virtualPath(const std::string &name) { return std::string(kVirtualFolder) + "/" + name; }

/// The file system with the request's texts in memory.
llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> filesInMemory(const CompileRequest &request) {
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  memory->addFile(virtualPath(request.name), 0, llvm::MemoryBuffer::getMemBuffer(request.text, request.name));
  for (const auto &[name, text] : request.files)
    memory->addFile(std::string(kVirtualIncludes) + "/" + name, 0,
                    llvm::MemoryBuffer::getMemBuffer(text, name));
  return memory;
}

/// The real files, with the files in memory laid over them.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
fileSystem(const llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> &memory) {
  auto all = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(preamble::regularFiles());
  all->pushOverlay(memory);
  return all;
}

class AllDependencies : public clang::DependencyCollector {
public:
  bool needSystemDependencies() override { return true; }
};

/// Collects the front end's messages, and whether the processor was the reason for an error.
class FrontMessages : public clang::TextDiagnosticPrinter {
public:
  using TextDiagnosticPrinter::TextDiagnosticPrinter;
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &info) override {
    if (info.getID() == clang::diag::err_target_unknown_cpu)
      failure = CompileFailure::UnknownProcessor;
    TextDiagnosticPrinter::HandleDiagnostic(level, info);
  }
  CompileFailure failure = CompileFailure::Text;
};

/// Collects the messages of the optimiser and the code generator, which run after the front end has ended.
struct BackMessages : llvm::DiagnosticHandler {
  explicit BackMessages(llvm::raw_ostream &out) : out(out) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() > llvm::DS_Warning)
      return true;
    if (info.getSeverity() == llvm::DS_Error && failure == CompileFailure::None)
      failure = info.getKind() == llvm::DK_InlineAsm || info.getKind() == llvm::DK_SrcMgr
                    ? CompileFailure::Assembly
                    : CompileFailure::BackEnd;
    llvm::DiagnosticPrinterRawOStream printer(out);
    out << llvm::LLVMContext::getDiagnosticMessagePrefix(info.getSeverity()) << ": ";
    info.print(printer);
    out << "\n";
    return true;
  }
  llvm::raw_ostream &out;
  CompileFailure failure = CompileFailure::None;
};

/// Options of LLVM that only its command line sets. Together they take a tenth of the time of kernels with many loops, and change their
/// code by nothing that was measured: the first looks for integers that might live in mask registers; the second is how many
/// ways to compute a loop's addresses are weighed against each other (65535 by default) before the less promising ones are dropped.
constexpr std::pair<const char *, const char *> kLessSearching[] = {{"disable-x86-domain-reassignment", "1"},
                                                                    {"lsr-complexity-limit", "4096"}};

void initialiseTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    auto &known = llvm::cl::getRegisteredOptions();
    for (const auto &[name, value] : kLessSearching)
      if (const auto option = known.find(name); option != known.end()) // other processors have others
        option->second->addOccurrence(0, name, value);
  });
}

// Clang and LLVM process deep expressions recursively. The stack is only reserved: its pages are used for
// absurd nesting only.
constexpr unsigned kStackBytes = 512u << 20;

clang::BackendAction actionFor(CompileRequest::Output wanted) {
  return wanted == CompileRequest::Output::Object ? clang::Backend_EmitObj : clang::Backend_EmitAssembly;
}

/// Removes blocks behind constant conditions before each loop is unrolled. Unrolling a loop `for (int k = 0; k < 2; ++k)
/// if (k == 0)` leaves a copy of its body that never runs. Such copies cost nothing in LLVM's estimate for the loop
/// around, so without this pass each of several such nested loops would double the code.
void dropDeadCopiesOfLoops(llvm::PassBuilder &builder) {
  builder.registerLateLoopOptimizationsEPCallback([](llvm::LoopPassManager &passes, llvm::OptimizationLevel) {
    passes.addPass(llvm::LoopSimplifyCFGPass());
  });
}

/// Notes in the result whether the assembler may read files for the module. Returns why one cannot be read, if so. (An
/// error with its place comes from the reading of bodies, compiler/body/clang_data.h, which skips parsed headers.)
std::optional<std::string> readFilesOf(const llvm::Module &module, const clang::HeaderSearchOptions &options,
                                       CompileResult &result) {
  std::vector<std::string> texts{module.getModuleInlineAsm()};
  for (const llvm::Function &function : module)
    for (const llvm::Instruction &instruction : llvm::instructions(function))
      if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        if (const auto *assembly = llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()))
          if (preamble::mayNameFiles(assembly->getAsmString()))
            texts.push_back(assembly->getAsmString());
  for (const std::string &text : texts) {
    if (!preamble::mayNameFiles(text))
      continue;
    result.readsOtherFiles = true;
    if (auto why = preamble::unreadableFile(text, preamble::assemblyFolders(options)))
      return why;
  }
  return std::nullopt;
}

CompileResult compileHere(const CompileRequest &, const preamble::Shared &);

} // namespace

std::vector<std::string> frontArguments(const CompileRequest &request, std::string &messages) {
  std::vector<std::string> options{"-std=c++20",
                                   "-Wno-register", // C++17 refuses what older programs say
                                   "-O" + std::to_string(request.optimisation), "-march=" + request.cpu,
                                   // A load of each cell is faster than one instruction for all of them.
                                   "-mno-gather", "-mno-scatter", "-fPIC", "-fno-math-errno",
                                   "-ffp-contract=on", "-Wno-invalid-feature-combination",
                                   "-fbracket-depth=8192", // lifted bodies have all their parentheses
                                   std::string("-I") + kVirtualIncludes};
  if (request.boundsCheck)
    options.push_back("-DPB_BOUNDS_CHECK");
  options.insert(options.end(), request.extraArguments.begin(), request.extraArguments.end());
  return driverFrontArguments(options, messages);
}

CompileResult compile(const CompileRequest &request) {
  CompileResult result;
  std::exception_ptr thrown;
  llvm::thread worker(std::optional<unsigned>{kStackBytes}, [&] {
    try {
      const preamble::Shared headers =
          request.headers && request.preambles ? request.preambles(*request.headers) : nullptr;
      result = compileHere(request, headers);
      if (!result.ok &&
          headers) // without the preamble it may compile, and the messages are those of the text
        result = compileHere(request, nullptr);
    } catch (...) {
      thrown = std::current_exception();
    }
  });
  worker.join();
  if (thrown)
    std::rethrow_exception(thrown);
  return result;
}

namespace {

CompileResult compileHere(const CompileRequest &request, const preamble::Shared &headers) {
  initialiseTargets();
  Clock clock;
  CompileResult result;
  std::vector<std::string> arguments = frontArguments(request, result.messages);
  if (arguments.empty())
    return result;
  arguments.push_back(virtualPath(request.name));
  std::vector<const char *> line;
  for (const std::string &argument : arguments)
    line.push_back(argument.c_str());

  llvm::raw_string_ostream messages(result.messages);
  auto front = std::make_unique<clang::CompilerInstance>();
  auto diagnosticOptions = llvm::makeIntrusiveRefCnt<clang::DiagnosticOptions>();
  diagnosticOptions->ShowPresumedLoc = 1; // #line counts
  auto *said = new FrontMessages(messages, diagnosticOptions.get());
  front->createDiagnostics(said);
  result.failure = said->failure;
  if (!clang::CompilerInvocation::CreateFromArgs(front->getInvocation(), line, front->getDiagnostics()))
    return result;
  clang::ProcessWarningOptions(front->getDiagnostics(), front->getDiagnosticOpts());
  const auto memory = filesInMemory(request);
  if (headers)
    preamble::use(*headers, front->getInvocation(), *memory);
  front->createFileManager(fileSystem(memory));
  front->getFrontendOpts().DisableFree = false;
  // The optimiser runs separately below, so that its time is known.
  front->getCodeGenOpts().DisableLLVMPasses = true;
  if (request.wanted == CompileRequest::Output::Llvm)
    front->getCodeGenOpts().DiscardValueNames = false;
  auto dependencies = std::make_shared<AllDependencies>();
  front->addDependencyCollector(dependencies);
  front->setVerboseOutputStream(messages); // "1 error generated."

  llvm::LLVMContext context;
  clang::EmitLLVMOnlyAction action(&context);
  const bool parsed = front->ExecuteAction(action);
  std::unique_ptr<llvm::Module> module = parsed ? action.takeModule() : nullptr;
  result.frontSeconds = clock.lap();
  for (const std::string &file : dependencies->getDependencies())
    if (!llvm::StringRef(file).starts_with(std::string(kVirtualFolder) + "/"))
      result.filesRead.push_back(file);
  if (headers) {
    result.withPreamble = true;
    result.filesRead.insert(result.filesRead.end(), headers->filesRead.begin(), headers->filesRead.end());
    std::sort(result.filesRead.begin(), result.filesRead.end());
    result.filesRead.erase(std::unique(result.filesRead.begin(), result.filesRead.end()),
                           result.filesRead.end());
  }
  result.failure = said->failure;
  if (!module)
    return result;
  if (const std::optional<std::string> why = readFilesOf(*module, front->getHeaderSearchOpts(), result)) {
    messages << "error: " << *why << "\n";
    result.failure = CompileFailure::Assembly;
    return result;
  }

  auto handler = std::make_unique<BackMessages>(messages);
  const BackMessages &back = *handler;
  context.setDiagnosticHandler(std::move(handler));
  llvm::SmallVector<char, 0> bytes;
  const auto run = [&](clang::BackendAction what, bool optimise) {
    front->getCodeGenOpts().DisableLLVMPasses = !optimise;
    clang::EmitBackendOutput(front->getDiagnostics(), front->getHeaderSearchOpts(), front->getCodeGenOpts(),
                             front->getTargetOpts(), front->getLangOpts(),
                             front->getTarget().getDataLayoutString(), module.get(), what,
                             front->getFileManager().getVirtualFileSystemPtr(),
                             std::make_unique<llvm::raw_svector_ostream>(bytes));
  };
  front->getCodeGenOpts().PassBuilderCallbacks.emplace_back(dropDeadCopiesOfLoops);
  if (!request.onlyShared.empty())
    isolate(*module, request.onlyShared);
  leaveManyInitialisers(*module);
  defineVectorMath(*module, request.vectorMath);
  run(clang::Backend_EmitNothing, true);
  dropUnusedVectorMath(*module);
  result.optimiseSeconds = clock.lap();
  if (request.wanted == CompileRequest::Output::Llvm) {
    llvm::raw_svector_ostream out(bytes);
    module->print(out, nullptr);
  } else {
    run(actionFor(request.wanted), false);
  }
  result.codegenSeconds = clock.lap();
  if (back.failure != CompileFailure::None)
    result.failure = back.failure;
  result.ok = back.failure == CompileFailure::None && !front->getDiagnostics().hasErrorOccurred();
  if (result.ok)
    result.failure = CompileFailure::None;
  if (result.ok)
    result.output.assign(bytes.begin(), bytes.end());
  return result;
}

} // namespace

} // namespace pbc::build
