// The schedule that a kernel gets when nobody asks for another.
//
//   band (y, x): S  =>  tasks over x and y; band y: vector: band x: S
//
// x innermost where that is legal, pieces for tasks, vectors along x. No tiles: what a point-wise or stencil
// kernel reads again lies within a few rows. Each step that does not apply is left out.
#pragma once
#include "compiler/kernel/kernel.h"

namespace pbc::kernel {

Kernel defaultSchedule(const Kernel &);

} // namespace pbc::kernel
