// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures how fast one core computes: its clock, and the time of an iteration of each stencil that the
// models name.
//
//   clockRate(...)                  =>  2.6e9 Hz, by a chain of additions of one cycle each
//   iterationTimes(lanes, bytes)    =>  {"Jacobi2D": 3.1e-10 s, ...} on one lane, fields of `bytes` in cache
//
// The stencils' bodies are those of the published benchmarks: weighted sums of neighbours; Gradient2D has a
// square root and a division. Numbers have 4 bytes.
#pragma once
#include "compiler/model/measure/sampling.h"

#include <map>
#include <string>

namespace pbc::model {

Figure clockRate(const Sampling &);

/// Seconds of an iteration times `lanes`: the time that one lane would need (Citer). `bytes`: of both fields
/// together.
std::map<std::string, Figure> iterationTimes(int lanes, std::size_t bytes, const Sampling &);

} // namespace pbc::model
