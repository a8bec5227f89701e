// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/poly/expression.h"
#include <isl/ast.h>
#include <isl/id.h>
#include <isl/val.h>
#include <stdexcept>

namespace pbc::poly {
namespace {

// Higher values bind tighter; the part of the C++ table that is needed here.
enum Precedence { kSelect = 1, kOr, kAnd, kEquality, kRelation, kSum, kProduct, kUnary, kPrimary };

struct Text {
  std::string text;
  int precedence;
};

struct Printer {
  const std::function<std::string(const std::string &)> &rename;

  static std::string wrap(const Text &t, int atLeast) {
    return t.precedence >= atLeast ? t.text : std::string("(").append(t.text).append(")");
  }

  Text argument(isl_ast_expr *e, int k) const {
    isl_ast_expr *a = isl_ast_expr_op_get_arg(e, k);
    Text t = print(a);
    isl_ast_expr_free(a);
    return t;
  }

  Text infix(isl_ast_expr *e, const char *op, int precedence, bool associative) const {
    Text left = argument(e, 0), right = argument(e, 1);
    // clang warns of `a && b || c` and of chained comparisons: parenthesise these even where C++ need not.
    const int leftNeeds = precedence <= kRelation && precedence > kSelect ? precedence + 1 : precedence;
    const int needs = precedence == kOr ? kEquality : precedence == kAnd ? kEquality : leftNeeds;
    const bool chain = precedence == kOr || precedence == kAnd;
    return {wrap(left, chain && left.precedence == precedence ? precedence : needs) + " " + op + " " +
                wrap(right, chain && right.precedence == precedence ? precedence
                            : associative                           ? precedence
                                                                    : precedence + 1),
            precedence};
  }

  // isl's min and max take any number of arguments; the helpers take two.
  Text fold(isl_ast_expr *e, const std::string &function) const {
    std::string all = argument(e, 0).text;
    for (int k = 1, n = isl_ast_expr_op_get_n_arg(e); k < n; ++k)
      all = function + "(" + all + ", " + argument(e, k).text + ")";
    return {all, kPrimary};
  }

  Text call(isl_ast_expr *e, const std::string &function) const {
    return {function + "(" + argument(e, 0).text + ", " + argument(e, 1).text + ")", kPrimary};
  }

  Text operation(isl_ast_expr *e) const {
    switch (isl_ast_expr_op_get_type(e)) {
    case isl_ast_expr_op_and:
    case isl_ast_expr_op_and_then:
      return infix(e, "&&", kAnd, true);
    case isl_ast_expr_op_or:
    case isl_ast_expr_op_or_else:
      return infix(e, "||", kOr, true);
    case isl_ast_expr_op_max:
      return fold(e, "pb::maximum");
    case isl_ast_expr_op_min:
      return fold(e, "pb::minimum");
    case isl_ast_expr_op_minus:
      return {std::string("-").append(wrap(argument(e, 0), kPrimary)), kUnary};
    case isl_ast_expr_op_add:
      return infix(e, "+", kSum, true);
    case isl_ast_expr_op_sub:
      return infix(e, "-", kSum, false);
    case isl_ast_expr_op_mul:
      // It is treated as not associative, because 2 * (n / 4) is not 2 * n / 4.
      return infix(e, "*", kProduct, false);
    case isl_ast_expr_op_div: // exact
    case isl_ast_expr_op_pdiv_q:
      return infix(e, "/", kProduct, false);
    case isl_ast_expr_op_fdiv_q:
      return call(e, "pb::floordiv");
    case isl_ast_expr_op_pdiv_r:
    case isl_ast_expr_op_zdiv_r:
      return infix(e, "%", kProduct, false);
    case isl_ast_expr_op_cond:
    case isl_ast_expr_op_select:
      return {wrap(argument(e, 0), kOr) + " ? " + wrap(argument(e, 1), kOr) + " : " +
                  wrap(argument(e, 2), kOr),
              kSelect};
    case isl_ast_expr_op_eq:
      return infix(e, "==", kEquality, false);
    case isl_ast_expr_op_le:
      return infix(e, "<=", kRelation, false);
    case isl_ast_expr_op_lt:
      return infix(e, "<", kRelation, false);
    case isl_ast_expr_op_ge:
      return infix(e, ">=", kRelation, false);
    case isl_ast_expr_op_gt:
      return infix(e, ">", kRelation, false);
    default:
      throw std::logic_error("an isl expression of a kind that no schedule makes");
    }
  }

  Text print(isl_ast_expr *e) const {
    switch (isl_ast_expr_get_type(e)) {
    case isl_ast_expr_id: {
      isl_id *id = isl_ast_expr_id_get_id(e);
      std::string name = isl_id_get_name(id);
      isl_id_free(id);
      return {rename ? rename(name) : name, kPrimary};
    }
    case isl_ast_expr_int: {
      isl_val *v = isl_ast_expr_int_get_val(e);
      char *s = isl_val_to_str(v);
      std::string text = s;
      free(s);
      isl_val_free(v);
      return {text, text[0] == '-' ? kUnary : kPrimary};
    }
    default:
      return operation(e);
    }
  }
};

} // namespace

std::string cxx(const isl::ast_expr &expression,
                const std::function<std::string(const std::string &)> &rename) {
  return Printer{rename}.print(expression.get()).text;
}

bool isConstant(const isl::ast_expr &expression, long &value) {
  if (isl_ast_expr_get_type(expression.get()) != isl_ast_expr_int)
    return false;
  isl_val *v = isl_ast_expr_int_get_val(expression.get());
  value = isl_val_get_num_si(v);
  isl_val_free(v);
  return true;
}

} // namespace pbc::poly
