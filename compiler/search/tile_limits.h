// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Limits on the sizes of tiles, and on copies of what they use.
//
//   a loop of 4096 iterations in four levels: the three inner ones have at most 4096 iterations together
//   a loop from 1 to 33: no tile of 32, which would begin at a multiple of 32, lies in it
//   a copy of 640 x 128 doubles does not fit into 512 KiB: a loop with fewer iterations has to be around it
//
// Invariant: nothing is removed that some implementation within the limit has; of a complete state a limit is exact.
#pragma once
#include "compiler/search/problem.h"
#include "compiler/search/structure.h"

namespace pbc::search {

class Space;

/// Whether at least one tile of so many iterations is whole. Tiles begin at multiples of their size.
bool hasWholeTile(const SizeProduct &, long iterations);

/// The sizes of all levels of one loop.
class WholeTileLimit : public Limit {
public:
  WholeTileLimit(const Space &space, const SizeProduct &product) : space_(space), product_(product) {}
  std::vector<int> watched() const override;
  bool propagate(State &, int self) const override;
  bool holdsAnyway(const State &) const override;

private:
  const std::vector<long> &values(int size) const;
  /// The product with the least values that are left, or with the largest; without the size that has the index `without`.
  long product(const State &, bool atMost, std::size_t without) const;

  const Space &space_;
  const SizeProduct &product_;
};

/// The bytes of one copy of what the dimensions use that it lies outside of.
class CopyLimit : public Limit {
public:
  CopyLimit(const Space &space, int copy) : space_(space), copy_(copy) {}
  std::vector<int> watched() const override;
  bool propagate(State &, int self) const override;
  bool holdsAnyway(const State &) const override;

private:
  /// What is counted for certain, or what may be: of one dimension with so many iterations.
  struct Assumed {
    int dimension = -1;
    long iterations = 1;
  };
  long bytes(const State &, bool atMost, const Assumed &) const;
  template <class Visit>
  bool each(const Visit &visit) const;

  const Space &space_;
  int copy_;
};

} // namespace pbc::search
