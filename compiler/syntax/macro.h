// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Macros and their expansion, as the C preprocessor does it without # and ##.
//
//   #define MAX(a,b) ((a)>(b)?(a):(b))
//   x = MAX(p, q+1);   =>   x = ((p)>(q+1)?(p):(q+1));
//
// The expanded text keeps its origin: an argument still has its own position (a message about `q+1` points at
// `q+1`); text that the definition added has the position of the whole use. A macro is not expanded again
// inside its own expansion (each token carries the set of macros that made it: D. Prosser's algorithm), and
// the length of the result is bounded, so that expansion always ends.
#pragma once
#include "compiler/source/diagnostics.h"
#include "compiler/syntax/cxx_scan.h"
#include "compiler/syntax/hide_set.h"
#include <deque>
#include <map>
#include <optional>

namespace pbc::syntax {

using source::Span;

struct Macro {
  struct Piece {
    Lexeme::Kind kind;
    std::string text;
    int parameter = -1; // its index, if the piece is a parameter's name
  };
  std::string name;
  std::uint32_t number = 0; // the same for all macros of this name
  Span where;
  bool takesArguments = false;
  std::vector<std::string> parameters;
  std::vector<Piece> body;
};

/// A token during expansion.
struct MacroToken {
  Lexeme::Kind kind;
  std::string text;
  Span origin;
  bool verbatim;  // the origin is exactly these bytes
  HideSet madeBy; // empty: the token is in the text
};

/// The text around a macro use; the use may end anywhere before the next directive.
struct MacroInput {
  source::FileId file;
  std::string_view text;
  std::uint32_t at;
};

/// Whether the two tokens, written next to each other, would be read as something else.
bool pastes(std::string_view left, std::string_view right);

class Macros {
public:
  explicit Macros(source::Diagnostics &diagnostics) : diagnostics_(diagnostics) {}

  void define(Macro macro);
  void undefine(const std::string &name) { table_.erase(name); }
  const Macro *find(std::string_view name) const;

  /// Expands the use of a macro whose name is at input.at; moves input.at past the use.
  std::vector<MacroToken> expandUse(MacroInput &input);
  /// Expands a list of tokens that is followed by nothing.
  std::vector<MacroToken> expandAll(std::vector<MacroToken> tokens);

private:
  using Pending = std::deque<MacroToken>;
  struct Call {
    std::vector<std::vector<MacroToken>> arguments;
    MacroToken close;
  };

  std::vector<MacroToken> run(Pending pending, MacroInput *input, unsigned depth);
  bool opensCall(const Pending &, const MacroInput *) const;
  bool take(Pending &, MacroInput *, MacroToken &);
  bool collect(const MacroToken &name, Pending &, MacroInput *, Call &);
  static std::size_t readBy(const Call &);
  bool countFits(const Macro &, Call &, Span use);
  std::vector<MacroToken> substitute(const Macro &, const MacroToken &name, const Call *, Span use,
                                     unsigned depth);
  bool spend(std::size_t bytes, Span use, const std::string &name);

  source::Diagnostics &diagnostics_;
  std::map<std::string, Macro, std::less<>> table_;
  std::map<std::string, std::uint32_t> numbers_;
  std::size_t spentHere_ = 0, spent_ = 0;
  bool overspent_ = false; // by this use
  bool exhausted_ = false; // by the program: macros are no longer expanded
};

} // namespace pbc::syntax
