// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Takes back what makes no difference, so that a result says only what it has found out.
//
//   best {n<4: TwoPasses, n<9: Once, else TwoPasses; rows.split = 131072, columns.cutoff = 515}
//   ->   {TwoPasses; rows.split = 131072}
//
// A child that is faster for one of three mutations keeps all three. What came along by chance makes results
// hard to read and differ from tuning to tuning, and on another machine it may do harm: a cut-off below which
// a single thread had nothing to lose leaves two of them without work. All differences from the defaults are
// taken back at once; where that is slower, half of them, and so on (delta debugging: Zeller and Hildebrandt,
// IEEE TSE 28(2), 2002), then levels of selectors one by one.
//
// Invariant: the result is as fast as the best one at the full size, as far as up to 25 rounds in turns
// (turns.h) can tell, and at smaller sizes as far as a few fresh runs of both can; the race has the last
// word.
#pragma once
#include "tuner/strategy/tester.h"

namespace pbc::tuner {

/// What is not decided at the deadline stays. `size`: the largest to look at.
Configuration tidy(Tester &, const Configuration &best, int size, const Deadline &);

} // namespace pbc::tuner
