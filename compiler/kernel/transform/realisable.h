// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whether loops can still be what the schedule says after a step that was about other loops.
//
//   lanes(x); stage(A, at = k)     k is inside x
//   => "its loop over x is realised as lanes:32 already: iterations of the loop over x would share A_pack"
//
// A step checks what it does to the loops that it names. What it does to realised loops around them, or inside, is checked
// here, by the same functions that the realisations' own transformations use. So no realisation is lost in silence, and
// none is carried out that has become wrong.
#pragma once
#include "compiler/kernel/schedule.h"

namespace pbc::kernel {

/// A sentence about the first loop that was realised before a step and can no longer be; "" if all still can.
std::string whyNotRealisable(const Scheduled &before, const Scheduled &after);

} // namespace pbc::kernel
