// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `pbc opt`: runs steps of a schedule on kernels in text form.
//
//   $ pbc --emit=lifted mm.pbcc | pbc opt - --pass='tile(y, x; 32, 256)' --pass='vector(xt)' --verify
//   kernel MM.rule0 [c, h, w]
//     ...
//
// Kernels come from a file or from standard input and go to standard output or to a file, in the same form (docs/kernel-text.md).
// Nothing is written if a step does not apply.
#pragma once

namespace pbc::driver {

/// `argv[0]` is the word `opt`. Returns the exit status.
int optCommand(int argc, char **argv);

} // namespace pbc::driver
