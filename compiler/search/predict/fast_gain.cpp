// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/predict/fast_gain.h"
#include "compiler/model/machine/machine_file.h"
#include "compiler/search/predict/processor_predictor.h"
#include <algorithm>

namespace pbc::search {
namespace {

constexpr const char *kTypicalMachine = "epyc7001"; // its vectors:
constexpr int kItsVectorBytes = 32, kItsVectorRegisters = 16;

} // namespace

bool hasOrderedSums(const kernel::Kernel &kernel) {
  return !kernel.reassociates &&
         std::any_of(kernel.statements.begin(), kernel.statements.end(), [&](const kernel::Statement &s) {
           if (s.op.empty() || s.write < 0)
             return false;
           const auto written = static_cast<std::size_t>(s.accesses[std::size_t(s.write)].buffer);
           const body::Scalar type = kernel.buffers[written].element;
           return type == body::Scalar::F64 || type == body::Scalar::F32;
         });
}

std::optional<FastGain> fastGain(const kernel::Scheduled &lifted, const kernel::Scheduled &scheduled,
                                 const std::map<std::string, long> &values,
                                 const emulate::ProcessorCore &core) {
  if (!hasOrderedSums(scheduled))
    return {};
  kernel::Scheduled inAnyOrder = lifted;
  inAnyOrder.reassociates = true;
  try {
    const ProcessorPredictor predictor(lifted, values, core);
    const auto seconds = [&](const kernel::Planned &planned) {
      return predictor.of(planned, emulate::kTimeAlone).seconds;
    };
    const FastGain gain{seconds({scheduled, {}}), seconds(kernel::Scheduler(inAnyOrder).schedule())};
    if (gain.fast > 0 && gain.timesAsFast() >= kWorthSaying)
      return gain;
  } catch (const NotPredicted &) {
  }
  return {};
}

std::optional<TypicalCore> typicalCore() {
  try {
    const model::Machine machine = model::findMachine(kTypicalMachine);
    TypicalCore made{machine.name, emulate::processorCoreOf(machine, kItsVectorBytes, kItsVectorBytes)};
    made.core.vectorRegisters = kItsVectorRegisters;
    return made;
  } catch (const model::Problem &) {
    return {};
  }
}

} // namespace pbc::search
