// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a session (session.h) has of each of its devices, and where the cells are that its steps use.
#pragma once
#include "runtime/device/session.h"
#include "runtime/device/step_arguments.h"
#include <atomic>
#include <memory>
#include <mutex>
#include <set>

namespace pb::device {

struct Session::Side {
  std::unique_ptr<Manager> manager;
  std::unique_ptr<KernelShelf> shelf;
  mutable std::mutex mutex;
  std::set<const DeviceStep *> refused; // steps that it cannot run
  std::atomic<long> coming = 0;         // launches that have been placed here and are not submitted yet
  bool refuses(const DeviceStep &step) const {
    std::lock_guard hold(mutex);
    return refused.count(&step) > 0;
  }
};

/// Cells of a step's matrix number `m`.
inline Place placeAt(const DeviceStep &step, const StepArguments &arguments, int m, const Cells &cells) {
  return placeOf(arguments.matrix(m), step.matrices[m].rank, step.matrices[m].elementBytes, cells);
}

} // namespace pb::device
