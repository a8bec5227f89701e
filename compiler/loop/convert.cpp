// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/convert.h"
#include <climits>
#include <isl/ast.h>
#include <isl/ast_build.h>
#include <isl/id.h>
#include <isl/val.h>
#include <stdexcept>

namespace pbc::loop {
namespace {

using WholeOp = Arithmetic::Op;

WholeOp operationOf(isl_ast_expr *e) {
  switch (isl_ast_expr_op_get_type(e)) {
  case isl_ast_expr_op_and:
  case isl_ast_expr_op_and_then:
    return WholeOp::And;
  case isl_ast_expr_op_or:
  case isl_ast_expr_op_or_else:
    return WholeOp::Or;
  case isl_ast_expr_op_max:
    return WholeOp::Maximum;
  case isl_ast_expr_op_min:
    return WholeOp::Minimum;
  case isl_ast_expr_op_minus:
    return WholeOp::Negate;
  case isl_ast_expr_op_add:
    return WholeOp::Add;
  case isl_ast_expr_op_sub:
    return WholeOp::Subtract;
  case isl_ast_expr_op_mul:
    return WholeOp::Multiply;
  case isl_ast_expr_op_div: // exact
  case isl_ast_expr_op_pdiv_q:
    return WholeOp::Divide;
  case isl_ast_expr_op_fdiv_q:
    return WholeOp::FloorDivide;
  case isl_ast_expr_op_pdiv_r:
  case isl_ast_expr_op_zdiv_r:
    return WholeOp::Modulo;
  case isl_ast_expr_op_cond:
  case isl_ast_expr_op_select:
    return WholeOp::Choose;
  case isl_ast_expr_op_eq:
    return WholeOp::Equal;
  case isl_ast_expr_op_le:
    return WholeOp::LessEqual;
  case isl_ast_expr_op_lt:
    return WholeOp::Less;
  case isl_ast_expr_op_ge:
    return WholeOp::GreaterEqual;
  case isl_ast_expr_op_gt:
    return WholeOp::Greater;
  default:
    throw std::logic_error("an isl expression of a kind that no schedule makes");
  }
}

Expr number(isl_ast_expr *e) {
  isl_val *v = isl_ast_expr_int_get_val(e);
  const bool fits = isl_val_cmp_si(v, LONG_MAX) <= 0 && isl_val_cmp_si(v, LONG_MIN) >= 0;
  const long value = fits ? isl_val_get_num_si(v) : 0;
  isl_val_free(v);
  if (!fits)
    throw std::overflow_error("a bound of a loop has a constant of more than 64 bits");
  return integer(value);
}

Expr named(const std::string &name, const std::vector<Expr> &dimensions) {
  if (!name.starts_with(kOwn))
    return make({Name{Name::Kind::Value, name}});
  std::string own = name.substr(kOwn.size());
  if (!dimensions.empty() && own.front() == 'd')
    return grouped(dimensions.at(std::stoul(own.substr(1))));
  return own.starts_with("low") || own.starts_with("high") ? limit(std::move(own)) : index(std::move(own));
}

Expr convert(isl_ast_expr *e, const std::vector<Expr> &dimensions) {
  switch (isl_ast_expr_get_type(e)) {
  case isl_ast_expr_id: {
    isl_id *id = isl_ast_expr_id_get_id(e);
    const std::string name = isl_id_get_name(id);
    isl_id_free(id);
    return named(name, dimensions);
  }
  case isl_ast_expr_int:
    return number(e);
  default:
    break;
  }
  const WholeOp op = operationOf(e);
  std::vector<Expr> operands;
  for (int k = 0, n = static_cast<int>(isl_ast_expr_op_get_n_arg(e)); k < n; ++k) {
    isl_ast_expr *operand = isl_ast_expr_op_get_arg(e, k);
    operands.push_back(convert(operand, dimensions));
    isl_ast_expr_free(operand);
    const bool isMore =
        (op == WholeOp::Minimum || op == WholeOp::Maximum) && operands.size() == 2 && k + 1 < n;
    if (isMore) // isl's take any number of operands
      operands = {arithmetic(op, std::move(operands))};
  }
  if (operands.size() == 1 && (op == WholeOp::Minimum || op == WholeOp::Maximum))
    return operands.front();
  return arithmetic(op, std::move(operands));
}

} // namespace

std::string dimensionName(int d) { return std::string(kOwn) + "d" + std::to_string(d); }

Expr expression(const isl::ast_expr &e, const std::vector<Expr> &dimensions) {
  return convert(e.get(), dimensions);
}

Expr parametersOnly(const isl::pw_aff &function, const isl::set &context) {
  const isl::ast_build build = isl::ast_build::from_context(context);
  return expression(isl::manage(isl_ast_build_expr_from_pw_aff(build.get(), function.copy())));
}

} // namespace pbc::loop
