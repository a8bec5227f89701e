// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `pbc prove FILE`: searches the fastest implementation of kernels on the machine at hand, and says how far from it the result can
// still be.
#pragma once

namespace pbc::driver {

int proveCommand(int argc, char **argv);

} // namespace pbc::driver
