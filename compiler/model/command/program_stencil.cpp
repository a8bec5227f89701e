// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/command/program_stencil.h"

#include "runtime/base/closest.h"

#include <algorithm>
#include <fmt/format.h>

namespace pbc::model {

KernelStencil stencilOfProgram(const std::string &program, const std::string &wanted,
                               const EachKernel &eachKernel) {
  std::optional<KernelStencil> found;
  std::vector<std::string> names;
  std::string why;
  const bool isRead = eachKernel(program, [&](const kernel::Kernel &k) {
    names.push_back(k.name);
    if (!wanted.empty() && k.name != wanted)
      return;
    const StencilOutcome outcome = stencilOfKernel(k);
    if (outcome.stencil)
      keepLarger(found, *outcome.stencil);
    else
      why += fmt::format("{}{}: {}", why.empty() ? "" : "; ", k.name, outcome.why);
  });
  if (!isRead)
    throw AlreadySaid();
  if (!wanted.empty() && std::ranges::find(names, wanted) == names.end())
    throw Problem(
        fmt::format("{} has no kernel '{}'{}", program, wanted, pb::base::didYouMean(wanted, names)),
        names.empty() ? "" : "it has " + pb::base::listed(names));
  if (!found)
    throw Problem(fmt::format("no rule of {} is a stencil", program), why);
  return *found;
}

double estimatedIteration(const Machine &machine, const KernelStencil &k, std::vector<std::string> &remarks) {
  const Stencil like = namedStencil("Jacobi2D");
  const double known = iterationTime(machine, like);
  const auto work = [](const Stencil &s, int reads) {
    double sum = reads + 1; // one cell is written
    for (const auto &[name, times] : s.operations)
      sum += times;
    return sum;
  };
  const double time = known * work(k.stencil, k.reads) / work(like, 5);
  remarks.push_back(
      fmt::format("The time of an iteration, {:.4g} s, is an estimate: that of {} on {}, by the number of "
                  "operations and cells. --iteration gives a measured one.",
                  time, like.name, machine.name));
  return time;
}

} // namespace pbc::model
