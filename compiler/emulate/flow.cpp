// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/flow.h"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

namespace pbc::emulate {
namespace {

constexpr double kGrowing = 0.05; // queues, as a part of the time
constexpr double kLeast = 1;      // repetitions that are worth an estimate

/// What a warp, or all warps of a block, did between the states.
struct Progress {
  double rounds = 0; // of the loop
  int warps = 0;
  long left = std::numeric_limits<long>::max();
};

class Flow {
public:
  Flow(const CoreState &then, CoreState &now, const Program &program, const std::vector<int> &blockOf)
      : then_(then), now_(now), program_(program), loops_(program.trace.loops), blockOf_(blockOf) {}

  bool goOn() {
    if (now_.now <= then_.now || !measure())
      return false;
    double times = std::numeric_limits<double>::max();
    for (const auto &[key, p] : progress_)
      if (p.rounds > 0)
        times = std::min(times, static_cast<double>(p.left) / (p.rounds / p.warps));
    if (progress_.empty() || times < kLeast || times == std::numeric_limits<double>::max())
      return false;
    move(times);
    return true;
  }

private:
  using Key = std::pair<int, std::size_t>; // of warps that go on together, and their loop

  /// The outermost loop of which the warp is in another round, else the innermost one around its place; or none.
  std::size_t loopOf(std::size_t w) const {
    const std::size_t first = w * loops_.size();
    std::size_t innermost = loops_.size();
    for (std::size_t k = 0; k < loops_.size(); ++k) {
      if (!isIn(k, now_.step[w]))
        continue;
      innermost = k;
      if (then_.rounds[first + k] != now_.rounds[first + k])
        return k;
    }
    return innermost;
  }
  bool isIn(std::size_t loop, int step) const {
    return loops_[loop].first <= step && step < loops_[loop].end;
  }

  Key keyOf(std::size_t w, std::size_t loop) const {
    for (int k = loops_[loop].first; k < loops_[loop].end; ++k)
      if (program_.steps[static_cast<std::size_t>(k)].isBarrier)
        return {-1 - blockOf_[w], loop};
    return {static_cast<int>(w), loop};
  }

  double stepsOfRound(std::size_t loop) const {
    double all = 0;
    for (int k = loops_[loop].first; k < loops_[loop].end; ++k) {
      double times = 1;
      for (std::size_t inner = loop + 1; inner < loops_.size(); ++inner)
        if (loops_[inner].first <= k && k < loops_[inner].end)
          times *= static_cast<double>(loops_[inner].times);
      all += times;
    }
    return all;
  }

  bool measure() {
    const auto end = static_cast<int>(program_.steps.size());
    std::vector<double> steps;
    for (std::size_t k = 0; k < loops_.size(); ++k)
      steps.push_back(stepsOfRound(k));
    for (std::size_t w = 0; w < now_.step.size(); ++w) {
      if (now_.step[w] == end && then_.step[w] == end)
        continue;
      const std::size_t k = loopOf(w);
      const long done = now_.carriedOut[w] - then_.carriedOut[w];
      const bool isInLoop = k < loops_.size() && isIn(k, then_.step[w]) &&
                            then_.rounds[w * loops_.size() + k] <= now_.rounds[w * loops_.size() + k];
      if (done > 0 && !isInLoop)
        return false;
      if (done == 0)
        continue;
      loopOf_[w] = keyOf(w, k);
      Progress &p = progress_[loopOf_[w]];
      p.rounds += static_cast<double>(done) / steps[k];
      ++p.warps;
      p.left = std::min(p.left, loops_[k].times - 1 - now_.rounds[w * loops_.size() + k]);
    }
    return true;
  }

  void move(double times) {
    for (const auto &[w, key] : loopOf_) {
      const Progress &p = progress_[key];
      const long rounds = std::min(p.left, std::lround(times * p.rounds / p.warps));
      now_.rounds[w * loops_.size() + key.second] += rounds;
      now_.carriedOut[w] +=
          std::llround(times * static_cast<double>(now_.carriedOut[w] - then_.carriedOut[w]));
    }
    for (std::size_t r = 0; r < now_.uses.size(); ++r) {
      Use &use = now_.uses[r];
      use.admissions += times * (use.admissions - then_.uses[r].admissions);
      use.inFlight += std::llround(times * static_cast<double>(use.inFlight - then_.uses[r].inFlight));
    }
    const std::vector<Time> more = longerQueues(times);
    shift(now_, std::llround(times * static_cast<double>(now_.now - then_.now)));
    for (std::size_t r = 0; r < more.size(); ++r) {
      now_.units[r].admits += more[r];
      now_.units[r].busyUntil += more[r];
    }
  }

  /// Where requests come faster than they are admitted, more and more of them wait.
  std::vector<Time> longerQueues(double times) const {
    std::vector<Time> more;
    const auto window = static_cast<double>(now_.now - then_.now);
    for (std::size_t r = 0; r < now_.units.size(); ++r) {
      const Time before = std::max<Time>(0, then_.units[r].admits - then_.now),
                 after = std::max<Time>(0, now_.units[r].admits - now_.now);
      const auto growth = static_cast<double>(after - before);
      more.push_back(growth > kGrowing * window ? std::llround(times * growth) : 0);
    }
    return more;
  }

  const CoreState &then_;
  CoreState &now_;
  const Program &program_;
  const std::vector<Repeat> &loops_;
  const std::vector<int> &blockOf_;
  std::map<Key, Progress> progress_;
  std::map<std::size_t, Key> loopOf_; // by warp
};

} // namespace

bool flow(const CoreState &then, CoreState &now, const Program &program, const std::vector<int> &blockOf) {
  return Flow(then, now, program, blockOf).goOn();
}

} // namespace pbc::emulate
