// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `pbc emulate FILE`: what limits each kernel for devices on a GPU that need not be there.
//
//   MatrixMultiply.Cells, blocks on H100 SXM: limited by f32 throughput (0.91), next issue (0.06)
//     predicted: 181 us for 1024 blocks, 2 at once on each of 132 multiprocessors
//     with twice the f32 throughput: 0.55 of the time
//     by region: computing 0.89, copies for the group 0.02
#pragma once

namespace pbc::driver {

int emulateCommand(int argc, char **argv);

} // namespace pbc::driver
