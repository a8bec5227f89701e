// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A core that begins instructions out of order. Taken in program order, each has its place in the window, and uses the first gap of its
// resource after its operands are there:
//
//   taken in    not before the one `width` instructions earlier + a cycle, and the retirement of the one `window` instructions earlier
//   begins      at the first time from then on at which its resource is free, for all of its transactions together
//   retires     after it has finished, and after all earlier ones
//
// Behind a branch that was guessed wrongly nothing is taken in before its result.
//
// What it needs of other resources is asked for when it begins, whenever a whole admission has added up.
//
// Threads that share the core are taken in by turns. Renaming leaves only true dependences. Source: bottleneck-analysis.md 8, processors.
#include "compiler/emulate/costs.h"
#include "compiler/emulate/position.h"
#include <algorithm>
#include <map>
#include <vector>

namespace pbc::emulate {
namespace {

/// When a resource is taken.
class Calendar {
public:
  /// Takes the first times from `from` on that are free, so long together, and returns when they would have begun if they were the last
  /// without a gap: what is left between others is used, so that no throughput is lost. Nothing is asked for before `horizon` later.
  Time take(Time from, Time length, Time horizon) {
    if (length <= 0)
      return from;
    while (!taken_.empty() && taken_.begin()->second <= horizon)
      taken_.erase(taken_.begin());
    Time at = from;
    for (Time left = length; left > 0;) {
      auto after = taken_.upper_bound(at);
      if (after != taken_.begin() && std::prev(after)->second > at) {
        at = std::prev(after)->second;
        continue;
      }
      const Time end = after == taken_.end() ? at + left : std::min(at + left, after->first);
      insert(after, at, end);
      left -= end - at;
      at = end;
    }
    return at - length;
  }

private:
  void insert(std::map<Time, Time>::iterator after, Time begin, Time end) {
    if (begin == end)
      return;
    if (after != taken_.end() && after->first == end) {
      end = after->second;
      after = taken_.erase(after);
    }
    if (after != taken_.begin())
      if (const auto before = std::prev(after); before->second == begin) {
        before->second = end;
        return;
      }
    taken_.emplace_hint(after, begin, end);
  }

  std::map<Time, Time> taken_; // begin to end, apart
};

/// The times of so many instructions, the last ones.
class LastTimes {
public:
  explicit LastTimes(int most) : times_(static_cast<std::size_t>(most)) {}
  bool isEmpty() const { return count_ == 0; }
  bool isFull() const { return count_ == times_.size(); }
  Time first() const { return isFull() ? times_[next_] : times_.front(); }
  Time last() const { return times_[next_ == 0 ? times_.size() - 1 : next_ - 1]; }
  void push(Time t) {
    times_[next_] = t;
    next_ = next_ + 1 == times_.size() ? 0 : next_ + 1;
    count_ = std::min(count_ + 1, times_.size());
  }

private:
  std::vector<Time> times_;
  std::size_t next_ = 0, count_ = 0;
};

struct Thread {
  Position position;
  std::vector<Router> routers; // kMostNearer
  std::vector<Time> ready;     // by register
  std::vector<double> owed;    // by need of all instructions: what was asked for and not admitted yet
  LastTimes takenIn, retire;   // of the last `width` and `window` instructions
  Time resumes = 0;            // after a branch that was guessed wrongly
};

class InWindow {
public:
  explicit InWindow(const Run &run)
      : run_(run), trace_(run.trace), ends_(run.trace), calendars_(run.core.resources.size()),
        busyUntil_(run.core.resources.size(), 0) {
    outcome_.uses.resize(calendars_.size());
    for (const Instruction &i : trace_.instructions)
      firstNeed_.push_back(firstNeed_.back() + static_cast<int>(i.needs.size()));
  }

  Outcome all() {
    std::vector<Thread> threads;
    for (int k = 0; k < run_.threads.count; ++k)
      threads.push_back({Position(trace_), std::vector<Router>(kMostNearer, Router(0)),
                         std::vector<Time>(static_cast<std::size_t>(trace_.registers), 0),
                         std::vector<double>(static_cast<std::size_t>(firstNeed_.back()), 0),
                         LastTimes(width()), LastTimes(run_.core.window)});
    for (bool isDone = trace_.instructions.empty(); !isDone;) {
      isDone = true;
      horizon_ = horizon(threads);
      for (std::size_t k = 0; k < threads.size(); ++k)
        if (!threads[k].position.isAtEnd()) {
          take(static_cast<int>(k), threads[k]);
          isDone = false;
        }
    }
    return outcome_;
  }

private:
  /// No instruction is taken in before this any more.
  static Time horizon(const std::vector<Thread> &threads) {
    Time least = threads.empty() ? 0 : takenInLast(threads.front());
    for (const Thread &t : threads)
      if (!t.position.isAtEnd())
        least = std::min(least, takenInLast(t));
    return least;
  }

  static Time takenInLast(const Thread &t) { return t.takenIn.isEmpty() ? 0 : t.takenIn.last(); }

  void take(int number, Thread &thread) {
    const Instruction &i = trace_.instructions[static_cast<std::size_t>(thread.position.instruction())];
    Time in = std::max(takenInLast(thread), thread.resumes);
    if (thread.takenIn.isFull())
      in = std::max(in, thread.takenIn.first() + run_.costs.issue());
    if (thread.retire.isFull())
      in = std::max(in, thread.retire.first());
    Time begin = in, finish = in;
    if (i.isBarrier) // other cores are not seen: the thread waits for itself
      finish = std::max(in, thread.retire.isEmpty() ? 0 : thread.retire.last()) + run_.costs.barrier();
    else {
      for (const int read : i.reads)
        begin = std::max(begin, thread.ready[static_cast<std::size_t>(read)]);
      int resource = i.resource;
      double left = 1;
      for (std::size_t n = 0; n < i.nearer.size() && resource == i.resource; ++n) {
        if (thread.routers[n].isNearer(left > 0 ? std::min(1.0, i.nearer[n].rate / left) : 0))
          resource = i.nearer[n].resource;
        left -= i.nearer[n].rate;
      }
      const auto r = static_cast<std::size_t>(resource);
      const Cost &cost = run_.costs.of(i.region, resource);
      begin = admitted(r, i.transactions, begin, cost, finish);
      Time delay = 0;
      for (std::size_t k = 0; k < i.needs.size(); ++k)
        delay = std::max(delay, delayed(thread, i, k, begin));
      finish += delay;
    }
    if (i.redirects)
      thread.resumes = finish;
    for (const int written : i.writes)
      thread.ready[static_cast<std::size_t>(written)] = finish;
    if (run_.events)
      run_.events->push_back({number, thread.position.instruction(), in, begin, finish});
    const Time retired = std::max(finish, thread.retire.isEmpty() ? 0 : thread.retire.last());
    for (int k = 0; k < i.count * i.entries; ++k) {
      thread.takenIn.push(in + k / width() * run_.costs.issue());
      thread.retire.push(retired);
    }
    outcome_.time = std::max(outcome_.time, finish);
    thread.position.advance(ends_);
  }

  /// When a resource admits so many requests, the first times from `from` on; `finish` is when their result is there.
  Time admitted(std::size_t resource, int requests, Time from, const Cost &cost, Time &finish) {
    const Time begin = calendars_[resource].take(from, requests * cost.gap, horizon_);
    finish = begin + (requests - 1) * cost.gap + cost.latency;
    Use &use = outcome_.uses[resource];
    use.admissions += requests;
    use.inFlight += std::max<Time>(0, finish - std::max(begin, busyUntil_[resource]));
    busyUntil_[resource] = std::max(busyUntil_[resource], finish);
    return begin;
  }

  /// How much later an instruction that has begun has its result because of one of its needs.
  Time delayed(Thread &thread, const Instruction &i, std::size_t which, Time begin) {
    const Need &need = i.needs[which];
    const auto first = static_cast<std::size_t>(thread.position.instruction());
    double &owed = thread.owed[static_cast<std::size_t>(firstNeed_[first]) + which];
    owed += need.rate * i.count;
    const int requests = static_cast<int>(owed);
    if (requests == 0)
      return 0;
    owed -= requests;
    Time finish = begin;
    const Time admission = admitted(static_cast<std::size_t>(need.resource), requests, begin,
                                    run_.costs.of(i.region, need.resource), finish);
    return (need.waits ? finish : admission) - begin;
  }

  int width() const { return run_.core.width * run_.core.schedulers; }

  const Run &run_;
  const Trace &trace_;
  const LoopEnds ends_;
  std::vector<Calendar> calendars_;
  std::vector<Time> busyUntil_; // by resource, the last result so far
  std::vector<int> firstNeed_{
      0}; // by instruction, the place of its first need among those of all; and of the end
  Time horizon_ = 0;
  Outcome outcome_;
};

} // namespace

Outcome runInWindow(const Run &run) { return InWindow(run).all(); }

} // namespace pbc::emulate
