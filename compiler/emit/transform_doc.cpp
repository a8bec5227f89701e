// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads the comment that stands in front of a transform, with no empty line between them.
//
//   // Smooths a row.         =>  "Smooths a row.\nThe ends stay."
//   // The ends stay.
//   transform Smooth
#include "compiler/emit/parts.h"
#include <cctype>

namespace pbc::emit {
namespace {

std::string_view withoutSpaces(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
    text.remove_suffix(1);
  return text;
}

void putInFront(std::string &text, std::string_view line) {
  text = std::string(line) + (text.empty() ? "" : "\n") + text;
}

} // namespace

std::string transformDoc(const Input &in, const sema::Transform &t) {
  if (!in.sources || t.span.file >= in.sources->fileCount())
    return "";
  unsigned number = in.sources->position(t.span.file, t.span.begin).line;
  const auto before = [&] { return withoutSpaces(in.sources->line(t.span.file, --number)); };
  std::string text;
  bool isInBlock = false;
  while (number > 1) {
    std::string_view line = before();
    if (text.empty() && !isInBlock && (line == "main" || line == "memoized")) // words of the header itself
      continue;
    if (!isInBlock && line.starts_with("//")) {
      line.remove_prefix(std::min(line.find_first_not_of("/!"), line.size()));
      putInFront(text, withoutSpaces(line));
      continue;
    }
    if (!isInBlock && !(text.empty() && line.ends_with("*/")))
      break;
    if (!isInBlock)
      line = withoutSpaces(line.substr(0, line.size() - 2));
    isInBlock = true;
    const std::size_t begin = line.find("/*");
    if (begin != std::string_view::npos)
      line = line.substr(begin + 2);
    line.remove_prefix(std::min(line.find_first_not_of("*! \t"), line.size()));
    line = withoutSpaces(line);
    if (!line.empty())
      putInFront(text, line);
    if (begin != std::string_view::npos)
      break;
  }
  return text;
}

} // namespace pbc::emit
