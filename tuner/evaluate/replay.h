// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Answers from a measured space in place of the machine: strategies are compared in seconds, and alike
// everywhere.
//
//   Replay replay(measured, seed);
//   replay.measure({configuration, size 2, trials 1, limit 0.5})
//       -> the time of the nearest point, with the noise that single runs had
//   replay.truth(configuration)
//       -> the time without noise, at the full size
//
// Its clock advances by the time that each run would have taken and by an overhead for each run. Invariant:
// the same seed and the same requests give the same answers. Source: tuning-practice.md 7 (arXiv 2509.26300).
#pragma once
#include "tuner/evaluate/measured_space.h"
#include "tuner/strategy/random.h"

#include <set>

namespace pbc::tuner {

class Replay : public Evaluator {
public:
  Replay(const MeasuredSpace &, std::uint64_t seed);

  Measurement measure(const Request &) override;
  double elapsed() const override { return clock_; }
  bool stopped() const override { return false; }

  double truth(const Configuration &) const;
  double optimum() const;
  /// The number of different points that were asked for, at any size.
  std::size_t pointsSeen() const { return seen_.size(); }

  double overhead = 0.0005; // seconds of a request in addition to its runs

private:
  const MeasuredSpace &measured_;
  const Grid grid_;
  Random random_;
  double clock_ = 0;
  std::set<std::uint64_t> seen_;
};

} // namespace pbc::tuner
