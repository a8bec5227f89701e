// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/reach.h"
#include "compiler/kernel/loops.h"
#include <cmath>
#include <isl/aff.h>
#include <isl/val.h>

namespace pbc::kernel {
namespace {

/// Bounds of loops add up a few multiples of such values.
constexpr double kLargestCoordinate = 0x1p31, kLargestValue = 0x1p48;

double size(isl_val *taken) {
  const double value = std::fabs(isl_val_get_d(taken));
  isl_val_free(taken);
  return value;
}

/// At least the absolute value of the function for coordinates and sizes of 32 bits.
double reach(isl_aff *f) {
  double all = size(isl_aff_get_constant_val(f));
  for (const isl_dim_type type : {isl_dim_in, isl_dim_param})
    for (int d = 0, n = static_cast<int>(isl_aff_dim(f, type)); d < n; ++d)
      all += kLargestCoordinate * size(isl_aff_get_coefficient_val(f, type, d));
  for (int d = 0, n = static_cast<int>(isl_aff_dim(f, isl_dim_div)); d < n; ++d)
    if (const double factor = size(isl_aff_get_coefficient_val(f, isl_dim_div, d)); factor != 0) {
      isl_aff *divided = isl_aff_get_div(f, d); // the function that is rounded down
      all += factor * (reach(divided) + 1);
      isl_aff_free(divided);
    }
  return all;
}

double reach(const isl::pw_aff &f) {
  double most = 0;
  isl_pw_aff_foreach_piece(
      f.get(),
      [](isl_set *where, isl_aff *piece, void *user) {
        double &greatest = *static_cast<double *>(user);
        greatest = std::fmax(greatest, reach(piece));
        isl_set_free(where);
        isl_aff_free(piece);
        return isl_stat_ok;
      },
      &most);
  return most;
}

} // namespace

std::string loopThatGoesTooFar(const Scheduled &kernel) {
  for (const LoopNode &loop : loopsOf(kernel.schedule.tree))
    for (const std::string &statement : statementsAt(loop.band))
      if (const std::optional<isl::pw_aff> f = member(loop.band, 0, statement);
          f && reach(*f) > kLargestValue)
        return loop.label;
  return "";
}

} // namespace pbc::kernel
