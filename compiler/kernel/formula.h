// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Formulas of bounds, and arithmetic on functions of the points.
#pragma once
#include "compiler/kernel/kernel.h"

namespace pbc::kernel {

/// The function's only piece, without the conditions under which it is defined; nothing if it has several
/// pieces.
std::optional<isl::aff> formula(const isl::pw_aff &);

isl::union_pw_aff times(const isl::union_pw_aff &, int factor);
isl::union_pw_aff plus(const isl::union_pw_aff &, const isl::union_pw_aff &);

/// The largest number of iterations of dimension `d` for fixed values of all earlier dimensions; nothing if
/// no constant bounds it.
std::optional<long> tripCount(const isl::set &domain, int d);

/// Whether each statement has one point of its rule at most.
bool haveOnePoint(const std::vector<Statement> &);

} // namespace pbc::kernel
