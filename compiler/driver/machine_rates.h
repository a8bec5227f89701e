// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The rates for bounds: of the machine that an option names, or measured here.
//
//   const model::Machine machine = machineFor("pbc prove", "here.toml", false);
//   ratesFor("pbc prove", machine, processor)     throws Refusal: "pbc prove: error: the description of X has no rate for ..."
#pragma once
#include "compiler/model/machine/machine.h"
#include "compiler/search/bound/rates.h"
#include "compiler/search/gpu/gpu_rates.h"
#include "runtime/base/machine.h"
#include <string>

namespace pbc::driver {

/// `named`: a name or a file; "": this machine is measured for some seconds, which is said unless `isQuiet`.
model::Machine machineFor(const std::string &command, const std::string &named, bool isQuiet);
/// Of a GPU.
search::GpuRates gpuRatesFor(const std::string &command, const model::Machine &);
search::Rates ratesFor(const std::string &command, const model::Machine &,
                       const pb::base::Machine &processor);

} // namespace pbc::driver
