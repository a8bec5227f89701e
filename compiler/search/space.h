// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The space of all implementations of a structure: a variable for each decision about it, and the rules of the table of
// decisions between them.
//
//   Space space(structure);
//   State root(space.problem());
//   root.propagate();                                 // false: the space is empty (why, says whyEmpty)
//   root.decide(space.kind(d0), unsigned(Kind::Block))
//
// Invariant: the complete states of problem() are the legal implementations, each once.
#pragma once
#include "compiler/search/decision.h"
#include "compiler/search/state.h"
#include "compiler/search/structure.h"

namespace pbc::search {

class Space {
public:
  explicit Space(Structure);
  Space(const Space &) = delete;
  Space &operator=(const Space &) = delete;

  const Structure &structure() const { return structure_; }
  const Problem &problem() const { return problem_; }

  // The variables.
  int kind(int dimension) const { return kinds_[std::size_t(dimension)]; }
  int place(int communication) const { return places_[std::size_t(communication)]; }
  int cache(int access) const { return caches_[std::size_t(access)]; }
  /// Of a size of the structure; the values are indices into Size::values.
  int size(int size) const { return sizes_[std::size_t(size)]; }
  int sizeOf(int dimension) const { return size(structure_.dimension(dimension).size); }

  /// What the first object may still be to the second.
  OrderSet order(const State &, int first, int second) const;
  KindSet kinds(const State &state, int dimension) const {
    return KindSet::ofBits(state.domain(kind(dimension)));
  }

  // Literals, for rules.
  Literal isKind(int dimension, KindSet) const;
  Literal isPlace(int communication, PlaceSet) const;
  Literal isOrder(int first, int second, OrderSet) const;
  Literal isCache(int access, CacheSet) const;

  // For the decisions' functions only.
  Problem &making() { return problem_; }
  void setKind(int dimension, int variable) { kinds_[std::size_t(dimension)] = variable; }
  void setOrder(int first, int second, int variable) { orders_[pair(first, second)] = variable; }
  void setPlace(int communication, int variable) { places_[std::size_t(communication)] = variable; }
  void setCache(int access, int variable) { caches_[std::size_t(access)] = variable; }
  void setSize(int size, int variable) { sizes_[std::size_t(size)] = variable; }
  void clause(int rule, std::initializer_list<Literal> literals) {
    problem_.addClause(rule, {literals.begin(), literals.size()});
  }
  /// All objects that are dimensions; all that are instructions.
  const std::vector<int> &dimensions() const { return dimensions_; }
  const std::vector<int> &instructions() const { return instructions_; }

  /// "kind(d0)", "order(d0, i1)".
  std::string nameOf(int variable) const;
  /// "for or block": the values of a domain of the variable.
  std::string valuesOf(int variable, Domain) const;
  /// The sentence of the rule, or the rules of the order of loops, or the decision that it was.
  std::string sentenceOf(int constraint) const;
  /// "order(d2, d3) has no value: K1 (Fused dimensions have the same kind.) and ... clash".
  std::string why(const State::Conflict &) const;

private:
  std::size_t pair(int first, int second) const; // first < second
  const Rule *ruleOf(int constraint) const;

  Structure structure_;
  Problem problem_;
  std::vector<int> dimensions_, instructions_;
  std::vector<int> kinds_, orders_, places_, caches_, sizes_;
};

} // namespace pbc::search
