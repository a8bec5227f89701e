// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One figure of a machine: what it usually is, how far that can be trusted, and the fastest that was ever seen.
//
//   Figure{2.6e9, 0.01, 2.62e9}      =>  2.6 GHz, give or take 1 %; one sample had 2.62 GHz
//   fastest(f, Better::Higher)       =>  2.62e9
//
// Models of a time use `value`. A lower bound of a time needs `fastest`: it is wrong if the machine is ever
// faster than the figure. Invariant: `best` is not slower than `value`. Source: lower-bound-search.md 5.1.
#pragma once
#include <optional>

namespace pbc::model {

struct Figure {
  double value = 0;  // median of the samples
  double spread = 0; // half of the middle 50 % of them, relative to the value; 0: looked up, computed
  std::optional<double> best; // the fastest sample
};

/// Which of two values of a figure is the faster: of a time the lower, of a rate the higher.
enum class Better { Lower, Higher };

inline bool isFaster(double a, double b, Better better) { return better == Better::Lower ? a < b : a > b; }

/// The best sample. A figure without one may be better than its value by its spread.
inline double fastest(const Figure &f, Better better) {
  if (f.best)
    return *f.best;
  return better == Better::Lower ? f.value / (1 + f.spread) : f.value * (1 + f.spread);
}

} // namespace pbc::model
