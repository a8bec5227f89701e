// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Simulates a program on a machine that has more to do than it has processors: a run is either not
// interrupted at all, or waits for a whole time slice of another program.
//
//   T(n) = n x 70 ns with the default, n x 12 ns with the best of four alternatives,
//          n x 14 and n x 100 ns with others; with a certain probability 10 to 30 ms more
//
// So the time of a short run says how often it was interrupted, and hardly anything about the program.
#pragma once
#include "tests/unit/tuner/synthetic.h"

namespace pbc::tuner {

inline ProgramSpace interruptedSpace() {
  ProgramSpace space;
  space.program = space.main = "Interrupted";
  space.hash = "h3";
  space.sites.push_back(
      {"Interrupted", "Interrupted", "", {{"Merge", ""}, {"Quick", ""}, {"Bubble", ""}, {"Radix", ""}}});
  space.tunables.push_back({"Interrupted", "block", "", true, true, 64, 1, 4096});
  return space;
}

class Interrupted : public Evaluator {
public:
  /// `chance`: the probability of an interruption in each run.
  Interrupted(std::vector<TestSize> sizes, double chance, std::uint64_t seed)
      : sizes_(std::move(sizes)), chance_(chance), random_(seed) {}

  double truth(const Configuration &c, long n) const {
    return static_cast<double>(n) * seconds[static_cast<std::size_t>(c.selectors()[0].select(n))];
  }
  Measurement measure(const Request &request) override {
    constexpr double kOverhead = 3e-4, kPatience = 0.2; // of a request
    Measurement result;
    double sum = 0;
    for (int i = 0; i < request.trials && sum <= request.limit * request.trials; ++i) {
      double time = truth(request.configuration, sizes_[static_cast<std::size_t>(request.size)].n) *
                    random_.lognormal(0.02);
      if (random_.chance(chance_))
        time += 0.01 + 0.02 * random_.unit();
      sum += time;
      result.seconds.push_back(time);
    }
    clock_ += sum + kOverhead;
    if (sum > request.limit * (request.trials + 1) + kPatience)
      return {{}, Rejected{Failure::TooSlow, "was stopped"}};
    return result;
  }
  double elapsed() const override { return clock_; }
  bool stopped() const override { return false; }

  std::vector<double> seconds{70e-9, 14e-9, 100e-9, 12e-9}; // of each alternative, for one cell

private:
  std::vector<TestSize> sizes_;
  double chance_;
  Random random_;
  double clock_ = 0;
};

/// Tunes it; true if anything but the default won.
inline TuneResult tuneInterrupted(Interrupted &evaluator, const std::vector<TestSize> &sizes,
                                  std::uint64_t seed) {
  static const ProgramSpace space = interruptedSpace();
  Silent silent;
  TuneSettings settings;
  settings.deadline = 6;
  settings.seed = seed;
  return tune(space, sizes, {}, settings, evaluator, silent);
}

} // namespace pbc::tuner
