// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Messages to the user: what is wrong, where (caret), what it clashes with, how to mend it.
//
//   d.error(span, "no rule computes B[0]")
//       .note(other, "the only rule for B covers B[1:n]")
//       .help("add a rule for the first cell, for example "
//             "`primary B.cell(0) from(A.cell(0) a) { return a; }`");
//
//   smooth.pbcc:4:3: error: no rule computes B[0]
//       4 |   B.cell(i) from(A.region(i-1, i+2) a) {
//         |   ^~~~~~~~~
//   smooth.pbcc:7:1: note: the only rule for B covers B[1:n]
//       ...
//   help: add a rule ...
//
// Steps report all errors that they can find and go on; the pipeline stops after a step that reported errors.
#pragma once
#include "compiler/source/source.h"

namespace pbc::source {

enum class Severity { Error, Warning };

struct Diagnostic {
  struct Note {
    Span span;
    std::string message;
  };
  Severity severity = Severity::Error;
  Span span;
  std::string message;
  std::vector<Note> notes;
  std::string helpText;

  Diagnostic &note(Span, std::string message);
  Diagnostic &help(const std::string &text);
};

class Diagnostics {
public:
  explicit Diagnostics(const SourceManager &sources) : sources_(&sources) {}
  Diagnostic &error(Span, std::string message);
  Diagnostic &warning(Span, std::string message);
  bool hasErrors() const { return errors_ != 0; }
  unsigned errorCount() const { return errors_; }
  const std::vector<std::unique_ptr<Diagnostic>> &all() const { return all_; }
  const SourceManager &sources() const { return *sources_; }
  /// The messages as text, in the order of their places, without repetitions, at most 50 for each file; `color`
  /// adds terminal colours.
  std::string render(bool color = false) const;

private:
  const SourceManager *sources_;
  std::vector<std::unique_ptr<Diagnostic>> all_;
  unsigned errors_ = 0;
};

} // namespace pbc::source
