// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Syntax errors with texts of our own instead of ANTLR's.
//
//   B.cell(i) form(A.cell(i) a) { ... }
//   => "expected `from`, `through`, `where` or the body after the rule's outputs, found `form`"
//      help: did you mean `from`?
//
// A parser that fails stops at once and leaves a Stop: the place, the grammar rule, and what would have been
// accepted. The message depends only on these.
#pragma once
#include "PbccParser.h"
#include "compiler/source/diagnostics.h"
#include <optional>

namespace pbc::syntax {

/// Why the parser stopped.
struct Stop {
  std::size_t token = 0;          // index of the token that does not fit
  std::vector<std::size_t> rules; // grammar rules, innermost first
  antlr4::misc::IntervalSet expected;
  std::optional<std::size_t> subject; // the token that names the matrix or region, if it was already read
};

/// Makes the parser stop at the first error with ParseCancellationException, and records the Stop.
class StopAtFirstError : public antlr4::DefaultErrorStrategy {
public:
  Stop stop;

  void recover(antlr4::Parser *, std::exception_ptr) override;
  antlr4::Token *recoverInline(antlr4::Parser *) override;
  void sync(antlr4::Parser *) override;
  void reportError(antlr4::Parser *, const antlr4::RecognitionException &) override {}

private:
  [[noreturn]] void give(antlr4::Parser &, std::size_t token, bool expectationKnown);
};

/// Reports the stop. Does nothing if the token is BROKEN, because that has been reported already.
void complain(const Stop &, pbc_grammar::PbccParser &, const source::MappedText &, source::Diagnostics &);

/// "`form`", "the end of the file", "a rule's body": a token as messages name it.
std::string nameOf(const antlr4::Token &, const source::MappedText &);

/// The place of a token.
source::Span spanOf(const antlr4::Token &, const source::MappedText &);

/// The keyword of a header clause (`from`, `tunable`, ...) that was probably meant; empty if none.
std::string meantClause(std::string_view word);

} // namespace pbc::syntax
