// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/codesign/workload.h"

#include "runtime/base/closest.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace pbc::model {

std::vector<StencilProblem> publishedSizes(const Stencil &stencil, double iteration) {
  std::vector<StencilProblem> out;
  const auto add = [&](const std::vector<long> &extents, const std::vector<long> &steps) {
    for (const long extent : extents)
      for (const long t : steps)
        if (t <= extent)
          out.push_back({stencil, {extent, extent, stencil.dimensions == 3 ? extent : 1}, t, iteration});
  };
  if (stencil.dimensions == 2) // 12228 in the source's table is a misprint
    add({4096, 8192, 12288, 16384}, {1024, 2048, 4096, 8192, 16384});
  else if (stencil.dimensions == 3)
    add({384, 512, 640}, {128, 256, 384, 512, 640});
  return out;
}

Workload equallyFrequent(const std::vector<std::vector<StencilProblem>> &problems) {
  Workload workload;
  for (const auto &ofStencil : problems) {
    if (ofStencil.empty())
      throw Problem("a stencil without a size", "give --size and --steps");
    for (const StencilProblem &problem : ofStencil) {
      check(problem);
      workload.push_back({problem, 1 / static_cast<double>(problems.size() * ofStencil.size())});
    }
  }
  if (workload.empty())
    throw Problem("a workload without a problem", "name a stencil");
  return workload;
}

Workload publishedWorkload(const Machine &machine) {
  std::vector<std::vector<StencilProblem>> problems;
  for (const Stencil &stencil : namedStencils())
    if (stencil.dimensions > 1)
      problems.push_back(publishedSizes(stencil, iterationTime(machine, stencil)));
  return equallyFrequent(problems);
}

Workload weighted(Workload workload, const std::map<std::string, double> &weights) {
  const std::vector<std::string> known = stencilsOf(workload);
  double sum = 0;
  for (const auto &[name, weight] : weights) {
    if (std::ranges::find(known, name) == known.end())
      throw Problem(
          fmt::format("the workload has no stencil '{}'{}", name, pb::base::didYouMean(name, known)),
          "it has " + pb::base::listed(known));
    if (!(weight >= 0 && weight <= 1e9))
      throw Problem(fmt::format("the weight of {} is {}", name, weight), "a weight is from 0 to 1e9");
    sum += weight;
  }
  if (sum <= 0)
    throw Problem("all weights are 0", "give one stencil a weight");
  for (const std::string &name : known) {
    double ofStencil = 0;
    for (const WorkloadCase &c : workload)
      ofStencil += c.problem.stencil.name == name ? c.frequency : 0;
    const auto weight = weights.find(name);
    for (WorkloadCase &c : workload)
      if (c.problem.stencil.name == name)
        c.frequency *= weight == weights.end() || ofStencil == 0 ? 0 : weight->second / sum / ofStencil;
  }
  return workload;
}

double iterationsOf(const StencilProblem &problem) {
  double iterations = static_cast<double>(problem.steps);
  for (const long extent : problem.extents)
    iterations *= static_cast<double>(extent);
  return iterations;
}

std::vector<std::string> stencilsOf(const Workload &workload) {
  std::vector<std::string> out;
  for (const WorkloadCase &c : workload)
    if (std::ranges::find(out, c.problem.stencil.name) == out.end())
      out.push_back(c.problem.stencil.name);
  return out;
}

} // namespace pbc::model
