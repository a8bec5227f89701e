// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The loops of resource_loops.h for arithmetic on vectors, in the instructions of the processor.
//
//   vectorLoops()   =>  {FmaF64, numbers 8, independent: 12 sums side by side, in registers zmm0 to zmm11}, ...
//
// They are written as instructions, because compilers accept vectors as operands of asm statements only in
// functions for processors that have them all. Empty where there is nothing but vectors of 16 bytes, and on other
// architectures: then rates of numbers follow from those of instructions (machine/rates.h), which is a weaker
// limit.
#pragma once
#include "compiler/model/measure/resource_loops.h"

#include <vector>

namespace pbc::model {

std::vector<ResourceLoop> vectorLoops();

} // namespace pbc::model
