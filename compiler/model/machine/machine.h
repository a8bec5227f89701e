// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A machine as the models see it: units (cores, multiprocessors) with lanes, memories from near to far, costs
// of synchronisation, and limits. Processors and GPUs have the same description; a TOML file uses the same
// names (machine_file.h).
//
//   GTX 980: 16 units of 128 lanes at 1.126 GHz; shared 96 kB a unit; L2 2 MB; global 4 GB at 136 GB/s;
//            barrier 0.796 ns, launch 0.924 us
//
// Invariant: every figure that is present is positive and finite (machine_file.cpp checks); an unknown figure
// is absent, and a model that needs it throws Problem. Units: bytes, seconds, Hz; areas in mm2. Source:
// cost-models.md sections 1.1, 1.9, 3.1; for resources lower-bound-search.md 5.1.
#pragma once
#include "compiler/model/machine/figure.h"
#include "compiler/model/machine/resource.h"
#include "compiler/model/machine/warp_cost.h"
#include "compiler/model/problem.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pbc::model {

enum class MachineKind { Processor, Gpu };

struct Memory {
  std::string name; // "registers", "shared", "L1", "L2", "L3", "global"
  Scope scope = Scope::Machine;
  double bytes = 0;                         // of one instance
  std::optional<Figure> bytesPerSecond;     // of the whole machine, with all units reading at once
  std::optional<Figure> latency;            // seconds from a load to its use
  std::optional<double> bytesPerBlock;      // the most of it that one thread block may have
  std::optional<Figure> unitBytesPerSecond; // of one unit that reads alone
  /// Of one unit alone that reads as much as it writes, elsewhere and by instructions that store in the caches; both count.
  std::optional<Figure> unitCopiedBytesPerSecond = {};
  /// The same by instructions that store past the caches.
  std::optional<Figure> unitStreamedBytesPerSecond = {};
};

/// How addresses are translated by pages.
struct PageTable {
  double bytes = 0;              // of one
  int entries = 0;               // pages that can be used by turns without a walk
  std::optional<Figure> latency; // seconds by which an access takes longer that needs a walk
  std::optional<Figure> rate;    // walks in a second, where none waits for another one
};

struct Machine {
  std::string name;
  MachineKind kind = MachineKind::Gpu;
  std::string source; // the source of the figures

  int units = 0;                      // cores; multiprocessors (nSM)
  int lanes = 0;                      // of 4 bytes in each unit (nV)
  std::optional<Figure> clock;        // Hz
  std::optional<int> registers;       // of 4 bytes, per unit (RSM)
  std::optional<int> threadsPerUnit;  // maximum of resident threads
  std::optional<int> blocksPerUnit;   // maximum of resident blocks (MTBSM)
  std::optional<int> threadsPerBlock; // maximum

  std::vector<Memory> memories;    // near to far
  std::vector<Resource> resources; // in the order of ResourceKind, each kind at most once
  std::vector<WarpCost> warp;      // of GPUs, in the order of WarpUnit, each unit at most once
  std::optional<Figure> barrier;   // seconds, for the threads of one block (tau)
  std::optional<Figure> launch;    // seconds between two kernels, as the host sees it (Ts)

  // Of a core of a processor, what it does ahead of time:
  std::optional<int> window;          // instructions that it looks at, from the oldest one that waits on
  std::optional<Figure> mispredicted; // seconds that a branch costs which was guessed wrongly
  std::optional<int> guessedRounds;   // of a loop that always has as many: up to here, its exit is foreseen
  std::optional<PageTable> pages;

  /// Seconds of one iteration of a stencil's body on one lane, with its data in shared memory (Citer), by the
  /// stencil's name.
  std::map<std::string, Figure> iteration;

  /// Joules: "static" is in watts; "global_shared", "shared_register" per word; "fadd", ... per operation.
  /// The outer key names the method by which they were found: "bench", "regression".
  std::map<std::string, std::map<std::string, double>> energy;

  /// Further values for the area model (area/area.h), in bytes.
  std::optional<double> registersPerLane; // RVU
  std::optional<double> firstCachePerPair;
  std::optional<double> secondCache;   // of the whole chip
  std::optional<double> publishedArea; // mm2

  /// The memory of this name. Throws Problem with the machine and the memories that it has.
  const Memory &memory(const std::string &name) const;
};

} // namespace pbc::model
