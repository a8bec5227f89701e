// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The workload of a codesign: the problems that the chips are to compute, and how often each occurs.
//
//   publishedWorkload(gtx980)     6 stencils: 4 x 16 problems in two dimensions, 2 x 12 in three;
//                                 all stencils are equally frequent, and so are the sizes of each
//
// Invariant: frequencies are not negative and their sum is 1.
//
// Source: cost-models.md sections 4.1 and 1.13.
#pragma once
#include "compiler/model/time/stencil_time.h"

#include <map>

namespace pbc::model {

struct WorkloadCase {
  StencilProblem problem;
  double frequency = 1;
};
using Workload = std::vector<WorkloadCase>;

/// The sizes of the source for so many dimensions: cubes with no more steps than points in a row. None for
/// one dimension.
std::vector<StencilProblem> publishedSizes(const Stencil &, double iteration);

/// `problems` of each stencil, all stencils equally frequent. Throws Problem if there is none.
Workload equallyFrequent(const std::vector<std::vector<StencilProblem>> &problems);

/// The six stencils; the iteration times are the machine's, for all chips.
Workload publishedWorkload(const Machine &);

/// Sets the frequencies of stencils in proportion to the weights; a stencil without a weight gets 0. Within a
/// stencil the proportions stay. Throws Problem for weights that are negative or all 0, and for a stencil
/// that does not exist.
Workload weighted(Workload, const std::map<std::string, double> &weights);

/// Points times steps.
double iterationsOf(const StencilProblem &);

/// The stencils of a workload, in its order.
std::vector<std::string> stencilsOf(const Workload &);

} // namespace pbc::model
