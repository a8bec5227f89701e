// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/choice/remainders.h"
#include <algorithm>
#include <isl/aff.h>
#include <isl/local_space.h>
#include <isl/set.h>
#include <isl/val.h>
#include <map>
#include <optional>

namespace pbc::choice {

namespace {

constexpr long kLargestStride = 4096;

/// The coordinate of all points of a set is `remainder` modulo `stride`.
struct Lattice {
  long stride, remainder;
};

std::optional<Lattice> latticeOf(const isl::set &part, int dimension) {
  isl_stride_info *info = isl_set_get_stride_info(part.get(), dimension);
  isl_val *stride = isl_stride_info_get_stride(info);
  isl_aff *offset = isl_stride_info_get_offset(info);
  isl_val *constant = isl_aff_get_constant_val(offset);
  std::optional<Lattice> found;
  if (isl_aff_is_cst(offset) == isl_bool_true && isl_val_is_int(constant) == isl_bool_true &&
      isl_val_cmp_si(stride, 1) > 0 && isl_val_cmp_si(stride, kLargestStride) <= 0) {
    constant = isl_val_mod(constant, isl_val_copy(stride));
    found = Lattice{isl_val_get_num_si(stride), isl_val_get_num_si(constant)};
  }
  isl_val_free(constant);
  isl_val_free(stride);
  isl_aff_free(offset);
  isl_stride_info_free(info);
  return found;
}

isl::set pointsOf(const Lattice &lattice, const isl::set &whole, int dimension) {
  isl_local_space *space = isl_local_space_from_space(isl_set_get_space(whole.get()));
  isl_ctx *context = isl_set_get_ctx(whole.get());
  isl_aff *remainder = isl_aff_mod_val(
      isl_aff_var_on_domain(isl_local_space_copy(space), isl_dim_set, static_cast<unsigned>(dimension)),
      isl_val_int_from_si(context, lattice.stride));
  isl_aff *wanted = isl_aff_val_on_domain(space, isl_val_int_from_si(context, lattice.remainder));
  return whole.intersect(isl::manage(isl_set_from_basic_set(isl_aff_eq_basic_set(remainder, wanted))));
}

} // namespace

bool coverByRemainders(const isl::set &whole, const std::vector<isl::set> &parts) {
  const int rank = isl_set_dim(whole.get(), isl_dim_set);
  for (int d = 0; d < rank && parts.size() > 1; ++d) {
    std::map<long, std::map<long, std::vector<const isl::set *>>> found; // by stride and remainder
    for (const isl::set &part : parts)
      if (const auto lattice = latticeOf(part, d))
        found[lattice->stride][lattice->remainder].push_back(&part);
    for (const auto &[stride, remainders] : found) {
      bool covers = remainders.size() == static_cast<std::size_t>(stride);
      for (auto r = remainders.begin(); covers && r != remainders.end(); ++r) {
        const isl::set points = pointsOf({stride, r->first}, whole, d);
        covers = std::any_of(r->second.begin(), r->second.end(),
                             [&](const isl::set *part) { return points.is_subset(*part); });
      }
      if (covers)
        return true;
    }
  }
  return false;
}

} // namespace pbc::choice
