// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Predictions for kernels for devices on a GPU, for `pbc emulate`.
//
//   describeOnGpu(question, machine)  =>  { "machine": "H200", "kernels": [{"name": "MM.rule0, blocks", "group": [16, 8, 1], "verdict": ..}, ..] }
//
// Throws Refusal with what is wrong, and model::Problem for a machine without a figure that it needs.
#pragma once
#include "compiler/driver/emulated_kernel.h"
#include "compiler/model/machine/machine.h"
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace pbc::driver {

struct GpuQuestion {
  std::string file, kernel; // kernel: the one of this name only; empty: all
  std::vector<std::string> sizes, words;
  std::optional<long> n;
  std::optional<double> hits;
  std::optional<long> registers;
  std::vector<int> group, cells; // along x, y and z; empty: the default
  std::vector<long> points;      // of a launch; empty: a full device
  TraceSource source = TraceSource::Loops;
  std::string device = "sm_90";
  bool showsTrace = false;
  bool isGuided = false; // also the shape that a search proposes which follows what limits the kernel
};

nlohmann::ordered_json describeOnGpu(const GpuQuestion &, const model::Machine &);
std::string textOnGpu(const nlohmann::ordered_json &described, const GpuQuestion &);

} // namespace pbc::driver
