// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The most memory that a piece of work has at once, beside what the process has already.
//
//   PeakMemory peak(2);                 // gives back what only rests in pools, and begins to watch
//   ... work that makes 3 matrices of 1 MB and drops each before the next ...
//   peak.bytes()                        ->  1 << 20
//
// Matrices are counted exactly. What bodies take besides (vectors, for example) is what the system says of
// the process, and counts from 256 kB on: it counts pages in batches. Memory of devices is not in it.
// Invariant: one at a time. Source: Linux, proc(5): writing 5 to clear_refs makes VmHWM begin again;
// mallopt(3).
#pragma once

namespace pb::program {

class PeakMemory {
public:
  /// `threads`: as many as worked before, at least; they have ended.
  explicit PeakMemory(int threads);
  ~PeakMemory();
  PeakMemory(const PeakMemory &) = delete;
  PeakMemory &operator=(const PeakMemory &) = delete;
  /// Since it was made; 0 where the system does not say.
  double bytes() const;

private:
  double before_ = 0;
};

/// Whether this system says how much that was.
bool knowsPeakMemory();

} // namespace pb::program
