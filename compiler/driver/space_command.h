// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `pbc space FILE`: the spaces of implementations of kernels, how large they are, and what is decided at the root already.
#pragma once

namespace pbc::driver {

int spaceCommand(int argc, char **argv);

} // namespace pbc::driver
