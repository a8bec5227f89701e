// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a core of a processor does ahead of time: guesses of branches, the window of instructions, places of pages.
//
//   mispredictedTime(sampling)   =>  9 ns, what a branch on random data costs more than one that always goes the same way
//   guessedRounds(wrong, ..)     =>  128: the exit of a loop that always has so many rounds is foreseen, and that of one with 192 is not
//   windowSize(..)               =>  512: so many instructions between two cache misses, and they no longer overlap
//   knownPages(..)               =>  { 4096 bytes, 1536 entries, latency 17 ns, 1.1e8 walks a second }
//
// Source: bottleneck-analysis.md 8 (processors), 9; the window as in H. Wong, "Measuring Reorder Buffer Capacity" (2013).
#pragma once
#include "compiler/model/machine/machine.h"
#include "compiler/model/measure/sampling.h"

namespace pbc::model {

/// Seconds, at least a part of a cycle.
Figure mispredictedTime(const Sampling &);

/// `wrong`: seconds of a branch that was guessed wrongly. None: it was not seen among loops of up to 512 rounds.
std::optional<int> guessedRounds(double wrong, const Sampling &);

/// `farBytes`: so many that a load from them is a miss. None: misses overlap at all distances, or at none.
std::optional<int> windowSize(std::size_t farBytes, const Sampling &);

/// Small pages. None: no access became slower among up to 16384 of them.
std::optional<PageTable> knownPages(const Sampling &);

} // namespace pbc::model
