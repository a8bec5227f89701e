// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which steps with arguments make smaller what limits a version of a kernel for devices, as other versions of it have them, and how much faster these are
// predicted to be.
//
//   global: items()               limited by DRAM throughput, remedy `stage`
//   local:  items(); stage(A)     1.58 times as fast
//   =>  the remedy `stage` of `global` has { steps [stage(A)], version local, times_as_fast 1.58 }
//
// Steps are compared as data. A remedy that no other version has stays as it is.
#pragma once
#include "compiler/script/script.h"
#include <nlohmann/json.hpp>
#include <vector>

namespace pbc::driver {

/// `described`: an object for each version of each kernel, with `kernel`, `version`, `points_per_second` if it is predicted, and `elasticities`;
/// `scripts`: the same versions. Also adds `try_version`, the fastest other version.
void addVersionRemedies(nlohmann::ordered_json &described, const std::vector<script::Script> &scripts);

} // namespace pbc::driver
