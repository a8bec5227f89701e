// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/strategy/smaller_sizes.h"

#include "tuner/strategy/duels.h"
#include "tuner/strategy/neighbours.h"

#include <algorithm>
#include <utility>

namespace pbc::tuner {
namespace {

constexpr double kGain = 0.9;    // of the time before: what is less may be noise of a short run
constexpr double kAsFast = 1.02; // ratio that counts as equal at the full size
constexpr int kRuns = 3;
constexpr double kSizes = 0.6; // of the time; the rest is for the full size

class SmallerSizes {
public:
  SmallerSizes(Tester &tester, const Configuration &best, int full, const Deadline &deadline)
      : tester_(tester), best_(best), full_(full), deadline_(deadline) {}

  Configuration run() {
    std::vector<Configuration> steps{best_};
    const Deadline forSizes = part(deadline_, kSizes, tester_.spent());
    for (int size = 0; size < full_ && tester_.mayGoOn(forSizes); ++size)
      if (improve(size, forSizes))
        steps.push_back(best_);
    while (steps.size() > 1 && !isAsFastAtFullSize(steps.back(), steps.front()))
      steps.erase(steps.begin() + static_cast<std::ptrdiff_t>((steps.size() + 1) / 2), steps.end());
    return steps.back();
  }

private:
  bool improve(int size, const Deadline &deadline) {
    Candidate now{best_, {}};
    if (!tester_.test(now, size, kRuns, best_))
      return false;
    std::vector<std::pair<double, Configuration>> faster = fasterThan(now.at(size), size, deadline);
    std::sort(faster.begin(), faster.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    for (const auto &[seconds, challenger] : faster)
      if (Duels(tester_, best_, size, deadline, Care::Sparing).isBeatenBy(challenger)) {
        best_ = challenger;
        return true;
      }
    return false;
  }

  std::vector<std::pair<double, Configuration>> fasterThan(double seconds, int size,
                                                           const Deadline &deadline) {
    const long n = tester_.sizes()[static_cast<std::size_t>(size)].n;
    std::vector<Configuration> challengers = bandChanges(tester_.space(), tester_.bans(), best_, n);
    if (size == 0) // nothing is known of sizes below, so they may be as the smallest one is
      for (Configuration &all : changesBelow(tester_.space(), tester_.bans(), best_, n))
        challengers.push_back(std::move(all));
    std::vector<std::pair<double, Configuration>> faster;
    for (const Configuration &c : challengers) {
      if (!tester_.mayGoOn(deadline))
        break;
      Candidate challenger{c, {}};
      if (tester_.test(challenger, size, 1, best_) && challenger.at(size) < kGain * seconds)
        faster.emplace_back(challenger.at(size), c);
    }
    return faster;
  }

  /// Both run in turns, because earlier times are of another moment.
  bool isAsFastAtFullSize(const Configuration &changed, const Configuration &found) {
    Candidate before{found, {}}, after{changed, {}};
    const auto fastest = [&](const Candidate &of) {
      const std::vector<double> &seconds = of.seconds.at(full_);
      return *std::min_element(seconds.begin(), seconds.end());
    };
    for (int run = 0; run < kRuns; ++run) {
      if (!tester_.mayGoOn(deadline_) || !tester_.testNow(before, full_, 1, found) ||
          !tester_.testNow(after, full_, 1, found))
        return false;
      if (fastest(after) <= kAsFast * fastest(before))
        return true;
    }
    return false;
  }

  Tester &tester_;
  Configuration best_;
  const int full_;
  const Deadline deadline_;
};

} // namespace

Configuration goodAtSmallerSizes(Tester &tester, const Configuration &best, int size,
                                 const Deadline &deadline) {
  return SmallerSizes(tester, best, size, deadline).run();
}

} // namespace pbc::tuner
