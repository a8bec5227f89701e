// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/lower/body_numbers.h"
#include "compiler/body/value.h"
#include "compiler/loop/lower/known_sums.h"

namespace pbc::loop {

Expr withoutParentheses(const Expr &e) {
  const Grouped *g = as<Grouped>(e);
  return g ? withoutParentheses(g->operand) : e;
}

Expr ofLoops(const Expr &e) {
  if (const Grouped *g = as<Grouped>(e))
    return ofLoops(g->operand);
  if (const Cast *c = as<Cast>(e))
    return body::isInteger(c->type) && KnownSums().sumOf(c->operand) ? withoutParentheses(c->operand)
                                                                     : nullptr;
  if (const Literal *l = as<Literal>(e); l && body::isInteger(l->type) && l->text.size() < 9 &&
                                         l->text.find_first_not_of("0123456789") == std::string::npos)
    return integer(std::stol(l->text));
  const Operation *o = as<Operation>(e);
  if (o && body::isInteger(o->type) && o->op == Operation::Op::Negate) {
    const Expr inner = ofLoops(o->operands[0]);
    return inner ? arithmetic(Arithmetic::Op::Negate, {grouped(inner)}) : nullptr;
  }
  if (o && body::isInteger(o->type) && o->op == Operation::Op::Multiply && o->operands.size() == 2) {
    const Expr l = ofLoops(o->operands[0]), r = ofLoops(o->operands[1]);
    return l && r && (as<Integer>(l) || as<Integer>(r)) ? multiply(grouped(l), grouped(r)) : nullptr;
  }
  if (!o || !body::isInteger(o->type) || (o->op != Operation::Op::Add && o->op != Operation::Op::Subtract) ||
      o->operands.size() != 2)
    return nullptr;
  const Expr l = ofLoops(o->operands[0]), r = ofLoops(o->operands[1]);
  return !l || !r ? nullptr : o->op == Operation::Op::Add ? add(l, r) : subtract(l, grouped(r));
}

} // namespace pbc::loop
