// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/count.h"
#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <unordered_map>

namespace pbc::search {
namespace {

/// Variables that constraints connect.
struct Component {
  std::vector<int> variables, constraints;
};

class Counter {
public:
  Counter(State &state, const CountOptions &options) : state_(state), options_(options) {
    const std::size_t variables = state.problem().variables().size();
    isWanted_.assign(variables, 0);
    seenVariable_.assign(variables, 0);
    seenConstraint_.assign(state.problem().constraints().size(), 0);
  }

  /// How many ways there are to decide these variables; nothing if it takes too long.
  std::optional<long double> count(const std::vector<int> &variables) {
    long double product = 1;
    for (const Component &component : split(variables)) {
      if (component.constraints.empty()) {
        product *= std::popcount(state_.domain(component.variables.front()));
        continue;
      }
      const std::string key = keyOf(component);
      if (auto known = known_.find(key); known != known_.end()) {
        product *= known->second;
        continue;
      }
      const std::optional<long double> counted = branch(component);
      if (!counted)
        return std::nullopt;
      if (known_.size() < options_.mostRemembered)
        known_.emplace(key, *counted);
      product *= *counted;
      if (product == 0)
        return product;
    }
    return product;
  }

  long states = 0;

private:
  std::optional<long double> branch(const Component &component) {
    const int variable = choose(component);
    long double sum = 0;
    for (Domain rest = state_.domain(variable); rest != 0; rest &= rest - 1) {
      if (++states > options_.mostStates)
        return std::nullopt;
      const State::Mark before = state_.mark();
      std::optional<long double> counted = 0;
      if (state_.decide(variable, unsigned(std::countr_zero(rest))))
        counted = count(component.variables);
      state_.undo(before);
      if (!counted)
        return std::nullopt;
      sum += *counted;
    }
    return sum;
  }

  /// The variable that most constraints connect with others.
  int choose(const Component &component) const {
    std::vector<int> weight(component.variables.size(), 0);
    for (std::size_t i = 0; i < component.variables.size(); ++i)
      for (const int c : state_.problem().of(component.variables[i]))
        weight[i] +=
            std::binary_search(component.constraints.begin(), component.constraints.end(), c) ? 1 : 0;
    return component.variables[std::size_t(std::max_element(weight.begin(), weight.end()) - weight.begin())];
  }

  template <class Visit>
  void eachVariable(const Constraint &constraint, const Visit &visit) const {
    const Problem &problem = state_.problem();
    switch (constraint.kind) {
    case Constraint::Kind::Clause:
      for (const Literal &literal : problem.literals(constraint))
        if ((state_.domain(literal.variable) & literal.values) != 0)
          visit(literal.variable);
      break;
    case Constraint::Kind::Triple: {
      const Triple &triple = problem.triple(constraint);
      for (const int variable : {triple.ab, triple.bc, triple.ac})
        visit(variable);
      break;
    }
    case Constraint::Kind::Limit:
      for (const int variable : problem.limit(constraint).watched())
        visit(variable);
    }
  }

  std::vector<Component> split(const std::vector<int> &variables) {
    ++pass_;
    for (const int variable : variables)
      if (!state_.isDecided(variable))
        isWanted_[std::size_t(variable)] = pass_;
    std::vector<Component> components;
    const int pass = pass_;
    for (const int first : variables) {
      if (isWanted_[std::size_t(first)] != pass || seenVariable_[std::size_t(first)] == pass)
        continue;
      Component component;
      component.variables.push_back(first);
      seenVariable_[std::size_t(first)] = pass;
      for (std::size_t next = 0; next < component.variables.size(); ++next)
        for (const int c : state_.problem().of(component.variables[next])) {
          if (seenConstraint_[std::size_t(c)] == pass)
            continue;
          seenConstraint_[std::size_t(c)] = pass;
          const Constraint &constraint = state_.problem().constraints()[std::size_t(c)];
          if (holdsAnyway(state_, constraint))
            continue;
          component.constraints.push_back(c);
          eachVariable(constraint, [&](int variable) {
            const auto at = std::size_t(variable);
            if (isWanted_[at] == pass && seenVariable_[at] != pass) {
              seenVariable_[at] = pass;
              component.variables.push_back(variable);
            }
          });
        }
      std::sort(component.variables.begin(), component.variables.end());
      std::sort(component.constraints.begin(), component.constraints.end());
      components.push_back(std::move(component));
    }
    return components;
  }

  /// The open constraints, and the domains of all variables in them: what the number depends on.
  std::string keyOf(const Component &component) const {
    std::vector<int> variables = component.variables;
    std::string key;
    auto put = [&](std::uint32_t number) {
      while (number >= 128) {
        key += char(number | 128u);
        number >>= 7;
      }
      key += char(number);
    };
    for (const int c : component.constraints) {
      put(std::uint32_t(c));
      eachVariable(state_.problem().constraints()[std::size_t(c)],
                   [&](int variable) { variables.push_back(variable); });
    }
    std::sort(variables.begin(), variables.end());
    variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
    key += char(0);
    for (const int variable : variables) {
      put(std::uint32_t(variable));
      put(state_.domain(variable));
    }
    return key;
  }

  State &state_;
  const CountOptions &options_;
  std::unordered_map<std::string, long double> known_;
  std::vector<int> isWanted_, seenVariable_, seenConstraint_;
  int pass_ = 0;
};

/// The mean over random descents of the product of the numbers of values on the way.
long double estimate(State &state, int descents) {
  std::mt19937_64 random(1);
  long double sum = 0;
  for (int descent = 0; descent < descents; ++descent) {
    const State::Mark before = state.mark();
    long double product = 1;
    for (int variable = 0; variable < int(state.domains().size()) && product > 0; ++variable) {
      const int values = std::popcount(state.domain(variable));
      if (values == 1)
        continue;
      Domain rest = state.domain(variable);
      for (auto skip = random() % std::uint64_t(values); skip > 0; --skip)
        rest &= rest - 1;
      product = state.decide(variable, unsigned(std::countr_zero(rest))) ? product * values : 0;
    }
    state.undo(before);
    sum += product;
  }
  return sum / descents;
}

} // namespace

Count countLeaves(State &state, const CountOptions &options) {
  std::vector<int> all(state.domains().size());
  std::iota(all.begin(), all.end(), 0);
  Counter counter(state, options);
  Count made;
  if (const auto counted = counter.count(all)) {
    made.leaves = *counted;
  } else {
    made.leaves = estimate(state, options.descents);
    made.isExact = false;
  }
  made.states = counter.states;
  return made;
}

} // namespace pbc::search
