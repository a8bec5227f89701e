// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which launches of a submission may run together, because they have nothing to do with each other.
//
//   launch 0: the inside of B from A      fork 0
//   launch 1: the edge of B from A        fork 0: it may begin when launch 0 may
//   launch 2: C from B                    fork 2: it waits for both
//
// Rules compute different cells of a matrix, so two launches that write one have nothing to do with each other as long as
// neither reads it; those that write whole boxes in common come one after the other.
//
// Invariants: the launches from fork(i) to i - 1 write nothing that launch i reads, and read nothing that it writes. A launch whose
// matrices get memory only now runs beside none, because another one since the fork may have used that memory (launch_tasks.cpp).
#pragma once
#include "runtime/device/manager.h"

namespace pb::device {

/// While it lives, launches that are given to the device run beside those since its fork(); null: they do not.
class LaunchesBeside {
public:
  explicit LaunchesBeside(Device *device) : device_(device) {
    if (device_)
      device_->launchBeside(true);
  }
  ~LaunchesBeside() {
    if (device_)
      device_->launchBeside(false);
  }
  LaunchesBeside(const LaunchesBeside &) = delete;
  LaunchesBeside &operator=(const LaunchesBeside &) = delete;

private:
  Device *const device_;
};

/// For each launch, the first of those before it beside which it may run; its own number if there are none.
std::vector<std::size_t> forksOf(const std::vector<Launch> &);

} // namespace pb::device
