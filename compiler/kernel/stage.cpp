// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/stage.h"
#include "compiler/kernel/formula.h"
#include "compiler/kernel/touched_cells.h"
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/set.h>

namespace pbc::kernel {
namespace {

constexpr std::size_t kMostItemDimensions = 3; // of a group

const std::string kLow = "pb__low";

/// The value, if the function is this number for all sizes.
std::optional<long> constant(const isl::pw_aff &f) {
  const auto one = formula(f);
  if (!one || isl_aff_is_cst(one->get()) != isl_bool_true)
    return std::nullopt;
  isl_val *v = isl_aff_get_constant_val(one->get());
  const bool isWhole = isl_val_is_int(v) == isl_bool_true;
  const long value = isl_val_get_num_si(v);
  isl_val_free(v);
  return isWhole ? std::optional(value) : std::nullopt;
}

class Stager {
public:
  explicit Stager(const Items &items) : items_(items), firstItem_(items.inRounds() ? 1 : 0) {}

  /// Nothing unless items read a box of a constant size > 1 at a position that depends on the item.
  std::optional<std::vector<StagedDimension>> stage(const Buffer &buffer) const {
    const auto cells = cellsRead(items_.item, buffer.matrix);
    if (!cells)
      return std::nullopt;
    std::vector<StagedDimension> all;
    long size = 1;
    for (unsigned d = 0; d < static_cast<unsigned>(buffer.rank); ++d) {
      const isl::pw_aff low = poly::dimMin(*cells, d), high = poly::dimMax(*cells, d);
      const auto extent = constant(isl::manage(isl_pw_aff_sub(high.copy(), low.copy())));
      const auto first = formula(low);
      if (!extent || !first)
        return std::nullopt;
      const auto dimension = moving(*first, *extent + 1);
      if (!dimension)
        return std::nullopt;
      size *= *extent + 1;
      all.push_back(*dimension);
    }
    return size > 1 ? std::optional(all) : std::nullopt;
  }

private:
  /// Whether the position moves forwards with at most one function.
  std::optional<StagedDimension> moving(const isl::aff &first, long extent) const {
    StagedDimension out;
    out.extent = extent;
    isl_aff *named = first.copy();
    for (int p = 0, n = static_cast<int>(isl_aff_dim(named, isl_dim_param)); p < n; ++p) {
      const std::string name = isl_aff_get_dim_name(named, isl_dim_param, static_cast<unsigned>(p));
      if (!name.starts_with(kLow))
        continue;
      const int function = std::stoi(name.substr(kLow.size()));
      isl_val *v = isl_aff_get_coefficient_val(named, isl_dim_param, p);
      const bool isNone = isl_val_is_zero(v) == isl_bool_true, isWhole = isl_val_is_int(v) == isl_bool_true;
      const long factor = isl_val_get_num_si(v);
      isl_val_free(v);
      if (isNone || function < firstItem_)
        continue;
      if (!isWhole || factor < 0 || out.function >= 0) {
        isl_aff_free(named);
        return std::nullopt;
      }
      out.function = function;
      out.factor = factor;
      named = isl_aff_set_dim_name(named, isl_dim_param, static_cast<unsigned>(p),
                                   fmt::format("pb__first{}", function).c_str());
    }
    if (isl_aff_dim(named, isl_dim_div) > 0) {
      isl_aff_free(named);
      return std::nullopt;
    }
    out.first = isl::manage(isl_pw_aff_from_aff(named));
    return out;
  }

  const Items &items_;
  int firstItem_; // the first function that has items
};

} // namespace

Outcome stageInputs(const Items &items) {
  const std::size_t rounds = items.inRounds() ? 1 : 0;
  if (items.kernel.schedule.taskDimensions.size() - rounds > kMostItemDimensions)
    return {std::nullopt, "its items have more than three coordinates"};
  Scheduled staged = items.item;
  const Stager stager(items);
  bool isAny = false;
  for (Buffer &b : staged.buffers)
    if (b.role == Buffer::Role::Input && b.rank > 0)
      if (auto dimensions = stager.stage(b)) {
        b.staged = std::move(*dimensions);
        isAny = true;
      }
  if (!isAny)
    return {std::nullopt, "no input has a box of cells for one item that is larger than one cell and of the "
                          "same size for all items"};
  return {staged, ""};
}

} // namespace pbc::kernel
