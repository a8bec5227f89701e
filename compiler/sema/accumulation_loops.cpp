// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/sema/accumulation_loops.h"
#include "compiler/poly/poly.h"
#include <algorithm>
#include <tuple>

namespace pbc::sema {

namespace {

constexpr unsigned long kFollowsBudget = 100000;

/// The inequalities as isl reads them; terms that are no names become parameters of their own.
class Inequalities {
public:
  std::string of(const Linear &l) {
    std::string sum = std::to_string(l.constant);
    for (const auto &[name, term] : l.terms)
      sum += " + (" + std::to_string(term.factor) + "*" + parameter(name, term) + ")";
    return sum;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto &[written, name] : parameters_)
      out.push_back(name);
    return out;
  }

private:
  const std::string &parameter(const std::string &written, const Linear::Term &term) {
    const std::string name = term.atom->kind == syntax::Expr::Kind::Name
                                 ? poly::mangle(written)
                                 : "pb__term" + std::to_string(parameters_.size());
    return parameters_.try_emplace(written, name).first->second;
  }
  std::map<std::string, std::string> parameters_;
};

class LoopFinder {
public:
  LoopFinder(const std::vector<Linear> &points, std::vector<Linear> known, const std::set<std::string> &sizes)
      : points_(points), cells_(std::move(known)), known_(cells_), sizes_(sizes) {}

  AccumulationLoops run(const std::vector<std::string> &variables) {
    for (const Linear &l : points_) { // a variable may have fallen out, as in `x + 2 < x`
      const auto names = l.names();
      if (std::none_of(variables.begin(), variables.end(), [&](const auto &v) { return names.contains(v); }))
        ask(l);
    }
    for (auto v = variables.rbegin(); v != variables.rend() && !out_.unbounded; ++v)
      loop(*v, std::set<std::string>(variables.begin(), (v + 1).base()), variables);
    return std::move(out_);
  }

private:
  /// The loop of `variable`; `inner`: those of the loops inside.
  void loop(const std::string &variable, const std::set<std::string> &inner,
            const std::vector<std::string> &all) {
    std::vector<Linear> mine, lower, upper;
    for (const Linear &l : points_) {
      const auto names = l.names();
      if (!names.contains(variable) ||
          std::any_of(inner.begin(), inner.end(), [&](const auto &i) { return names.contains(i); }))
        continue;
      mine.push_back(l);
      if (l.without(variable).mentions(variable))
        continue;
      if (const long factor = l.factor(variable))
        (factor > 0 ? lower : upper).push_back(l);
    }
    if (lower.empty() || upper.empty()) {
      out_.unbounded = variable;
      return;
    }
    const Linear first = best(lower, variable, all), last = best(upper, variable, all);
    const long by = first.factor(variable), down = -last.factor(variable);
    out_.loops.push_back({variable,
                          cxxOf(Linear().plus(first.without(variable), -1).plus(by - 1), sizes_, by),
                          cxxOf(last.without(variable).plus(down), sizes_, down)});
    known_.push_back(first), known_.push_back(last);
    for (const Linear &l : mine)
      ask(l);
    if (by == 1 && down == 1)
      out_.loops.back().range = range(Linear().plus(first.without(variable), -1),
                                      last.without(variable).plus(1), variable, mine, all);
  }

  /// A condition around the addition, if it does not follow from what is known.
  void ask(const Linear &l) {
    if (follows(l, {}))
      return;
    out_.conditions.push_back(cxxNotNegative(l, sizes_));
    known_.push_back(l);
  }

  /// `begin` to `end`, if the loop visits no others than points there whatever the cell is.
  std::optional<std::pair<Linear, Linear>> range(const Linear &begin, const Linear &end,
                                                 const std::string &variable, const std::vector<Linear> &mine,
                                                 const std::vector<std::string> &all) const {
    for (const std::string &other : all)
      if (begin.mentions(other) || end.mentions(other))
        return std::nullopt;
    if (!follows(end.plus(begin, -1), cells_, {}))
      return std::nullopt;
    for (const Linear &l : mine) {
      const long factor = l.factor(variable);
      const Linear rest = l.without(variable);
      if (rest.mentions(variable) ||
          !follows(rest.plus(factor > 0 ? begin : end.plus(-1), factor), cells_, {}))
        return std::nullopt;
    }
    return std::pair(begin, end);
  }

  Linear best(const std::vector<Linear> &bounds, const std::string &variable,
              const std::vector<std::string> &all) const {
    const auto value = [&](const Linear &bound) {
      const auto others = std::count_if(bounds.begin(), bounds.end(),
                                        [&](const Linear &other) { return follows(other, {bound}); });
      const auto names = bound.without(variable).names();
      const bool isUniform = std::all_of(names.begin(), names.end(), [&](const std::string &name) {
        return sizes_.contains(name) || std::find(all.begin(), all.end(), name) != all.end();
      });
      return std::tuple(others, isUniform);
    };
    return *std::max_element(bounds.begin(), bounds.end(),
                             [&](const Linear &a, const Linear &b) { return value(a) < value(b); });
  }

  /// Whether it is at least 0 where all that is known and `more` are.
  bool follows(const Linear &l, const std::vector<Linear> &more) const { return follows(l, known_, more); }

  bool follows(const Linear &l, const std::vector<Linear> &known, const std::vector<Linear> &more) const {
    Inequalities text;
    std::string all = text.of(l) + " <= -1";
    for (const auto *list : {&known, &more})
      for (const Linear &k : *list)
        all += " and " + text.of(k) + " >= 0";
    bool isEmpty = false;
    const auto ask = [&] {
      isEmpty = context_.set(poly::parameterPrefix(text.names()) + "{ : " + all + " }").is_empty();
    };
    return context_.withBudget(kFollowsBudget, ask) && isEmpty;
  }

  const std::vector<Linear> &points_;
  const std::vector<Linear> cells_; // what holds for all cells
  std::vector<Linear> known_;       // and in the loops so far
  const std::set<std::string> &sizes_;
  poly::Context context_;
  AccumulationLoops out_;
};

} // namespace

const AccumulationLoop *AccumulationLoops::find(const std::string &variable) const {
  const auto at =
      std::find_if(loops.begin(), loops.end(), [&](const auto &l) { return l.variable == variable; });
  return at == loops.end() ? nullptr : &*at;
}

AccumulationLoops accumulationLoops(const std::vector<std::string> &variables,
                                    const std::vector<Linear> &points, std::vector<Linear> known,
                                    const std::set<std::string> &sizes) {
  return LoopFinder(points, std::move(known), sizes).run(variables);
}

} // namespace pbc::sema
