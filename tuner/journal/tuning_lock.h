// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One tuning at a time for a configuration: two would disturb each other's times, and the last to end would
// win.
//
//   TuningLock lock("sort.cfg", "sort.tune.sqlite");   -> TunerError where another process holds it
//
// The journal is what is locked, by flock(2): nothing is left behind, and a killed tuning holds nothing.
// Invariant: the lock ends after the last Journal of this process on that file is closed, for closing any
// descriptor of a file ends SQLite's own locks on it.
#pragma once
#include <string>

namespace pbc::tuner {

class TuningLock {
public:
  /// Makes the journal if there is none. Throws TunerError while another tuning holds it; a journal that
  /// cannot be opened is left to Journal, which says why.
  TuningLock(const std::string &output, const std::string &journal);
  ~TuningLock();
  TuningLock(const TuningLock &) = delete;
  TuningLock &operator=(const TuningLock &) = delete;

private:
  int file_ = -1;
};

} // namespace pbc::tuner
