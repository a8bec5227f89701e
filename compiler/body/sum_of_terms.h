// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums of coordinates, loops' variables and sizes with whole factors, which can be made values of a body again.
//
//   x + 1 - w    =>    terms x: 1, w: -1; constant 1    =>    the value `x + 1 - w`
//
// Invariant: no term has the factor 0, and no number is beyond those of the machine (NoPieces is thrown).
#pragma once
#include "compiler/body/value.h"
#include <algorithm>
#include <map>
#include <string>

namespace pbc::body {

/// Thrown where a value is no choice between sums whose numbers are whole numbers of the machine.
struct NoPieces {};

struct Term {
  long factor = 0;
  ValuePtr atom;
  bool isVariable = false; // a coordinate or a loop's variable
};

/// A sum whose atoms can be made values again.
struct SumOfTerms {
  std::map<std::string, Term> terms; // by the isl text of the atom
  long constant = 0;

  bool isConstant() const { return terms.empty(); }
  void add(const SumOfTerms &other, long factor) {
    for (const auto &[text, term] : other.terms) {
      Term &mine = terms.try_emplace(text, Term{0, term.atom, term.isVariable}).first->second;
      mine.factor = checked(mine.factor, term.factor, factor);
      if (mine.factor == 0)
        terms.erase(text);
    }
    constant = checked(constant, other.constant, factor);
  }
  SumOfTerms plus(const SumOfTerms &other, long factor) const {
    SumOfTerms all = *this;
    all.add(other, factor);
    return all;
  }
  bool operator==(const SumOfTerms &other) const {
    return constant == other.constant && std::equal(terms.begin(), terms.end(), other.terms.begin(),
                                                    other.terms.end(), [](const auto &a, const auto &b) {
                                                      return a.first == b.first &&
                                                             a.second.factor == b.second.factor;
                                                    });
  }

  /// Variables first, and what is added in front of what is subtracted.
  ValuePtr value() const;

private:
  static long checked(long mine, long other, long factor) {
    long scaled = 0;
    if (__builtin_mul_overflow(other, factor, &scaled) || __builtin_add_overflow(mine, scaled, &mine))
      throw NoPieces();
    return mine;
  }
};

inline SumOfTerms number(long constant) { return {{}, constant}; }

/// `sum op 0`, with the variables on its left.
ValuePtr compared(std::string op, const SumOfTerms &);

} // namespace pbc::body
