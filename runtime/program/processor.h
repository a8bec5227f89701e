// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which of a program's versions runs: the one for the most capable processor whose features this processor
// has.
//
//   versions x86-64-v2, x86-64-v3, x86-64-v4 on a processor with AVX2   =>   x86-64-v3
//   PBC_CPU=x86-64-v2 ./prog                                            =>   x86-64-v2
#pragma once
#include "runtime/abi/program.h"

namespace pb::program {

/// The versions are ordered, the least capable first. A program with one version is not asked which processor
/// it is for. Throws UserError if none can run here, or not the one that the environment asks for.
const Program &versionForThisProcessor(const Program *versions, int count);

} // namespace pb::program
