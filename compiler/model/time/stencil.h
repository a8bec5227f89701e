// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A stencil and a problem with it: its dimensions, the distance of the neighbours that a point reads, the
// size of a point.
//
//   namedStencil("Jacobi2D")    =>   2 dimensions, radius 1, 1 word a point, 4 additions and 1 product
//   StencilProblem p{namedStencil("Jacobi2D"), {4096, 4096}, 1024, 3.39e-8};
//
// Invariant of a problem that `check` accepts: extents and steps are in [1, 1e9], the time of an iteration is
// positive and finite. Source: cost-models.md 1.1, A.1.
#pragma once
#include "compiler/model/machine/machine.h"

#include <array>
#include <string>
#include <vector>

namespace pbc::model {

struct Stencil {
  std::string name;
  int dimensions = 2; // of space: 1 to 3
  long radius = 1;    // in every dimension
  long words = 1;     // words of 4 bytes of a point
  /// Operations of an iteration, by the names of Machine::energy ("fadd", "fmul", ...); empty: not known.
  std::map<std::string, double> operations;

  bool operator==(const Stencil &) const = default;
};

/// The stencils of the published tables. Throws Problem with their names if there is none of this name.
Stencil namedStencil(const std::string &name);
const std::vector<Stencil> &namedStencils();

struct StencilProblem {
  Stencil stencil;
  std::array<long, 3> extents = {1, 1, 1}; // S1, S2, S3; 1 beyond the stencil's dimensions
  long steps = 1;                          // T
  double iteration = 0;                    // Citer: seconds of one iteration on one lane
};

/// Throws Problem if a value is out of range.
void check(const StencilProblem &);

/// The time that a machine needs for one iteration. Throws Problem with the stencils that the machine has.
double iterationTime(const Machine &, const Stencil &);

} // namespace pbc::model
