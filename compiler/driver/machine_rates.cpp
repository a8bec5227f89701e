// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/machine_rates.h"
#include "compiler/driver/problems.h"
#include "compiler/model/machine/machine_file.h"
#include "compiler/model/measure/measure_machine.h"
#include "compiler/search/prove/rates_of.h"
#include <fmt/format.h>

namespace pbc::driver {
namespace {

[[noreturn]] void refuseMachine(const std::string &command, const model::Problem &problem) {
  throw Refusal(fmt::format("{}: error: {}\n{}", command, problem.what(),
                            problem.help().empty() ? "" : fmt::format("help: {}\n", problem.help())));
}

} // namespace

model::Machine machineFor(const std::string &command, const std::string &named, bool isQuiet) {
  try {
    if (!named.empty())
      return model::findMachine(named);
    if (!isQuiet)
      say("measuring the machine's rates for some seconds; `pbc model measure -o FILE` and --machine=FILE "
          "keep them\n");
    return model::measureProcessor({.seconds = 4});
  } catch (const model::Problem &problem) {
    refuseMachine(command, problem);
  }
}

search::GpuRates gpuRatesFor(const std::string &command, const model::Machine &machine) {
  try {
    return search::gpuRatesOf(machine);
  } catch (const model::Problem &problem) {
    refuseMachine(command, problem);
  }
}

search::Rates ratesFor(const std::string &command, const model::Machine &machine,
                       const pb::base::Machine &processor) {
  try {
    return search::ratesOf(machine, processor);
  } catch (const model::Problem &problem) {
    refuseMachine(command, problem);
  }
}

} // namespace pbc::driver
