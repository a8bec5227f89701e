// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/sema/calls.h"
#include "compiler/syntax/cxx_scan.h"

namespace pbc::sema {

namespace {

using syntax::Lexeme;

Lexeme nextWord(std::string_view text, std::uint32_t at) {
  Lexeme l = syntax::scan(text, at);
  while (l.isBlank())
    l = syntax::scan(text, l.end);
  return l;
}

/// The position of the `>` that closes the `<` before `at`; 0 if there is none.
std::uint32_t closing(std::string_view text, std::uint32_t at) {
  int depth = 0;
  for (Lexeme l = nextWord(text, at); l.kind != Lexeme::Kind::End; l = nextWord(text, l.end)) {
    if (l.is(text, '(') || l.is(text, '['))
      ++depth;
    else if (l.is(text, ')') || l.is(text, ']'))
      --depth;
    else if (l.is(text, '>') && depth == 0)
      return l.begin;
    if (depth < 0 || l.is(text, ';') || l.is(text, '{') || l.is(text, '}'))
      return 0;
  }
  return 0;
}

} // namespace

void plainCalls(source::MappedText &mapped, const std::map<std::string, bool> &takesArguments,
                source::Diagnostics &d) {
  std::string &body = mapped.text;
  bool isMember = false; // after `.` or `->`
  for (Lexeme l = nextWord(body, 0); l.kind != Lexeme::Kind::End; l = nextWord(body, l.end)) {
    const bool wasMember = isMember;
    isMember = l.is(body, '.') || (l.is(body, '>') && l.begin > 0 && body[l.begin - 1] == '-');
    if (wasMember || l.kind != Lexeme::Kind::Identifier)
      continue;
    const auto callee = takesArguments.find(std::string(l.text(body)));
    if (callee == takesArguments.end())
      continue;
    const Lexeme open = nextWord(body, l.end);
    const std::uint32_t close = open.is(body, '<') ? closing(body, open.end) : 0;
    if (!close)
      continue;
    const Lexeme after = nextWord(body, close + 1);
    if (!after.is(body, '(') && !after.is(body, ','))
      continue;
    if (!callee->second)
      d.error(mapped.locate(l.begin, close + 1),
              "`" + callee->first + "` has neither `template` arguments nor `accuracy_bins`")
          .help("call it without them: `" + callee->first + "(outputs..., inputs...);`");
    if (after.is(body, '('))
      body[open.begin] = '(', body[close] = ',', body[after.begin] = ' ';
    else
      body[open.begin] = ',', body[close] = ' ';
  }
}

} // namespace pbc::sema
