// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What `pbc explain --n=...` says of a step's bound, as data and as text.
//
//   bound: no schedule takes less than 358 us on one core; compute: 1.68e+07 additions of doubles, at 4.68e+10 a second ...
//     to lower it: Fewer operations, or a smaller type.
#pragma once
#include "compiler/driver/rule_bounds.h"
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace pbc::driver {

/// `name`: of the step, as its entry `place_NAME` has it. Lines of the source are named without the file if it is `file`. Nothing is added
/// where there is nothing to say.
void addBounds(const RuleBounds &, const RuleBounds::Step &, const std::string &name, const std::string &file,
               nlohmann::ordered_json &step);
/// Lines; "" if the step has no such data.
std::string boundText(const nlohmann::ordered_json &step);

} // namespace pbc::driver
