// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/strategy/ahead.h"
#include <utility>

namespace pbc::search {

Ahead::Ahead(const Model &model, const SearchOptions &options, int threads)
    : model_(model), options_(options), own_(model, options) {
  for (int t = 0; t < threads; ++t)
    threads_.emplace_back([this] { work(); });
}

Ahead::~Ahead() {
  {
    const std::lock_guard lock(mutex_);
    isEnd_ = true;
  }
  isMore_.notify_all();
  for (std::thread &thread : threads_)
    thread.join();
}

void Ahead::offer(Region &region) {
  if (threads_.empty() || region.ahead)
    return;
  region.ahead = std::make_shared<DivisionAhead>(
      DivisionAhead{{region.root, region.domains, region.bound, region.limit, region.depth}});
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(region.ahead);
  }
  isMore_.notify_one();
}

Division Ahead::take(const Region &region) {
  if (region.ahead) {
    std::unique_lock lock(mutex_);
    if (region.ahead->step != DivisionAhead::Step::Waiting) {
      isDone_.wait(lock, [&] { return region.ahead->step == DivisionAhead::Step::Done; });
      return std::move(region.ahead->made);
    }
    region.ahead->step = DivisionAhead::Step::Begun; // no thread takes it any more
  }
  return own_.divided(region);
}

void Ahead::work() {
  Divider divider(model_, options_);
  std::unique_lock lock(mutex_);
  for (;;) {
    isMore_.wait(lock, [&] { return isEnd_ || (!isPaused_ && !waiting_.empty()); });
    if (isEnd_)
      return;
    const std::shared_ptr<DivisionAhead> next = waiting_.front().lock();
    waiting_.pop_front();
    if (!next || next->step != DivisionAhead::Step::Waiting)
      continue;
    next->step = DivisionAhead::Step::Begun;
    ++running_;
    lock.unlock();
    Division made = divider.divided(next->region);
    lock.lock();
    next->made = std::move(made);
    next->step = DivisionAhead::Step::Done;
    --running_;
    isDone_.notify_all();
  }
}

Ahead::Pause::Pause(Ahead &ahead) : ahead_(ahead) {
  std::unique_lock lock(ahead_.mutex_);
  ahead_.isPaused_ = true;
  ahead_.isDone_.wait(lock, [&] { return ahead_.running_ == 0; });
}

Ahead::Pause::~Pause() {
  {
    const std::lock_guard lock(ahead_.mutex_);
    ahead_.isPaused_ = false;
  }
  ahead_.isMore_.notify_all();
}

} // namespace pbc::search
