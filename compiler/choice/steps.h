// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The parts of chooseGrids(), one file each: applicable regions (applicable.cpp), points that need what no
// rule computes (computable.cpp), pieces (pieces.cpp), alternatives (alternatives.cpp).
#pragma once
#include "compiler/choice/grid.h"
#include "compiler/choice/spaces.h"
#include "compiler/source/diagnostics.h"

namespace pbc::choice {

/// Where each rule may run. Reports rules that can run nowhere and rules that write a cell twice.
std::vector<Application> applicableRegions(const sema::Transform &, const Spaces &, const isl::set &context,
                                           source::Diagnostics &);

/// Takes points out of the rules' domains at which they would read cells that no rule computes, where other
/// rules compute what they would write (computable.cpp).
void leaveOutUncomputable(const sema::Transform &, const Spaces &, Grid &);

/// Cuts each computed matrix into pieces by the rules that reach them. Cells without a rule are reported, or
/// become guards if only some sizes have them.
void cutIntoPieces(const sema::Transform &, const Spaces &, Grid &, source::Diagnostics &);

/// All legal assignments of rules to pieces.
std::vector<Alternative> alternativesOf(const sema::Transform &, const std::vector<body::Facts> &,
                                        const Grid &, source::Diagnostics &);

/// The label of a rule in configurations: its own, or the name of the only transform that its body calls.
std::string labelOf(const sema::Transform &, int rule, const std::vector<body::Facts> &);

} // namespace pbc::choice
