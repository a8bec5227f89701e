// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/parts.h"
#include <cctype>

namespace pbc::emit {

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
    text.remove_suffix(1);
  return text;
}

/// "cells of a block" of "// cells of a block".
std::string_view commentOf(std::string_view text) {
  text = trimmed(text);
  if (!text.starts_with("//"))
    return {};
  text.remove_prefix(std::min(text.find_first_not_of('/'), text.size()));
  return trimmed(text);
}

} // namespace

std::string tunableDoc(const Input &in, const sema::Tunable &k, const sema::Transform &t) {
  if (k.name.starts_with("for_enough_"))
    return fmt::format("rounds of the `for_enough` number {} of {}", k.name.substr(11), t.name);
  static constexpr const char *words[] = {"tunable", "config", "accuracy variable", ""};
  std::string plain = fmt::format("{} of {}", words[static_cast<int>(k.kind)], t.name);
  if (!in.sources || k.span.file >= in.sources->fileCount() || in.sources->text(k.span) != k.name)
    return plain;
  const auto [line, column] = in.sources->position(k.span.file, k.span.begin);
  const std::string_view rest = in.sources->line(k.span.file, line);
  const std::size_t slashes = rest.find("//", column - 1);
  std::string_view doc = slashes == std::string_view::npos ? "" : commentOf(rest.substr(slashes));
  if (doc.empty() && line > 1)
    doc = commentOf(in.sources->line(k.span.file, line - 1));
  return doc.empty() ? plain : std::string(doc);
}

} // namespace pbc::emit
