// Form (b) of vectorise: groups of lanes with the body's loops outside the lanes.
#pragma once
#include "compiler/kernel/kernel.h"
#include <isl/schedule_node.h>

namespace pbc::kernel {

/// `band`: the loop over free variable `x`, of one member, in the kernel's schedule; it carries no
/// dependence.
Outcome spreadOverLanes(const Kernel &, const isl::schedule_node &band, int x);

} // namespace pbc::kernel
