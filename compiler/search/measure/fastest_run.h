// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The fastest of several runs, of each of which two clocks say how long it took: that of the thread and that on the wall.
//
//   thread 1.00 us, wall 1.01 us;  0.70 us, 1.02 us;  1.00 us, 9.00 us   =>  1.01 us
//
// Where both agree, nothing has disturbed the run. A run that was interrupted took the thread's time, but the clock of a thread may then say too
// little: in a virtual machine it leaves out what the host says that it took, and 18 of 55,159 programs of the record `scale_large` once had
// less than they need, some of them less than half of what they took when they were measured again. Therefore such runs count only if there is no other one.
#pragma once
#include <algorithm>
#include <cmath>

namespace pbc::search {

class FastestRun {
public:
  /// Seconds.
  void add(double ofThread, double onWall) {
    constexpr double kAgree = 1.02;
    if (onWall <= kAgree * ofThread)
      undisturbed_ = std::min(undisturbed_, std::max(ofThread, onWall));
    else
      disturbed_ = std::min(disturbed_, ofThread);
  }
  /// Infinite without any run.
  double seconds() const { return hasUndisturbed() ? undisturbed_ : disturbed_; }
  bool hasUndisturbed() const { return undisturbed_ < HUGE_VAL; }

private:
  double undisturbed_ = HUGE_VAL, disturbed_ = HUGE_VAL;
};

} // namespace pbc::search
