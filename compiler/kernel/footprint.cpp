// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/footprint.h"
#include "compiler/kernel/formula.h"
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/val.h>

namespace pbc::kernel {
namespace {

/// The values of coordinate `d` of the buffer that statements use; those of all cells that they could name, if their points do not count.
isl::set valuesAlong(const Kernel &kernel, int buffer, int d, bool ofPoints) {
  isl::set used;
  const auto rest = static_cast<unsigned>(kernel.buffers[static_cast<std::size_t>(buffer)].rank - d - 1);
  for (const Statement &s : kernel.statements)
    for (const Access &a : s.accesses)
      if (a.buffer == buffer) {
        isl_map *along =
            isl_map_project_out(a.relation.copy(), isl_dim_out, static_cast<unsigned>(d) + 1, rest);
        along = isl_map_project_out(along, isl_dim_out, 0, static_cast<unsigned>(d));
        const isl::map relation = isl::manage(along);
        const isl::set here = (ofPoints ? relation.intersect_domain(s.domain) : relation).range();
        used = used.is_null() ? here : used.unite(here);
      }
  return used;
}

/// The number of values of coordinate `d` of the buffer that are in use; 1 if it depends on the sizes.
long slotsOf(const Kernel &kernel, int buffer, int d) {
  // Versions in turns have as many for all points, of which there may be many pieces.
  const isl::set any = valuesAlong(kernel, buffer, d, false);
  if (any.is_null())
    return 1;
  if (const std::optional<long> slots = tripCount(any, 0))
    return *slots;
  return tripCount(valuesAlong(kernel, buffer, d, true), 0).value_or(1);
}

} // namespace

unsigned bytesOf(Scalar s) {
  switch (s) {
  case Scalar::F64:
  case Scalar::I64:
    return 8;
  case Scalar::F32:
  case Scalar::I32:
    return 4;
  default:
    return 1;
  }
}

isl::pw_aff constantExtent(isl::ctx ctx, long cells) {
  isl_local_space *space = isl_local_space_from_space(isl_space_params_alloc(ctx.get(), 0));
  isl_aff *value = isl_aff_val_on_domain(space, isl_val_int_from_si(ctx.get(), cells));
  return isl::manage(isl_pw_aff_from_aff(value));
}

std::optional<long> constantOf(const isl::pw_aff &extent) {
  const std::optional<isl::aff> f = formula(extent);
  if (!f || isl_aff_is_cst(f->get()) != isl_bool_true)
    return std::nullopt;
  isl_val *value = isl_aff_get_constant_val(f->get());
  const long cells = isl_val_get_num_si(value);
  isl_val_free(value);
  return cells;
}

std::optional<long> scratchBytes(const Buffer &b) {
  long bytes = bytesOf(b.element);
  for (const isl::pw_aff &extent : b.extents) {
    const std::optional<long> cells = constantOf(extent);
    if (!cells)
      return std::nullopt;
    bytes *= *cells;
  }
  return bytes;
}

long bytesPerPlace(const Kernel &kernel, int places) {
  long sum = 0;
  for (int b = 0; b < static_cast<int>(kernel.buffers.size()); ++b) {
    const Buffer &buffer = kernel.buffers[static_cast<std::size_t>(b)];
    if (buffer.role == Buffer::Role::Local || buffer.rank < places)
      continue;
    long bytes = bytesOf(buffer.element);
    for (int d = places; d < buffer.rank; ++d)
      bytes *= slotsOf(kernel, b, d);
    sum += bytes;
  }
  return sum;
}

static bool callsInDouble(const Expr &e) {
  return (e.kind == Expr::Kind::Call && e.type == Scalar::F64) ||
         std::any_of(e.operands.begin(), e.operands.end(),
                     [](const ExprPtr &o) { return callsInDouble(*o); });
}

unsigned registerBytes(const Kernel &kernel) {
  unsigned all = 0;
  for (const Buffer &b : kernel.buffers)
    if (b.role == Buffer::Role::Local)
      all += bytesOf(b.element) * (b.element == Scalar::I64 ? 2 : 1) + (all ? 4 : 0);
  const auto readsMatrix = [&](const Statement &s) {
    return !s.copy && static_cast<int>(s.dimensions.size()) > s.freeCount &&
           std::any_of(s.accesses.begin(), s.accesses.end(), [&](const Access &a) {
             const Buffer &b = kernel.buffers[static_cast<std::size_t>(a.buffer)];
             return !a.isWrite && isMatrix(b) && b.rank > 0;
           });
  };
  if (std::any_of(kernel.statements.begin(), kernel.statements.end(), readsMatrix))
    all += 8;
  // A function of doubles is no instruction of a GPU, but many with values of their own.
  if (std::any_of(kernel.statements.begin(), kernel.statements.end(), [](const Statement &s) {
        return static_cast<int>(s.dimensions.size()) > s.freeCount && s.value && callsInDouble(*s.value);
      }))
    all += 8;
  return all;
}

} // namespace pbc::kernel
