// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is different about a matrix, as changes of a script: one script for the plain product then serves its relatives.
//
//   adaptor Triangular(X):
//     | peel_triangular(X);
//     | padding_triangular(X); {cond(blank(X).zero = true)}
//
// An adaptor has rules, which are alternatives: each is a script that is mixed into the script of a kernel (compiler/compose). The
// first rule above is empty: the script stays as it is. A condition says what must hold of the matrix when the program runs; where it
// does not, the code without the rule runs: it is `blank(X).zero = true`, or an expression of C++. The first parameter is the matrix; others are numbers that its steps use. Source: the
// language ADL of the OA framework, optimisation-scripts 4.
//
// Invariant: parsing what text() writes gives an equal adaptor; spans take no part in comparisons.
#pragma once
#include "compiler/script/script.h"

namespace pbc::script {

/// What must hold of a matrix.
struct Condition {
  enum class Kind {
    BlankIsZero, // the cells that its structure leaves out are 0
    Predicate,   // an expression of C++ over the matrix and the other parameters
  };
  Kind kind = Kind::BlankIsZero;
  std::string matrix, predicate; // the expression as it was written
  source::Span span = {}, predicateSpan = {};
  bool operator==(const Condition &other) const {
    return kind == other.kind && matrix == other.matrix && predicate == other.predicate;
  }
};

struct AdaptorRule {
  Script steps;
  std::vector<Condition> conditions = {}; // those of adaptors that the rule uses are among them
  bool isEmpty() const { return steps.empty() && conditions.empty(); }
  bool operator==(const AdaptorRule &) const = default;
};

struct Adaptor {
  std::string name;
  std::vector<std::string> parameters; // the matrix first
  std::vector<AdaptorRule> rules;
  source::Span span = {}, nameSpan = {};
  bool operator==(const Adaptor &other) const {
    return name == other.name && parameters == other.parameters && rules == other.rules;
  }
};

/// A use of an adaptor: `Banded(A, 2, 3)`.
struct Adaptation {
  std::string adaptor;
  std::vector<Value> arguments; // a matrix, then numbers
  source::Span span = {};
  bool operator==(const Adaptation &other) const {
    return adaptor == other.adaptor && arguments == other.arguments;
  }
};

/// The rules of the adaptor for these arguments, which are as many as its parameters. Steps that are uses of other adaptors stay
/// (compose/rules.h).
std::vector<AdaptorRule> instantiated(const Adaptor &, const std::vector<Value> &arguments);

/// "Triangular(A)"
std::string text(const Adaptation &);
/// "cond(blank(X).zero = true)"
std::string text(const Condition &);
/// What has to hold, in the words of messages: "blank(X).zero", "isSmall(X)".
std::string claim(const Condition &);
/// "guarded by blank(X).zero and isSmall(X), checked once a call": what a version has that runs only where these hold; "" for none.
std::string guardText(const std::vector<Condition> &);
/// "peel_triangular(X);"
std::string text(const AdaptorRule &);
/// The form above, ending in a line break.
std::string text(const Adaptor &);

} // namespace pbc::script
