// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The machine that a program runs on, as PROG --info and a configuration's [made-by] describe it.
//
//   inWords(machine)  ->  "Intel(R) Xeon(R) Processor, 2 processors, opencl:0 (cpu-haswell, driver 3.1)"
#pragma once
#include <string>
#include <vector>

namespace pbc::tuner {

struct Device {
  std::string id, name, driver;
  bool operator==(const Device &) const = default;
};

struct Machine {
  std::string processor;
  int cores = 0;
  long firstCache = 0, secondCache = 0, thirdCache = 0; // bytes; 0: not known
  std::vector<Device> devices;

  bool isKnown() const { return !processor.empty(); }
  /// Whether times are comparable. Caches belong to the processor, so they are not compared.
  bool isLike(const Machine &other) const {
    return processor == other.processor && cores == other.cores && devices == other.devices;
  }
};

std::string inWords(const Machine &);

} // namespace pbc::tuner
