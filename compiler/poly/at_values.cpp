// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/poly/at_values.h"

namespace pbc::poly {

isl::set atValues(isl::set set, const std::map<std::string, long> &values) {
  for (const auto &[name, value] : values)
    if (const int at = isl_set_find_dim_by_name(set.get(), isl_dim_param, name.c_str()); at >= 0)
      set = isl::manage(isl_set_fix_val(set.copy(), isl_dim_param, static_cast<unsigned>(at),
                                        isl_val_int_from_si(set.ctx().get(), value)));
  return set;
}

long atValues(const isl::pw_aff &function, const std::map<std::string, long> &values) {
  return atValues(function.as_set(), values).dim_min_val(0).num_si();
}

} // namespace pbc::poly
