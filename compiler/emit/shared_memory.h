// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whether an output may be the same memory as an input, when the loops of an alternative are known.
//
// The points do not tell everything (schedule/shared_views.h): a transformation may compute the sum of a point in the cell of the output itself.
//
//   F[x, y] = 0;  F[x, y] += L[k, y] * L[k, x];  F[x, y] = A[x, y] - F[x, y]     no: the cell of A is read after that of F is written
#pragma once
#include "compiler/emit/emit.h"

namespace pbc::emit {

/// Why the alternative needs a copy of the input where it lies in the output's memory, as schedule::whyNotShared says it; nothing if it
/// needs none. Every loop nest counts by which some step can run.
std::optional<std::string> whyCopied(const Input &, const sema::Transform &, std::size_t alternative,
                                     int output, int input);

} // namespace pbc::emit
