// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A schedule as data: the steps that make it, in their order. A policy writes one, a user writes one, a search edits one.
//
//   (yt, xt, yi, xi) = tile(y, x; 32, 256);
//   stage(A, at = kt, layout = transposed, pad = 4);
//   => Step { "tile", operands [y, x], values [32, 256], named {}, results [yt, xt, yi, xi] }
//      Step { "stage", operands [A], values [], named { at: kt, layout: transposed, pad: 4 }, results [] }
//
// A Script only says what was written. Which transformations there are, and which arguments they take, is the table of
// compiler/kernel/transform; the grammar is grammar/Pbcc.g4, in programs and in files of schedules. Source of the idea:
// the optimisation scripts of OA and EPOD.
//
// Invariant: parsing what print() writes gives an equal Script; spans take no part in comparisons.
#pragma once
#include "compiler/source/source.h"
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace pbc::script {

/// The name of a loop, a buffer or a size, or a word such as `transposed`.
struct Name {
  std::string text;
  bool operator==(const Name &) const = default;
};

/// constant + the sum of factor * name, over sizes of the program.
struct Sum {
  std::vector<std::pair<std::string, long>> terms;
  long constant = 0;
  bool operator==(const Sum &) const = default;
};

/// "2*w + 1 <= h"
struct Comparison {
  enum class Relation { Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual };
  Sum left;
  Relation relation;
  Sum right;
  bool operator==(const Comparison &) const = default;
};

struct Value {
  std::variant<long, Name, Comparison> what;
  source::Span span = {};
  bool operator==(const Value &other) const { return what == other.what; }
};

struct NamedValue {
  std::string name; // "at"
  Value value;
  source::Span span = {}; // of the name
  bool operator==(const NamedValue &other) const { return name == other.name && value == other.value; }
};

struct Step {
  std::string transformation;
  std::vector<Value> operands; // in front of the first semicolon: loops, buffers
  std::vector<Value> values;   // behind it, without names
  std::vector<NamedValue> named;
  std::vector<std::string> results; // new labels of the loops that it makes; empty: the transformation's own
  source::Span span = {};           // of the whole step
  source::Span nameSpan = {};       // of the transformation's name
  bool operator==(const Step &) const;
};

using Script = std::vector<Step>;

/// Values and steps as code writes them: step("tile", {"y", "x"}, {32, 256}).
Value number(long);
Value name(const std::string &);
Step step(const std::string &transformation, const std::vector<std::string> &operands,
          const std::vector<long> &values = {});
/// Adds a named value to the step.
Step &with(Step &, const std::string &name, Value);

/// "<", "=="
const char *spelling(Comparison::Relation);
/// "32", "yt", "w >= 64"
std::string text(const Value &);
/// "(yt, xt) = tile(y, x; 32, 256)", "stage(A; at = kt)", and "f(; 4)" where values stand without operands.
std::string text(const Step &);
/// "tasks(); vector(x)"
std::string line(const Script &);
/// One step a line, each with its semicolon behind it.
std::string text(const Script &, const std::string &indent = "");

} // namespace pbc::script
