// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/footprint.h"
#include "compiler/kernel/formula.h"
#include <isl/map.h>
#include <isl/set.h>

namespace pbc::kernel {
namespace {

// The number of values of coordinate `d` of the buffer that are in use; 1 if it depends on the sizes.
long slotsOf(const Kernel &kernel, int buffer, int d) {
  isl::set used;
  for (const Statement &s : kernel.statements)
    for (const Access &a : s.accesses)
      if (a.buffer == buffer) {
        const isl::set here = a.relation.intersect_domain(s.domain).range();
        used = used.is_null() ? here : used.unite(here);
      }
  if (used.is_null())
    return 1;
  isl_set *along = isl_set_project_out(used.copy(), isl_dim_set, static_cast<unsigned>(d) + 1,
                                       static_cast<unsigned>(kernel.buffers[buffer].rank - d - 1));
  along = isl_set_project_out(along, isl_dim_set, 0, static_cast<unsigned>(d));
  return tripCount(isl::manage(along), 0).value_or(1);
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

} // namespace pbc::kernel
