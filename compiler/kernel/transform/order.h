// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reorders loops that lie directly in each other; loops between them that are not named keep their places.
//
//   label x: band x: label y: band y: S   =>   order(y, x)   label y: band y: label x: band x: S
//
// Legal if every dependence still ends later than it begins. The purpose is that neighbours in memory are computed one
// after the other.
#pragma once
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

Transformation orderTransformation();

} // namespace pbc::kernel
