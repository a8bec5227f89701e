// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What `pbc explain --kernels` says of the script of a kernel: its steps, and what could stand in their place.
//
//   tasks();
//   registers(y, x);
//     or without it | jam(y; 2)
#pragma once
#include "compiler/driver/kernel_requests.h"
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace pbc::driver {

/// The scripts that a search may try, together for each thing that they are about.
nlohmann::ordered_json scriptsOf(const KernelSpace &);
/// The edits of a schedule's script, each with the step that it is about.
nlohmann::ordered_json editsOf(const kernel::Report &);
/// The steps that made the schedule, each with what could stand in its place.
std::string stepsText(const nlohmann::ordered_json &step);

} // namespace pbc::driver
