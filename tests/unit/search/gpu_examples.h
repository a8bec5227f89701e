// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Structures on GPUs for tests, with what their instructions do, and small GPUs.
#pragma once
#include "compiler/search/gpu/gpu_model.h"
#include "compiler/search/gpu/model_device.h"

namespace pbc::search {

/// C <- alpha A B + beta C of n x n floats, cut as sgemm() of examples.h says.
GpuSpace gpuSgemm(long n, long inner, long innermost);
/// All 36 ways to cut it that section 6 has.
std::vector<GpuSpace> gpuSgemms(long n);

/// X <- alpha X of `outer` x 32 x 4 floats, the example of section 3.
GpuSpace gpuScaledVector(long outer);

/// A map over `n` floats in tiles of 2 to 64, which are decided: one load, one operation, one store.
GpuSpace gpuMap(long n);

/// Rounded figures: 4 units of 64 lanes at 1 GHz.
GpuRates toyGpu();

} // namespace pbc::search
