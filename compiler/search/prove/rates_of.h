// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The rates of a machine's description, as bounds need them: of one core alone.
#pragma once
#include "compiler/model/machine/machine.h"
#include "compiler/search/bound/rates.h"
#include "runtime/base/machine.h"

namespace pbc::search {

/// `processor`: what the system says of it. Throws model::Problem with the figure that is missing and how to measure it.
Rates ratesOf(const model::Machine &, const pb::base::Machine &processor);

} // namespace pbc::search
