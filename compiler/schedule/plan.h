// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Plans: for each alternative of a transform, which rules run on which regions, in what order.
//
//   alternative `cells` of Smooth:
//     step 0   Smooth.0 on { R0[i] : 1 <= i < n-1 }   loops i (parallel)
//     step 1   Smooth.1 on { R1[i] : i = 0 or i = n-1 } loops i (parallel)        independent of step 0
//   alternative `SmoothByPrefixSums`:
//     step 0   Smooth.2 once: a body that calls transforms
//
// A step is a strongly connected group of rule applications, nearly always a single one, or a group that writes a matrix in turns. `order` is the
// schedule tree of its points: loop order and direction are decided only there; bands carry `coincident`
// flags for loops without a dependence. The order of a group follows from exact dependences (isl), so
// wavefronts, rows that read earlier rows and descending recurrences are all legal orders of the same kind.
#pragma once
#include "compiler/choice/grid.h"

namespace pbc::schedule {

struct RuleUse {
  int rule;
  isl::set domain;                        // { R0[i] : ... }: the points at which the rule runs in this plan
  std::vector<isl::map> overwritten = {}; // as in choice::Use
};

struct Step {
  std::vector<RuleUse> uses;
  isl::schedule order; // over the union of the domains
  /// Between points of this step: which point reads or overwrites the cells that another one writes.
  isl::union_map dependences;
  std::vector<int> after;       // steps that must be complete before
  bool callsTransforms = false; // some body calls transforms: emitted as a coroutine, not as a Kernel
};

/// Whether both have the same rules at the same points in the same order, from which dependences follow;
/// their predecessors may differ.
bool isSameStep(const Step &, const Step &);

/// The labels of the step's rules: "inside", "left+right"; without those of copies (copied_reads.h), so that a program's configuration does
/// not depend on them.
std::string stepName(const sema::Transform &, const Step &);

/// The rule of a step that a library for devices can also compute (sema::Rule::library), or null.
const sema::Rule *libraryRule(const sema::Transform &, const Step &);

struct Plan {
  std::string alternative;
  std::vector<Step> steps; // in a legal sequential order
};

struct TransformPlans {
  std::vector<Plan> plans; // one per alternative, same order as choice::Choices::alternatives
};

/// Makes one plan per alternative. An alternative whose rules need each other's results in a cycle is removed
/// from `choices`. Errors: no alternative is left (with the cycle), a cell that needs itself.
std::vector<TransformPlans> plan(const sema::Module &, const std::vector<std::vector<body::Facts>> &,
                                 std::vector<choice::Choices> &choices, poly::Context &,
                                 source::Diagnostics &);

/// The same for one transform, without its errors: it has had plans before.
TransformPlans plan(const sema::Transform &, const std::vector<body::Facts> &, choice::Choices &);

std::string print(const sema::Module &, const std::vector<TransformPlans> &);

} // namespace pbc::schedule
