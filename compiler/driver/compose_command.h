// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `pbc compose`: weaves adaptors into a script for kernels in text form, and says what became of each way to mix them.
//
//   $ pbc --emit=lifted trmm.pbcc | pbc compose - --script=gemm.sched --adaptor='Triangular(A)'
//   Trmm.Cells: gemm + Triangular(A): 9 sequences make 7 kernels
//     1  kept  ...
//
// Adaptors are those of the standard library (stdlib/adaptors) and of the files that --adaptors names.
#pragma once

namespace pbc::driver {

/// `argv[0]` is the word `compose`. Returns the exit status.
int composeCommand(int argc, char **argv);

} // namespace pbc::driver
