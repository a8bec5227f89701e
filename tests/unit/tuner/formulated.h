// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times by a formula, for tests of what comes after a search.
#pragma once
#include "tests/unit/tuner/synthetic.h"

#include <functional>

namespace pbc::tuner {

using Formula = std::function<double(const Configuration &, long n)>; // seconds

/// A formula with 1 % of noise; each measurement advances the clock by its result.
class Formulated : public Evaluator {
public:
  Formulated(std::vector<TestSize> sizes, Formula formula)
      : sizes_(std::move(sizes)), formula_(std::move(formula)) {}
  Measurement measure(const Request &request) override {
    Measurement result;
    for (int i = 0; i < request.trials; ++i) {
      result.seconds.push_back(
          formula_(request.configuration, sizes_[static_cast<std::size_t>(request.size)].n) *
          random_.lognormal(0.01));
      clock_ += result.seconds.back();
    }
    return result;
  }
  double elapsed() const override { return clock_; }
  bool stopped() const override { return false; }

private:
  std::vector<TestSize> sizes_;
  Formula formula_;
  Random random_{7};
  double clock_ = 0;
};

} // namespace pbc::tuner
