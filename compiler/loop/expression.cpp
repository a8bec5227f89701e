// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/expression.h"

namespace pbc::loop {

Expr make(Expression e) { return std::make_shared<const Expression>(std::move(e)); }
Expr integer(long value) { return make({Integer{value}}); }
Expr index(std::string name) { return make({Name{Name::Kind::Index, std::move(name)}}); }
Expr limit(std::string name) { return make({Name{Name::Kind::Limit, std::move(name)}}); }
Expr ofMachine(std::string name) { return make({Name{Name::Kind::Machine, std::move(name)}}); }
Expr ofLaunch(std::string name) { return make({Name{Name::Kind::Launch, std::move(name)}}); }
Expr arithmetic(Arithmetic::Op op, std::vector<Expr> operands) {
  return make({Arithmetic{op, std::move(operands)}});
}

Expr grouped(Expr e) {
  const Integer *number = as<Integer>(e);
  if ((number && number->value >= 0) || as<Name>(e) || as<Grouped>(e))
    return e;
  return make({Grouped{std::move(e)}});
}

Expr add(Expr a, Expr b) { return arithmetic(Arithmetic::Op::Add, {std::move(a), std::move(b)}); }
Expr further(Expr from, Expr step) {
  return arithmetic(Arithmetic::Op::Further, {std::move(from), std::move(step)});
}
Expr subtract(Expr a, Expr b) { return arithmetic(Arithmetic::Op::Subtract, {std::move(a), std::move(b)}); }
Expr multiply(Expr a, Expr b) { return arithmetic(Arithmetic::Op::Multiply, {std::move(a), std::move(b)}); }
Expr minimum(Expr a, Expr b) { return arithmetic(Arithmetic::Op::Minimum, {std::move(a), std::move(b)}); }
Expr maximum(Expr a, Expr b) { return arithmetic(Arithmetic::Op::Maximum, {std::move(a), std::move(b)}); }
Expr less(Expr a, Expr b) { return arithmetic(Arithmetic::Op::Less, {std::move(a), std::move(b)}); }

bool isInteger(const Expr &e, long value) {
  const Integer *number = as<Integer>(e);
  return number && number->value == value;
}

} // namespace pbc::loop
