// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes a figure from repeated measurements.
//
//   figureOf({3, 1, 2, 100, 2}, Better::Lower)   =>  value 2 (the median), spread 0.25: half of the middle
//                                                    50 %, relative to the value; best 1
//   sampled({.seconds = 0.2}, Better::Lower, measureOnce)   =>  as many samples as fit, at least 5
//
// The median is used because a busy machine only makes some runs slower; the spread says how far the value
// can be trusted, and the best sample is what no disturbance slowed down.
#pragma once
#include "compiler/model/machine/figure.h"

#include <functional>
#include <vector>

namespace pbc::model {

/// Needs at least one value; all must be positive.
Figure figureOf(std::vector<double> values, Better);

struct Sampling {
  int least = 5, most = 51;
  double seconds = 0.3; // no further sample begins after this time
};
Figure sampled(const Sampling &, Better, const std::function<double()> &measureOnce);

/// Of two measurements the one whose best sample is the faster. Disturbances may last longer than one measurement.
void keepFaster(std::optional<Figure> &known, const Figure &, Better);

/// Seconds until `f` is done.
double secondsOf(const std::function<void()> &f);

/// The seconds in which this thread ran, so that other processes do not count.
double ownSecondsOf(const std::function<void()> &f);

} // namespace pbc::model
