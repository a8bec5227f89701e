// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Threads that run the parts of a leaf at the same time, again and again.
//
//   Cores cores(2);
//   cores.run([&](int part) { memory.run(leaf, part, cores.count()); });
//
// The caller runs part 0 and comes back when all parts have ended. Threads wait by looking at a number, so that a run of a microsecond can be
// measured; they wait so only while the object lives.
#pragma once
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace pbc::search {

class Cores {
public:
  explicit Cores(int count);
  ~Cores();
  Cores(const Cores &) = delete;
  Cores &operator=(const Cores &) = delete;

  int count() const { return int(threads_.size()) + 1; }
  void run(const std::function<void(int part)> &);

private:
  void serve(int part);

  std::atomic<long> asked_{0}, done_{0}; // runs; parts of others that have ended
  std::atomic<bool> isOver_{false};
  const std::function<void(int)> *work_ = nullptr;
  std::vector<std::thread> threads_;
};

} // namespace pbc::search
