// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Answers about codesign, for the command line: the best chip of each area, the best chip for each stencil
// alone, how existing machines compare, and what limits the best chip.
//
// Source: cost-models.md sections 4.2 and 4.3.
#pragma once
#include "compiler/model/answer.h"
#include "compiler/model/codesign/codesign.h"

namespace pbc::model {

/// An existing chip, for comparison; it is modelled like the designs.
struct ExistingChip {
  std::string name;
  Design design;       // its area is without caches, like the designs'
  double fullArea = 0; // with caches
};

struct CodesignQuestion {
  StencilMachine basis;
  std::string basisName;
  DesignRanges ranges;
  Workload workload; // frequencies included
  TimeModel model = TimeModel::Corrected;
  std::vector<ExistingChip> existing;
  std::vector<std::string> remarks; // sentences
};

Answer answerCodesign(const CodesignQuestion &);

} // namespace pbc::model
