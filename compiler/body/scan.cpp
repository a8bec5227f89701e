// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/scan.h"
#include "compiler/syntax/cxx_scan.h"

namespace pbc::body {
namespace {

// Limits that a stack of 256 MiB allows, with a margin: robustness_test.cpp checks this.
constexpr int kStatementTokens = 20000, kBodyTokens = 200000;

} // namespace

std::vector<Construct> unsupportedConstructs(std::string_view body) {
  using Kind = syntax::Lexeme::Kind;
  std::vector<Construct> found;
  bool lineStart = true;
  std::uint32_t at = 0;
  int inStatement = 0, inBody = 0;
  auto next = [&] {
    syntax::Lexeme l = syntax::scan(body, at);
    at = std::max(l.end, at + 1);
    return l;
  };
  for (syntax::Lexeme l = next(); l.kind != Kind::End; l = next()) {
    const std::string_view text = l.text(body);
    if (l.isBlank()) {
      lineStart = lineStart || l.kind == Kind::Newline;
      continue;
    }
    if (lineStart && l.is(body, '#'))
      found.push_back({l.begin, l.end, "#"});
    lineStart = false;
    inStatement = text == ";" || text == "{" || text == "}" ? 0 : inStatement + 1;
    if (inStatement > kStatementTokens || ++inBody > kBodyTokens) {
      found.push_back({l.begin, l.end, "..."});
      break;
    }
  }
  return found;
}

} // namespace pbc::body
