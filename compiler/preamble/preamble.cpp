// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/preamble/preamble.h"
#include "compiler/preamble/preamble_use.h"
#include "compiler/preamble/regular_files.h"

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/Utils.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <clang/Serialization/ASTWriter.h>
#include <clang/Serialization/PCHContainerOperations.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <algorithm>
#include <cstring>
#include <mutex>

namespace pbc::preamble {
namespace {

constexpr const char *kText = "/pbc/preamble.h";
constexpr const char *kParsed = "/pbc/preamble.pch";
constexpr unsigned kStackBytes = 256u << 20; // only reserved; only very deep nesting uses its pages

/// A preamble's bytes: the size of its text, the text itself (Clang opens it by name), and Clang's precompiled header,
/// which begins at a multiple of 16 bytes.
std::string packed(const std::string &text, llvm::StringRef parsed) {
  const std::uint64_t size = text.size();
  std::string bytes(reinterpret_cast<const char *>(&size), sizeof size);
  bytes += text;
  bytes.resize((bytes.size() + 15) / 16 * 16);
  return bytes.append(parsed.begin(), parsed.end());
}

struct Unpacked {
  llvm::StringRef text, parsed;
};

Unpacked unpacked(llvm::StringRef bytes) {
  std::uint64_t size = 0;
  if (bytes.size() < sizeof size)
    return {"", bytes};
  std::memcpy(&size, bytes.data(), sizeof size);
  if (size > bytes.size() - sizeof size)
    return {"", bytes}; // Clang refuses these bytes
  return {bytes.substr(sizeof size, size),
          bytes.drop_front(std::min((sizeof size + size + 15) / 16 * 16, bytes.size()))};
}

/// Writes the parsed headers into a buffer instead of a file.
class Action : public clang::ASTFrontendAction {
public:
  explicit Action(std::shared_ptr<clang::PCHBuffer> buffer) : buffer_(std::move(buffer)) {}

  bool BeginSourceFileAction(clang::CompilerInstance &instance) override {
    instance.getLangOpts().CompilingPCH = true;
    return ASTFrontendAction::BeginSourceFileAction(instance);
  }
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &instance,
                                                        llvm::StringRef) override {
    return std::make_unique<clang::PCHGenerator>(instance.getPreprocessor(), instance.getModuleCache(), "",
                                                 "", buffer_, instance.getFrontendOpts().ModuleFileExtensions,
                                                 /*AllowASTWithErrors=*/false,
                                                 /*IncludeTimestamps=*/false);
  }
  clang::TranslationUnitKind getTranslationUnitKind() override { return clang::TU_Prefix; }
  bool hasASTFileSupport() const override { return false; }

private:
  std::shared_ptr<clang::PCHBuffer> buffer_;
};

class AllDependencies : public clang::DependencyCollector {
public:
  bool needSystemDependencies() override { return true; }
};

Shared parse(const Request &request) {
  std::vector<const char *> line;
  for (const std::string &argument : request.arguments)
    line.push_back(argument.c_str());
  line.push_back(kText);

  clang::CompilerInstance instance;
  instance.createDiagnostics(new clang::IgnoringDiagConsumer);
  if (!clang::CompilerInvocation::CreateFromArgs(instance.getInvocation(), line, instance.getDiagnostics()))
    return nullptr;
  const std::string text = request.text + "\n#define PB_PREAMBLE 1\n";
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  memory->addFile(kText, 0, llvm::MemoryBuffer::getMemBuffer(text, kText));
  for (const auto &[name, content] : request.files)
    memory->addFile(std::string(kVirtualIncludes) + "/" + name, 0,
                    llvm::MemoryBuffer::getMemBuffer(content, name));
  auto all = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(regularFiles());
  all->pushOverlay(memory);
  instance.createFileManager(all);
  instance.getFrontendOpts().DisableFree = false;
  instance.getDiagnosticOpts().ShowCarets = false; // otherwise Clang prints the number of errors on stderr
  auto dependencies = std::make_shared<AllDependencies>();
  instance.addDependencyCollector(dependencies);

  auto buffer = std::make_shared<clang::PCHBuffer>();
  Action action(buffer);
  if (!instance.ExecuteAction(action) || !buffer->IsComplete || instance.getDiagnostics().hasErrorOccurred())
    return nullptr;
  auto made = std::make_shared<Preamble>();
  made->bytes = packed(text, {buffer->Data.data(), buffer->Data.size()});
  for (const std::string &file : dependencies->getDependencies())
    if (!llvm::StringRef(file).starts_with(std::string(kVirtualFolder) + "/"))
      made->filesRead.push_back(file);
  return made;
}

} // namespace

Shared make(const Request &request) {
  Shared made;
  static std::mutex oneAtATime; // Enable() and Disable() concern the whole process
  std::lock_guard lock(oneAtATime);
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext recovery;
  if (!recovery.RunSafelyOnThread([&] { made = parse(request); }, kStackBytes))
    made = nullptr;
  llvm::CrashRecoveryContext::Disable();
  return made;
}

void use(const Preamble &preamble, clang::CompilerInvocation &invocation,
         llvm::vfs::InMemoryFileSystem &memory) {
  const Unpacked parts = unpacked(preamble.bytes);
  memory.addFile(kText, 0, llvm::MemoryBuffer::getMemBufferCopy(parts.text, kText));
  memory.addFile(kParsed, 0, llvm::MemoryBuffer::getMemBuffer(parts.parsed, kParsed, false));
  clang::PreprocessorOptions &options = invocation.getPreprocessorOpts();
  options.ImplicitPCHInclude = kParsed;
  options.DisablePCHOrModuleValidation = clang::DisableValidationForModuleKind::PCH;
}

} // namespace pbc::preamble
