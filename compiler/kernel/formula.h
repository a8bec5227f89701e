// Bounds by one formula: what a piecewise function is, without the conditions under which it is defined.
#pragma once
#include "compiler/kernel/kernel.h"

namespace pbc::kernel {

/// The function's only piece; nothing if it has several.
std::optional<isl::aff> formula(const isl::pw_aff &);

/// The most iterations of dimension `d` for fixed values of all dimensions before it; nothing if not bounded
/// by a constant.
std::optional<long> tripCount(const isl::set &domain, int d);

} // namespace pbc::kernel
