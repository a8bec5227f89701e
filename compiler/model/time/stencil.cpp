// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/time/stencil.h"

#include "runtime/base/closest.h"

#include <cmath>
#include <fmt/format.h>

namespace pbc::model {
namespace {

constexpr long kLargestExtent = 1'000'000'000;

void checkCount(const std::string &what, long value) {
  if (value < 1 || value > kLargestExtent)
    throw Problem(fmt::format("{} must be from 1 to {}, not {}", what, kLargestExtent, value));
}

} // namespace

const std::vector<Stencil> &namedStencils() {
  // The operations are stated for the Jacobi stencils only (cost-models.md 2.3).
  static const std::vector<Stencil> all = {
      {"Jacobi1D", 1, 1, 1, {{"fadd", 2}, {"fmul", 1}}},
      {"Jacobi2D", 2, 1, 1, {{"fadd", 4}, {"fmul", 1}}},
      {"Heat2D", 2, 1, 1, {}},
      {"Laplacian2D", 2, 1, 1, {}},
      {"Gradient2D", 2, 1, 1, {}},
      {"Heat3D", 3, 1, 1, {}},
      {"Laplacian3D", 3, 1, 1, {}},
  };
  return all;
}

Stencil namedStencil(const std::string &name) {
  std::vector<std::string> known;
  for (const Stencil &s : namedStencils()) {
    if (s.name == name)
      return s;
    known.push_back(s.name);
  }
  throw Problem(fmt::format("no stencil is named '{}'{}", name, pb::base::didYouMean(name, known)),
                "known: " + pb::base::listed(known));
}

void check(const StencilProblem &problem) {
  const Stencil &s = problem.stencil;
  if (s.dimensions < 1 || s.dimensions > 3)
    throw Problem(
        fmt::format("the time model is for stencils of 1 to 3 dimensions; {} has {}", s.name, s.dimensions));
  checkCount("a stencil's radius", s.radius);
  checkCount("the words of a point", s.words);
  for (int d = 0; d < s.dimensions; ++d)
    checkCount(fmt::format("the extent S{}", d + 1), problem.extents[static_cast<std::size_t>(d)]);
  checkCount("the number of steps", problem.steps);
  if (!(problem.iteration > 0) || !std::isfinite(problem.iteration))
    throw Problem(fmt::format("the time of an iteration must be positive, not {} s", problem.iteration));
}

double iterationTime(const Machine &machine, const Stencil &stencil) {
  if (const auto found = machine.iteration.find(stencil.name); found != machine.iteration.end())
    return found->second.value;
  std::vector<std::string> known;
  for (const auto &[name, time] : machine.iteration)
    known.push_back(name);
  throw Problem(fmt::format("{} has no time for an iteration of {}", machine.name, stencil.name),
                known.empty() ? "give it with --iteration=SECONDS, or in the machine's table [iteration]"
                              : fmt::format("it has {}; give another with --iteration=SECONDS",
                                            pb::base::listed(known)));
}

} // namespace pbc::model
