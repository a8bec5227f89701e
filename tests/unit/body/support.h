// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Parses, checks and analyses a .pbcc program for a test.
//
//   Understood u("transform T from A[n] to B[n] { B.cell(i) from(A.cell(i) a) { return 2*a; } }");
//   u.messages == ""    u.nodes() == "B = 2 * a"
#pragma once
#include "compiler/body/facts.h"
#include "compiler/sema/check.h"
#include "compiler/syntax/parse.h"

namespace pbc::body {

class Understood {
public:
  explicit Understood(const std::string &text);

  const Facts &facts(int transform = 0, int rule = 0) const { return facts_.at(transform).at(rule); }
  /// The lifted statements of a rule as --emit=facts prints them, one per line, joined by "; ".
  std::string nodes(int transform = 0, int rule = 0) const;
  /// The obstacle, with the text that it points at: "it calls the transform `F` @ F(b, a)"; "" when liftable.
  std::string obstacle(int transform = 0, int rule = 0) const;
  /// A rule's edits with the text that they cover: "Call F{b, a} @ F(b, a)", joined by "; ".
  std::string edits(int transform = 0, int rule = 0) const;
  std::string emitted() const { return print(module_, facts_, &sources_); }
  const sema::Rule &rule(int transform = 0, int rule = 0) const {
    return module_.transforms.at(transform).rules.at(rule);
  }

  /// "line:column: error: text", notes as "  line:column: note: text", helps as "  help: text".
  std::string messages;

private:
  source::SourceManager sources_;
  source::Diagnostics diagnostics_{sources_};
  syntax::Program program_;
  sema::Module module_;
  std::vector<std::vector<Facts>> facts_;
};

/// A transform of the form `from A[n], K to B[n], C` around one rule whose body is on line 3, after two
/// spaces, with the views a (all of A) and b (all of B).
std::string viewProgram(const std::string &body);
/// A return-style cell rule with the stencil view a = A[i-1 : i+2] and the cells c = A[i]; body as above.
std::string cellProgram(const std::string &body);

} // namespace pbc::body
