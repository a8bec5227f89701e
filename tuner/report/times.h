// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The times of a recording by size and configuration, for quick access by analyses.
//
//   Times times(recording);   times.at(size)[configuration].seconds  ->  {0.5, 0.52}
//
// Invariant: `at(size)` has exactly the configurations that were tried at this size.
#pragma once
#include "tuner/report/recording.h"
#include "tuner/report/resampling.h"

#include <map>

namespace pbc::tuner {

struct Tried {
  std::vector<double> seconds;
  double limit = 0;     // the longest limit at which it was stopped as too slow; 0: it was not
  bool isWrong = false; // rejected for another reason

  bool counts() const { return !isWrong && (!seconds.empty() || limit > 0); }
  bool isAtLeast() const { return seconds.empty(); }
  /// The median, or the limit that it reached.
  double typical() const;
};

class Times {
public:
  explicit Times(const Recording &);
  const std::map<int, Tried> &at(int size) const { return bySize_[static_cast<std::size_t>(size)]; }
  const Resampling &noise(int size) const { return noise_[static_cast<std::size_t>(size)]; }

private:
  std::vector<std::map<int, Tried>> bySize_;
  std::vector<Resampling> noise_;
};

} // namespace pbc::tuner
