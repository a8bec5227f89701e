// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A machine as the models see it: units (cores, multiprocessors) with lanes, memories from near to far, what
// it costs to synchronise, and limits. One description for processors and GPUs; a TOML file has the same
// names (machine_file.h).
//
//   GTX 980: 16 units of 128 lanes at 1.126 GHz; shared 96 kB a unit; L2 2 MB; global 4 GB at 136 GB/s;
//            barrier 0.796 ns, launch 0.924 us
//
// Invariant: every figure that is there is positive and finite (machine_file.cpp checks); one that is not
// known is absent, and a model that needs it says so with Problem. Units: bytes, seconds, Hz; areas in mm2.
// Source: cost-models.md sections 1.1, 1.9, 3.1.
#pragma once
#include "compiler/model/problem.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pbc::model {

/// A value, and how far its measurements lay apart: half of the middle 50 %, relative to the value. 0: it was
/// looked up or computed.
struct Figure {
  double value = 0;
  double spread = 0;
};

enum class MachineKind { Processor, Gpu };

/// Who has a memory to himself.
enum class Scope { Lane, Unit, Machine };

struct Memory {
  std::string name; // "registers", "shared", "L1", "L2", "L3", "global"
  Scope scope = Scope::Machine;
  double bytes = 0;                     // of one instance
  std::optional<Figure> bytesPerSecond; // of the whole machine, all units reading at once
  std::optional<Figure> latency;        // seconds from a load to its use
  std::optional<double> bytesPerBlock;  // the most that one thread block may have of it
};

struct Machine {
  std::string name;
  MachineKind kind = MachineKind::Gpu;
  std::string source; // where the figures are from

  int units = 0;                      // cores; multiprocessors (nSM)
  int lanes = 0;                      // of 4 bytes in each unit (nV)
  std::optional<Figure> clock;        // Hz
  std::optional<int> registers;       // of 4 bytes, per unit (RSM)
  std::optional<int> threadsPerUnit;  // most resident
  std::optional<int> blocksPerUnit;   // most resident (MTBSM)
  std::optional<int> threadsPerBlock; // most

  std::vector<Memory> memories;  // near to far
  std::optional<Figure> barrier; // seconds, threads of one block (tau)
  std::optional<Figure> launch;  // seconds, a kernel's boundary seen from the host (Ts)

  /// Seconds of one iteration of a stencil's body on one lane, its data in shared memory (Citer), by the
  /// stencil's name.
  std::map<std::string, Figure> iteration;

  /// Joules: "static" is in watts; "global_shared", "shared_register" per word; "fadd", ... per operation.
  /// By name of the way in which they were found: "bench", "regression".
  std::map<std::string, std::map<std::string, double>> energy;

  /// What the area model needs beside the above (area/area.h): bytes.
  std::optional<double> registersPerLane; // RVU
  std::optional<double> firstCachePerPair;
  std::optional<double> secondCache;   // of the whole chip
  std::optional<double> publishedArea; // mm2

  /// The memory of this name. Throws Problem naming the machine and the memories it has.
  const Memory &memory(const std::string &name) const;
};

} // namespace pbc::model
