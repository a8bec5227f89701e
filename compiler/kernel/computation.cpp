// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/computation.h"
#include <algorithm>
#include <isl/map.h>
#include <isl/set.h>

namespace pbc::kernel {
namespace {

bool isSameMemory(const Buffer &a, const Buffer &b) {
  return a.name == b.name && a.matrix == b.matrix && a.role == b.role && a.element == b.element &&
         a.rank == b.rank &&
         std::equal(a.extents.begin(), a.extents.end(), b.extents.begin(), b.extents.end(),
                    [](const isl::pw_aff &x, const isl::pw_aff &y) { return x.plain_is_equal(y); });
}

bool isSameAccess(const Access &a, const Access &b) {
  return a.buffer == b.buffer && a.isWrite == b.isWrite &&
         isl_map_plain_is_equal(a.relation.get(), b.relation.get()) == isl_bool_true;
}

/// Transformations share the expressions that they leave as they are.
bool isSameStatement(const Statement &a, const Statement &b) {
  return a.name == b.name && a.write == b.write && a.op == b.op && a.value == b.value &&
         isl_set_plain_is_equal(a.domain.get(), b.domain.get()) == isl_bool_true &&
         std::equal(a.accesses.begin(), a.accesses.end(), b.accesses.begin(), b.accesses.end(), isSameAccess);
}

} // namespace

bool computesAsBefore(const Kernel &before, const Kernel &after) {
  return std::equal(before.statements.begin(), before.statements.end(), after.statements.begin(),
                    after.statements.end(), isSameStatement) &&
         std::equal(before.buffers.begin(), before.buffers.end(), after.buffers.begin(), after.buffers.end(),
                    isSameMemory);
}

} // namespace pbc::kernel
