// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A machine's description as TOML text.
//
//   name = "GTX 980"                                  # seconds, bytes, Hz throughout
//   kind = "gpu"                                      # or "processor"
//   units = 16
//   lanes = 128
//   barrier = 7.96e-10
//   launch = { value = 9.24e-7, spread = 0.02, best = 9.1e-7 }  # a measured figure: median, spread, fastest sample
//   [[memory]]
//   name = "shared"
//   scope = "unit"                                    # or "lane", "machine"
//   bytes = 98304
//   bytes_per_block = 49152
//   bytes_per_second = 2.1e12                         # all units; unit_bytes_per_second: one alone; unit_copied_bytes_per_second: one alone that copies
//   [[resource]]
//   name = "fma_f64"                                  # one of resourceNames()
//   latency = 1.8e-9
//   unit = 5.2e9                                      # instructions per second; also lane, machine
//   unit_numbers = 4.16e10                            # numbers per second; also lane_numbers, machine_numbers
//   [warp.f64]                                        # cycles; one of warpUnitNames() (warp_cost.h); without [[resource]]: or [resource.f64]
//   source = "public"                                 # or "measured", "assumed"
//   latency = 8
//   gap = 0.5                                         # also deviation
//   [iteration]
//   Jacobi2D = 3.39e-8
//   [energy.bench]
//   fadd = 5.3e-11
//
// Invariant: readMachine(machineText(m)) is m again, to the last digit; a file with an unknown key, or with a
// figure that is not positive, that no machine has, or whose `best` is slower than its value, is refused with
// its line.
#pragma once
#include "compiler/model/machine/machine.h"

namespace pbc::model {

/// `where` names the text in messages. Throws Problem with all mistakes, one per line.
Machine readMachine(const std::string &text, const std::string &where);

std::string machineText(const Machine &);

/// "gtx980" is the file of that name that comes with pbc; a name with a '/' or ending in ".toml" is the path
/// of a file. Throws Problem.
Machine findMachine(const std::string &nameOrPath);

/// The names of the machines that come with pbc, sorted.
std::vector<std::string> machineNames();

} // namespace pbc::model
