// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/poly/poly.h"
#include "compiler/poly/expression.h"
#include <algorithm>
#include <cstdlib>
#include <isl/aff.h>
#include <isl/ast_build.h>
#include <isl/constraint.h>
#include <isl/id.h>
#include <isl/mat.h>
#include <isl/options.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <isl/val.h>

namespace pbc::poly {
namespace {

std::string take(char *s) {
  std::string text = s ? s : "";
  std::free(s);
  return text;
}

// A name for a dimension that has none; isl prints those as i0, i1, ...
std::string dimensionName(const char *given, int position) {
  return given ? given : "i" + std::to_string(position);
}

/// Whether the budget is used up, so that isl cannot even make a number: each allocation is an operation.
bool isExhausted(isl_ctx *ctx) {
  isl_val *probe = isl_val_zero(ctx);
  isl_val_free(probe);
  return probe == nullptr;
}

} // namespace

Context::Context() : ctx_(isl_ctx_alloc()) {
  isl_options_set_on_error(ctx_, ISL_ON_ERROR_CONTINUE); // the C++ bindings throw
  // The value of a C++ loop bound must not depend on how often its text is evaluated, and `/` and `%` are
  // faster than floordiv.
  isl_options_set_ast_build_atomic_upper_bound(ctx_, 1);
  isl_options_set_ast_build_prefer_pdiv(ctx_, 1);
  isl_options_set_ast_build_detect_min_max(ctx_, 1);
}

Context::~Context() {
  sets_.clear();
  isl_ctx_free(ctx_);
}

isl::set Context::set(const std::string &text) const {
  const auto at = sets_.find(text);
  return at != sets_.end() ? at->second : sets_.emplace(text, isl::set(get(), text)).first->second;
}

isl::set apart(isl::ctx ctx, const std::string &low, const std::string &high, int distance) {
  isl_space *space = isl_space_params_alloc(ctx.get(), 2);
  space = isl_space_set_dim_name(space, isl_dim_param, 0, low.c_str());
  space = isl_space_set_dim_name(space, isl_dim_param, 1, high.c_str());
  isl_constraint *c = isl_constraint_alloc_inequality(isl_local_space_from_space(isl_space_copy(space)));
  c = isl_constraint_set_coefficient_si(c, isl_dim_param, 0, -1);
  c = isl_constraint_set_coefficient_si(c, isl_dim_param, 1, 1);
  c = isl_constraint_set_constant_si(c, -distance);
  return isl::manage(isl_set_add_constraint(isl_set_universe(space), c));
}

bool Context::withBudget(unsigned long operations, const std::function<void()> &f) const {
  return poly::withBudget(get(), operations, f);
}

bool withBudget(isl::ctx context, unsigned long operations, const std::function<void()> &f) {
  isl_ctx *ctx = context.get();
  struct Limit { // restored on every way out
    isl_ctx *ctx;
    unsigned long before;
    ~Limit() {
      isl_ctx_set_max_operations(ctx, before);
      isl_ctx_reset_operations(ctx);
    }
  } limit{ctx, isl_ctx_get_max_operations(ctx)};
  isl_ctx_reset_operations(ctx);
  isl_ctx_reset_error(ctx);
  // Inside of another budget, no more than that.
  isl_ctx_set_max_operations(ctx, limit.before ? std::min(limit.before, operations) : operations);
  try {
    f();
  } catch (const isl::exception_quota &) {
    isl_ctx_reset_error(ctx);
    return false;
  } catch (const isl::exception &) {
    // Later C calls get a null pointer, on which the bindings throw another error; isl still knows the first
    // error. If it was reading text, it only knows that the budget is used up.
    if (isl_ctx_last_error(ctx) != isl_error_quota && !isExhausted(ctx))
      throw;
    isl_ctx_reset_error(ctx);
    return false;
  }
  const bool ranOut = isl_ctx_last_error(ctx) == isl_error_quota;
  isl_ctx_reset_error(ctx);
  return !ranOut;
}

isl::set simplified(const isl::set &s) {
  const isl::set fewer = s.coalesce();
  return isl_set_n_basic_set(s.get()) < 2 || fewer.is_equal(s) ? fewer : s;
}

isl::map simplified(const isl::map &m) {
  const isl::map fewer = m.coalesce();
  return isl_map_n_basic_map(m.get()) < 2 || fewer.is_equal(m) ? fewer : m;
}

std::string text(const isl::set &s) { return take(isl_set_to_str(s.get())); }
std::string text(const isl::map &m) { return take(isl_map_to_str(m.get())); }
std::string text(const isl::union_map &m) { return take(isl_union_map_to_str(m.get())); }
std::string text(const isl::union_set &s) { return take(isl_union_set_to_str(s.get())); }
std::string text(const isl::pw_aff &a) { return take(isl_pw_aff_to_str(a.get())); }
std::string text(const isl::union_pw_aff &a) { return take(isl_union_pw_aff_to_str(a.get())); }

std::string parameterPrefix(const std::vector<std::string> &names) {
  if (names.empty())
    return "";
  std::string prefix;
  for (const std::string &name : names)
    prefix += (prefix.empty() ? "[" : ", ") + name;
  return prefix + "] -> ";
}

std::string cxx(const isl::pw_aff &function, const std::function<std::string(const std::string &)> &rename) {
  // An AST build without loops knows only parameters, so the dimensions become parameters, under their names.
  isl_pw_aff *f = function.copy();
  isl::space domainSpace = isl::manage(isl_pw_aff_get_domain_space(f));
  if (isl_space_is_params(domainSpace.get()) != isl_bool_true) {
    const int dims = isl_pw_aff_dim(f, isl_dim_in), params = isl_pw_aff_dim(f, isl_dim_param);
    for (int d = 0; d < dims; ++d) {
      const std::string name = dimensionName(isl_pw_aff_get_dim_name(f, isl_dim_in, d), d);
      f = isl_pw_aff_set_dim_id(f, isl_dim_in, d, isl_id_alloc(isl_pw_aff_get_ctx(f), name.c_str(), nullptr));
    }
    f = isl_pw_aff_move_dims(f, isl_dim_param, params, isl_dim_in, 0, dims);
    f = isl_pw_aff_project_domain_on_params(f);
  }
  // A function on an empty set has no value to print.
  isl::set domain = isl::manage(isl_pw_aff_params(isl_pw_aff_copy(f)));
  if (domain.is_empty()) {
    isl_pw_aff_free(f);
    return "0";
  }
  isl::ast_build build = isl::ast_build::from_context(domain);
  isl::ast_expr e = isl::manage(isl_ast_build_expr_from_pw_aff(build.get(), isl_pw_aff_coalesce(f)));
  return cxx(e, rename);
}

std::string cxxCondition(const isl::set &parameters) {
  isl::set s = isl::manage(isl_set_coalesce(isl_set_params(parameters.copy())));
  if (s.is_empty())
    return "false";
  if (isl_set_plain_is_universe(s.get()) == isl_bool_true || s.complement().is_empty())
    return "true";
  isl::set all = isl::manage(isl_set_universe(isl_set_get_space(s.get())));
  isl::ast_build build = isl::ast_build::from_context(all);
  return cxx(isl::ast_expr(isl::manage(isl_ast_build_expr_from_set(build.get(), s.release()))));
}

isl::pw_aff dimMin(const isl::set &s, unsigned dimension) {
  return isl::manage(isl_set_dim_min(s.copy(), static_cast<int>(dimension)));
}
isl::pw_aff dimMax(const isl::set &s, unsigned dimension) {
  return isl::manage(isl_set_dim_max(s.copy(), static_cast<int>(dimension)));
}

int dimension(const isl::set &s) {
  isl_basic_set *hull = isl_set_affine_hull(isl_set_remove_divs(s.copy()));
  isl_mat *equalities =
      isl_basic_set_equalities_matrix(hull, isl_dim_set, isl_dim_param, isl_dim_div, isl_dim_cst);
  const int all =
      static_cast<int>(isl_basic_set_dim(hull, isl_dim_set) + isl_basic_set_dim(hull, isl_dim_param));
  const int fixed = static_cast<int>(isl_mat_rows(equalities));
  isl_mat_free(equalities);
  isl_basic_set_free(hull);
  return all - fixed;
}

isl::set nameDimensions(const isl::set &s, const std::vector<std::string> &names) {
  isl_set *named = s.copy();
  for (unsigned d = 0; d < names.size(); ++d)
    named = isl_set_set_dim_name(named, isl_dim_set, d, mangle(names[d]).c_str());
  return isl::manage(named);
}

} // namespace pbc::poly
