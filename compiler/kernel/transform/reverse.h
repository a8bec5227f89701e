// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs a loop from its last iteration to its first one.
//
//   label x: band x: S  =>  reverse(x)  =>  label x: band -x: S
//
// Legal if no iteration needs an earlier one. It turns loops that count in opposite directions into loops that can be
// fused, and dependences that go backwards into dependences that tiles allow.
#pragma once
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

Transformation reverseTransformation();

} // namespace pbc::kernel
