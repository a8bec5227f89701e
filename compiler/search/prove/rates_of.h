// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The rates of a machine's description, as bounds need them: of one core alone.
#pragma once
#include "compiler/model/machine/machine.h"
#include "compiler/search/bound/rates.h"

namespace pbc::search {

/// Throws model::Problem with the figure that is missing and how to measure it.
Rates ratesOf(const model::Machine &);

} // namespace pbc::search
