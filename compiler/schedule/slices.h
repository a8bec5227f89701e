// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Orders rules that compute a versioned matrix by version: one version after the other.
//
//   T<k>.cell(i) from(T<k-1>.cell(i-1) l, ...)   and   T<k>.cell(0) from(T<k-1>.cell(0) c)
//   => for each version v: the end, then the inside
//
// So no more versions are alive than the dependences reach back (versions.h), and each rule has loops of its
// own within a version.
//
// Matrices may count differently. What is computed of each other lies in one slice, or in slices that follow:
//
//   V<t> from U<2*t>, U<2*t+2> from V<t>   =>   U<v> in slice v, V<v> in slice 2 * v
#pragma once
#include "compiler/schedule/align_versions.h"
#include "compiler/schedule/plan.h"

namespace pbc::schedule {

/// The version that each point of the use writes; nothing if it writes no versioned `through` matrix, or
/// several versions at once. `likeVersions`: the last dimension of matrices without versions counts, too (versions.h).
std::optional<VersionsOfUse> versionWritten(const sema::Transform &, const choice::Grid &, const RuleUse &,
                                            bool likeVersions);

/// The order by versions, for which versions of several matrices are aligned (align_versions.h), or nothing if some dependence does not allow it. Arguments as in orderOf().
std::optional<isl::schedule> slicedOrder(const sema::Transform &, const choice::Grid &,
                                         const std::vector<RuleUse> &uses, const isl::union_map &dependences,
                                         bool likeVersions);

} // namespace pbc::schedule
