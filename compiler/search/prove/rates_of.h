// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The rates of a machine's description, as bounds need them: of one core alone.
#pragma once
#include "compiler/model/machine/machine.h"
#include "compiler/search/bound/rates.h"
#include "runtime/base/machine.h"

namespace pbc::search {

/// `processor`: what the system says of it. Throws model::Problem with the figure that is missing and how to measure it.
Rates ratesOf(const model::Machine &, const pb::base::Machine &processor);
/// Those of one core as often as there are cores, with as many caches.
Rates together(Rates ofOneCore, int cores);
/// Of so many cores together: each has its own units and caches, and the machine has limits for all of them.
Rates ratesOfCores(const model::Machine &, const pb::base::Machine &processor, int cores);

} // namespace pbc::search
