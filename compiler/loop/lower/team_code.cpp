// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/lower/team_code.h"

namespace pbc::loop {

using Op = Arithmetic::Op;

Expr TeamCode::isPass(long pass) { return arithmetic(Op::Equal, {ofLaunch("pass"), integer(pass)}); }
Expr TeamCode::isNoPass(long pass) {
  return arithmetic(Op::Or, {less(ofLaunch("pass"), integer(pass)),
                             arithmetic(Op::Greater, {ofLaunch("pass"), integer(pass)})});
}
Expr TeamCode::isFirstLane() { return arithmetic(Op::Equal, {index("lane"), integer(0)}); }

Expr TeamCode::isInside() const {
  if (cells_.axes.empty())
    return arithmetic(Op::Equal, {index("cell"), integer(0)});
  return less(index("place"), cells_.axes.front().high);
}
Expr TeamCode::stores() const { return arithmetic(Op::And, {isInside(), isFirstLane()}); }

Expr TeamCode::apart() const { return cells_.areNeighbours ? ofMachine("PB_C0") : integer(1); }

Expr TeamCode::ofItem(const std::string &array, Scalar element, const Expr &lanes) const {
  Expr far = cells_.areNeighbours ? multiply(grouped(lanes), apart()) : lanes;
  return make({Local{array, element, {add(index("slot"), far)}}});
}
Expr TeamCode::ofItem(const std::string &array, Scalar element) const {
  return make({Local{array, element, {index("slot")}}});
}

Expr TeamCode::areWarps() const {
  if (cells_.areNeighbours) // the items of a team are not neighbours
    return nullptr;
  const Expr warp = ofMachine("PB_WARP");
  return arithmetic(Op::And,
                    {arithmetic(Op::Greater, {warp, integer(1)}),
                     arithmetic(Op::Equal, {arithmetic(Op::Modulo, {index("team"), warp}), integer(0)})});
}

Expr TeamCode::ofWarp(const std::string &array, Scalar element, const Expr &number) {
  return make(Expression{Local{array, element, {number}}});
}

Expr TeamCode::partial(Scalar element, std::size_t k, const Expr &part) {
  Expr cell = index("number");
  if (k > 0)
    cell = add(multiply(integer(static_cast<long>(k)), index("cells")), cell);
  return make({Partial{element, add(multiply(grouped(cell), ofLaunch("parts")), part)}});
}

NodePtr assignTo(const Expr &target, const Expr &value) { return make({Assign{target, {}, value}}); }
NodePtr letNumber(const std::string &name, const Expr &value) {
  return make({Let{.variables = {{name, value}}, .mayBeUnused = true}});
}
NodePtr letValue(const std::string &name, Scalar type, const Expr &value, bool isConstant) {
  return make({Let{{{name, value}}, type, isConstant}});
}

} // namespace pbc::loop
