// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The memory of a kernel's matrices in a process that measures leaves, with the same small numbers for each of them.
//
//   SampleMemory memory(arrays);
//   memory.fill(); memory.run(plain); memory.keepResults();
//   memory.fill(); memory.run(leaf);  memory.difference()     1e-16: relative to the largest result
#pragma once
#include "compiler/search/measure/leaf_library.h"

namespace pbc::search {

class SampleMemory {
public:
  /// Ends the process where there is not enough memory.
  explicit SampleMemory(const Arrays &arrays);
  SampleMemory(const SampleMemory &) = delete;
  SampleMemory &operator=(const SampleMemory &) = delete;
  ~SampleMemory();

  void fill();
  /// All of it, or one of several parts.
  void run(LeafFunction leaf, long part = 0, long parts = 1) {
    leaf(sizes_.data(), cells_.data(), part, parts);
  }
  /// Of the matrix with this number among the arrays.
  void *cells(std::size_t array) { return cells_[array]; }
  const Arrays &arrays() const { return arrays_; }

  void keepResults();
  /// The largest difference from the results that were kept, relative to the largest of them.
  double difference() const;
  /// Sums in another order differ by so much in the last digits.
  double allowedDifference() const;

private:
  void store(std::size_t a, long c, double value);
  double load(std::size_t a, long c) const;
  template <class Visit>
  void each(const Visit &visit) const;

  const Arrays &arrays_;
  std::vector<void *> memory_, cells_; // what was allocated, and where matrices begin in it
  std::vector<long> sizes_;
  std::vector<double> results_;
};

} // namespace pbc::search
