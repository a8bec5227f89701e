// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Decisions as variables with a set of remaining values each, and the constraints between them. This is all that a search
// sees: it knows nothing of what the decisions mean.
//
//   kind(i)  {for, unroll, thread}        clause: order(i,j) is not fused, or kind(i) is not thread, or kind(j) is thread
//   order(i,j)  {inside, outside, fused}  triple: order(i,j), order(j,k) and order(i,k) make a forest of loops
//
// Values are only removed, never added: all that can ever be applied is known from the beginning (lower-bound-search.md,
// section 2.2). Invariant: constraints name variables of this problem; those of a triple are of three objects a < b < c, each
// from the lower to the higher one.
#pragma once
#include "compiler/search/order.h"
#include <memory>
#include <span>
#include <vector>

namespace pbc::search {

/// A set of values: bit `1 << value`.
using Domain = std::uint32_t;

constexpr bool isSingle(Domain domain) { return domain != 0 && (domain & (domain - 1)) == 0; }

struct Variable {
  int decision;           // which row of the table of decisions
  int first, second = -1; // what it decides about; the meaning is the decision's
  Domain initial;
};

/// "The variable has one of these values."
struct Literal {
  int variable;
  Domain values;
};

class State;

/// A limit that is no clause, such as the number of threads in a block.
class Limit {
public:
  Limit() = default;
  Limit(const Limit &) = delete;
  Limit &operator=(const Limit &) = delete;
  virtual ~Limit() = default;
  /// The variables after whose change it has to be checked.
  virtual std::vector<int> watched() const = 0;
  /// Removes values that would break the limit whatever else is decided. False: it is broken already.
  virtual bool propagate(State &, int self) const = 0;
  /// Whether no decision can break it any more.
  virtual bool holdsAnyway(const State &) const = 0;
};

/// One constraint: at least one literal of a clause holds; a triple of orders is a forest; a limit is kept.
struct Constraint {
  enum class Kind : std::uint8_t { Clause, Triple, Limit };
  Kind kind;
  int rule;       // which rule it is an instance of: an index that the space gives; -1 for triples
  int begin, end; // Clause: literals; Triple: `begin` is an index into triples; Limit: into limits
};

struct Triple {
  int ab, bc, ac; // variables
};

class Problem {
public:
  int addVariable(const Variable &);
  /// Literals that always hold make the clause superfluous, and those that never hold are left out. Of two literals of one
  /// variable, the values are united.
  void addClause(int rule, std::span<const Literal>);
  void addTriple(const Triple &);
  void addLimit(int rule, std::unique_ptr<Limit>);
  /// For the first domains, before constraints are added.
  void keepOnly(int variable, Domain values) { variables_[std::size_t(variable)].initial &= values; }

  const std::vector<Variable> &variables() const { return variables_; }
  const std::vector<Constraint> &constraints() const { return constraints_; }
  std::span<const Literal> literals(const Constraint &c) const {
    return {literals_.data() + c.begin, literals_.data() + c.end};
  }
  const Triple &triple(const Constraint &c) const { return triples_[std::size_t(c.begin)]; }
  const Limit &limit(const Constraint &c) const { return *limits_[std::size_t(c.begin)]; }
  /// The constraints of which the variable is a part.
  const std::vector<int> &of(int variable) const { return of_[std::size_t(variable)]; }

private:
  void add(const Constraint &, std::span<const int> variables);

  std::vector<Variable> variables_;
  std::vector<Constraint> constraints_;
  std::vector<Literal> literals_;
  std::vector<Triple> triples_;
  std::vector<std::unique_ptr<Limit>> limits_;
  std::vector<std::vector<int>> of_;
};

} // namespace pbc::search
