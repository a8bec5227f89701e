// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How fast one core can be at best. Every figure is on the safe side: rates are higher and latencies lower than any that was
// measured, since a bound must hold for all programs.
//
//   fma_f64 3.7e10 a second, 1.6 ns;  L1 48 kB, filled with 1.8e11 bytes a second from L2
//
// Source: lower-bound-search.md, sections 5.1, 5.7 and 9.4.
#pragma once
#include "compiler/search/nest/nest_work.h"

namespace pbc::search {

struct Rates {
  /// Of numbers, not of instructions: a vector of eight counts eight times. 0: not known, no bound.
  struct Arithmetic {
    double additions = 0;    // a second, by instructions that do nothing else
    double allAdditions = 0; // with those of instructions that multiply as well, in units of their own
    double multiplications = 0, divisions = 0, roots = 0;
    double additionLatency = 0, multiplicationLatency = 0; // seconds
    double instructions = 0;                               // a second, of any of these kinds
    double lanes = 1;                                      // numbers in the widest vector
    double additionInstructions = 0;                       // a second, that do nothing else
    double multiplicationInstructions = 0;
  };
  std::array<Arithmetic, kNumbers> arithmetic; // by Number

  double loads = 0, stores = 0; // instructions a second; 0: not known, no bound
  double issue = 0, jumps = 0;  // instructions of all kinds, jumps that are taken; 0: not known, no bound
  double vectorBytes = 64;      // of the widest one

  /// Where data lie, from the nearest place on: registers, caches, memory.
  struct Level {
    std::string name;
    double bytes = 0;          // what it and the levels before it hold together
    double bytesPerSecond = 0; // from this level to those before it; of the first one: 0
    /// Read and written together, where both are as many and none is read and written; 0: not known, no bound.
    double copiedBytesPerSecond = 0;
    double streamedBytesPerSecond = 0; // the same, stored past the caches
  };
  std::vector<Level> levels;

  /// Instructions that have begun and have not ended: more than any processor has had so far.
  double instructionsInFlight = 640;
};

} // namespace pbc::search
