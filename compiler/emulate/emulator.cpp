// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/emulator.h"
#include "compiler/emulate/program.h"
#include <algorithm>
#include <stdexcept>

namespace pbc::emulate {

double Outcome::throughput(const Core &core, int resource) const {
  const auto r = static_cast<std::size_t>(resource);
  return time > 0 ? uses[r].admissions * static_cast<double>(core.resources[r].cost.gap) /
                        static_cast<double>(time)
                  : 0;
}

double Outcome::occupied(int resource) const {
  return time > 0 ? static_cast<double>(uses[static_cast<std::size_t>(resource)].inFlight) /
                        static_cast<double>(time)
                  : 0;
}

Outcome emulate(const Trace &trace, const Threads &threads, const Core &core,
                const std::optional<Change> &change, std::vector<Event> *events) {
  if (const std::string wrong = verify(trace, static_cast<int>(core.resources.size())); !wrong.empty())
    throw std::invalid_argument(wrong);
  if (core.window == 0 && std::any_of(trace.instructions.begin(), trace.instructions.end(),
                                      [](const Instruction &i) { return !i.needs.empty(); }))
    throw std::invalid_argument(
        "what instructions need of other resources is only known in cores with a window");
  const Costs costs(trace, core, change);
  const Run run{trace, threads, core, costs, events};
  return core.window > 0 ? runInWindow(run) : runInOrder(run, Program(trace));
}

} // namespace pbc::emulate
