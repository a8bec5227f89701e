// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the compiler knows of rule bodies. It is learnt from Clang's AST of the body, never by matching text.
//
//   B.cell(i) from(A.region(i-1, i+2) a) {
//     ElementT s = 0;
//     for (int k = 0; k < 3; ++k) s += a.cell(k);
//     return s / 3;
//   }
//   =>  liftable:  s0 = 0; for k in [0, 3) { s0 += a[k] }; out = s0 / 3
//
// A liftable body is a tree of Nodes: assignments to scalars and cells with pure expression trees, and
// counted loops with affine bounds; `kernel/` turns it into statements. Otherwise `obstacle` names the line
// that prevents lifting, and the body is used as text: `edits` say where calls of transforms, `spawn`, `sync`
// and `return` stand in it. Indices here are relative to the body's views; nothing here depends on schedules.
#pragma once
#include "compiler/preamble/preamble.h"
#include "compiler/sema/module.h"
#include "compiler/source/diagnostics.h"
#include <functional>

namespace pbc::body {

using source::Span;

enum class Scalar { F64, F32, I32, I64, U8, Bool };
const char *cxxType(Scalar);

struct Value;
using ValuePtr = std::shared_ptr<const Value>;

/// A pure expression.
struct Value {
  enum class Kind {
    Literal,  // text: a C++ literal of the value's type
    Local,    // index: into Facts::locals (a scalar variable of the body)
    Iterator, // index: into Facts::iterators (the variable of a counted loop)
    Name,     // text: a size variable, free coordinate, param or tunable (an integer, or a double)
    Input,    // index: into Transform::matrices; a 0-d input that is named without a binding of the rule
    Cell,     // index: binding number (outputs first, then inputs); operands: one index per view dimension
    Unary,    // text: "-", "!", "~"
    Binary,   // text: an arithmetic, comparison, logical or bitwise operator of C++, "+", "<=", "&&", ...
    Select,   // operands: condition, then, else; lazy, like && and ||: the other arm may read out of bounds
    Call,     // text: a pure C function, "sqrt", "fmin", "sqrtf", ...; or "pb::floordiv" in a size
    Cast,     // to `type`
  };
  Kind kind;
  Scalar type = Scalar::F64;
  std::string text;
  int index = -1;
  bool nonNegative = false; // an integer that is surely >= 0, so that C++'s division is floor division
  std::vector<ValuePtr> operands;
  Span span;
};

/// Where an assignment stores.
struct Target {
  bool isLocal = false;
  int index = 0;                 // local's or binding's number
  std::vector<ValuePtr> indices; // of a cell: one per view dimension (none for a cell binding)
  Scalar type = Scalar::F64;
  Span span = {};
};

struct Node;
using NodePtr = std::shared_ptr<const Node>;

struct Node {
  enum class Kind { Assign, Loop };
  Kind kind;
  // Assign: target op= value; op is "" (plain), "+", "-", "*" or "/". As in C++, `target op value` is
  // computed in the wider of the two types (value's type, after the usual conversions) and converted to the
  // target's.
  Target target;
  std::string op;
  ValuePtr value;
  // Loop: for (iterator = lower; iterator < upper; iterator += step), step > 0, bounds evaluated once
  int iterator = -1;
  ValuePtr lower, upper;
  long step = 1;
  std::string variableName; // the loop variable's name in the program
  ValuePtr variable;        // its value: the iterator, or `first - iterator` in a loop that counts down
  std::vector<NodePtr> body;
  Span span;
};

struct LocalVariable {
  std::string name;
  Scalar type;
};

/// A place in the body's text (byte offsets into syntax::Body::text) that the emitter rewrites.
struct Edit {
  enum class Kind {
    Call,   // [begin, end) is `F(args)` or `CALL(F, args)`, a call of a transform used as a statement; no `;`
    Spawn,  // [begin, end) is `spawn F(args)` or `SPAWN(F, args)`
    Sync,   // [begin, end) is `sync` or `SYNC()`
    Verify, // [begin, end) is `verify_accuracy`; the metric is among the callees
    Return, // [begin, end) is `return` or `return value` without `;`
  };
  Kind kind;
  std::uint32_t begin, end;
  std::uint32_t calleeBegin = 0, calleeEnd = 0;       // Call, Spawn: the callee's name
  std::uint32_t argumentsBegin = 0, argumentsEnd = 0; // Call, Spawn: what stands between the parentheses
  std::string callee;                                 // transform's name
  int argumentCount = 0;                              // Call, Spawn
};

struct DeviceBody;

struct Facts {
  bool liftable = false;
  std::string
      obstacle; // not liftable: one sentence, "it calls a transform", "the loop's bound is not affine"
  Span obstacleSpan;
  std::vector<LocalVariable> locals;
  std::vector<std::string> iterators; // unique names of counted-loop variables
  std::vector<NodePtr> nodes;         // the body, when liftable; `return e` is an assignment to output 0
  std::vector<Edit> edits;            // in text order; Call edits may nest in nothing
  std::vector<std::string> callees;   // transforms called, each once
  bool callsInPlace =
      false; // it calls nothing but helpers (helpers.h), one after the other: such calls are a part of its own work
  bool isResumable = true; // false: it cannot become a coroutine, and its calls run one after the other
  bool onlyPasses = false; // it passes its matrices to transforms, and accesses no cell of them itself
  std::shared_ptr<const DeviceBody> onDevice; // the body as written (device_body.h); null if it has an error
  bool keepsCell = false;    // a body that ends without a `return` leaves its one output unchanged
  bool readsOutputs = false; // some output is read, or compound-assigned, before it is certainly written
};

/// An affine integer value as isl text over mangled names (iterators by their unique names), if it is one.
std::string affineText(const Value &, const Facts &, bool &ok);

/// How much of the C and C++ libraries a program's bodies and raw blocks see without including headers.
enum class Library { None, Base, System, All };

/// The beginning of a unit, before its own text.
struct Beginning {
  Library library = Library::None;
  std::string directives;              // those at the beginning of the raw blocks
  std::vector<std::string> headerPath; // where headers of raw blocks are, as options of Clang
  bool mayThrow = false;
};

/// The arguments and the preamble with which the front end reads generated code, so that bodies are read in the same
/// way and the headers are parsed only once for both. Empty arguments and no preamble: they are unknown.
struct FrontEnd {
  std::function<std::vector<std::string>(const Beginning &)> arguments;
  std::function<preamble::Shared(const Beginning &)> preamble;
};

struct Understanding {
  std::vector<std::vector<Facts>> facts; // [transform][rule]
  Beginning beginning;                   // of the generated code
  std::vector<std::string> rawBlocks;    // as the generated code has them
  std::vector<std::uint32_t>
      directivesOf;           // of each raw block: the length of its part in `beginning.directives`
  bool takesPointers = false; // some code asks a region for its memory by base() or storage()
};

/// Finds the facts of every rule of every transform. Clang runs once over the whole module, or several times
/// if names are missing that a library may have; type errors and the like are reported at the user's own
/// line. `includePath`: folders for headers of raw blocks, in addition to those of the files that contain the
/// raw blocks.
/// `frontEnd`: null, or what bodies and generated code share; messages about errors never depend on it.
Understanding understand(const sema::Module &, source::Diagnostics &,
                         const std::vector<std::string> &includePath = {},
                         const FrontEnd *frontEnd = nullptr);

/// --emit=facts; with `sources`, obstacles are printed with their lines.
std::string print(const sema::Module &, const std::vector<std::vector<Facts>> &,
                  const source::SourceManager *sources = nullptr);

} // namespace pbc::body
