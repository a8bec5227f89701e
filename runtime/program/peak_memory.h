// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The most memory that a piece of work holds at once, in addition to what the process already has.
//
//   PeakMemory peak(2);                 // frees memory that is only kept in pools, and begins to watch
//   ... work that makes 3 matrices of 1 MB and drops each before the next ...
//   peak.bytes()                        ->  1 << 20
//
// Matrices are counted exactly. Other memory of bodies (vectors, for example) is taken from what the
// operating system reports about the process, and counts from 256 kB on, because the system counts pages in
// batches. Memory of devices is not included. Invariant: there is one PeakMemory at a time. Source: Linux,
// proc(5): writing 5 to clear_refs restarts VmHWM; mallopt(3).
#pragma once

namespace pb::program {

class PeakMemory {
public:
  /// `threads`: at least the number of threads that worked before; they must have ended.
  explicit PeakMemory(int threads);
  ~PeakMemory();
  PeakMemory(const PeakMemory &) = delete;
  PeakMemory &operator=(const PeakMemory &) = delete;
  /// The bytes since it was made; 0 if the system does not report them.
  double bytes() const;

private:
  double before_ = 0;
};

/// Whether this system reports the peak.
bool knowsPeakMemory();

} // namespace pb::program
