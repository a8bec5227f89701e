// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A machine's description as TOML text.
//
//   name = "GTX 980"                                  unit "seconds", "bytes", "Hz" throughout
//   kind = "gpu"                                      or "processor"
//   units = 16
//   lanes = 128
//   barrier = 7.96e-10                                a figure that was measured has its spread:
//   launch = { value = 9.24e-7, spread = 0.02 }
//   [[memory]]
//   name = "shared"
//   scope = "unit"                                    or "lane", "machine"
//   bytes = 98304
//   bytes_per_block = 49152
//   [iteration]
//   Jacobi2D = 3.39e-8
//   [energy.bench]
//   fadd = 5.3e-11
//
// Invariant: readMachine(machineText(m)) is m again, to the last digit; a file with a key that is not known
// or a figure that is not positive, or that no machine has, is refused, naming its line.
#pragma once
#include "compiler/model/machine/machine.h"

namespace pbc::model {

/// `where` names the text in messages. Throws Problem with every mistake, a line each.
Machine readMachine(const std::string &text, const std::string &where);

std::string machineText(const Machine &);

/// "gtx980": the file of that name that comes with pbc; anything with a '/' or ending in ".toml": that file.
/// Throws Problem.
Machine findMachine(const std::string &nameOrPath);

/// The names of those that come with pbc, sorted.
std::vector<std::string> machineNames();

} // namespace pbc::model
