// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures what several units reach together.
//
//   rateTogether(2, sampling, [](int unit) { return [] { work(); return 1e6; }; })
//       =>  per second, of both units: the sum of each one's 1e6 over its own seconds, while the other works
//
// `workOf` is called on the unit's own thread, so that memory which it touches is near, and so is the work that
// it returns, once per sample, by all units at the same time. The work returns how much it did. One unit alone
// is measured in the same way.
#pragma once
#include "compiler/model/measure/sampling.h"

#include <functional>

namespace pbc::model {

using Work = std::function<double()>;

Figure rateTogether(int units, const Sampling &, const std::function<Work(int unit)> &workOf);

} // namespace pbc::model
