// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The properties of this machine that decide what is fast.
//
//   thisMachine()  ->  { "Intel(R) Xeon(R) Processor", 2, 32768, 2097152, 110100480, 64, 32 }
#pragma once
#include <string>

namespace pb::base {

struct Machine {
  std::string processor;
  int cores = 1; // that are switched on, whether or not this process may use them
  long firstCache = 0, secondCache = 0, thirdCache = 0; // bytes; 0: none, or not known
  int vectorBytes = 0, vectorRegisters = 0;             // 0: not known
};

Machine thisMachine();

/// Bytes of the cache behind which there is only memory; 0: not known.
inline long lastCache(const Machine &machine) {
  return machine.thirdCache > 0 ? machine.thirdCache : machine.secondCache;
}

/// A machine as many are, for what must not depend on the one at hand.
Machine typicalMachine();

/// Bytes of memory that this process could have if it were alone: the machine's, or what its control groups
/// (containers) allow. 0 if it is not known.
long memoryOfMachine();

} // namespace pb::base
