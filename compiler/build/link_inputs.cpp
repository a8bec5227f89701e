// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/build/link_inputs.h"

#include "compiler/preamble/regular_files.h"
#include "runtime/base/read_file.h"

#include <llvm/Support/Allocator.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>

namespace pbc::build {
namespace {

namespace fs = std::filesystem;

/// Options whose next word is no input. Those with `-` may also begin with `--`.
constexpr std::array<std::string_view, 14> kOptionsWithWord = {
    "-L",     "-o",           "-m",     "-z",          "-e",      "-u",
    "-h",     "-Map",         "-rpath", "-rpath-link", "-soname", "-dynamic-linker",
    "-entry", "-library-path"};

bool takesWord(std::string_view option) {
  if (option.starts_with("--"))
    option.remove_prefix(1);
  return std::find(kOptionsWithWord.begin(), kOptionsWithWord.end(), option) != kOptionsWithWord.end();
}

/// The text after one of the beginnings, for options as `-lNAME` and `--library=NAME`.
std::optional<std::string> after(const std::string &word,
                                 std::initializer_list<std::string_view> beginnings) {
  for (const std::string_view begin : beginnings)
    if (word.size() > begin.size() && word.starts_with(begin))
      return word.substr(begin.size());
  return std::nullopt;
}

/// Whether lld takes the file for a linker script.
bool isScript(const std::string &path) {
  std::array<char, 8> begin{};
  std::ifstream(path, std::ios::binary).read(begin.data(), begin.size());
  const std::string_view text(begin.data(), begin.size());
  return !text.starts_with("\x7f"
                           "ELF") &&
         !text.starts_with("!<arch>\n") && !text.starts_with("!<thin>\n") && !text.starts_with("BC\xC0\xDE");
}

/// The names and parentheses of a linker script, without its comments.
std::vector<std::string> scriptWords(std::string_view text) {
  constexpr std::string_view kBetween = " \t\r\n,;\"";
  std::vector<std::string> words;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kBetween), text.size()));
    if (text.empty())
      return words;
    std::size_t end = std::min(text.find_first_of(" \t\r\n,;\"()"), text.size());
    if (text.starts_with("/*"))
      end = std::min(text.find("*/"), text.size() - 2) + 2;
    else if (text.starts_with("#"))
      end = std::min(text.find('\n'), text.size());
    else
      words.emplace_back(text.substr(0, end = std::max<std::size_t>(end, 1)));
    text.remove_prefix(end);
  }
}

class Inputs {
public:
  explicit Inputs(const std::vector<std::string> &line) {
    for (std::size_t i = 0; i < line.size(); ++i)
      if (line[i] == "-L" || line[i] == "--library-path")
        folders_.push_back(i + 1 < line.size() ? line[i + 1] : "");
      else if (auto folder = after(line[i], {"-L", "--library-path=", "-library-path="}))
        folders_.push_back(*folder);
  }

  std::optional<std::string> line(const std::vector<std::string> &line, const std::string &output) {
    for (std::size_t i = 1; i < line.size() && !why_; ++i) {
      const std::string &word = line[i];
      if (word == output || takesWord(line[i - 1]))
        continue;
      if (word == "-l" || word == "--library")
        library(i + 1 < line.size() ? line[++i] : "");
      else if (const auto name = after(word, {"-l", "--library=", "-library="}))
        library(*name);
      else if (!word.starts_with("-"))
        input(word);
      else
        value(word);
    }
    return why_;
  }

private:
  /// The value of an option may be a file that lld reads (`--version-script=FILE`, `-TFILE`).
  void value(const std::string &word) {
    if (after(word, {"-Map=", "--Map="}))
      return;
    const auto equals = word.find('=');
    const auto path = equals == std::string::npos ? after(word, {"-T", "-R"}) : word.substr(equals + 1);
    std::error_code ignored;
    const auto status = path ? fs::status(*path, ignored) : fs::file_status();
    if (path && fs::exists(status) && !fs::is_directory(status))
      file(*path);
  }

  void library(const std::string &name) {
    std::error_code ignored;
    for (const std::string &folder : folders_) {
      std::vector<std::string> places{folder + "/lib" + name + ".so", folder + "/lib" + name + ".a"};
      if (name.starts_with(":"))
        places = {folder + "/" + name.substr(1)};
      for (const std::string &place : places)
        if (fs::exists(place, ignored))
          return input(place);
    }
  }

  /// A regular file may be a script that names others.
  void input(const std::string &path) {
    if (!file(path) || path.starts_with("/proc/self/fd/") || !isScript(path) || !scripts_.insert(path).second)
      return;
    const pb::base::FileText script = pb::base::readFile(path);
    if (!script.text) {
      why_ = path + " cannot be linked: " + script.why;
      return;
    }
    const std::string before = std::exchange(script_, path);
    int depth = 0; // of parentheses in INPUT(...) and GROUP(...)
    std::string last;
    for (const std::string &word : scriptWords(*script.text)) {
      if (why_)
        break;
      if (word == "(")
        depth += depth > 0 || last == "INPUT" || last == "GROUP";
      else if (word == ")")
        depth -= depth > 0;
      else if (depth > 0 || last == "INCLUDE")
        inScript(word);
      last = word;
    }
    script_ = before;
  }

  void inScript(const std::string &word) {
    if (const auto name = after(word, {"-l"}))
      return library(*name);
    const std::string path = word.starts_with("=") ? word.substr(1) : word;
    std::error_code ignored;
    std::vector<std::string> places{path, fs::path(script_).parent_path() / path};
    for (const std::string &folder : folders_)
      places.push_back(folder + "/" + path);
    for (const std::string &place : places)
      if (const auto status = fs::status(place, ignored); fs::exists(status) && !fs::is_directory(status))
        return input(place);
  }

  /// Whether it is a regular file.
  bool file(const std::string &path) {
    std::error_code ignored;
    const auto status = fs::status(path, ignored);
    if (fs::is_regular_file(status))
      return true;
    if (fs::exists(status) && !why_)
      why_ =
          path + (script_.empty() ? "" : ", named by " + script_ + ",") + " is not a file that can be linked";
    return false;
  }

  std::vector<std::string> folders_;
  std::set<std::string> scripts_;
  std::string script_; // the one that is read
  std::optional<std::string> why_;
};

} // namespace

std::optional<std::string> expandWordFiles(std::vector<std::string> &words) {
  llvm::BumpPtrAllocator memory;
  llvm::cl::ExpansionContext context(memory, llvm::cl::TokenizeGNUCommandLine);
  const auto files = preamble::regularFiles();
  context.setVFS(files.get());
  llvm::SmallVector<const char *, 32> expanded;
  for (const std::string &word : words)
    expanded.push_back(word.c_str());
  if (llvm::Error problem = context.expandResponseFiles(expanded))
    return "the words of the linker cannot be read: " + llvm::toString(std::move(problem));
  std::vector<std::string> all(expanded.begin(), expanded.end());
  std::error_code ignored;
  for (const std::string &word : all) // what is not a regular file has stayed
    if (word.starts_with("@") && fs::exists(word.substr(1), ignored))
      return word.substr(1) + " is not a file of words for the linker";
  words = std::move(all);
  return std::nullopt;
}

std::optional<std::string> unreadableInput(const std::vector<std::string> &line, const std::string &output) {
  return Inputs(line).line(line, output);
}

} // namespace pbc::build
