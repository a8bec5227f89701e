// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/preamble/assembly_files.h"
#include "compiler/preamble/regular_files.h"
#include <algorithm>
#include <array>
#include <clang/Lex/HeaderSearchOptions.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/VirtualFileSystem.h>

namespace pbc::preamble {
namespace {

constexpr std::array<const char *, 2> kDirectives = {".incbin", ".include"};

/// A directive that reads a file, in a text of the assembler.
struct Directive {
  std::string name;
  std::optional<std::string> file; // nothing: not written as one plain string
  bool isInclude = false;
};

/// Directives may be written in capital letters.
std::vector<Directive> directivesIn(llvm::StringRef text) {
  std::vector<Directive> found;
  for (const llvm::StringRef name : kDirectives)
    for (std::size_t at = text.find_insensitive(name); at != llvm::StringRef::npos;
         at = text.find_insensitive(name, at + 1)) {
      Directive d{name.str(), std::nullopt, name == ".include"};
      llvm::StringRef rest = text.substr(at + name.size()).ltrim(" \t");
      if (rest.consume_front("\""))
        if (const std::size_t end = rest.find_first_of("\"\\\n"); end < rest.size() && rest[end] == '"')
          d.file = rest.substr(0, end).str();
      found.push_back(std::move(d));
    }
  return found;
}

class Search {
public:
  explicit Search(const std::vector<std::string> &folders) : folders_(folders), files_(regularFiles()) {}

  std::optional<std::string> in(llvm::StringRef text) {
    // A parameter of a macro is written `\name`. It can be a part of a directive's name: `.\name "file"`.
    const bool isComposed =
        text.contains(".\\") && (text.contains_insensitive("incbin") || text.contains_insensitive("include"));
    const std::vector<Directive> directives = directivesIn(text);
    if (isComposed && directives.empty())
      return composed(".incbin");
    for (const Directive &d : directives) {
      if (!d.file && text.contains('\\'))
        return composed(d.name);
      if (d.file)
        if (auto why = ofFile(d))
          return why;
    }
    return std::nullopt;
  }

private:
  static std::string composed(const std::string &directive) {
    return "the assembler cannot read the file of `" + directive + "`: its name is not one plain string";
  }

  std::optional<std::string> ofFile(const Directive &d) {
    std::vector<std::string> places{*d.file};
    for (const std::string &folder : folders_)
      places.push_back(folder + "/" + *d.file);
    for (const std::string &place : places) {
      const auto status = files_->status(place);
      if (!status && status.getError() == std::errc::operation_not_supported)
        return "the assembler cannot read `" + place + "`: it is not a regular file";
      if (!status && status.getError() == std::errc::file_too_large)
        return "the assembler cannot read `" + place + "`: it is too large";
      if (!status || !status->isRegularFile())
        continue;
      return d.isInclude ? ofIncluded(place) : std::nullopt;
    }
    return std::nullopt;
  }

  std::optional<std::string> ofIncluded(const std::string &place) {
    if (std::find(open_.begin(), open_.end(), place) != open_.end())
      return "the assembler cannot read `" + place + "`: it includes itself";
    const auto text = files_->getBufferForFile(place);
    if (!text)
      return std::nullopt;
    open_.push_back(place);
    auto why = in((*text)->getBuffer());
    open_.pop_back();
    return why;
  }

  const std::vector<std::string> &folders_;
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files_;
  std::vector<std::string> open_; // the files that are included in each other
};

} // namespace

bool mayNameFiles(llvm::StringRef assembly) {
  // Directives that repeat text can compose names.
  return std::any_of(kDirectives.begin(), kDirectives.end(),
                     [&](const char *d) { return assembly.contains_insensitive(d); }) ||
         assembly.contains_insensitive(".macro") || assembly.contains_insensitive(".irp") ||
         assembly.contains_insensitive(".rep");
}

std::optional<std::string> unreadableFile(llvm::StringRef assembly, const std::vector<std::string> &folders) {
  return mayNameFiles(assembly) ? Search(folders).in(assembly) : std::nullopt;
}

std::vector<std::string> assemblyFolders(const clang::HeaderSearchOptions &options) {
  std::vector<std::string> folders;
  for (const clang::HeaderSearchOptions::Entry &entry : options.UserEntries)
    if (!entry.IsFramework &&
        (entry.Group == clang::frontend::Quoted || entry.Group == clang::frontend::Angled ||
         entry.Group == clang::frontend::System))
      folders.push_back(entry.IgnoreSysRoot ? entry.Path : options.Sysroot + entry.Path);
  return folders;
}

} // namespace pbc::preamble
