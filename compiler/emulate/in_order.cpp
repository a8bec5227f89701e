// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The cleaned Algorithm 1 of bottleneck-analysis.md 3.2, with barriers, several schedulers, dual issue and finite queues.
#include "compiler/emulate/costs.h"
#include "compiler/emulate/position.h"
#include <deque>
#include <limits>
#include <stdexcept>

namespace pbc::emulate {
namespace {

constexpr Time kNever = std::numeric_limits<Time>::max();

struct Warp {
  Position position;
  Router router;
  std::vector<Time> ready; // by register, when its value is there
  Time last = 0;           // the latest result so far
  bool isWaiting = false;  // at a barrier
};

struct Unit {
  Time admits = 0;           // the next request
  Time busyUntil = 0;        // the last result so far
  std::deque<Time> admitted; // when the last requests were or will be admitted, as many as fit into its queue
};

class InOrder {
public:
  explicit InOrder(const Run &run)
      : run_(run), trace_(run.trace), ends_(run.trace), units_(run.core.resources.size()),
        last_(static_cast<std::size_t>(run.core.schedulers), -1),
        issues_(static_cast<std::size_t>(run.core.schedulers), 0),
        earliest_(static_cast<std::size_t>(run.threads.count), 0),
        hasQueues_(std::any_of(run.core.resources.begin(), run.core.resources.end(),
                               [](const Core::Resource &r) { return r.queue > 0; })) {
    outcome_.uses.resize(units_.size());
    double nearer = 0;
    for (std::size_t k = 0; k < trace_.instructions.size(); ++k)
      if (const auto &share = trace_.instructions[k].nearer)
        nearer += trace_.timesOf(static_cast<int>(k)) * share->rate;
    for (int w = 0; w < run.threads.count; ++w)
      warps_.push_back({Position(trace_), Router(w * nearer),
                        std::vector<Time>(static_cast<std::size_t>(trace_.registers), 0)});
    const int perBlock = ofBlock();
    arrivals_.resize(static_cast<std::size_t>((run.threads.count + perBlock - 1) / perBlock));
  }

  Outcome all() {
    if (trace_.instructions.empty())
      return outcome_;
    for (Time t = 0; t != kNever; t = next(t))
      for (int s = 0; s < run_.core.schedulers; ++s)
        schedule(s, t);
    return outcome_;
  }

private:
  struct Arrivals {
    int count = 0;
    Time last = 0;
  };

  int ofBlock() const { return run_.threads.perBlock > 0 ? run_.threads.perBlock : run_.threads.count; }

  const Instruction &nextOf(const Warp &w) const {
    return trace_.instructions[static_cast<std::size_t>(w.position.instruction())];
  }

  /// When the warp can issue its next instruction; never if it has none, or waits for others.
  Time earliest(std::size_t w) const {
    if (!hasQueues_ || earliest_[w] == kNever)
      return earliest_[w];
    const Instruction &i = nextOf(warps_[w]);
    const auto r = static_cast<std::size_t>(i.resource);
    if (i.isBarrier || run_.core.resources[r].queue == 0 ||
        static_cast<int>(units_[r].admitted.size()) < run_.core.resources[r].queue)
      return earliest_[w];
    return std::max(earliest_[w], units_[r].admitted.front());
  }

  /// The next time at which something is issued.
  Time next(Time t) const {
    Time least = kNever;
    for (std::size_t w = 0; w < warps_.size(); ++w)
      if (const Time at = earliest(w); at != kNever)
        least = std::min(least, std::max(at, issues_[w % issues_.size()]));
    if (least != kNever)
      return std::max(least, t + run_.costs.issue());
    for (const Warp &w : warps_)
      if (!w.position.isAtEnd())
        throw std::invalid_argument("a barrier is not reached by all threads of a block");
    return kNever;
  }

  void schedule(int s, Time t) {
    if (issues_[static_cast<std::size_t>(s)] > t)
      return;
    int only = -1; // further instructions of one cycle are of the warp of the first one
    for (int slots = run_.core.width; slots > 0;) {
      const int w = choose(s, t, only);
      if (w < 0)
        return;
      Warp &warp = warps_[static_cast<std::size_t>(w)];
      const bool isBarrier = nextOf(warp).isBarrier;
      const int count = nextOf(warp).count;
      if (isBarrier)
        meet(w, t);
      else
        issue(w, t);
      last_[static_cast<std::size_t>(s)] = only = w;
      if (isBarrier)
        continue;
      slots -= count;
      issues_[static_cast<std::size_t>(s)] =
          t + (run_.core.width - slots + run_.core.width - 1) / run_.core.width * run_.costs.issue();
    }
  }

  int choose(int s, Time t, int only) const {
    const auto isReady = [&](int w) { return earliest(static_cast<std::size_t>(w)) <= t; };
    if (only >= 0)
      return isReady(only) ? only : -1;
    const int last = last_[static_cast<std::size_t>(s)], step = run_.core.schedulers,
              count = run_.threads.count;
    if (run_.core.policy == Core::Policy::GreedyThenOldest) {
      if (last >= 0 && isReady(last))
        return last;
      for (int w = s; w < count; w += step)
        if (isReady(w))
          return w;
      return -1;
    }
    for (int w = last < 0 ? s : last + step; w < count; w += step)
      if (isReady(w))
        return w;
    for (int w = s; w <= last; w += step)
      if (isReady(w))
        return w;
    return -1;
  }

  void issue(int number, Time t) {
    Warp &w = warps_[static_cast<std::size_t>(number)];
    const Instruction &i = nextOf(w);
    const int resource = i.nearer && w.router.isNearer(i.nearer->rate) ? i.nearer->resource : i.resource;
    const auto r = static_cast<std::size_t>(resource);
    Unit &unit = units_[r];
    const Cost &cost = run_.costs.of(i.region, resource);
    const Time begin = std::max(t, unit.admits),
               finish = begin + (i.transactions - 1) * cost.gap + cost.latency;
    unit.admits = begin + i.transactions * cost.gap;
    outcome_.uses[r].inFlight += std::max<Time>(0, finish - std::max(begin, unit.busyUntil));
    outcome_.uses[r].admissions += i.transactions;
    unit.busyUntil = std::max(unit.busyUntil, finish);
    if (const int queue = run_.core.resources[r].queue) {
      unit.admitted.push_back(begin);
      if (static_cast<int>(unit.admitted.size()) > queue)
        unit.admitted.pop_front();
    }
    if (run_.events)
      run_.events->push_back({number, w.position.instruction(), t, begin, finish});
    for (const int written : i.writes)
      w.ready[static_cast<std::size_t>(written)] = finish;
    w.last = std::max(w.last, finish);
    outcome_.time = std::max(outcome_.time, finish);
    advance(number);
  }

  /// At a barrier: the arrival, and when it has been released the way on.
  void meet(int number, Time t) {
    Warp &w = warps_[static_cast<std::size_t>(number)];
    if (w.isWaiting) {
      w.isWaiting = false;
      outcome_.time = std::max(outcome_.time, t);
      advance(number);
      return;
    }
    w.isWaiting = true;
    earliest_[static_cast<std::size_t>(number)] = kNever;
    const int perBlock = ofBlock(), first = number / perBlock * perBlock,
              end = std::min(first + perBlock, run_.threads.count);
    Arrivals &arrivals = arrivals_[static_cast<std::size_t>(number / perBlock)];
    arrivals.last = std::max(arrivals.last, run_.core.drains ? std::max(t, w.last) : t);
    if (++arrivals.count < end - first)
      return;
    for (int k = first; k < end; ++k)
      earliest_[static_cast<std::size_t>(k)] = arrivals.last + run_.costs.barrier();
    arrivals = {};
  }

  void advance(int number) {
    Warp &w = warps_[static_cast<std::size_t>(number)];
    w.position.advance(ends_);
    Time &earliest = earliest_[static_cast<std::size_t>(number)];
    earliest = w.position.isAtEnd() ? kNever : 0;
    if (!w.position.isAtEnd())
      for (const int read : nextOf(w).reads)
        earliest = std::max(earliest, w.ready[static_cast<std::size_t>(read)]);
  }

  const Run &run_;
  const Trace &trace_;
  const LoopEnds ends_;
  std::vector<Warp> warps_;
  std::vector<Unit> units_;
  std::vector<int> last_;    // by scheduler, the warp that it chose last
  std::vector<Time> issues_; // by scheduler, when it issues again
  std::vector<Time>
      earliest_; // by warp, when the operands of its next instruction are there; at a barrier, its release
  bool hasQueues_ = false;
  std::vector<Arrivals> arrivals_;
  Outcome outcome_;
};

} // namespace

Outcome runInOrder(const Run &run) { return InOrder(run).all(); }

} // namespace pbc::emulate
