// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/mapped.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/item_values.h"
#include "compiler/kernel/transform/component/component.h"
#include "compiler/kernel/transform/component/strips.h"
#include <algorithm>
#include <isl/aff.h>
#include <isl/local_space.h>
#include <isl/schedule.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

namespace pbc::kernel {
namespace {

/// The loops over the cells of the copy, that along its rows inside.
isl::schedule loopsOfCells(const std::vector<Statement> &statements, const std::vector<int> &order) {
  isl::union_set domain;
  std::vector<isl::union_pw_aff> functions(order.size());
  for (const Statement &s : statements) {
    const isl::union_set own(s.domain);
    domain = domain.is_null() ? own : domain.unite(own);
    for (std::size_t k = 0; k < order.size(); ++k) {
      isl_local_space *space = isl_local_space_from_space(isl_set_get_space(s.domain.get()));
      isl_aff *value = isl_aff_var_on_domain(space, isl_dim_set, static_cast<unsigned>(order[k]));
      isl_union_pw_aff *f = isl_union_pw_aff_from_aff(value);
      functions[k] =
          isl::manage(functions[k].is_null() ? f : isl_union_pw_aff_union_add(functions[k].release(), f));
    }
  }
  isl_schedule *tree = isl_schedule_from_domain(domain.copy());
  for (const isl::union_pw_aff &f : functions) { // the first one ends up inside
    isl_multi_union_pw_aff *member = isl_multi_union_pw_aff_from_union_pw_aff(f.copy());
    tree = isl_schedule_insert_partial_schedule(tree, member);
  }
  return isl::manage(tree);
}

/// Lets groups read what goes across the rows of the matrix, so that neighbours do so together. Rows of the group's memory are 16 bytes longer
/// than what they hold, so that what is written at once, of each of 8 rows some cells, is in different banks.
void stageAcross(Combined &steps, const std::string &matrix, bool isMirrored) {
  constexpr long kPad = 16; // bytes
  const auto element =
      steps.kernel().buffers[static_cast<std::size_t>(bufferIndex(steps.kernel(), matrix))].element;
  steps.add(stageStep({.matrix = matrix,
                       .isTransposed = true,
                       .pad = kPad / static_cast<long>(bytesOf(element)),
                       .access = isMirrored ? 1 : 0})); // the cells across the diagonal come first
}

/// The kernel of the launch that makes the copy: of the statements behind the first `from` ones.
Scheduled kernelOfCopy(const Scheduled &copied, std::size_t from, int matrix, bool isTransposed) {
  Scheduled made;
  made.name = copied.name;
  made.parameters = copied.parameters;
  made.context = copied.context;
  made.buffers = {copied.buffers[static_cast<std::size_t>(matrix)], copied.buffers.back()};
  made.buffers.back().role = Buffer::Role::Output;
  made.buffers.back().extents.clear();
  made.statements.assign(copied.statements.begin() + static_cast<std::ptrdiff_t>(from),
                         copied.statements.end());
  for (Statement &s : made.statements)
    for (Access &a : s.accesses)
      a.buffer = a.buffer == matrix ? 0 : 1;
  made.dependences = isl::manage(isl_union_map_empty_ctx(copied.context.ctx().get()));
  std::vector<int> order;
  for (int d = 0; d < made.buffers.front().rank; ++d)
    order.push_back(isTransposed ? made.buffers.front().rank - 1 - d : d);
  made.schedule.tree = loopsOfCells(made.statements, order);
  made.schedule.target = Target::Device;
  return withLabels(made);
}

} // namespace

Outcome withMappedCopy(const Scheduled &kernel, const CopyRequest &asked) {
  if (!itemLoops(kernel.schedule.tree).empty())
    return {std::nullopt,
            "its points have items already: a copy of a whole matrix is made in front of the launch"};
  Outcome copied = withCopies(kernel, asked);
  if (!copied.kernel)
    return copied;
  const int matrix = bufferIndex(kernel, asked.matrix);
  const Buffer &from = kernel.buffers[static_cast<std::size_t>(matrix)];
  if (from.role != Buffer::Role::Input || from.mapped)
    return {std::nullopt, "it writes the matrix, whose copy would have other values"};
  Combined steps(kernelOfCopy(*copied.kernel, kernel.statements.size(), matrix, asked.isTransposed));
  std::vector<std::string> alongRows =
      steps.kernel().statements.front().dimensions; // as DeviceMap::box has them
  if (asked.isTransposed)
    std::reverse(alongRows.begin(), alongRows.end());
  if (!steps.add(script::step("items", alongRows)))
    return {std::nullopt, "a launch that makes the copy is not possible: " + steps.why()};
  if (asked.isTransposed || asked.isMirrored)
    stageAcross(steps, asked.matrix, asked.isMirrored);
  Scheduled made = kernel;
  for (std::size_t s = 0; s < made.statements.size(); ++s) // which read the copy
    made.statements[s].accesses = copied.kernel->statements[s].accesses;
  Buffer copy = copied.kernel->buffers.back();
  copy.role = Buffer::Role::Input;
  copy.extents.clear();
  copy.mapped = MappedCopy{matrix, std::make_shared<const Scheduled>(steps.kernel())};
  made.buffers.push_back(std::move(copy));
  return inSameOrder(made, made.schedule.tree);
}

} // namespace pbc::kernel
