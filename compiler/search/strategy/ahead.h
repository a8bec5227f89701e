// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Threads that divide regions before it is their turn.
//
//   Ahead ahead(model, options, 3);
//   ahead.offer(region)       a thread will divide it
//   ahead.take(region)        its division; if no thread has begun with it, it is made now
//
// The search takes regions in the same order as without threads, and a division depends on its region alone: so it finds the same, whatever
// the number of threads. A region that is gone before a thread has begun with it costs nothing.
#pragma once
#include "compiler/search/strategy/divider.h"
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace pbc::search {

/// A division that a thread makes.
struct DivisionAhead {
  enum class Step { Waiting, Begun, Done };
  Region region; // a copy, without a division of its own
  Division made = {};
  Step step = Step::Waiting;
};

class Ahead {
public:
  /// `threads`: besides the one that searches.
  Ahead(const Model &, const SearchOptions &, int threads);
  ~Ahead();
  Ahead(const Ahead &) = delete;
  Ahead &operator=(const Ahead &) = delete;

  int threads() const { return int(threads_.size()); }
  void offer(Region &);
  Division take(const Region &);
  /// While one of these exists, no thread divides: the model may change, or the machine has to be quiet.
  class Pause {
  public:
    explicit Pause(Ahead &);
    ~Pause();
    Pause(const Pause &) = delete;
    Pause &operator=(const Pause &) = delete;

  private:
    Ahead &ahead_;
  };

private:
  void work();

  const Model &model_;
  const SearchOptions &options_;
  Divider own_;
  std::mutex mutex_;
  std::condition_variable isMore_, isDone_;
  std::deque<std::weak_ptr<DivisionAhead>> waiting_;
  int running_ = 0;
  bool isPaused_ = false, isEnd_ = false;
  std::vector<std::thread> threads_;
};

} // namespace pbc::search
