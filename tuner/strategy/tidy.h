// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Undoes changes that make no difference, so that a result has only what the search has found out.
//
//   best {n<4: TwoPasses, n<9: Once, else TwoPasses; rows.split = 131072, columns.cutoff = 515}
//   ->   {TwoPasses; rows.split = 131072}
//
// A child that is faster because of one of three mutations keeps all three. Such accidental changes make
// results hard to read and different from tuning to tuning, and on another machine they may do harm: a
// cut-off that costs nothing with a single thread leaves two threads without work. All differences from the
// defaults are undone at once; if that is slower, half of them, and so on (delta debugging: Zeller and
// Hildebrandt, IEEE TSE 28(2), 2002), then levels of selectors one by one.
//
// Invariant: the result is as fast as the best one at the full size, as far as up to 25 rounds in turns
// (turns.h) can tell, and at smaller sizes as far as a few new runs of both can; if there is no time for this, as far as
// three runs can. The final race decides.
#pragma once
#include "tuner/strategy/tester.h"

namespace pbc::tuner {

/// Differences that are undecided at the deadline stay. `size`: the largest size to be measured.
Configuration tidy(Tester &, const Configuration &best, int size, const Deadline &);

} // namespace pbc::tuner
