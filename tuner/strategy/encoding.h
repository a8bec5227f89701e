// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Configurations as rows of numbers, for models that know nothing of selectors.
//
//   Encoding encoding(space, n = 64);
//   encoding.row({n<16: Insertion, else Merge}, block 64)
//     ->  at sizes 64, 32, 16, 8, ...: is it Merge? is it Insertion? ... ; 64
//
// What a selector does at a size counts, not how its levels are written: equal behaviour, equal row. Only
// decisions that are open at n are in it. Source: own; one-hot columns because alternatives have no order.
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
  std::vector<long> probes_; // sizes at which selectors are asked
  std::size_t columns_ = 0;
};

} // namespace pbc::tuner
