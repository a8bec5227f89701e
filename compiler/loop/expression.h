// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The expressions of the loop tree (tree.h), as immutable values that nodes share.
//
//   floor((c0 - 1) / 2)      Arithmetic { FloorDivide, { Arithmetic { Subtract, { Name c0, Integer 1 } }, Integer 2 } }
//   A[c0 - 1, c1] * 0.5      Operation { Multiply, { Element { A, { .., Name c1 } }, Literal "0.5" } }
//
// Indices, bounds and conditions of loops are Arithmetic over whole numbers, with the operations of isl. What a rule's
// body computes consists of Operations in the types of the program.
//
// Invariant: no expression holds a spelling of some printed language, and none refers to isl.
#pragma once
#include "compiler/body/facts.h"
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace pbc::loop {

using body::Scalar;

struct Expression;
using Expr = std::shared_ptr<const Expression>;

/// A whole number.
struct Integer {
  long value;
};

/// Something whole that has a name where it is used.
struct Name {
  enum class Kind {
    Index,   // the variable of a loop, or one that a Let declares
    Limit,   // an end of the task: "low0", "high0", ...
    Value,   // a size or tunable of the program
    Machine, // what is fixed when a kernel is built: "PB_G0" items of a group, "PB_C0" points of an item
    Launch,  // what one command of a launch says besides its limits: "tile0", "diagonal"
  };
  Kind kind;
  std::string name;
};

/// Whole numbers, conditions included.
struct Arithmetic {
  enum class Op {
    Add,
    Subtract,
    Multiply,
    Divide,      // the dividend is a multiple of the divisor, or both are not negative
    FloorDivide, // rounds down
    Further, // a sum whose second part is constant once loops are unrolled: it is added to an address last
    Modulo,  // the dividend is not negative, or the result is only compared with zero
    Negate,
    Minimum, // of two
    Maximum,
    Choose, // operand 0 ? operand 1 : operand 2
    And,
    Or,
    Equal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
  };
  Op op;
  std::vector<Expr> operands;
};

/// An expression in parentheses. One that stands in the place of a name is grouped, so that the text keeps the form
/// that it has with the name.
struct Grouped {
  Expr operand;
};

/// A cell of a matrix, at these coordinates.
struct Element {
  int buffer; // of the nest
  std::vector<Expr> indices;
  int access = -1; // which access of its statement this is
};

/// A scalar of the rule's body, or an element of an array that an Array declares.
struct Local {
  std::string name;
  Scalar type;
  std::vector<Expr> indices;
  bool isByLane = false; // the last index is the position of the iteration in its group of lanes
};

/// A literal of the program.
struct Literal {
  std::string text;
  Scalar type;
};
/// The largest value of a floating-point type.
struct Infinity {
  Scalar type;
};

/// What a body computes from values, in their types.
struct Operation {
  enum class Op {
    Negate,
    Plus,
    Not,
    Complement,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    And,
    Or,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Choose,
  };
  Op op;
  Scalar type;
  std::vector<Expr> operands;
  bool isEager =
      false; // Choose: both values may be computed, and are where a processor's vectors gain from it
};

/// The operand in another type.
struct Cast {
  Scalar type;
  Expr operand;
};

/// A mathematical function.
struct Function {
  std::string name; // as the program calls it: "sqrt", "expf"
  Scalar type;
  std::vector<Expr> operands;
  bool hasVectors = false; // it is called in the form of which a library has vector versions
};

/// A value of a part of a cell, at this place in the memory that a launch has for them (lower/teams.cpp).
struct Partial {
  Scalar type;
  Expr operand; // the place
};

/// How many iterations it takes, at most `most`, until the cell is at the begin of a cache line.
struct CellsToLine {
  Expr cell; // an Element
  Expr most;
};

/// Whether the cells of a matrix are stored past the caches: a task finds it out once.
struct IsStreamed {
  int buffer; // of the nest
  bool always = false;
};

/// How many cells of a row a strip of rows has that is turned in registers: as many as the processor's vectors have numbers of the type, and
/// at most so many.
struct StripCells {
  Scalar type;
  long most;
};

/// How many cells before this one the block of its row begins that is stored past the caches.
struct CellsIntoBlock {
  Expr operand; // an Element
  long cells;   // of a block
};

// ---- in a block of points whose values are in registers (BlockOfPoints in tree.h)

/// A distance between cells of a matrix: the sum of factor * (stride of the dimension).
struct Distance {
  struct Part {
    int dimension;
    long factor;
    bool operator==(const Part &) const = default;
  };
  std::vector<Part> parts;
  bool operator==(const Distance &) const = default;
};

/// As many cells as a vector has, from this one on; those beyond the end do not exist.
struct CellVector {
  Expr cell;           // an Element
  Distance apart = {}; // from one of the cells to the next; none: they lie side by side
  /// If not 0: all vectors of the block, of which this is the first one. Each row lies so many cells, 1 or -1, from the row before.
  int down = 0;
};
/// A vector whose lanes all have this value.
struct Spread {
  Expr operand;
};
/// What the block reads of a strip at step `step`: its vector of the columns or the value of its row.
struct StripValue {
  int strip;
  Expr step;
};
/// A vector of a scalar of the points, as it was when the part before of the loop over k was left.
struct KeptValue {
  int scalar;
};

struct Expression {
  std::variant<Integer, Name, Arithmetic, Grouped, Element, Local, Literal, Infinity, Operation, Cast,
               Function, Partial, CellsToLine, IsStreamed, StripCells, CellsIntoBlock, CellVector, Spread,
               StripValue, KeptValue>
      as;
};

// ---- making them

Expr make(Expression);
Expr integer(long);
Expr index(std::string name);
Expr limit(std::string name);
Expr ofMachine(std::string name);
Expr ofLaunch(std::string name);
Expr arithmetic(Arithmetic::Op, std::vector<Expr>);
/// The expression in the place of a name; names and numbers that are not negative need no parentheses.
Expr grouped(Expr);
Expr add(Expr, Expr);
Expr further(Expr from, Expr step);
Expr subtract(Expr, Expr);
Expr multiply(Expr, Expr);
Expr minimum(Expr, Expr);
Expr maximum(Expr, Expr);
Expr less(Expr, Expr);

// ---- asking them

template <class Kind>
const Kind *as(const Expr &e) {
  return e ? std::get_if<Kind>(&e->as) : nullptr;
}
bool isInteger(const Expr &, long value);

} // namespace pbc::loop
