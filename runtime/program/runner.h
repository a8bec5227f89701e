// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs transforms on a scheduler of a given number of threads.
//
//   Runner runner(2);
//   double s = runner.run(instance);     // seconds of the transform alone
//
// Invariant: threads exist from construction to destruction only, so a process without a Runner may fork.
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
  /// `program`: whose configuration may place steps on devices; null: everything runs on the processor.
  explicit Runner(int threads, const Program *program = nullptr);
  ~Runner();
  int threads() const;
  /// The old threads end before the new ones start; what is on devices stays. Throws as the constructor does,
  /// and is of no use then.
  void setThreads(int threads);
  /// Runs the instance's transform on its matrices. Returns seconds. Rethrows what a rule body threw.
  double run(const Instance &);
  /// What happened on devices in the last run that was not asked for: steps that ran on the processor, and
  /// why.
  const std::vector<std::string> &remarks() const { return remarks_; }

private:
  std::unique_ptr<Devices> devices_; // outlives the workers
  std::unique_ptr<task::Scheduler> scheduler_;
  std::vector<std::string> remarks_;
};

/// `asked` if above 0, else the number of processors this process may use.
int threadCount(int asked);

} // namespace pb::program
