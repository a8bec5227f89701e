// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Predictions for kernels on a processor, for `pbc emulate`.
//
//   describeOnProcessor(request, machine, {})  =>  [{"name": "MM.rule0", "schedule": "tasks(); registers(y, x)", "verdict": ..,
//                                                    "seconds": 4.0e-4, ..}]
//
// A script that does not apply to a kernel has a row with the reason. Throws Refusal with what is wrong, and model::Problem for a machine without a figure that it needs.
#pragma once
#include "compiler/driver/kernel_input.h"
#include "compiler/model/machine/machine.h"
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace pbc::driver {

struct ProcessorQuestion {
  KernelRequest request;
  bool alsoOthers = false;          // schedules than the default: one for each value of each option
  std::vector<std::string> scripts; // the kernels by each of these, too, as texts
  bool isGuided = false;     // also the schedule that a search proposes which follows what limits the kernel
  bool isMeasured = false;   // on this machine, alone and on one thread
  bool showsTrace = false;   // also the instructions
  int mostPredictions = 200; // of such a search
  bool onlyTimes = false;    // without what limits a kernel, which takes longer to find
};

nlohmann::ordered_json describeOnProcessor(const ProcessorQuestion &, const model::Machine &);

} // namespace pbc::driver
