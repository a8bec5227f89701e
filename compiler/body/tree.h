// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A rule's body as Clang understood it, but without Clang's types: the interface between the files that know
// Clang's AST (clang_reader.cpp, clang_tree.cpp, clang_nodes.cpp) and all others in this folder.
//
//   for (int k = 0; k < 3; ++k) s += a.cell(k);
//   => For( Declare k (Literal 0), Binary "<" (Variable k, Literal 3), Step "++" (Variable k),
//           Discard( Assign "+" (Variable s, Method "cell" (Parameter a, Variable k)) ) )
//
// Invariants: parentheses, loads and copies of regions are removed; every conversion between scalars is a
// Cast; a construct without a kind of its own is Other, with its children, so that calls inside it are still
// found. Offsets are bytes of Unit::text.
#pragma once
#include "compiler/body/device_body.h"

namespace pbc::body {

struct Tree;
using TreePtr = std::unique_ptr<Tree>;

struct Tree {
  enum class Kind {
    // expressions
    Literal,     // text: as C++, of the node's type
    Variable,    // index: into Function::variables
    Parameter,   // index: into RuleText::parameters
    Unary,       // text: "-" "!" "~"
    Binary,      // text: the operator, also ","
    Assign,      // text: "" or the compound operator; children: target, value
    Step,        // text: "++" or "--"; children: target
    Conditional, // children: condition, then, else
    Cast,        // to the node's type
    Function,    // text: name; index: 1 for the C library or the prelude, 0 for the program's own functions;
                 // children: arguments
    Method,      // text: name of a method of pb::Region; children: object, arguments
    TransformCall, // text: the transform; children: arguments
    TransformName, // text: the transform, used in another way than by calling it
    Spawn,         // children: the TransformCall
    Sync,
    Verify, // `verify_accuracy`
    Lambda, // text: "a lambda", "a local class", ...: does not run among the body's own statements
    Other,  // text: what it is; "" if its source describes it best
    // statements
    Block,   // also several declarations in one statement
    Declare, // index: the variable; children: initialiser, if any
    Discard, // an expression as a statement
    If,      // children: condition, then, else (null if none)
    For,     // children: init, condition, step (each null if none), body
    While,   // children: condition, body; text: what the body is to the analysis if it does not count
    Control, // text: "`do` loop", "`switch`", ...: any other statement
    Jump,    // text: "break", "continue", "goto"
    Return,  // children: value, if any
    Nothing, // `;`, a typedef, a static_assert
  };
  Kind kind = Kind::Other;
  std::string text;
  int index = -1;
  std::optional<Scalar> type;
  // For Assign with an operator: the type in which `target op value` is computed
  std::optional<Scalar> computation;
  std::string typeText;
  std::uint32_t begin = 0, end = 0;
  std::uint32_t calleeBegin = 0, calleeEnd = 0, argumentsBegin = 0, argumentsEnd = 0; // TransformCall
  std::vector<TreePtr> children;

  const Tree &child(std::size_t i) const { return *children[i]; }
};

/// A variable that a body declares.
struct Variable {
  std::string name, typeText;
  std::optional<Scalar> type;
  bool isRegion = false, isStatic = false, isConstant = false, isVolatile = false;
  bool isReference = false, isArray = false;
};

/// A rule's body; null if Clang could not parse it.
struct Function {
  TreePtr body;
  std::vector<Variable> variables;
  bool isResumable = true;
  std::shared_ptr<const DeviceBody> onDevice;
};

} // namespace pbc::body
