// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// From text to the tokens that the grammar works on.
//
//   transform T from A to B { B from(A a) { return a == '}'; } }
//   => TRANSFORM ID FROM ID TO ID LBRACE ID FROM ( ID ID ) BODY RBRACE EOF
//
// Which brace is which: outside of a unit `{` opens a transform's rules after the word `transform` and a body
// after the word `function`; among the rules every `{` opens a body. A body ends at its matching brace, found
// with C++'s own ideas of strings, characters and comments. Invariants: token positions are byte offsets into
// the text; braces are balanced (missing ones are complained about and supplied); no expression is longer
// than `longestExpression` tokens, so a recursive parser cannot run out of stack.
#pragma once
#include "PbccLexer.h"
#include "PbccParser.h"
#include "compiler/source/diagnostics.h"

namespace pbc::syntax {

constexpr unsigned longestExpression = 600; // tokens
constexpr unsigned deepestNesting = 100;    // parentheses and brackets in one another

using Tokens = std::vector<std::unique_ptr<antlr4::Token>>;

/// Ends with an EOF token. What makes no sense is reported and stands as a BROKEN token.
Tokens readTokens(const source::MappedText &, source::Diagnostics &);

} // namespace pbc::syntax
