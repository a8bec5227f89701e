// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What one thread of a core, or one warp of a multiprocessor, does: instructions without data, each with the resource that it
// needs and the registers on which it waits, and the loops around them.
//
//   load r0; r1 = f(r0); 100 times      => instructions { {memory, writes r0}, {unit, reads r0, writes r1} }, loops { {0, 2, 100} }
//
// All threads go the same way; what only some of them do stands here once for all. The trace is the one form that all sources have: loops of
// a kernel, PTX, machine code. Invariant (verify): loops are nested or apart, outer ones first, and run at least once; every
// resource and register is one that exists. Source: bottleneck-analysis.md 3.1, 8.
#pragma once
#include "compiler/emulate/core.h"
#include "compiler/emulate/region.h"
#include <optional>
#include <string>
#include <vector>

namespace pbc::emulate {

/// A part of an instruction's accesses that another resource serves, such as a cache.
struct Share {
  int resource = 0;
  double rate = 0; // 0 to 1
  double each = 1; // admissions for each of those that the instruction has
};

inline constexpr int kMostNearer = 2; // shares of an instruction

/// What an instruction needs of another resource besides its own, as lines of a farther memory: so many admissions for each of the instructions
/// that it stands for, on average. It goes on when they are there. Only cores with a window have it.
struct Need {
  int resource = 0;
  double rate = 0;    // at least 0
  bool waits = false; // for the other resource's latency, too; else only until all are admitted
};

struct Instruction {
  int resource = 0;               // its place in Core::resources; of a barrier without meaning
  int transactions = 1;           // admissions to the resource: lines of memory, turns of banks
  std::vector<int> reads, writes; // registers
  int region = 0;                 // its place in Trace::regions
  int count = 1; // it stands for so many that do not wait for each other, with all of their transactions
  int entries =
      1; // that each of these takes in the window of a core: a gather has a load for each of its cells
  bool isBarrier = false; // of the block's threads
  bool redirects =
      false; // a branch that was guessed wrongly: what follows is taken in after its result (cores with a window)
  std::vector<Share> nearer = {}; // the rates are at most 1 together
  std::vector<Need> needs = {};
};

/// The instructions from `first` to the one before `end`, so many times.
struct Repeat {
  int first = 0, end = 0;
  long times = 1;
};

struct Trace {
  std::vector<Instruction> instructions;
  std::vector<Repeat> loops;
  int registers = 0;
  std::vector<Region> regions{Region{}};

  /// How often an instruction is carried out by one thread.
  double timesOf(int instruction) const;
  /// How many of them one thread carries out.
  double length() const;
};

/// So many threads one after the other, as a core gets new ones when others end.
Trace inTurns(const Trace &, long times);

/// "8 times {\n  DRAM x4 r1 = r0    (loads)\n}\n": for readers.
std::string textOf(const Trace &, const Core &);

/// Empty, or what is wrong with a trace for so many resources.
std::string verify(const Trace &, int resources);

} // namespace pbc::emulate
