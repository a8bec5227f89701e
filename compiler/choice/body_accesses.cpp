// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/choice/body_accesses.h"
#include "compiler/body/affine.h"
#include "compiler/choice/spaces.h"
#include "compiler/poly/first_point.h"
#include "compiler/poly/names.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/set.h>
#include <set>

namespace pbc::choice {

namespace {

using body::Value;

/// The isl operations that checking all accesses of one transform may take.
constexpr unsigned long kBudget = 2'000'000;
/// "All large sizes" are the sizes from this one on, as in the check for cells that no rule computes.
constexpr long kLarge = 1000;

class BodyAccesses {
public:
  BodyAccesses(const sema::Transform &t, const Spaces &spaces, const isl::set &context,
               const poly::Context &isl, source::Diagnostics &diagnostics)
      : transform_(t), spaces_(spaces), context_(context), isl_(isl), diagnostics_(diagnostics),
        large_(largeSizes()) {}

  void check(const sema::Rule &rule, const body::Facts &facts, const isl::set &points) {
    rule_ = &rule;
    facts_ = &facts;
    points_ = points;
    variables_.clear();
    conditions_.clear();
    for (const std::string &v : rule.freeVariables)
      variables_.push_back({v, poly::mangle(v), poly::mangle(v)});
    known_.clear();
    nodes(facts.nodes);
  }

private:
  /// A free variable of the rule or the variable of a loop.
  struct Variable {
    std::string name;  // in the program
    std::string isl;   // the name of its dimension in sets
    std::string value; // the program's variable as an expression over the dimensions
  };

  /// A condition for large sizes must hold for each value of a param that is not a size.
  isl::set largeSizes() const {
    isl::set sizes = spaces_.sizesFrom(kLarge);
    if (transform_.params.empty())
      return sizes.intersect(context_);
    std::vector<isl::set> cells;
    for (int m = 0; m < static_cast<int>(transform_.matrices.size()); ++m)
      cells.push_back(spaces_.cells(m));
    for (const std::string &param : transform_.params) {
      const std::string name = poly::mangle(param);
      const bool isSize =
          std::any_of(cells.begin(), cells.end(), [&](const isl::set &c) { return involves(c, name); });
      const int at = isl_set_find_dim_by_name(sizes.get(), isl_dim_param, name.c_str());
      if (!isSize && at >= 0)
        sizes = isl::manage(isl_set_eliminate(sizes.release(), isl_dim_param, static_cast<unsigned>(at), 1));
    }
    return sizes.intersect(context_);
  }

  static bool involves(const isl::set &set, const std::string &parameter) {
    const int at = isl_set_find_dim_by_name(set.get(), isl_dim_param, parameter.c_str());
    return at >= 0 &&
           isl_set_involves_dims(set.get(), isl_dim_param, static_cast<unsigned>(at), 1) == isl_bool_true;
  }

  std::string dimensions() const {
    std::vector<std::string> names;
    for (const Variable &v : variables_)
      names.push_back(v.isl);
    return poly::join(names);
  }

  isl::set where(const std::vector<std::string> &conditions) const {
    return isl_.set(fmt::format("{}{{ S[{}] : {} }}", spaces_.prefix(), dimensions(),
                                conditions.empty() ? "true" : poly::join(conditions, " and ")));
  }

  /// The rule's instances that reach the current place in the body.
  isl::set domain() const {
    std::vector<std::string> free;
    for (const std::string &v : rule_->freeVariables)
      free.push_back(poly::mangle(v));
    const isl::map toPoint = isl_.map(
        fmt::format("{{ S[{}] -> {}[{}] }}", dimensions(), spaces_.ruleTuple(*rule_), poly::join(free)));
    return where(conditions_).intersect(points_.apply(toPoint.reverse()));
  }

  void nodes(const std::vector<body::NodePtr> &list) {
    for (const body::NodePtr &n : list) {
      if (n->kind == body::Node::Kind::Loop) {
        loop(*n);
        continue;
      }
      value(*n->value, n->span);
      for (const body::ValuePtr &i : n->target.indices)
        value(*i, n->span);
      if (!n->target.isLocal)
        access(n->target.index, n->target.indices, n->target.span);
    }
  }

  void loop(const body::Node &n) {
    bool isAffine = false;
    const auto lower = body::boundText(*n.lower, *facts_), upper = body::boundText(*n.upper, *facts_);
    const std::string own = body::affineText(*n.variable, *facts_, isAffine);
    if (!lower || !upper || !isAffine)
      return;
    const std::string &name = facts_->iterators[n.iterator], at = poly::mangle(name);
    const std::size_t before = conditions_.size();
    conditions_.push_back(fmt::format("({}) <= {} < ({})", *lower, at, *upper));
    if (n.step != 1)
      conditions_.push_back(fmt::format("({} - ({})) mod {} = 0", at, *lower, n.step));
    variables_.push_back({n.variableName, at, own});
    nodes(n.body);
    variables_.pop_back();
    conditions_.resize(before);
  }

  void value(const Value &v, source::Span around) {
    const bool isSelect = v.kind == Value::Kind::Select;
    if (isSelect || (v.kind == Value::Kind::Binary && (v.text == "&&" || v.text == "||"))) {
      const Value &condition = *v.operands[0];
      value(condition, around);
      const auto text = body::conditionText(condition, *facts_);
      if (!text) // whether the other operands are computed depends on data
        return;
      under(v.text == "||" ? "not (" + *text + ")" : *text, *v.operands[1], around);
      if (isSelect)
        under("not (" + *text + ")", *v.operands[2], around);
      return;
    }
    for (const body::ValuePtr &o : v.operands)
      value(*o, around);
    if (v.kind == Value::Kind::Cell)
      access(v.index, v.operands, v.span.begin < v.span.end ? v.span : around);
  }

  void under(const std::string &condition, const Value &v, source::Span around) {
    conditions_.push_back("(" + condition + ")");
    value(v, around);
    conditions_.pop_back();
  }

  const sema::Binding &binding(int index) const {
    const auto outputs = static_cast<int>(rule_->outputs.size());
    return index < outputs ? rule_->outputs[index] : rule_->inputs[index - outputs];
  }

  void access(int number, const std::vector<body::ValuePtr> &indices, source::Span span) {
    const sema::Binding &b = binding(number);
    std::vector<std::string> at, outside;
    for (std::size_t d = 0; d < indices.size(); ++d) {
      bool isAffine = false;
      at.push_back(body::affineText(*indices[d], *facts_, isAffine));
      if (!isAffine)
        return;
      const int dimension = b.viewDims[d];
      outside.push_back(fmt::format("({0}) < 0 or ({0}) >= ({1}) - ({2})", at.back(), b.end[dimension].isl,
                                    b.begin[dimension].isl));
    }
    if (outside.empty())
      return;
    const std::string test = "(" + poly::join(outside, " or ") + ")";
    if (!known_.insert(dimensions() + ":" + poly::join(conditions_, " and ") + ":" + test).second)
      return;
    const isl::set made = domain(), bad = made.intersect(where({test}));
    if (bad.is_empty())
      return;
    const isl::set badSizes = bad.params();
    const bool isAlways = made.params().is_subset(badSizes),
               isForLarge = !large_.is_empty() && large_.is_subset(badSizes);
    if (isAlways || isForLarge)
      report(b, bad.intersect_params(isForLarge ? large_ : context_), at, span);
  }

  void report(const sema::Binding &b, const isl::set &bad, const std::vector<std::string> &indices,
              source::Span span) const {
    std::vector<std::string> names, values;
    for (const Variable &v : variables_) {
      const bool isUsed = std::any_of(indices.begin(), indices.end(), [&](const std::string &index) {
        const isl::set at = where({fmt::format("({}) = 0", index)});
        const auto d = static_cast<unsigned>(&v - variables_.data());
        return isl_set_involves_dims(at.get(), isl_dim_set, d, 1) == isl_bool_true;
      });
      if (isUsed)
        names.push_back(v.name), values.push_back(v.value);
    }
    const isl::map toValues =
        isl_.map(fmt::format("{}{{ S[{}] -> [{}] }}", spaces_.prefix(), dimensions(), poly::join(values)));
    const std::string where = poly::firstPoint(bad.apply(toValues), names);
    const std::string name = b.name.empty() ? transform_.matrices[b.matrix].name : b.name;
    std::vector<std::string> extents;
    for (const int d : b.viewDims) {
      const isl::pw_aff extent(isl_.get(), fmt::format("{}{{ S[{}] -> [({}) - ({})] }}", spaces_.prefix(),
                                                       dimensions(), b.end[d].isl, b.begin[d].isl));
      extents.push_back(poly::readable(extent).value_or("?"));
    }
    diagnostics_
        .error(span, fmt::format("this is outside of `{}`{}", name, where.empty() ? "" : " at " + where))
        .note(b.span, fmt::format("`{}` has {} cell{}", name, fmt::join(extents, " x "),
                                  extents.size() == 1 && extents[0] == "1" ? "" : "s"))
        .help("coordinates in a body begin at 0, and the last one is the number of cells less 1: correct the "
              "index or the loop's bounds, or give the rule a larger region");
  }

  const sema::Transform &transform_;
  const Spaces &spaces_;
  const isl::set context_;
  const poly::Context &isl_;
  source::Diagnostics &diagnostics_;
  const isl::set large_;
  const sema::Rule *rule_ = nullptr;
  const body::Facts *facts_ = nullptr;
  isl::set points_;
  std::vector<Variable> variables_;
  std::vector<std::string> conditions_; // under which the body reaches the current place
  std::set<std::string> known_;         // the accesses that were checked already
};

/// The points at which the rule runs in at least one alternative.
isl::set pointsOf(int rule, const Choices &choices) {
  isl::set all = isl::set::empty(choices.grid.applications[rule].domain.get_space());
  std::vector<isl::set> seen;
  for (const Alternative &a : choices.alternatives)
    for (const Use &use : a.uses)
      if (use.rule == rule && std::none_of(seen.begin(), seen.end(), [&](const isl::set &other) {
            return isl_set_plain_is_equal(other.get(), use.domain.get()) == isl_bool_true;
          })) {
        seen.push_back(use.domain);
        all = all.unite(use.domain);
      }
  return all;
}

} // namespace

void checkBodyAccesses(const sema::Module &module, const std::vector<std::vector<body::Facts>> &facts,
                       const std::vector<Choices> &choices, const poly::Context &isl,
                       source::Diagnostics &diagnostics) {
  std::set<std::string> wrong; // templates with an error: it is reported once, not for each instance
  for (const sema::Transform &t : module.transforms) {
    if (wrong.count(t.family))
      continue;
    const unsigned errorsBefore = diagnostics.errorCount();
    isl.withBudget(kBudget, [&] {
      const Spaces spaces(t, isl);
      BodyAccesses accesses(t, spaces, choices[t.index].grid.context, isl, diagnostics);
      for (const sema::Rule &r : t.rules)
        if (!facts[t.index][r.index].nodes.empty())
          accesses.check(r, facts[t.index][r.index], pointsOf(r.index, choices[t.index]));
    });
    if (diagnostics.errorCount() != errorsBefore)
      wrong.insert(t.family);
  }
}

} // namespace pbc::choice
