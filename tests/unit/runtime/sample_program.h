// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A Program as the compiler would emit it, written by hand, so that the runtime can be tested without the
// compiler.
//
//   AddOne   A[w, h] -> B[w, h]              B = A + 1; alternatives rule0, ByRows and, on purpose: Wrong, Crash,
//                                            Endless, Exit, NoBase (which never reaches a base case unless
//                                            another choice stops it)
//   Take     param k, I[n] int -> J[k] int   the first k, repeated
//   Sum      A[n], F -> S                    S = F * sum of A (0-dimensional F and S)
//   Ramp     -> R[w, h]                      generator: R = 1000 + x + 10 y
//   Noisy    A[n] -> B[n]                    prints, draws random numbers
#pragma once
#include "runtime/abi/program.h"

namespace sample {

const pb::Program &program();
pb::Selector &addOneSelector();
long &addOneBlock();
double &addOneOmega();

} // namespace sample
