// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/pieces.h"
#include "compiler/body/affine.h"
#include "compiler/body/outside.h"
#include "compiler/body/sum_of_terms.h"
#include "compiler/body/value.h"
#include "compiler/poly/names.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/set.h>
#include <map>

namespace pbc::body {
namespace {

/// More pieces of one coordinate are left to the body as it is written.
constexpr std::size_t kMostPieces = 6;
/// Quotients from -kMostQuotients to kMostQuotients: at sizes of 1, `(x + 2) % w` has the quotient 2.
constexpr long kMostQuotients = 4;
constexpr unsigned long kPiecesBudget = 200'000;

/// What is chosen at some instances: a sum, or whether a condition holds.
struct Part {
  std::vector<ValuePtr> conditions; // all hold, and those of no part before it
  isl::set where;
  SumOfTerms sum;
  ValuePtr holds;
};
using Parts = std::vector<Part>;

ValuePtr negated(const ValuePtr &condition) {
  return makeValue(Value::Kind::Unary, Scalar::Bool, "!", {condition});
}

bool isComparison(const std::string &op) {
  return op == "<" || op == "<=" || op == ">" || op == ">=" || op == "==" || op == "!=";
}

bool isWhole(const Value &v) { return v.type == Scalar::I32 || v.type == Scalar::I64; }

} // namespace

/// Takes one value apart, at one place in the body.
class PieceReader {
public:
  explicit PieceReader(const Instances &at) : at_(at), all_(at.where("")) {}

  Parts sums(const ValuePtr &v) {
    if (!isWhole(*v))
      throw NoPieces();
    bool isAffine = false;
    const std::string text = affineText(*v, at_.facts_, isAffine);
    if (isAffine)
      return {{{}, all_, affineSum(v, text), nullptr}};
    switch (v->kind) {
    case Value::Kind::Cast:
      return sums(v->operands[0]); // sizes and coordinates fit an int
    case Value::Kind::Unary:
      if (v->text != "-")
        throw NoPieces();
      return pairs(Parts{always(number(0))}, sums(v->operands[0]),
                   [](const SumOfTerms &a, const SumOfTerms &b) { return a.plus(b, -1); });
    case Value::Kind::Binary:
      return binarySums(*v);
    case Value::Kind::Select:
      return chosen(conditions(v->operands[0]), sums(v->operands[1]), sums(v->operands[2]));
    case Value::Kind::Call: {
      if (v->text != "abs" && v->text != "labs")
        throw NoPieces();
      Parts all;
      for (const Part &one : sums(v->operands[0])) {
        const ValuePtr isNegative = compared("<", one.sum);
        const isl::set negative = where(isNegative);
        all.push_back({joined(one.conditions, {isNegative}), one.where.intersect(negative),
                       SumOfTerms().plus(one.sum, -1), nullptr});
        all.push_back({one.conditions, one.where.subtract(negative), one.sum, nullptr});
      }
      return tidy(std::move(all));
    }
    default:
      throw NoPieces();
    }
  }

  Parts conditions(const ValuePtr &v) {
    if (v->kind == Value::Kind::Cast && v->type == Scalar::Bool && v->operands[0]->type == Scalar::Bool)
      return conditions(v->operands[0]);
    if (v->kind == Value::Kind::Unary && v->text == "!") {
      Parts all = conditions(v->operands[0]);
      for (Part &one : all)
        one.holds = negated(one.holds);
      return all;
    }
    if (v->kind == Value::Kind::Binary && (v->text == "&&" || v->text == "||")) {
      Parts all;
      const Parts left = conditions(v->operands[0]), right = conditions(v->operands[1]);
      for (const Part &a : left)
        for (const Part &b : right)
          all.push_back({joined(a.conditions, b.conditions),
                         a.where.intersect(b.where),
                         {},
                         binary(v->text, Scalar::Bool, a.holds, b.holds)});
      return tidy(std::move(all));
    }
    if (v->kind != Value::Kind::Binary || !isComparison(v->text))
      throw NoPieces();
    Parts all;
    const Parts left = sums(v->operands[0]), right = sums(v->operands[1]);
    for (const Part &a : left)
      for (const Part &b : right)
        all.push_back({joined(a.conditions, b.conditions),
                       a.where.intersect(b.where),
                       {},
                       compared(v->text, a.sum.plus(b.sum, -1))});
    return tidy(std::move(all));
  }

  /// 1 where they hold, and 0 elsewhere.
  Parts yesOrNo(const Parts &conditions) const {
    return chosen(conditions, {always(number(1))}, {always(number(0))});
  }

  /// All of the conditions as one; null: there are none.
  static ValuePtr conjunction(const std::vector<ValuePtr> &conditions) {
    ValuePtr all;
    for (const ValuePtr &one : conditions)
      all = all ? binary("&&", Scalar::Bool, all, one) : one;
    return all;
  }

  /// The sum with what its variables are, where they have one value: x + 1 - w is 0 where x is w - 1.
  SumOfTerms withConstants(const Part &part) const {
    SumOfTerms sum = part.sum;
    const isl::basic_set hull = isl::manage(isl_set_affine_hull(part.where.copy()));
    for (const auto &[text, term] : part.sum.terms) {
      const int d =
          term.isVariable ? isl_set_find_dim_by_name(part.where.get(), isl_dim_set, text.c_str()) : -1;
      const std::optional<SumOfTerms> value = d < 0 ? std::nullopt : valueAlong(hull, d);
      if (!value)
        continue;
      sum.terms.erase(text);
      sum.add(*value, term.factor);
    }
    return sum;
  }

private:
  /// The dimension as a sum of sizes; nothing if it has several values.
  std::optional<SumOfTerms> valueAlong(const isl::basic_set &hull, int d) const {
    std::optional<SumOfTerms> found;
    isl_constraint_list *all = isl_basic_set_get_constraint_list(hull.get());
    for (int k = 0, n = static_cast<int>(isl_constraint_list_n_constraint(all)); k < n && !found; ++k) {
      isl_constraint *c = isl_constraint_list_get_constraint(all, k);
      if (isl_constraint_is_equality(c) == isl_bool_true)
        found = solved(isl::manage(isl_constraint_get_aff(c)), d);
      isl_constraint_free(c);
    }
    isl_constraint_list_free(all);
    return found;
  }

  /// The dimension where the function is 0.
  std::optional<SumOfTerms> solved(const isl::aff &function, int d) const {
    const auto count = [&](isl_dim_type type) { return static_cast<int>(isl_aff_dim(function.get(), type)); };
    const auto factor = [&](isl_dim_type type, int k) {
      return isl::manage(isl_aff_get_coefficient_val(function.get(), type, k)).num_si();
    };
    const long own = factor(isl_dim_in, d);
    if (std::abs(own) != 1 || count(isl_dim_div) != 0)
      return std::nullopt;
    for (int k = 0; k < count(isl_dim_in); ++k)
      if (k != d && factor(isl_dim_in, k) != 0)
        return std::nullopt;
    SumOfTerms sum = number(-own * function.constant_val().num_si());
    for (int k = 0; k < count(isl_dim_param); ++k)
      if (const long f = factor(isl_dim_param, k)) {
        const std::string name =
            isl_aff_get_dim_name(function.get(), isl_dim_param, static_cast<unsigned>(k));
        sum.terms[name] = {-own * f, nameValue(at_.transform_, poly::unmangle(name)), false};
      }
    return sum;
  }

  Part always(SumOfTerms sum) const { return {{}, all_, std::move(sum), nullptr}; }

  static std::vector<ValuePtr> joined(std::vector<ValuePtr> a, const std::vector<ValuePtr> &b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }

  isl::set where(const ValuePtr &condition) const {
    const auto text = conditionText(*condition, at_.facts_);
    if (!text)
      throw NoPieces();
    return at_.where(*text);
  }

  SumOfTerms atom(const ValuePtr &v, const std::string &text) const {
    const auto &variables = at_.variables_;
    const bool isSize = v->kind == Value::Kind::Name &&
                        std::find(variables.begin(), variables.end(), text) == variables.end();
    SumOfTerms one;
    one.terms[text] = {1, v, !isSize};
    return one;
  }

  SumOfTerms affineSum(const ValuePtr &v, const std::string &text) const {
    const auto inner = [&](std::size_t k) {
      bool isAffine = false;
      const std::string own = affineText(*v->operands[k], at_.facts_, isAffine);
      if (!isAffine)
        throw NoPieces();
      return affineSum(v->operands[k], own);
    };
    if (text.find_first_not_of("-0123456789") == std::string::npos)
      return number(constantOf(*v, at_.facts_).value_or(0));
    if (v->kind == Value::Kind::Cast)
      return inner(0);
    if (v->kind == Value::Kind::Unary)
      return SumOfTerms().plus(inner(0), -1);
    if (v->kind != Value::Kind::Binary || v->text == "/" || v->text == "%")
      return atom(v, text);
    SumOfTerms a = inner(0), b = inner(1);
    if (v->text != "*")
      return a.plus(b, v->text == "-" ? -1 : 1);
    return a.isConstant() ? SumOfTerms().plus(b, a.constant) : SumOfTerms().plus(a, b.constant);
  }

  template <class Combine>
  Parts pairs(const Parts &left, const Parts &right, Combine combine) const {
    Parts all;
    for (const Part &a : left)
      for (const Part &b : right)
        all.push_back(
            {joined(a.conditions, b.conditions), a.where.intersect(b.where), combine(a.sum, b.sum), nullptr});
    return tidy(std::move(all));
  }

  Parts binarySums(const Value &v) {
    const Parts left = sums(v.operands[0]), right = sums(v.operands[1]);
    if (v.text == "+" || v.text == "-")
      return pairs(left, right, [&](const SumOfTerms &a, const SumOfTerms &b) {
        return a.plus(b, v.text == "-" ? -1 : 1);
      });
    if (v.text == "*")
      return pairs(left, right, [&](const SumOfTerms &a, const SumOfTerms &b) {
        if (!a.isConstant() && !b.isConstant())
          throw NoPieces();
        return a.isConstant() ? SumOfTerms().plus(b, a.constant) : SumOfTerms().plus(a, b.constant);
      });
    if (v.text != "/" && v.text != "%")
      throw NoPieces();
    Parts all;
    for (const Part &a : left)
      for (const Part &b : right)
        divided(a, b, v.text, all);
    return tidy(std::move(all));
  }

  /// a / b or a % b, for each possible quotient; or for a constant and a number that is never negative, isl's division.
  void divided(const Part &a, const Part &b, const std::string &op, Parts &all) {
    const isl::set here = a.where.intersect(b.where);
    if (here.is_empty())
      return;
    const std::vector<ValuePtr> conditions = joined(a.conditions, b.conditions);
    if (!here.is_subset(where(compared(">", b.sum))))
      throw NoPieces();
    if (b.sum.isConstant() && here.is_subset(where(compared(">=", a.sum)))) {
      auto dividend = std::make_shared<Value>(*a.sum.value());
      dividend->nonNegative = true;
      const ValuePtr made = binary(op, dividend->type, dividend, integer(b.sum.constant, dividend->type));
      bool isAffine = false;
      const std::string text = affineText(*made, at_.facts_, isAffine);
      if (!isAffine)
        throw NoPieces();
      all.push_back({conditions, here, affineSum(made, text), nullptr});
      return;
    }
    isl::set rest = here;
    for (long q = -kMostQuotients; q <= kMostQuotients && !rest.is_empty(); ++q) {
      // C++ rounds towards zero: q < 0 for a <= q b, q >= 0 for a < (q + 1) b.
      const ValuePtr isNoMore =
          q < 0 ? compared("<=", a.sum.plus(b.sum, -q)) : compared("<", a.sum.plus(b.sum, -(q + 1)));
      const isl::set part = rest.intersect(where(isNoMore));
      if (part.is_empty())
        continue;
      if (q == -kMostQuotients)
        throw NoPieces(); // it may be less than that
      all.push_back(
          {joined(conditions, {isNoMore}), part, op == "/" ? number(q) : a.sum.plus(b.sum, -q), nullptr});
      rest = rest.subtract(part);
    }
    if (!rest.is_empty())
      throw NoPieces();
  }

  Parts chosen(const Parts &conditions, const Parts &yes, const Parts &no) const {
    Parts all;
    for (const Part &c : conditions) {
      const isl::set holds = where(c.holds);
      for (const Part &one : yes)
        all.push_back({joined(joined(c.conditions, {c.holds}), one.conditions),
                       c.where.intersect(holds).intersect(one.where), one.sum, nullptr});
      for (const Part &one : no)
        all.push_back({joined(c.conditions, one.conditions), c.where.subtract(holds).intersect(one.where),
                       one.sum, nullptr});
    }
    return tidy(std::move(all));
  }

  /// Leaves out the parts at no instance, and the conditions that hold where nothing before has been chosen.
  Parts tidy(Parts parts) const {
    isl::set rest = all_;
    Parts kept;
    for (Part &part : parts) {
      if (part.where.is_empty())
        continue;
      for (std::size_t k = 0; k < part.conditions.size();) {
        isl::set others = rest;
        for (std::size_t other = 0; other < part.conditions.size(); ++other)
          if (other != k)
            others = others.intersect(where(part.conditions[other]));
        if (others.is_subset(part.where))
          part.conditions.erase(part.conditions.begin() + static_cast<long>(k));
        else
          ++k;
      }
      rest = rest.subtract(part.where);
      if (!kept.empty() && kept.back().conditions.empty())
        throw NoPieces(); // the conditions do not tell them apart
      kept.push_back(std::move(part));
    }
    if (kept.empty() || kept.size() > kMostPieces || !kept.back().conditions.empty())
      throw NoPieces();
    return kept;
  }

  const Instances &at_;
  const isl::set all_;
};

Instances::Instances(const sema::Transform &t, const sema::Rule &rule, const Facts &facts)
    : transform_(t), facts_(facts) {
  for (const std::string &v : rule.freeVariables)
    variables_.push_back(poly::mangle(v));
  std::vector<std::string> parameters = t.sizeNames(), constraints;
  for (const sema::Tunable &tunable : t.tunables)
    if (tunable.isParameter()) {
      parameters.push_back(poly::mangle(tunable.name));
      constraints.push_back(fmt::format("{} <= {} <= {}", static_cast<long>(tunable.minimum),
                                        parameters.back(), static_cast<long>(tunable.maximum)));
    }
  prefix_ = poly::parameterPrefix(parameters);
  for (const sema::Matrix &m : t.matrices)
    for (const sema::Affine &extent : m.extents)
      constraints.push_back(extent.isl + " >= 0");
  for (const auto *list : {&rule.outputs, &rule.inputs})
    for (const sema::Binding &b : *list)
      for (std::size_t d = 0; !b.otherwise && d < b.begin.size(); ++d)
        constraints.push_back(fmt::format("0 <= {0} and {0} <= {1} and {1} <= {2}", b.begin[d].isl,
                                          b.end[d].isl, t.matrices[b.matrix].extents[d].isl));
  constraint_ = constraints.empty() ? "true" : poly::join(constraints, " and ");
}

void Instances::enter(const Node &loop) {
  Loop made{poly::mangle(facts_.iterators[static_cast<std::size_t>(loop.iterator)]), ""};
  const auto lower = boundText(*loop.lower, facts_), upper = boundText(*loop.upper, facts_);
  if (lower && upper)
    made.constraint = fmt::format("({}) <= {} < ({})", *lower, made.iterator, *upper);
  loops_.push_back(std::move(made));
}

isl::set Instances::where(const std::string &condition) const {
  std::vector<std::string> names = variables_;
  std::string constraint = constraint_;
  for (const Loop &loop : loops_) {
    names.push_back(loop.iterator);
    if (!loop.constraint.empty())
      constraint += " and " + loop.constraint;
  }
  if (!condition.empty())
    constraint = fmt::format("({}) and {}", condition, constraint);
  return isl_.set(fmt::format("{}{{ S[{}] : {} }}", prefix_, poly::join(names), constraint));
}

std::optional<std::vector<Piece>> Instances::pieces(const ValuePtr &v) const {
  std::optional<std::vector<Piece>> made;
  try {
    isl_.withBudget(kPiecesBudget, [&] {
      std::vector<Piece> all;
      PieceReader reader(*this);
      for (const Part &part : reader.sums(v))
        all.push_back({PieceReader::conjunction(part.conditions), reader.withConstants(part).value()});
      made = std::move(all);
    });
  } catch (const NoPieces &) {
    return std::nullopt;
  } catch (const isl::exception &) {
    return std::nullopt;
  }
  return made;
}

std::optional<ValuePtr> Instances::condition(const ValuePtr &v) const {
  if (conditionText(*v, facts_))
    return v;
  std::optional<ValuePtr> made;
  try {
    isl_.withBudget(kPiecesBudget, [&] {
      // (c0: holds0; else c1: holds1; ..) is (c0 and holds0: yes; c0: no; ..)
      const PieceReader reader(*this);
      ValuePtr all;
      bool isConstant = true, constant = false;
      const Parts parts = reader.yesOrNo(PieceReader(*this).conditions(v));
      for (auto one = parts.rbegin(); one != parts.rend(); ++one) {
        const ValuePtr here = PieceReader::conjunction(one->conditions);
        const bool isYes = one->sum.constant != 0;
        if (!here || (isConstant && constant == isYes)) {
          constant = isYes;
          continue;
        }
        const ValuePtr alone = isYes ? here : negated(here);
        all = isConstant ? alone : binary(isYes ? "||" : "&&", Scalar::Bool, alone, all);
        isConstant = false;
      }
      if (isConstant)
        all = makeValue(Value::Kind::Literal, Scalar::Bool, constant ? "true" : "false", {});
      made = all;
    });
  } catch (const NoPieces &) {
    return std::nullopt;
  } catch (const isl::exception &) {
    return std::nullopt;
  }
  return made;
}

} // namespace pbc::body
