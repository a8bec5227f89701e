// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Threads that share the copying between the host's memory and pinned memory, because one core alone reaches
// only a fraction of the bandwidth of the link to a device.
//
//   CopyThreads threads(3);
//   threads.share([&](int part, int parts) { copy the part-th of `parts` parts });    // all four threads
//
// Invariant: share() returns when all parts are done; only one call may run at a time.
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
  /// The number of threads that helps on this machine and leaves most of it to others.
  static int useful();

  explicit CopyThreads(int helpers) : helpers_(helpers) {}
  CopyThreads(const CopyThreads &) = delete;
  CopyThreads &operator=(const CopyThreads &) = delete;
  ~CopyThreads();
  void share(const Part &);

private:
  void help(int part);

  const int helpers_;
  std::vector<std::thread> threads_; // started by the first call
  std::mutex mutex_;
  std::condition_variable changed_;
  const Part *part_ = nullptr;
  long round_ = 0;
  int busy_ = 0;
  bool end_ = false;
};

} // namespace pb::device
