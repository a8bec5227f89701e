// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/sum_of_terms.h"
#include <cstdlib>
#include <utility>
#include <vector>

namespace pbc::body {
namespace {

std::string mirrored(const std::string &comparison) {
  return comparison.starts_with('<')   ? ">" + comparison.substr(1)
         : comparison.starts_with('>') ? "<" + comparison.substr(1)
                                       : comparison;
}

} // namespace

ValuePtr SumOfTerms::value() const {
  Scalar type = constant > 2147483647 || constant < -2147483647 ? Scalar::I64 : Scalar::I32;
  std::vector<const Term *> all;
  for (const auto &[text, term] : terms) {
    all.push_back(&term);
    type = term.atom->type == Scalar::I64 ? Scalar::I64 : type;
  }
  std::stable_sort(all.begin(), all.end(), [](const Term *a, const Term *b) {
    return std::pair(a->factor < 0, !a->isVariable) < std::pair(b->factor < 0, !b->isVariable);
  });
  ValuePtr sum;
  for (const Term *term : all) {
    const long size = std::abs(term->factor);
    ValuePtr one = convert(term->atom, type);
    one = size == 1 ? one : binary("*", type, integer(size, type), one);
    if (sum)
      sum = binary(term->factor < 0 ? "-" : "+", type, sum, one);
    else
      sum = term->factor < 0 ? makeValue(Value::Kind::Unary, type, "-", {one}) : one;
  }
  if (!sum)
    return integer(constant, type);
  return constant == 0 ? sum : binary(constant < 0 ? "-" : "+", type, sum, integer(std::abs(constant), type));
}

ValuePtr compared(std::string op, const SumOfTerms &sum) {
  SumOfTerms left, right;
  for (const auto &[text, term] : sum.terms)
    if (term.isVariable)
      left.terms[text] = term;
  if (left.isConstant())
    left.terms = sum.terms;
  right.add(sum, -1);
  right.add(left, 1);
  const bool isNegative = std::all_of(left.terms.begin(), left.terms.end(),
                                      [](const auto &one) { return one.second.factor < 0; });
  if (isNegative && !left.isConstant()) {
    left = SumOfTerms().plus(left, -1), right = SumOfTerms().plus(right, -1);
    op = mirrored(op);
  }
  return binary(op, Scalar::Bool, left.value(), right.value());
}

} // namespace pbc::body
