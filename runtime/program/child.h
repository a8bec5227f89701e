// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One run of a transform in a forked process, with the results in memory that parent and child share.
//
//   SharedRun run(instance);                       // allocates the outputs
//   ChildResult r = run.start(settings, 1, 10.0);  // forks, waits at most 10 s
//   r.failure.empty();  run.outputs();
//
// Invariant: start() is called while the process has one thread and no device driver: drivers start threads,
// which a child does not have. The child never returns.
#pragma once
#include "runtime/program/accuracy.h"
#include <functional>

namespace pb::program {

/// Calls `question` in a child process, so that everything it opens is closed at the end of that process. False if
/// the process fails.
bool inChild(const std::function<bool()> &question);

struct ChildResult {
  std::string failure; // "" when the transform ended well, else "crashes (Segmentation fault)" ...
  bool recursionTooDeep = false;
  double seconds = 0;
  Accuracy accuracy;  // of a transform with a target
  std::string remark; // the first of Runner::remarks()
};

class SharedRun {
public:
  /// With `measures`, the metric is run, too, if the transform has a target.
  explicit SharedRun(const Instance &, const Program *measures = nullptr);
  ~SharedRun();
  SharedRun(const SharedRun &) = delete;
  SharedRun &operator=(const SharedRun &) = delete;

  /// `prepare` runs in the child before the transform and fills the selectors.
  ChildResult start(const std::function<void()> &prepare, int threads, double limit);
  const std::vector<Matrix> &outputs() const { return outputs_; }

private:
  struct Shared;
  [[noreturn]] void work(const std::function<void()> &prepare, int threads);
  Instance instance_; // with outputs in shared memory
  const Program *measures_;
  std::vector<Matrix> outputs_;
  Shared *shared_ = nullptr;
  unsigned long bytes_ = 0;
};

} // namespace pb::program
