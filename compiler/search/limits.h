// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Limits of a machine on sums and products over many decisions. Each keeps the least that the remaining decisions can
// come to, and removes what would break the limit even so.
//
//   at most 1024 threads: i (32) and j (32) are threads around k (2): k is no thread
//
// Invariant: nothing is removed that some implementation within the limit has; of a complete state the sums are exact.
// Source: lower-bound-search.md, section 2.5, K4, K7, K9, K10.
#pragma once
#include "compiler/search/problem.h"
#include "compiler/search/values.h"

namespace pbc::search {

class Space;

/// The dimensions of one kind that are nested in each other around `inner`, itself included. Fused ones count once. Nests one
/// after the other use the same threads, so that each is counted alone.
class NestLimit : public Limit {
public:
  enum class What { Iterations, Dimensions };
  NestLimit(const Space &space, int inner, Kind kind, What what, long most)
      : space_(space), inner_(inner), kind_(kind), what_(what), most_(most) {}
  std::vector<int> watched() const override;
  bool propagate(State &, int self) const override;
  bool holdsAnyway(const State &) const override;

private:
  std::vector<int> certain(const State &) const;
  bool areNested(const State &, int dimension, const std::vector<int> &others) const;
  /// The least product, with the size variable `fixed` at its value `at`; or without any fixed one: -1.
  long least(const State &, const std::vector<int> &dimensions, int fixed = -1, unsigned at = 0) const;

  const Space &space_;
  int inner_;
  Kind kind_;
  What what_;
  long most_;
};

/// The bytes of all communications through the block's memory. A buffer has a cell for each iteration of those dimensions that
/// are not fused.
class SharedLimit : public Limit {
public:
  explicit SharedLimit(const Space &space) : space_(space) {}
  std::vector<int> watched() const override;
  bool propagate(State &, int self) const override;
  bool holdsAnyway(const State &) const override;

private:
  long bytes(const State &, int communication, bool atMost) const;
  bool fuseWhatDoesNotFit(State &, int self, int communication, long others) const;

  const Space &space_;
};

/// The registers of one communication: a thread has a value for each copy of what is written out.
class RegisterLimit : public Limit {
public:
  RegisterLimit(const Space &space, int communication) : space_(space), communication_(communication) {}
  std::vector<int> watched() const override;
  bool propagate(State &, int self) const override;
  bool holdsAnyway(const State &) const override;

private:
  /// Without the copies of the target's dimension `without`; -1: with all.
  long registers(const State &, bool atMost, int without = -1) const;

  const Space &space_;
  int communication_;
};

/// The least and the most iterations that a dimension may still have.
long leastIterations(const Space &, const State &, int dimension);
long mostIterations(const Space &, const State &, int dimension);

} // namespace pbc::search
