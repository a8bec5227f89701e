// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The area of a GPU's chip, computed from its numbers of units, lanes and bytes: a sum of terms whose
// coefficients were found for TSMC's 28 nm and NVIDIA's Maxwell (Cacti fits of memories, and a photograph of
// the die).
//
//   chipArea({.units = 16, .lanes = 128, .sharedKb = 96, .firstCacheKb = 48, .secondCacheKb = 2048})
//     total 397.99 mm2 (GTX 980: 398): lanes 87.7, registers 21.6, ... overhead 102.6
//
// Chips of another process need other coefficients: ratios may hold, areas do not. Invariant: every part is
// finite and not negative, and the total is their sum. Source: cost-models.md section 3 (C.4 to C.7, erratum
// E6).
#pragma once
#include "compiler/model/machine/machine.h"
#include "compiler/model/mode.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace pbc::model {

/// Sizes in kB of 1024 bytes.
struct Chip {
  int units = 0;                       // nSM
  int lanes = 0;                       // nV, of each unit
  double registersKb = 2;              // RVU, of each lane
  double sharedKb = 0;                 // MSM, of each unit
  std::optional<double> firstCacheKb;  // L1 of each pair of units; absent: the chip has none
  std::optional<double> secondCacheKb; // L2 of the whole chip
};

/// The parts of an area, in mm2.
struct ChipArea {
  double lanes = 0, registers = 0, shared = 0, firstCache = 0, secondCache = 0, overhead = 0;

  struct Part {
    const char *name;
    double area;
  };
  std::array<Part, 6> parts() const;
  double total() const;
};

/// (C.6). Printed: the fixed part of the L2 once per chip instead of once per unit, as in the source. Throws
/// Problem for values that no chip has.
ChipArea chipArea(const Chip &, Mode = Mode::Corrected);

/// (C.7): the source's short form with its truncated coefficients; only for comparison with published
/// figures.
double shortArea(const Chip &);

/// The values of a machine that the area model needs. Throws Problem if the machine is not a GPU or lacks one
/// of them.
Chip chipOf(const Machine &);
Chip withoutCaches(Chip);

/// The memories that are outside the sizes to which the coefficients were fitted, one sentence each.
std::vector<std::string> extrapolations(const Chip &);

} // namespace pbc::model
