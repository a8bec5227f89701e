// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The meaning of a program: names resolved, sizes affine, every rule normalised to boxes.
//
//   transform Smooth from A[n] to B[n] { B.cell(i) from(A.region(i-1, i+2) a) {...} }
//   => Transform Smooth  sizes [n]  matrices [A: [n] double input, B: [n] double output]
//      Rule Smooth.0  free [i]  writes B[i : i+1]  reads a = A[i-1 : i+2]  (1-d view)
//
// Invariants: every name in an Affine is a size variable of the transform or a free variable of the rule; a
// Binding's box has one interval per dimension of its matrix; outputs precede inputs in the order of calls
// (language reference 1.6). Nothing here depends on Clang, isl sets or schedules.
#pragma once
#include "compiler/script/script.h"
#include "compiler/syntax/ast.h"

namespace pbc::sema {

using source::Span;
using syntax::Identifier;

enum class Element { F64, F32, I32, I64, U8 };
inline constexpr Element kAllElements[] = {Element::F64, Element::F32, Element::I32, Element::I64,
                                           Element::U8};
const char *name(Element);    // "double"
const char *cxxType(Element); // "double", "float", "int", "long", "unsigned char"
unsigned bytes(Element);
std::optional<Element> findElement(std::string_view name);

/// A quasi-affine integer expression: `isl` is its text in isl's syntax with names mangled by poly::mangle,
/// `cxx` the same as a C++ expression (floor division by pb_floordiv), `written` the user's text.
struct Affine {
  std::string isl, cxx, written;
  Span span;
  std::vector<std::string> names = {}; // the variables in it, as the program writes them
};

struct Structure;
/// "symmetric lower, banded(1, 2)": as a program says it.
std::string written(const Structure &);

enum class Role { Input, Output, Through };

/// How a matrix of two dimensions is stored: `structure A is lower_triangular, unit_diagonal;`. A rule that reads a cell that is not
/// stored gets what the structure says it is. Rows go along dimension 1: cell (x, y) of the lower triangle has x <= y.
struct Structure {
  enum class Half { All, Lower, Upper };
  Half stored = Half::All;
  bool isMirrored = false;   // the other half holds the cells mirrored at the diagonal; else zeros
  bool isUnit = false;       // the cells of the diagonal are 1
  bool isTransposed = false; // copies that turn it are worth trying
  std::optional<std::pair<Affine, Affine>>
      band;                 // how many diagonals below and above the main one are stored; the others are 0
  bool isUnchecked = false; // nothing is said of the memory of cells that are not stored
  Span span;
  /// Whether a cell may have another value than its memory.
  bool hides() const { return stored != Half::All || isUnit || band; }
};

struct Matrix {
  std::string name;
  Role role;
  Element element = Element::F64;
  std::vector<Affine> extents; // x first; over the transform's size variables
  // `X<first..last>[w]`: the version is one more dimension, the last, of last + 1 slots; versions below
  // `first` need not be computed (language reference 2.8).
  bool isVersioned = false;
  std::optional<Affine> firstVersion;
  std::optional<Structure> structure;
  // Of a matrix that is both in `from` and in `to`, which is two matrices here (in_place.h): of the output, the input `old A`
  // with its values before the call, and of that input, the output. Indices into Transform::matrices.
  std::optional<int> before, after;
  Span span;
  int rank() const { return static_cast<int>(extents.size()); }
};

/// One region of a rule's header.
struct Binding {
  std::string name; // its name in the body; "" for the return style's output
  int matrix;       // index into Transform::matrices
  bool isOutput = false;
  std::vector<Affine> begin, end; // per dimension of the matrix, half open
  bool isCell = false;            // one element: value (input) or reference (output) in the body
  std::vector<int> viewDims;      // matrix dimensions that the body's view keeps, in order; empty for a cell
  syntax::ExprPtr otherwise;      // of an optional cell input: its value outside the matrix; else null
  Span span;
};

/// A rule-local matrix (`using`): a fresh temporary for each run of the body.
struct Local {
  std::string name;
  Element element = Element::F64;
  std::vector<Affine> extents; // over size variables
  Span span;
};

/// "<", "<=", "=", ...: the symbol in isl and in messages.
const char *symbol(syntax::Relation::Op);

/// A condition of a `where`: left `op` right, over free variables and sizes, or several conditions joined.
struct Condition {
  using Kind = syntax::Condition::Kind;
  Kind kind = Kind::Relation;
  Affine left, right;
  syntax::Relation::Op op = syntax::Relation::Op::Equal;
  std::vector<Condition> parts; // empty for a relation
  Span span;
};
std::string written(const Condition &);

/// A name that stands for one number in a copy of a rule (`duplicate`) or of a transform (`template`).
struct Constant {
  std::string name;
  long value = 0;
  Span span;
};

/// A library function that computes the same as a rule on devices: an entry of
/// runtime/device/library/entries.h.
struct LibraryUse {
  std::string entry;         // "cublas.gemm"
  std::vector<int> matrices; // of the transform, in the order of the entry's parameters
  int outputs = 0;           // the number of matrices that it writes, which come first
  Span span;
};

struct Rule {
  int index;            // position in the transform
  std::string label;    // unique in its transform: `rule NAME` or "rule<position>"; copies: "rule1<v=3>"
  bool isNamed = false; // by `rule NAME`
  std::vector<Constant> constants; // of `duplicate`
  int priority = 1;                // smaller wins
  bool returnStyle = false;
  bool replacesAll = false; // of `scaled_by`: an alternative to all other rules, whatever their priorities
  bool fast = false;        // its sums may be reordered
  std::vector<std::string> freeVariables; // the rule's iteration space; dimension 0 (x) first
  std::vector<Binding> outputs, inputs;
  std::vector<Local> locals;
  std::vector<Condition> where; // all hold
  std::optional<LibraryUse> library;
  const syntax::Body *body = nullptr;
  Span span, headerSpan;
};

/// The suffix of the labels of a rule's copies: "<v=3,w=0>"; "" without constants.
std::string labelSuffix(const std::vector<Constant> &);
/// The label that all copies of the rule share: "rule1" for "rule1<v=3>".
std::string familyOf(const Rule &);

/// Another schedule for the loops of some rules, among which the configuration chooses by size:
/// `schedule wide for Cells on cpu { vector(x); }`.
struct Schedule {
  enum class Device { Processor, Gpu };
  std::string name;
  std::vector<std::string> rules; // families of the rules that share the loops, sorted
  Device device = Device::Processor;
  script::Script steps;
  bool isOptional = false; // of a library: left out where it does not apply
  bool isForAll = false;   // for many transforms: steps are left out where they do not apply
  Span nameSpan, rulesSpan, span;
  /// "cpu:wide", the name of the choice in configurations.
  std::string choice() const { return choice(name); }
  /// That of an alternative that was made of it: "cpu:wide+Triangular(A).2".
  std::string choice(const std::string &alternative) const;
};

/// Of one set of rules: a choice for each, next to the ones for devices, of which a condition names a set of 64.
inline constexpr std::size_t kMostSchedules = 32;

/// A value that a configuration sets or, for the kind Target, the accuracy target of the current bin.
struct Tunable {
  enum class Kind { Tunable, Config, AccuracyVariable, Target };
  Kind kind = Kind::Tunable;
  std::string name;
  bool isFloat = false;
  bool bySize = false;      // one value for each power of two of the transform's size
  bool forAccuracy = false; // it decides how exact the result is
  int length = 0;           // of an array; 0: one value
  double initial = 0, minimum = 0, maximum = 2147483647;
  Span span;
  /// Whether it is an integer that may occur in sizes, coordinates and conditions.
  bool isParameter() const { return !isFloat && length == 0; }
};

/// A product of size variables in a size, as in `to B[w*h]`: analyses treat it as one more size, whose value
/// follows from the others.
struct SizeProduct {
  std::string name;                 // for isl and C++: "h__w"; no name of a program can be equal
  std::vector<std::string> factors; // mangled, sorted
  std::string cxx() const;          // "h * w"
};

struct Transform {
  int index;
  std::string name;                       // "Sort"; a copy of a template: "Sort<2,3>"
  std::string family;                     // the name as written: "Sort"
  std::string symbol;                     // the name as part of C++ names: "Sort", "Sort$2_3"
  std::vector<Constant> constants;        // of `template`
  std::vector<std::string> params;        // given, not inferred
  std::vector<std::string> sizeVariables; // params first
  std::vector<SizeProduct> products;
  std::vector<Matrix> matrices; // inputs, outputs, through: in this order, each in declaration order
  std::vector<Rule> rules;
  std::vector<Schedule> schedules; // of one set of rules, no two on one device have the same name
  std::vector<Tunable> tunables;
  bool isMemoized = false; // its last call is remembered
  std::string generator;   // "" if none
  Span generatorSpan;
  std::string metric, feature, scaledBy; // names of transforms; "" if none
  Span metricSpan, featureSpan, scaledBySpan;
  std::vector<double> bins; // accuracy targets; growing if more is better, falling if less is better
  Span binsSpan;
  /// With two or more bins, a call says which one it needs, and each bin has its own values of all tunables.
  bool hasBins() const { return bins.size() > 1; }
  int binCount() const { return hasBins() ? static_cast<int>(bins.size()) : 1; }
  Span span;
  const Matrix *find(const std::string &) const;
  int inputCount() const, outputCount() const;
  /// How many matrices a call passes: one that is both input and output is passed once.
  int argumentCount() const;
  /// The names of size variables and products in isl and C++.
  std::vector<std::string> sizeNames() const;
};

/// A binding's region as text: "A[i + 1]" for a cell, "A[i - 1 : i + 2, 0 : h]" otherwise.
std::string written(const Transform &, const Binding &);

struct Module {
  std::string name; // the source file's stem
  std::vector<Transform> transforms;
  int mainTransform = 0, mainBin = 0;
  Element element = Element::F64; // of matrices that were declared without one, and ElementT in bodies
  std::vector<const syntax::RawBlock *> rawBlocks;
  std::vector<Identifier> undefined;   // transforms that are declared, but not defined
  std::shared_ptr<const void> written; // keeps the objects alive to which rules point
  /// The transform of this name; for a template's name, its first copy.
  const Transform *find(const std::string &) const;
  /// The transforms that a call of that name may mean: one, or all copies of a template.
  std::vector<const Transform *> family(const std::string &) const;
};

} // namespace pbc::sema
