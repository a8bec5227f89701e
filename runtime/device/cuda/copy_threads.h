// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Threads that share the copying between the host's memory and pinned memory: one core alone moves a fraction
// of what the link to a device takes.
//
//   CopyThreads threads(3);
//   threads.share([&](int part, int parts) { copy the part-th of `parts` parts });    // all four of them
//
// Invariant: share() returns when all parts are done; one call at a time.
#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace pb::device {

class CopyThreads {
public:
  using Part = std::function<void(int part, int parts)>;
  /// As many as help on this machine, and leave most of it to others.
  static int useful();

  explicit CopyThreads(int helpers) : helpers_(helpers) {}
  CopyThreads(const CopyThreads &) = delete;
  CopyThreads &operator=(const CopyThreads &) = delete;
  ~CopyThreads();
  void share(const Part &);

private:
  void help(int part);

  const int helpers_;
  std::vector<std::thread> threads_; // from the first call on
  std::mutex mutex_;
  std::condition_variable changed_;
  const Part *part_ = nullptr;
  long round_ = 0;
  int busy_ = 0;
  bool end_ = false;
};

} // namespace pb::device
