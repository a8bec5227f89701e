// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/build/driver_arguments.h"

#include <clang/Basic/Diagnostic.h>
#include <clang/Driver/Compilation.h>
#include <clang/Driver/Driver.h>
#include <clang/Driver/Job.h>
#include <clang/Driver/Tool.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Host.h>

#include <algorithm>
#include <map>
#include <mutex>

namespace pbc::build {
namespace {

/// The arguments of the first job for the tool of this name, or nothing.
std::vector<std::string> askDriver(const std::vector<std::string> &options, llvm::StringRef tool,
                                   std::string &messages) {
  llvm::raw_string_ostream stream(messages);
  auto diagnosticOptions = llvm::makeIntrusiveRefCnt<clang::DiagnosticOptions>();
  clang::DiagnosticsEngine diagnostics(llvm::makeIntrusiveRefCnt<clang::DiagnosticIDs>(), diagnosticOptions,
                                       new clang::TextDiagnosticPrinter(stream, diagnosticOptions.get()));
  // The driver finds Clang's own headers relative to the path of its program.
  const char *program = PBC_LLVM_ROOT "/bin/clang++";
  clang::driver::Driver driver(program, llvm::sys::getDefaultTargetTriple(), diagnostics);
  driver.setCheckInputsExist(false);
  std::vector<const char *> line{program};
  for (const std::string &option : options)
    line.push_back(option.c_str());
  std::unique_ptr<clang::driver::Compilation> compilation(driver.BuildCompilation(line));
  std::vector<std::string> arguments;
  if (!compilation || diagnostics.hasErrorOccurred())
    return arguments;
  for (const clang::driver::Command &job : compilation->getJobs())
    if (tool == job.getCreator().getName()) {
      for (const char *argument : job.getArguments())
        arguments.emplace_back(argument);
      break;
    }
  if (arguments.empty())
    stream << "error: no compiler or linker for this machine was found\n";
  return arguments;
}

bool hasDebugInfo(const std::vector<std::string> &arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [](const std::string &argument) {
    return argument.starts_with("-debug-info-kind") || argument.starts_with("-fcoverage-mapping");
  });
}

/// Removes the features that Clang 19 itself rejects as a combination on processors with AVX10, the flag with which
/// the front end does not free its memory, and the current folder if there is no debug information, because the
/// arguments are part of keys.
std::vector<std::string> cleaned(const std::vector<std::string> &arguments) {
  std::vector<std::string> kept;
  const bool isDebugged = hasDebugInfo(arguments);
  for (std::size_t i = arguments.empty() || arguments[0] != "-cc1" ? 0 : 1; i < arguments.size(); ++i) {
    if (arguments[i] == "-target-feature" && i + 1 < arguments.size() &&
        llvm::StringRef(arguments[i + 1]).substr(1).starts_with("avx10")) {
      ++i;
      continue;
    }
    const bool isFolder = llvm::StringRef(arguments[i]).starts_with("-fdebug-compilation-dir=") ||
                          llvm::StringRef(arguments[i]).starts_with("-fcoverage-compilation-dir=");
    if (arguments[i] != "-disable-free" && (isDebugged || !isFolder))
      kept.push_back(arguments[i]);
  }
  return kept;
}

template <class Key, class Make>
std::vector<std::string> remembered(std::map<Key, std::vector<std::string>> &known, std::mutex &mutex,
                                    const Key &key, Make make) {
  std::lock_guard lock(mutex);
  auto found = known.find(key);
  if (found != known.end())
    return found->second;
  std::vector<std::string> made = make();
  if (!made.empty())
    known.emplace(key, made);
  return made;
}

} // namespace

std::vector<std::string> driverFrontArguments(const std::vector<std::string> &options,
                                              std::string &messages) {
  static std::mutex mutex;
  static std::map<std::vector<std::string>, std::vector<std::string>> known;
  return remembered(known, mutex, options, [&] {
    std::vector<std::string> line{"-c", "-x", "c++"};
    line.insert(line.end(), options.begin(), options.end());
    const std::string source = std::string(kVirtualFolder) + "/unit.cpp";
    line.insert(line.end(), {source, "-o", kInputMark});
    std::vector<std::string> arguments = cleaned(askDriver(line, "clang", messages));
    if (!arguments.empty() && arguments.back() == source)
      arguments.pop_back();
    return arguments;
  });
}

std::vector<std::string> driverLinkArguments(bool shared, std::string &messages) {
  static std::mutex mutex;
  static std::map<bool, std::vector<std::string>> known;
  return remembered(known, mutex, shared, [&] {
    const std::string linker = "-fuse-ld=" PBC_LLVM_ROOT "/bin/ld.lld";
    return askDriver({shared ? "-shared" : "-pie", linker, kInputMark, "-o", kOutputMark}, "GNU::Linker",
                     messages);
  });
}

} // namespace pbc::build
