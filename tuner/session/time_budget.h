// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The budget of one accuracy bin, and the limits of time that follow from it.
//
//   const TimeBudget time{.begin = steadySeconds(), .seconds = 50, .isLimited = true};
//   time.stopAt()      ->  52.2 seconds after it began: work that is still running is stopped
//   time.longestRun()  ->  1 second, for a size that the tuner chooses
//
// Moments are those of the steady clock, in seconds.
#pragma once
#include "tuner/session.h"

namespace pbc::tuner {

/// Whether the end of the budget stops the tuning. If measurements are counted, or a space is recorded, it does so
/// only if the user asks for it.
bool isLimitedInTime(const TuneOptions &);

struct TimeBudget {
  static constexpr double kPatience = 60; // seconds that the default may take at one size

  double begin = 0;
  double seconds = 0;
  bool isLimited = false;

  /// Seconds until the budget is over; negative after that.
  double left() const;
  /// Work that is still running when the budget is over is stopped a little after the planned end of the search,
  /// because its last steps cannot be planned to the millisecond.
  double stopAt() const;
  /// The moment at which the winner's run from outside must be over.
  double outsideUntil() const;
  /// Seconds that the default may take at first.
  double patience() const;
  /// The longest run, in seconds, at a size that the tuner chooses; the budget has time for several of them.
  double longestRun() const;
};

} // namespace pbc::tuner
