// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/poly/conditions.h"
#include "compiler/poly/names.h"
#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/set.h>
#include <isl/val.h>
#include <vector>

namespace pbc::poly {

namespace {

/// factor * text; `text` is a name, "(n + 1)/2" or "x mod 3".
struct Term {
  std::string text;
  long factor;
};

struct Sum {
  std::vector<Term> terms;
  long constant = 0;

  void add(const std::string &text, long factor) {
    for (auto &t : terms)
      if (t.text == text) {
        t.factor += factor;
        return;
      }
    terms.push_back({text, factor});
  }
  void add(const Sum &other, long factor) {
    for (const auto &t : other.terms)
      add(t.text, factor * t.factor);
    constant += factor * other.constant;
  }
  void dropZeros() {
    std::erase_if(terms, [](const Term &t) { return t.factor == 0; });
  }

  std::string print() const {
    std::string out;
    const auto append = [&](long factor, const std::string &text) {
      out += out.empty() ? (factor < 0 ? "-" : "") : (factor < 0 ? " - " : " + ");
      out += text;
    };
    for (const auto &t : terms) {
      const long size = t.factor < 0 ? -t.factor : t.factor;
      append(t.factor, size == 1 ? t.text : std::to_string(size) + "*" + t.text);
    }
    if (constant != 0 || out.empty())
      append(constant, std::to_string(constant < 0 ? -constant : constant));
    return out;
  }
  std::string atom() const {
    return terms.size() + (constant != 0) == 1 && (terms.empty() || terms[0].factor == 1)
               ? print()
               : "(" + print() + ")";
  }
};

/// `dividend` mod `divisor`, or the rest that floor(dividend / divisor) leaves.
struct Division {
  Sum dividend;
  long divisor;
};

long floorMod(long a, long b) { return ((a % b) + b) % b; }

long number(isl_val *v) {
  const long n = isl_val_get_num_si(v);
  isl_val_free(v);
  return n;
}

class ConstraintPrinter {
public:
  explicit ConstraintPrinter(isl_basic_set *piece) : piece_(piece) {}

  /// Returns false if it cannot be printed.
  bool print(isl_constraint *c) {
    Sum sum;
    if (!linear(c, sum))
      return false;
    add(isl_constraint_is_equality(c) == isl_bool_true ? equality(sum) : inequality(sum));
    return true;
  }

  std::string text;

private:
  void add(const std::string &condition) { text += (text.empty() ? "" : " and ") + condition; }

  std::string nameOf(isl_dim_type type, unsigned d) const {
    const char *name = isl_basic_set_get_dim_name(piece_, type, d);
    return name ? displayed(name) : "i" + std::to_string(d);
  }

  template <class Coefficient>
  void names(Coefficient coefficient, Sum &sum) const {
    for (const isl_dim_type type : {isl_dim_set, isl_dim_param})
      for (int d = 0, n = static_cast<int>(isl_basic_set_dim(piece_, type)); d < n; ++d)
        if (const long factor = number(coefficient(type, d)))
          sum.add(nameOf(type, static_cast<unsigned>(d)), factor);
  }

  bool linear(isl_constraint *c, Sum &sum) {
    names([&](isl_dim_type type, int d) { return isl_constraint_get_coefficient_val(c, type, d); }, sum);
    sum.constant = number(isl_constraint_get_constant_val(c));
    for (int d = 0, n = static_cast<int>(isl_basic_set_dim(piece_, isl_dim_div)); d < n; ++d)
      if (const long factor = number(isl_constraint_get_coefficient_val(c, isl_dim_div, d)))
        if (!addDivision(d, factor, sum))
          return false;
    sum.dropZeros();
    return true;
  }

  /// Adds factor * floor(a / m); if m divides the factor, as factor/m * (a - a mod m).
  bool addDivision(int d, long factor, Sum &sum) {
    isl_aff *div = isl_basic_set_get_div(piece_, d);
    if (!div || isl_aff_is_nan(div) != isl_bool_false || isl_aff_dim(div, isl_dim_div) < 0) {
      isl_aff_free(div);
      return false;
    }
    // isl gives the division as floor(f) with fractions in f.
    Sum dividend;
    bool nested = false;
    const long divisor = number(isl_aff_get_denominator_val(div));
    isl_aff *scaled =
        isl_aff_scale_val(isl_aff_copy(div), isl_val_int_from_si(isl_aff_get_ctx(div), divisor));
    names(
        [&](isl_dim_type type, int k) {
          return isl_aff_get_coefficient_val(scaled, type == isl_dim_set ? isl_dim_in : type, k);
        },
        dividend);
    dividend.constant = number(isl_aff_get_constant_val(scaled));
    for (int k = 0, n = static_cast<int>(isl_aff_dim(scaled, isl_dim_div)); k < n; ++k)
      nested = nested || number(isl_aff_get_coefficient_val(scaled, isl_dim_div, k)) != 0;
    isl_aff_free(scaled);
    isl_aff_free(div);
    if (nested)
      return false;
    if (factor % divisor != 0) {
      sum.add(dividend.atom() + "/" + std::to_string(divisor), factor);
      return true;
    }
    sum.add(dividend, factor / divisor);
    remainders_.push_back({dividend, divisor});
    sum.add(remainderText(remainders_.back()), -factor / divisor);
    return true;
  }

  static std::string remainderText(const Division &r) {
    return r.dividend.atom() + " mod " + std::to_string(r.divisor);
  }

  std::string equality(const Sum &sum) const {
    // A single remainder: x - 1 is even where x is odd.
    if (sum.terms.size() == 1 && (sum.terms[0].factor == 1 || sum.terms[0].factor == -1))
      for (const auto &r : remainders_)
        if (remainderText(r) == sum.terms[0].text) {
          Sum dividend = r.dividend;
          const long rest = floorMod(-sum.constant * sum.terms[0].factor - dividend.constant, r.divisor);
          dividend.constant = 0;
          if (r.divisor == 2)
            return dividend.print() + (rest ? " odd" : " even");
          return dividend.atom() + " mod " + std::to_string(r.divisor) + " = " + std::to_string(rest);
        }
    return sides(sum, "=", "=", "=", "=");
  }

  std::string inequality(const Sum &sum) const { return sides(sum, ">=", ">", "<=", "<"); }

  /// `sum` op 0, with the main terms on the left: the first term, and those of its sign.
  static std::string sides(const Sum &sum, const char *atLeast, const char *more, const char *atMost,
                           const char *less) {
    if (sum.terms.empty())
      return sum.print() + " " + atLeast + " 0";
    const bool turned = sum.terms[0].factor < 0;
    Sum left, right;
    for (const auto &t : sum.terms)
      if ((t.factor < 0) == turned)
        left.terms.push_back({t.text, turned ? -t.factor : t.factor});
      else
        right.terms.push_back({t.text, turned ? t.factor : -t.factor});
    right.constant = turned ? sum.constant : -sum.constant;
    const char *op = turned ? atMost : atLeast;
    if (op != std::string("=") && right.constant == (turned ? -1 : 1))
      right.constant = 0, op = turned ? less : more;
    return left.print() + " " + op + " " + right.print();
  }

  isl_basic_set *piece_;
  std::vector<Division> remainders_;
};

} // namespace

std::optional<std::string> conditions(const isl::set &set) {
  struct State {
    std::string text;
    bool printable = true;
  } state;
  isl_set *known = isl_set_compute_divs(set.copy());
  isl_set_foreach_basic_set(
      known,
      [](isl_basic_set *piece, void *user) {
        auto &s = *static_cast<State *>(user);
        ConstraintPrinter printer(piece);
        const isl_stat done = isl_basic_set_foreach_constraint(
            piece,
            [](isl_constraint *c, void *p) {
              const bool fine = isl_constraint_is_div_constraint(c) == isl_bool_true ||
                                static_cast<ConstraintPrinter *>(p)->print(c);
              isl_constraint_free(c);
              return fine ? isl_stat_ok : isl_stat_error;
            },
            &printer);
        isl_basic_set_free(piece);
        s.printable = s.printable && done == isl_stat_ok;
        s.text += (s.text.empty() ? "" : " or ") + printer.text;
        return isl_stat_ok;
      },
      &state);
  isl_set_free(known);
  if (!state.printable)
    return std::nullopt;
  return state.text;
}

} // namespace pbc::poly
