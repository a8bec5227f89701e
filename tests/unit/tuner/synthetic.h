// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A program that does not exist: the time of every configuration follows from a formula, with noise from a
// seed, and its clock moves only when something is measured. So a search can be judged exactly and within
// milliseconds.
//
//   T(n) = sum over the recursion m = n, n/2, ... 2 of (1 if the alternative is the best one for m, else 2 to 3),
//          then x (1 + |ratio - 5| / 8)
//
// where best(m) is one of twelve alternatives by eleven cut-offs at powers of 4.
#pragma once
#include "tuner/strategy/tune.h"

#include <bit>
#include <cmath>
#include <set>

namespace pbc::tuner {

struct Silent : Observer {
  void measured(const TestSize &, int, double, double) override {}
  void finished(const TestSize &, int, double, double) override {}
  void stage(const std::string &) override {}
};

inline ProgramSpace syntheticSpace(int alternatives = 12) {
  ProgramSpace space;
  space.program = space.main = "Synthetic";
  space.hash = "h1";
  Site site{"Synthetic", "Synthetic", "", {}};
  for (int i = 0; i < alternatives; ++i)
    site.alternatives.push_back({"A" + std::to_string(i), ""});
  space.sites.push_back(site);
  space.tunables.push_back({"Synthetic", "ratio", "", true, false, 0, 0, 8});
  return space;
}

class Synthetic : public Evaluator {
public:
  Synthetic(const ProgramSpace &space, std::vector<TestSize> sizes, double noise, std::uint64_t seed)
      : space_(space), sizes_(std::move(sizes)), noise_(noise), random_(seed) {}

  /// The order of the alternatives is shuffled, so that the default is not the best at any special size.
  static int bestAlternative(long m, int alternatives) {
    return ((std::bit_width(static_cast<unsigned long>(m)) - 1) / 2 * 5 + 3) % alternatives;
  }
  double truth(const Configuration &c, long n) const {
    const int alternatives = static_cast<int>(space_.sites[0].alternatives.size());
    double sum = 0;
    for (long m = n; m >= 2; m /= 2) {
      const int away =
          std::abs(c.selectors()[0].select(m) -
                   bestAlternative(std::max(shift < 0 ? m >> -shift : m << shift, 1L), alternatives));
      sum += 1e-3 * (away == 0 ? 1 : 1.75 + 0.25 * std::min(away, 5));
    }
    return sum * (1 + std::abs(c.tunables()[0] - bestRatio) / 8);
  }
  double optimum(long n) const { return 1e-3 * (std::bit_width(static_cast<unsigned long>(n)) - 1); }

  Measurement measure(const Request &request) override {
    Measurement result;
    ++requests;
    if (rejects && rejects(request.configuration, sizes_[request.size].n)) {
      clock += request.limit;
      return {{}, Rejected{Failure::Crash, "ends by signal 11"}};
    }
    for (int i = 0; i < request.trials; ++i) {
      const double seconds = truth(request.configuration, sizes_[request.size].n) * random_.lognormal(noise_);
      clock += seconds;
      result.seconds.push_back(seconds);
      if (seconds > request.limit)
        break;
    }
    history.push_back(request.configuration.key());
    return result;
  }
  double elapsed() const override { return clock; }
  bool stopped() const override { return stopAfter > 0 && requests >= stopAfter; }

  bool (*rejects)(const Configuration &, long n) = nullptr;
  int shift = 0; // of the cut-offs, in powers of two, on another machine
  double bestRatio = 5;
  double clock = 0;
  int requests = 0;
  int stopAfter = 0;
  std::vector<std::string> history;

private:
  const ProgramSpace &space_;
  std::vector<TestSize> sizes_;
  double noise_;
  Random random_;
};

inline std::vector<TestSize> powersOfTwo(int first, int last) {
  std::vector<TestSize> sizes;
  for (int bits = first; bits <= last; ++bits)
    sizes.push_back({"n=" + std::to_string(1L << bits), 1L << bits, 0});
  return sizes;
}

} // namespace pbc::tuner
