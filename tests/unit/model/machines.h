// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The machines that come with pbc, for tests.
#pragma once
#include "compiler/model/machine/machine.h"

namespace pbc::model {

/// compiler/model/machines/NAME.toml.
const Machine &shipped(const std::string &name);

} // namespace pbc::model
