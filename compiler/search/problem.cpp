// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/problem.h"
#include <algorithm>

namespace pbc::search {

int Problem::addVariable(const Variable &variable) {
  variables_.push_back(variable);
  of_.emplace_back();
  return int(variables_.size()) - 1;
}

void Problem::add(const Constraint &constraint, std::span<const int> variables) {
  for (const int variable : variables)
    of_[std::size_t(variable)].push_back(int(constraints_.size()));
  constraints_.push_back(constraint);
}

void Problem::addClause(int rule, std::span<const Literal> given) {
  std::vector<Literal> kept;
  for (const Literal &literal : given) {
    auto same = std::find_if(kept.begin(), kept.end(),
                             [&](const Literal &k) { return k.variable == literal.variable; });
    if (same == kept.end())
      same = kept.insert(kept.end(), {literal.variable, 0});
    same->values |= literal.values;
  }
  auto initial = [&](const Literal &l) { return variables_[std::size_t(l.variable)].initial; };
  for (const Literal &literal : kept)
    if ((initial(literal) & ~literal.values) == 0)
      return;
  // A clause without literals cannot hold: it keeps one that never does, so that the state finds the contradiction.
  if (kept.size() > 1)
    kept.erase(std::remove_if(kept.begin() + 1, kept.end(),
                              [&](const Literal &l) { return (initial(l) & l.values) == 0; }),
               kept.end());
  const int begin = int(literals_.size());
  std::vector<int> variables;
  for (const Literal &literal : kept) {
    literals_.push_back(literal);
    variables.push_back(literal.variable);
  }
  add({Constraint::Kind::Clause, rule, begin, int(literals_.size())}, variables);
}

void Problem::addTriple(const Triple &triple) {
  triples_.push_back(triple);
  const int variables[] = {triple.ab, triple.bc, triple.ac};
  add({Constraint::Kind::Triple, -1, int(triples_.size()) - 1, 0}, variables);
}

void Problem::addLimit(int rule, std::unique_ptr<Limit> limit) {
  const std::vector<int> variables = limit->watched();
  limits_.push_back(std::move(limit));
  add({Constraint::Kind::Limit, rule, int(limits_.size()) - 1, 0}, variables);
}

} // namespace pbc::search
