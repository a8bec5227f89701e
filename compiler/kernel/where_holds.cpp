// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/where_holds.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <isl/set.h>

namespace pbc::kernel {
namespace {

/// Writes conditions in isl's notation; "" for what it does not have.
class Conditions {
public:
  explicit Conditions(const Kernel &kernel) : kernel_(kernel) {}

  std::string condition(const Expr &e) const {
    if (e.kind == Expr::Kind::Unary && e.text == "!")
      return around("not ({})", condition(*e.operands.front()));
    if (e.kind != Expr::Kind::Binary)
      return "";
    if (e.text == "&&" || e.text == "||")
      return both(condition(*e.operands[0]), e.text == "&&" ? "and" : "or", condition(*e.operands[1]));
    for (const auto &[own, theirs] : {std::pair("<", "<"), std::pair("<=", "<="), std::pair(">", ">"),
                                      std::pair(">=", ">="), std::pair("==", "="), std::pair("!=", "!=")})
      if (e.text == own)
        return both(sum(*e.operands[0]), theirs, sum(*e.operands[1]));
    return "";
  }

private:
  static std::string around(const char *format, const std::string &text) {
    return text.empty() ? "" : fmt::format(fmt::runtime(format), text);
  }
  static std::string both(const std::string &a, const std::string &op, const std::string &b) {
    return a.empty() || b.empty() ? "" : fmt::format("({} {} {})", a, op, b);
  }

  std::string sum(const Expr &e) const {
    if (e.type == Scalar::F64 || e.type == Scalar::F32)
      return "";
    switch (e.kind) {
    case Expr::Kind::Literal:
      return e.text.substr(0, e.text.find_first_not_of("0123456789"));
    case Expr::Kind::Dimension:
      return fmt::format("d{}", e.index);
    case Expr::Kind::Name: {
      const std::string name = poly::mangle(e.text);
      const auto &all = kernel_.parameters;
      return std::find(all.begin(), all.end(), name) != all.end() ? name : "";
    }
    case Expr::Kind::Cast:
      return sum(*e.operands.front());
    case Expr::Kind::Unary:
      return e.text == "-" ? around("(-{})", sum(*e.operands.front())) : "";
    case Expr::Kind::Binary: {
      const bool isProduct = e.text == "*" && (e.operands[0]->kind == Expr::Kind::Literal ||
                                               e.operands[1]->kind == Expr::Kind::Literal);
      return isProduct || e.text == "+" || e.text == "-"
                 ? both(sum(*e.operands[0]), e.text, sum(*e.operands[1]))
                 : "";
    }
    default:
      return "";
    }
  }

  const Kernel &kernel_;
};

} // namespace

std::optional<isl::set> whereHolds(const Kernel &kernel, const Statement &s, const Expr &condition) {
  const std::string text = Conditions(kernel).condition(condition);
  if (text.empty())
    return std::nullopt;
  std::vector<std::string> dimensions;
  for (std::size_t d = 0; d < s.dimensions.size(); ++d)
    dimensions.push_back(fmt::format("d{}", d));
  const isl::set points(s.domain.ctx(),
                        fmt::format("{}{{ [{}] : {} }}", poly::parameterPrefix(kernel.parameters),
                                    fmt::join(dimensions, ", "), text));
  return isl::manage(isl_set_set_tuple_name(points.copy(), s.name.c_str()));
}

} // namespace pbc::kernel
