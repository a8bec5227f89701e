// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A core of a processor as a core of the emulator, from the figures of a machine's file (pbc model measure).
//
//   Xeon: loads { 5 cycles, 3 a cycle }, stores { 2 }, arithmetic { 2 instructions a cycle }, additions { 2 cycles }, .., L2 { a line each 1.3
//   cycles }, L3, memory; 6 instructions a cycle, of 256 that it looks at
//
// Additions, multiplications and those that do both share the ports for arithmetic: each has its latency as a resource of its own, and
// needs the ports, too. Lines of L2 and farther memories are resources; what comes from one of them goes through all nearer ones.
// An admission to loads, stores or arithmetic is half of an instruction, because wide vectors may take one and a half as long as
// numbers alone. A branch that is taken needs a cycle of its own, and one that is guessed wrongly the machine's figure. What the file does
// not say (gathers, wrong guesses, pages, the window) is left out, or usual. Source: bottleneck-analysis.md 2, 8 (processors), 9.
#pragma once
#include "compiler/body/facts.h"
#include "compiler/emulate/core.h"
#include "compiler/model/machine/machine.h"

namespace pbc::emulate {

/// The resources of ProcessorCore::core, in this order; the memories behind L1 follow, from near to far.
enum class CpuUnit {
  Loads,
  Stores,
  Ports,
  Add,
  Multiply,
  Fma,
  Divide,
  Root,
  Integers,
  Branches, // that are taken; the latency is what a wrong guess costs
  Gathers,  // numbers that one instruction loads from places apart
  Scatters,
  Pages // that are not among those whose place is known
};
inline constexpr int kCpuUnits = static_cast<int>(CpuUnit::Pages) + 1;
inline int placeOf(CpuUnit unit) { return static_cast<int>(unit); }

struct ProcessorCore {
  std::string machine;
  Core core;
  double clock = 1;        // Hz
  int vectorBytes = 0;     // of the widest vectors
  int loopVectorBytes = 0; // of those that the compiler of the printed text makes of loops
  int vectorRegisters = 32;
  std::vector<double> bytes;            // of the memories from L1 on, without the last one
  bool hasGathers = false;              // as far as the machine's file says
  long guessed = 0;                     // rounds of a loop whose exit is foreseen; 0: all are
  double pageBytes = 0, knownPages = 0; // 0: pages cost nothing

  /// The admissions of an instruction on vectors of so many numbers of a type; at least 1.
  int admissions(CpuUnit, body::Scalar, long numbers) const;

  struct Rate {
    double instructions = 0, numbers = 0; // a cycle; of Loads and Stores, numbers have 4 bytes
  };
  std::vector<Rate> rates[2]; // of 4 and 8 bytes, by unit
};

/// Throws model::Problem for a GPU, and for a file without a figure: it says which, and how to measure it.
ProcessorCore processorCoreOf(const model::Machine &, int vectorBytes, int loopVectorBytes);

} // namespace pbc::emulate
