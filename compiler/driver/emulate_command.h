// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `pbc emulate FILE`: what limits each kernel for devices on a GPU that need not be there.
//
//   MatrixMultiply.Cells, blocks on H100 SXM: limited by DRAM throughput (0.47), as much by f64 throughput (0.40)
//     predicted for a full device: 1.4e+10 points a second; 2 groups at once on each of 132 multiprocessors, occupancy 0.12
//     DRAM throughput: 0.47; with twice the throughput: 0.88 of the time; copies for the group 0.40, stores 0.07
#pragma once

namespace pbc::driver {

int emulateCommand(int argc, char **argv);

} // namespace pbc::driver
