// The most memory that a piece of work has at once, beside what the process has already.
//
//   PeakMemory peak(2);                 // gives back what only rests in pools, and begins to watch
//   ... work that makes 3 matrices of 1 MB and drops each before the next ...
//   peak.bytes()                        ->  about 1 << 20
//
// What the system says of the process is taken (its pages in memory), so bodies' own vectors count like the
// runtime's matrices; memory of devices does not. Exact to some pages. Invariant: one at a time. Source:
// Linux, proc(5): writing 5 to clear_refs makes VmHWM begin again; mallopt(3).
#pragma once

namespace pb::program {

class PeakMemory {
public:
  /// `threads`: as many as worked before, at least; they have ended.
  explicit PeakMemory(int threads);
  /// Since it was made; 0 where the system does not say.
  double bytes() const;

private:
  double before_ = 0;
};

/// Whether this system says how much that was.
bool knowsPeakMemory();

} // namespace pb::program
