// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A schedule as data: the steps that make it, in their order. A policy writes one, a user writes one, a search edits one.
//
//   (yt, xt, yi, xi) = tile(y, x; 32, 256);
//   stage(A, at = kt, layout = transposed, pad = 4);
//   tile(y, x; by, 256) with by = tune(32, 64);
//   => Step { "tile", operands [y, x], values [32, 256], named {}, results [yt, xt, yi, xi] }
//      Step { "stage", operands [A], values [], named { at: kt, layout: transposed, pad: 4 }, results [] }
//      Step { "tile", operands [y, x], values [by, 256], ..., parameters { by: 32 or 64 } }
//
// A Script only says what was written. Which transformations there are, and which arguments they take, is the table of
// compiler/kernel/transform; the grammar is grammar/Pbcc.g4, in programs and in files of schedules. Source of the idea:
// the optimisation scripts of OA and EPOD.
//
// Invariant: parsing what print() writes gives an equal Script; spans take no part in comparisons.
#pragma once
#include "compiler/source/source.h"
#include <map>
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

/// A number with a name: `by = 32`, or one of several, `by = tune(32, 64)`.
struct StepParameter {
  std::string name;
  std::vector<long> numbers; // the default first
  bool isTuned = false;      // a search may choose among the numbers
  source::Span span = {};
  bool operator==(const StepParameter &other) const {
    return name == other.name && numbers == other.numbers && isTuned == other.isTuned;
  }
};

struct Step {
  std::string transformation;
  std::vector<Value> operands; // in front of the first semicolon: loops, buffers
  std::vector<Value> values;   // behind it, without names
  std::vector<NamedValue> named;
  std::vector<StepParameter> parameters; // behind `with`
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

/// The numbers that parameters have, by their names; others have their defaults.
using ParameterNumbers = std::map<std::string, long>;

/// The step with numbers in the places of its parameters. A parameter whose name does not stand behind the first semicolon is an argument of
/// the transformation; if all of them are loops of the step, they are the sizes of these, and other loops have the size 0.
///
///   tile(y, x; by, 256) with by = tune(32, 64)   =>  tile(y, x; 32, 256)
///   peel(k) with first = 2                       =>  peel(k; first = 2)
///   tile(y, x, k) with k = tune(8, 16)           =>  tile(y, x, k; 0, 0, 8)
Step resolved(const Step &, const ParameterNumbers & = {});

/// The parameters of all steps that a search may choose, in the order of the script; of those with one name, the first one.
std::vector<StepParameter> tunables(const Script &);

/// All ways to choose the numbers of these parameters; the first one has all defaults, and the last parameter changes first. `most` at most.
std::vector<ParameterNumbers> choicesOf(const std::vector<StepParameter> &, std::size_t most);
/// The script in which the tuned parameters of these names have one number each.
Script chosen(const Script &, const ParameterNumbers &);

/// "<", "=="
const char *spelling(Comparison::Relation);
/// "32", "yt", "w >= 64"
std::string text(const Value &);
/// "by = tune(32, 64)"
std::string text(const StepParameter &);
/// "(yt, xt) = tile(y, x; 32, 256)", "stage(A; at = kt)", "f(; 4)" where values stand without operands, "tile(y; by) with by = 32".
std::string text(const Step &);
/// "tasks(); vector(x)"
std::string line(const Script &);
/// One step a line, each with its semicolon behind it.
std::string text(const Script &, const std::string &indent = "");

} // namespace pbc::script
