// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes the tokens on which the grammar works.
//
//   transform T from A to B { B from(A a) { return a == '}'; } }
//   => TRANSFORM ID FROM ID TO ID LBRACE ID FROM ( ID ID ) BODY RBRACE EOF
//
// The role of a brace depends on its context: outside of a unit `{` opens a transform's rules after the
// keyword `transform` and a body after the keyword `function`; among the rules every `{` opens a body. A body
// ends at its matching brace, which is found by C++'s rules for strings, characters and comments. After the head
// of a schedule, `{` and `}` are STEPS and END_STEPS, and every word between them is an ID:
//
//   schedule wide for Cells on cpu { vector(x); }
//   => SCHEDULE ID FOR ID ON ID STEPS ID ( ID ) ; END_STEPS
//
// Elsewhere the words `schedule`, `for` and `on` are IDs, so that programs can use them as names. Invariants:
// token positions are byte offsets into the text; braces are balanced (missing ones are reported and
// inserted); no expression is longer than `longestExpression` tokens, so a recursive parser cannot exhaust
// its stack.
#pragma once
#include "PbccLexer.h"
#include "PbccParser.h"
#include "compiler/source/diagnostics.h"
#include "compiler/syntax/expression_limit.h"

namespace pbc::syntax {

using Tokens = std::vector<std::unique_ptr<antlr4::Token>>;

/// A program, a file of schedules, only the steps of one, or a file of adaptors.
enum class TextKind { Program, Schedules, Steps, Adaptors };

/// The tokens end with EOF. Text that makes no sense is reported and becomes a BROKEN token.
Tokens readTokens(const source::MappedText &, source::Diagnostics &, TextKind = TextKind::Program);

} // namespace pbc::syntax
