// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs transforms on a scheduler of a given number of threads.
//
//   Runner runner(2);
//   double s = runner.run(instance);     // seconds of the transform alone
//
// Invariant: threads exist only between construction and destruction, so a process without a Runner may fork.
#pragma once
#include "runtime/program/instance.h"
#include <memory>

namespace pb::task {
class Scheduler;
}

namespace pb::program {

class Devices;

class Runner {
public:
  /// `program`: its configuration may place steps on devices; null: everything runs on the processor.
  explicit Runner(int threads, const Program *program = nullptr);
  ~Runner();
  int threads() const;
  /// The old threads end before the new ones start; data on devices stays. If this throws, as the constructor
  /// may, the Runner cannot be used afterwards.
  void setThreads(int threads);
  /// Runs the instance's transform on its matrices. Returns seconds. Rethrows exceptions of rule bodies.
  double run(const Instance &);
  /// What differed on devices in the last run from what was asked for: steps that ran on the processor
  /// instead, and why.
  const std::vector<std::string> &remarks() const { return remarks_; }

private:
  std::unique_ptr<Devices> devices_; // outlives the workers
  std::unique_ptr<task::Scheduler> scheduler_;
  std::vector<std::string> remarks_;
};

/// `asked` if above 0, else the number of processors this process may use.
int threadCount(int asked);

} // namespace pb::program
