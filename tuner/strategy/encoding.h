// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Configurations as rows of numbers, for models that do not know selectors.
//
//   Encoding encoding(space, n = 64);
//   encoding.row({n<16: Insertion, else Merge}, block 64)
//     ->  for sizes 64, 32, 16, 8, ...: a column each for "is Merge", "is Insertion"; then 64
//
// A row shows what a selector does at each size, not how its levels are written: equal behaviour gives equal
// rows. A row has only decisions that are open at n. Source: own; one-hot columns because alternatives have
// no order.
#pragma once
#include "tuner/space/configuration.h"

namespace pbc::tuner {

class Encoding {
public:
  Encoding(const ProgramSpace &, long n);
  std::vector<float> row(const Configuration &) const;
  std::size_t columns() const { return columns_; }

private:
  struct OpenSite {
    std::size_t index;
    int alternatives;
  };
  std::vector<OpenSite> sites_;
  std::vector<std::size_t> tunables_;
  std::vector<long> probes_; // sizes at which selectors are evaluated
  std::size_t columns_ = 0;
};

} // namespace pbc::tuner
