// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The translation unit that Clang reads: the prelude, raw blocks, a declaration for each transform and a
// function for each rule. The unit also maps its bytes back to the user's text.
//
//   Sort.0: to(Out o) from(In a) {...}
//   =>  static void pb_rule_0_0(pb::Region<double, 1> const &o, pb::Region<const double, 1> const &a,
//                               const IndexT n) {{ ... }}
//
// Parameters (language reference 1.6): a cell input is `const T a`, a cell output `T &b`, a view
// `pb::Region<T or const T, D> const &a`. They are followed, unless an earlier parameter has the same name,
// by the 0-d inputs under their own names, rule-local matrices, free coordinates and size variables (`const
// IndexT`), and tunables. The body stands in a block of its own, so it may shadow them all. Constants of
// copies come last: `constexpr int`.
#pragma once
#include "compiler/body/facts.h"
#include <set>

namespace pbc::body {

/// What a name in a body refers to.
struct Parameter {
  enum class Role { Binding, Input, LocalMatrix, Coordinate, Size, Tunable, Constant };
  Role role;
  int index; // Binding: outputs first; Input: matrix; others: position in their list
  std::string name, type;
  Span span;
  long value = 0; // of a Constant, which is not a parameter of the function, but is defined at its beginning
  int length = 0; // of a Tunable that is an array
};

struct RuleText {
  int transform, rule;
  std::string function; // "pb_rule_0_1"
  std::vector<Parameter> parameters;
  std::uint32_t bodyBegin = 0, bodyEnd = 0; // of the body's text in Unit::text
};

struct Unit {
  struct Segment {
    enum class Kind { Prelude, Raw, Transform, Rule, Body, BodyEnd };
    Kind kind;
    std::uint32_t begin;
    Span origin;                              // for generated text: what it was made for
    const source::MappedText *text = nullptr; // for Raw and Body: the user's text, byte for byte
    int rule = -1;                            // for Rule, Body and BodyEnd: index into `rules`
  };
  std::string text;
  std::vector<Segment> segments; // each segment ends where the next begins
  std::vector<RuleText> rules;
  struct Callee { // its last arguments are matrices, outputs first
    std::string name;
    std::size_t matrices, outputs;
    std::set<std::size_t> updated; // those of the outputs whose values before the call it reads
  };
  std::vector<Callee> callees;

  const Segment &segment(std::uint32_t offset) const;
  bool isUserText(std::uint32_t offset) const { return segment(offset).text != nullptr; }
  /// Where bytes [begin, end) come from: the exact place for user text, the declaration for generated text,
  /// nothing for the prelude.
  std::optional<Span> locate(std::uint32_t begin, std::uint32_t end) const;
};

/// Rules by (transform, rule).
using RuleNumbers = std::set<std::pair<int, int>>;

/// `wanted[transform][rule]`: whether the rule's body is included. If a body of `keeping` ends without a
/// `return`, it returns the old value of its cell.
Unit makeUnit(const sema::Module &, const std::vector<std::vector<bool>> &wanted, Library,
              const RuleNumbers &keeping = {});

/// A binding by its number (outputs first, then inputs).
const sema::Binding &binding(const sema::Rule &, int number);
bool isCell(const sema::Binding &);
Scalar scalarOf(sema::Element);

} // namespace pbc::body
