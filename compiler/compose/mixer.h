// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// All ways to mix the steps of an adaptor into a script.
//
//   mixed({TG, LT, LU}, {peel})  =>  peel TG LT LU ; TG peel LT LU ; TG LT peel LU ; TG LT LU peel
//   mixed({TG, LT, LU}, {GM_map, format})  =>  the 4 of the 10 that begin with GM_map
//
// Both scripts keep their order. Steps that must come first (Mixing::Place::First) come in front of all others but those that cut the
// loops into tasks. Steps about memory are
// no business of the mixer (placements.h). Source: optimisation-scripts 5, mixer.
#pragma once
#include "compiler/kernel/transform/transformation.h"

namespace pbc::compose {

/// A script in two parts, each in its order.
struct Parts {
  script::Script ordered, memory;
};

/// The splitter: by the transformation of each step, which exists.
Parts split(const script::Script &);

/// How a step is mixed; that of an unknown transformation is the default.
kernel::Mixing mixingOf(const script::Step &);

std::vector<script::Script> mixed(const script::Script &base, const script::Script &added);

} // namespace pbc::compose
