// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The abstract syntax of a .pbcc program: text and places only. Names are not looked up here.
//
//   transform Smooth from A[n] to B[n] { B.cell(i) from(A.cell(i) a) { return a; } }
//   => Transform { "Smooth", clauses [From A[n], To B[n]], rules [Rule { outputs [B.cell(i)], ... body }] }
//
// Language reference 1.3 is the grammar. Values are immutable after parsing; expressions are shared.
#pragma once
#include "compiler/script/script.h"
#include "compiler/source/source.h"
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace pbc::syntax {

using source::MappedText;
using source::Span;

struct Identifier {
  std::string text;
  Span span;
};

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

/// A size or coordinate expression of the outer language.
struct Expr {
  enum class Kind { Name, Integer, Float, Negate, Add, Subtract, Multiply, Divide, Power };
  Kind kind;
  Span span;
  std::string text;              // Name: the name; Integer, Float: the literal
  std::vector<ExprPtr> operands; // one for Negate, two for the others
};

struct Relation {
  enum class Op { Equal, NotEqual, Less, Greater, LessEqual, GreaterEqual };
  Op op;
  ExprPtr left, right;
  Span span;
};

/// A condition of a `where`: a relation, or several conditions joined.
struct Condition {
  enum class Kind { Relation, All, Any, Not };
  Kind kind = Kind::Relation;
  std::optional<Relation> relation;
  std::vector<Condition> parts; // Not: one
  Span span;
};

/// `<k>` or `<a..b>` after a matrix name.
struct Version {
  ExprPtr first, last; // last: null for `<k>`
  Span span;
};

struct MatrixDecl {
  Identifier name;
  std::optional<Version> version;
  std::vector<ExprPtr> extents;      // empty: 0-d
  std::optional<Identifier> element; // after `:`; none: double
  Span span;
};

struct Region {
  enum class Accessor { Whole, Cell, Row, Column, Region };
  std::optional<Span>
      old; // `old`: the values before the call, of a matrix that is both in `from` and in `to`
  Identifier matrix;
  std::optional<Version> version;
  Accessor accessor = Accessor::Whole;
  Span accessorSpan;
  std::vector<ExprPtr> coordinates;
  std::optional<Identifier> name; // its name in the body; none for the return style's output
  ExprPtr defaultValue;           // `= expr`: optional input; null otherwise
  Span span;
  /// `A.row(y, x0, x1)`: the cells of a row from x0 to before x1, and the same of a column.
  bool isPartOfLine() const {
    return (accessor == Accessor::Row || accessor == Accessor::Column) && coordinates.size() == 3;
  }
};

/// C++ in braces, without the braces. Macros in `text` are expanded; keywords of the language are still in
/// it.
struct Body {
  MappedText text;
  Span span; // including the braces
};

struct Flag {
  enum class Kind { Primary, Secondary, Priority, Rotatable, Recursive, Duplicate, Label, Fast };
  Kind kind;
  Span span;
  std::optional<Identifier> name; // Label's or Duplicate's
  ExprPtr value;                  // Priority's, Recursive's
  long low = 0, high = 0;         // Duplicate's
};

/// `gpu cublas.gemm(c, a, b)`
struct LibraryCall {
  Identifier entry;                  // "cublas.gemm"
  std::vector<Identifier> arguments; // names of the rule's regions
  Span span;
};

/// `S.cell(y) += from(A.cell(x, y) a) { return a; }`: what is done with the values of all points that lead to one cell.
struct Accumulation {
  enum class Kind { Add, Subtract, Multiply };
  Kind kind;
  Span span; // of the operator
};

struct Rule {
  std::vector<Flag> flags;
  bool returnStyle = false; // `B.cell(i) from(...) { return ...; }`
  std::optional<Accumulation> accumulation;
  std::vector<Region> outputs;
  std::vector<Region> inputs;
  std::vector<MatrixDecl> locals;   // rule-level using / through
  std::vector<Condition> where;     // all hold
  std::vector<LibraryCall> library; // a rule can have at most one
  bool replacesAll = false;         // of `scaled_by`: it replaces all other rules, whatever their priorities
  Body body;
  Span span;       // the whole rule
  Span headerSpan; // up to the body
};

/// `schedule wide for Cells on gpu { vector(x); }`; in a file of its own, `for Smooth.Cells` or `for *.Cells`.
struct Schedule {
  Identifier name;
  std::optional<Identifier> transform; // as written: only in a file of its own
  std::optional<Span> everyTransform;  // the `*` in its place: all transforms that have these rules
  std::vector<Identifier> rules; // labels, or generated names such as rule0; several that share their loops
  std::optional<Identifier> device; // none: cpu
  script::Script steps;
  bool isOptional = false; // of a library: left out where it does not apply
  bool isForAll = false;   // written with `*`: steps are left out where they do not apply
  Span span;
};

/// `structure A is symmetric lower, banded(1, 2);`
struct Structure {
  struct Kind {
    std::vector<Identifier> words;
    std::vector<ExprPtr> arguments;
    Span span;
  };
  Identifier matrix;
  std::vector<Kind> kinds;
  Span span;
};

/// `let c : float = exp(-a);`: a constant of all rules of a transform.
struct Let {
  Identifier name;
  std::optional<Identifier> element;        // after `:`
  std::optional<Identifier> defaultElement; // of a value that is no whole number, without `:`; none: double
  MappedText value;                         // C++
  Span valueSpan, span;
};

struct TemplateArgument {
  Identifier name;
  long low, high;
};

struct Literal {
  bool isFloat = false; // C++ takes it as a double
  double value = 0;
  Span span;
  std::string written = {}; // "-1e2"
};

/// tunable, config, accuracy_variable.
struct Item {
  enum class Kind { Tunable, Config, AccuracyVariable };
  Kind kind;
  Identifier name;
  bool isFloat = false, sizeSpecific = false, accuracyHint = false;
  std::optional<long> arrayLength;
  std::optional<Literal> initial, minimum, maximum;
  Span span;
};

/// A clause with the name of something else: accuracy_metric, generator, input_feature, scaled_by, param.
struct NameClause {
  enum class Kind { AccuracyMetric, Generator, InputFeature, ScaledBy, Param };
  Kind kind;
  Identifier name;
  Span span;
};

struct Transform {
  Identifier name;
  bool isMain = false, isMemoized = false, isForward = false, isFunction = false;
  std::vector<MatrixDecl> from, to, through;
  std::vector<TemplateArgument> templateArguments;
  std::vector<Item> items;
  std::vector<NameClause> names;
  std::vector<double> accuracyBins;
  Span binsSpan, mainSpan, memoizedSpan, templateSpan;
  /// The bodies of a `function` are already whole-matrix rules (language reference 1.4).
  std::vector<Rule> rules;
  std::vector<Schedule> schedules;
  std::vector<Structure> structures;
  std::vector<Let> lets;
  Span span;
};

/// `%{ ... %}`: C++ copied to the head of the generated files.
struct RawBlock {
  MappedText text;
  Span span;
};

struct Program {
  source::FileId mainFile = 0;
  std::vector<Transform> transforms;
  std::vector<RawBlock> rawBlocks;
};

} // namespace pbc::syntax
