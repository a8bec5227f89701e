// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Allows only one tuning of a configuration at a time: two would disturb each other's times, and the last one
// to end would overwrite the other's result.
//
//   TuningLock lock("sort.cfg", "sort.tune.sqlite");   -> TunerError if another process holds it
//
// The lock is an flock(2) on the journal: nothing is left behind, and a killed tuning holds nothing.
// Invariant: the lock is released after the last Journal of this process on that file is closed, because
// closing any descriptor of a file ends SQLite's own locks on it.
#pragma once
#include <string>

namespace pbc::tuner {

class TuningLock {
public:
  /// Creates the journal if there is none. Throws TunerError while another tuning holds the lock. If the
  /// journal cannot be opened, the error is left to Journal, which says why.
  TuningLock(const std::string &output, const std::string &journal);
  ~TuningLock();
  TuningLock(const TuningLock &) = delete;
  TuningLock &operator=(const TuningLock &) = delete;

private:
  int file_ = -1;
};

} // namespace pbc::tuner
