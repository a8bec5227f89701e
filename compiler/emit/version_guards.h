// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Emits the conditions under which versions of a step's loops run: they are checked in each call that the configuration lets use
// such a version, before its loops begin, and at most once (runtime/abi/guards.h).
//
//   version cpu:gemm+Triangular(A).3, guarded by isSmall(A)
//   => mutable pb::Guard guards[1] = {};      in the frame
//      static bool pb_guard_0(const pb::Frame *pb_p) { ... return pb::onceACall(pb_f.guards[0], [&] { return isSmall(A); }); }
//      {.box = ..., .kernel = ..., .when = pb_guard_0}      the row of the version
//
// An expression sees the matrix of the transform by its name, as a view of all of its memory. Source: optimisation-scripts 4.
#pragma once
#include "compiler/emit/parts.h"

namespace pbc::emit {

/// The distinct conditions of all versions of the transform; each has the place of its number in the frame.
std::vector<script::Condition> guardsOf(const Scope &);

/// The matrices that the conditions are about.
std::vector<int> matricesOf(const sema::Transform &, const std::vector<script::Condition> &);

/// A function `name` of the frame, which is whether all of the conditions hold; `all` are those of the transform.
std::string guardFunction(const Scope &, const std::string &name, const std::vector<script::Condition> &,
                          const std::vector<script::Condition> &all);

} // namespace pbc::emit
