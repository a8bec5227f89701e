// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The cleaned Algorithm 1 of bottleneck-analysis.md 3.2, with barriers, several schedulers, dual issue and finite queues.
#include "compiler/emulate/flow.h"
#include "compiler/emulate/program.h"
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace pbc::emulate {
namespace {

constexpr long kExact = 4'000; // instructions that are gone through before states need to be alike only
constexpr long kMost = 10'000; // and before the rest is estimated
constexpr long kPatience = 8;  // times as many if rounds do not take the same time
constexpr double kSamePace = 0.01;
constexpr Time kTolerance = 1000; // what alike states may differ by, as a part of the time between them

class InOrder {
public:
  InOrder(const Run &run, const Program &program)
      : run_(run), program_(program), loops_(run.trace.loops), far_(stepCosts(program, run.costs, -1)),
        near_{stepCosts(program, run.costs, 0), stepCosts(program, run.costs, 1)},
        hasQueues_(std::any_of(run.core.resources.begin(), run.core.resources.end(),
                               [](const Core::Resource &r) { return r.queue > 0; })),
        schedulers_(run.core.schedulers), perScheduler_((run.threads.count + schedulers_ - 1) / schedulers_),
        width_(run.core.width), isGreedy_(run.core.policy == Core::Policy::GreedyThenOldest),
        issue_(run.costs.issue()), registers_(static_cast<std::size_t>(program.registerCount)) {
    const auto warps = static_cast<std::size_t>(schedulers_) * static_cast<std::size_t>(perScheduler_);
    state_.step.assign(warps, end());
    state_.earliest.assign(warps, kNever);
    state_.latest.assign(warps, 0);
    state_.isWaiting.assign(warps, 0);
    state_.routes.assign(warps * kMostNearer, 0);
    state_.routed.assign(warps, 0);
    state_.carriedOut.assign(warps, 0);
    blockOf_.assign(warps, 0);
    state_.rounds.assign(warps * loops_.size(), 0);
    state_.ready.assign(warps * registers_, 0);
    state_.last.assign(static_cast<std::size_t>(schedulers_), -1);
    state_.issues.assign(static_cast<std::size_t>(schedulers_), 0);
    state_.units.resize(run.core.resources.size());
    state_.uses.resize(run.core.resources.size());
    kept_.resize(loops_.size());
    wakes_.assign(static_cast<std::size_t>(schedulers_), 0);
    for (int w = 0; w < run.threads.count; ++w) {
      const std::size_t at = placeOf(w);
      state_.step[at] = 0;
      blockOf_[at] = w / ofBlock();
      state_.earliest[at] = 0;
      for (std::size_t n = 0; n < kMostNearer; ++n)
        state_.routes[at * kMostNearer + n] = Router(w * program.nearerAccesses[n]).sum();
    }
    const int perBlock = ofBlock();
    state_.arrivals.resize(static_cast<std::size_t>((run.threads.count + perBlock - 1) / perBlock));
  }

  Outcome all() {
    if (program_.steps.empty())
      return {0, std::move(state_.uses)};
    while (state_.now != kNever) {
      const Time t = state_.now;
      for (int s = 0; s < schedulers_; ++s)
        if (hasQueues_ || wakes_[static_cast<std::size_t>(s)] <= t) {
          schedule(s, t);
          wakes_[static_cast<std::size_t>(s)] = wakeOf(s);
        }
      if (endedRound_ >= 0 && !run_.goesThroughAll)
        skipRounds(static_cast<std::size_t>(endedRound_));
      endedRound_ = -1;
      state_.now = next(state_.now);
    }
    return {state_.end, std::move(state_.uses), isExact_};
  }

private:
  int end() const { return static_cast<int>(program_.steps.size()); }
  int ofBlock() const { return run_.threads.perBlock > 0 ? run_.threads.perBlock : run_.threads.count; }

  /// Where the state has a warp: those of a scheduler are next to each other.
  std::size_t placeOf(int warp) const {
    const int place = warp % schedulers_ * perScheduler_ + warp / schedulers_;
    return static_cast<std::size_t>(place);
  }
  int warpAt(std::size_t place) const {
    const auto at = static_cast<int>(place);
    return at % perScheduler_ * schedulers_ + at / perScheduler_;
  }

  const Program::Step &stepOf(std::size_t w) const {
    return program_.steps[static_cast<std::size_t>(state_.step[w])];
  }

  /// When the warp can issue its next instruction; never if it has none, or waits for others.
  Time earliest(std::size_t w) const {
    if (!hasQueues_ || state_.earliest[w] == kNever)
      return state_.earliest[w];
    const Program::Step &step = stepOf(w);
    const auto r = static_cast<std::size_t>(step.resource);
    const int queue = step.isBarrier ? 0 : run_.core.resources[r].queue;
    const std::deque<Time> &admitted = state_.units[r].admitted;
    if (queue == 0 || static_cast<int>(admitted.size()) < queue)
      return state_.earliest[w];
    return std::max(state_.earliest[w], admitted.front());
  }

  /// When a scheduler has something to issue.
  Time wakeOf(int s) const {
    Time least = kNever;
    const auto all = static_cast<std::size_t>(perScheduler_), first = static_cast<std::size_t>(s) * all;
    for (std::size_t w = first; w < first + all; ++w)
      least = std::min(least, earliest(w));
    return least == kNever ? kNever : std::max(least, state_.issues[static_cast<std::size_t>(s)]);
  }

  /// The next time at which something is issued.
  Time next(Time t) {
    Time least = kNever;
    for (int s = 0; s < schedulers_; ++s) {
      Time &wakes = wakes_[static_cast<std::size_t>(s)];
      if (hasQueues_)
        wakes = wakeOf(s);
      least = std::min(least, wakes);
    }
    if (least != kNever)
      return std::max(least, t + issue_);
    for (const int at : state_.step)
      if (at != end())
        throw std::invalid_argument("a barrier is not reached by all threads of a block");
    return kNever;
  }

  void schedule(int s, Time t) {
    Time &issues = state_.issues[static_cast<std::size_t>(s)];
    if (issues > t)
      return;
    int only = -1; // further instructions of one cycle are of the warp of the first one
    for (int slots = width_; slots > 0;) {
      const int chosen = choose(s, t, only);
      if (chosen < 0)
        return;
      const auto w = static_cast<std::size_t>(chosen);
      const Program::Step &step = stepOf(w);
      if (step.isBarrier)
        meet(w, t);
      else
        issue(w, t, step);
      state_.last[static_cast<std::size_t>(s)] = only = chosen;
      if (step.isBarrier)
        continue;
      slots -= step.count;
      const int taken = width_ - slots;
      issues = t + (width_ == 1 ? taken : (taken + width_ - 1) / width_) * issue_;
    }
  }

  int choose(int s, Time t, int only) const {
    const auto isReady = [&](int w) { return earliest(static_cast<std::size_t>(w)) <= t; };
    if (only >= 0)
      return isReady(only) ? only : -1;
    const int last = state_.last[static_cast<std::size_t>(s)], first = s * perScheduler_,
              past = first + perScheduler_;
    if (isGreedy_) {
      if (last >= 0 && isReady(last))
        return last;
      for (int w = first; w < past; ++w)
        if (isReady(w))
          return w;
      return -1;
    }
    for (int w = last < 0 ? first : last + 1; w < past; ++w)
      if (isReady(w))
        return w;
    for (int w = first; w <= last; ++w)
      if (isReady(w))
        return w;
    return -1;
  }

  /// Which of the nearer resources serves this access, -1: none.
  int nearerOf(std::size_t w, const Program::Step &step) {
    if (step.nearer[0] < 0)
      return -1;
    ++state_.routed[w];
    for (int n = 0; n < kMostNearer && step.nearer[n] >= 0; ++n)
      if (Router::goesNearer(state_.routes[w * kMostNearer + static_cast<std::size_t>(n)], step.rates[n]))
        return n;
    return -1;
  }

  void issue(std::size_t w, Time t, const Program::Step &step) {
    const auto place = static_cast<std::size_t>(state_.step[w]);
    const int nearer = nearerOf(w, step);
    const StepCost &cost = (nearer < 0 ? far_ : near_[nearer])[place];
    const auto r = static_cast<std::size_t>(nearer < 0 ? step.resource : step.nearer[nearer]);
    CoreState::Unit &unit = state_.units[r];
    Use &use = state_.uses[r];
    const Time begin = std::max(t, unit.admits), finish = begin + cost.result;
    unit.admits = begin + cost.admission;
    use.inFlight += std::max<Time>(0, finish - std::max(begin, unit.busyUntil));
    use.admissions += cost.transactions;
    unit.busyUntil = std::max(unit.busyUntil, finish);
    if (hasQueues_)
      if (const int queue = run_.core.resources[r].queue) {
        unit.admitted.push_back(begin);
        if (static_cast<int>(unit.admitted.size()) > queue)
          unit.admitted.pop_front();
      }
    if (run_.events)
      run_.events->push_back({warpAt(w), state_.step[w], t, begin, finish});
    Time *ready = state_.ready.data() + w * registers_;
    for (const int written : program_.of(step.writes, program_.registers))
      ready[written] = finish;
    state_.latest[w] = std::max(state_.latest[w], finish);
    state_.end = std::max(state_.end, finish);
    ++issued_;
    ++state_.carriedOut[w];
    advance(w, step);
  }

  /// At a barrier: the arrival, and when it has been released the way on.
  void meet(std::size_t w, Time t) {
    if (state_.isWaiting[w]) {
      state_.isWaiting[w] = 0;
      ++state_.carriedOut[w];
      state_.end = std::max(state_.end, t);
      advance(w, stepOf(w));
      return;
    }
    state_.isWaiting[w] = 1;
    state_.earliest[w] = kNever;
    const int number = warpAt(w), perBlock = ofBlock(), first = number / perBlock * perBlock,
              past = std::min(first + perBlock, run_.threads.count);
    CoreState::Arrivals &arrivals = state_.arrivals[static_cast<std::size_t>(number / perBlock)];
    arrivals.last = std::max(arrivals.last, run_.core.drains ? std::max(t, state_.latest[w]) : t);
    if (++arrivals.count < past - first)
      return;
    const Time release = arrivals.last + run_.costs.barrier();
    for (int k = first; k < past; ++k) {
      state_.earliest[placeOf(k)] = release;
      Time &wakes = wakes_[static_cast<std::size_t>(k % schedulers_)];
      wakes = std::min(wakes, std::max(release, state_.issues[static_cast<std::size_t>(k % schedulers_)]));
    }
    arrivals = {};
  }

  void advance(std::size_t w, const Program::Step &from) {
    int at = state_.step[w] + 1;
    for (const int k : program_.of(from.ends, program_.loopEnds)) {
      long &round = state_.rounds[w * loops_.size() + static_cast<std::size_t>(k)];
      if (++round < loops_[static_cast<std::size_t>(k)].times) {
        at = loops_[static_cast<std::size_t>(k)].first;
        endedRound_ = w == leader_ ? k : endedRound_;
        break;
      }
      round = 0;
    }
    state_.step[w] = at;
    if (at == end()) {
      state_.earliest[w] = kNever;
      while (oldest_ < run_.threads.count && state_.step[placeOf(oldest_)] == end())
        ++oldest_;
      leader_ = oldest_ < run_.threads.count ? placeOf(oldest_) : 0;
      return;
    }
    Time earliest = 0;
    const Time *ready = state_.ready.data() + w * registers_;
    for (const int read : program_.of(program_.steps[static_cast<std::size_t>(at)].reads, program_.registers))
      earliest = std::max(earliest, ready[read]);
    state_.earliest[w] = earliest;
  }

  /// A state at the end of a round of a loop, with which later ones are compared.
  struct Kept {
    std::optional<CoreState> state;
    long rounds = 0, most = 1; // since then, and until it is replaced
    long issuedBefore = 0;     // when the first one was kept
    double pace = 0;           // time of a round, between the last two that were kept
  };

  /// At the end of a round of the oldest warp. The state is compared with one before, which is kept for twice as many rounds each time, so that
  /// repetitions of any length are found.
  void skipRounds(std::size_t loop) {
    for (std::size_t inner = loop + 1; inner < loops_.size(); ++inner)
      if (loops_[loop].first <= loops_[inner].first && loops_[inner].end <= loops_[loop].end)
        kept_[inner].state.reset();
    Kept &kept = kept_[loop];
    if (!kept.state) {
      kept = {state_, 0, 1, issued_, 0};
      return;
    }
    const long here = issued_ - kept.issuedBefore;
    const Time within = here > kExact ? (state_.now - kept.state->now) / kTolerance : 0;
    const long times = repetitions(*kept.state, state_, loops_, within);
    if (times > 0)
      repeat(*kept.state, state_, loops_, times);
    else if (++kept.rounds < kept.most)
      return;
    else if (isEnough(kept) && flow(*kept.state, state_, program_, blockOf_))
      isExact_ = false;
    else {
      kept.pace = paceOf(kept);
      kept.state = state_;
      kept.rounds = 0;
      kept.most *= 2;
      return;
    }
    kept.state.reset();
    for (int s = 0; s < schedulers_; ++s)
      wakes_[static_cast<std::size_t>(s)] = wakeOf(s);
  }

  double paceOf(const Kept &kept) const {
    return static_cast<double>(state_.now - kept.state->now) / static_cast<double>(kept.rounds);
  }
  /// Whether what follows may be estimated: rounds take as long as those before, or too much was gone through already.
  bool isEnough(const Kept &kept) const {
    const long here = issued_ - kept.issuedBefore;
    return here > kMost && (std::abs(paceOf(kept) / kept.pace - 1) < kSamePace || here > kPatience * kMost);
  }

  const Run &run_;
  const Program &program_;
  const std::vector<Repeat> &loops_;
  const std::vector<StepCost> far_, near_[kMostNearer]; // by step, from one memory or a nearer one
  const bool hasQueues_;
  const int schedulers_, perScheduler_, width_;
  const bool isGreedy_;
  const Time issue_;
  const std::size_t registers_;
  CoreState state_;
  std::vector<int> blockOf_;
  std::vector<Time> wakes_; // by scheduler; follows from the state
  int oldest_ = 0;          // warp that has not ended
  std::size_t leader_ = 0;  // its place
  int endedRound_ = -1;     // of this loop the oldest warp ended a round just now
  bool isExact_ = true;
  long issued_ = 0;
  std::vector<Kept> kept_; // by loop
};

} // namespace

Outcome runInOrder(const Run &run, const Program &program) { return InOrder(run, program).all(); }

} // namespace pbc::emulate
