// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/parts.h"
#include <cctype>
#include <xxhash.h>

namespace pbc::emit {

namespace {

/// The end of the quoted text or comment that begins at `at`; `at` if none does.
std::size_t endOfQuoted(std::string_view text, std::size_t at) {
  const char quote = text[at];
  std::size_t end = at + 1;
  while (end < text.size() && text[end] != quote && text[end] != '\n')
    end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

std::size_t endOfComment(std::string_view text, std::size_t at) {
  if (text.substr(at).starts_with("//"))
    return std::min(text.find('\n', at), text.size());
  if (text.substr(at).starts_with("/*"))
    return std::min(text.find("*/", at + 2), text.size() - 2) + 2;
  return at;
}

/// The text without comments, and with one space for any white space.
std::string significant(std::string_view text) {
  std::string out;
  bool isSpace = false;
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t end = endOfComment(text, at); end != at) {
      at = end;
      isSpace = true;
      continue;
    }
    if (std::isspace(static_cast<unsigned char>(text[at]))) {
      isSpace = true;
      ++at;
      continue;
    }
    if (isSpace && !out.empty())
      out += ' ';
    isSpace = false;
    const std::size_t end = text[at] == '"' || text[at] == '\'' ? endOfQuoted(text, at) : at + 1;
    out += text.substr(at, end - at);
    at = end;
  }
  return out;
}

} // namespace

std::string transformHash(const Input &in, const sema::Transform &t) {
  std::string text = t.name;
  if (in.sources && t.span.end > t.span.begin)
    text += "\n" + significant(in.sources->text(t.span));
  for (const auto &rule : t.rules) // after macro expansion
    if (rule.body)
      text += "\n" + rule.label + "\n" + significant(rule.body->text.text);
  for (const syntax::RawBlock *block : in.module.rawBlocks)
    text += "\n" + significant(block->text.text);
  return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size()));
}

} // namespace pbc::emit
