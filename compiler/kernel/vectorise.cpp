// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/vectorise.h"
#include "compiler/kernel/along.h"
#include "compiler/kernel/lanes.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/tree.h"
#include "compiler/kernel/unroll.h"
#include <algorithm>
#include <isl/aff.h>
#include <isl/schedule.h>

namespace pbc::kernel {
namespace {

/// The largest number of iterations of a body that is unrolled on request.
constexpr long kLongestBody = 128;

bool isInteger(Scalar s) { return s != Scalar::F64 && s != Scalar::F32; }

/// Whether the kernel has sums, counts or maxima, in any order, over loops whose reads are contiguous along
/// the loop but not along x: then vectors belong along the loop, where LLVM makes them.
bool reducesAlongRows(const Scheduled &kernel, int x) {
  bool found = false;
  for (const Statement &s : kernel.statements) {
    const int loop = static_cast<int>(s.dimensions.size()) - 1;
    if (loop < s.freeCount)
      continue;
    const Buffer &sum = kernel.buffers[s.accesses[s.write].buffer];
    const bool isAnyOrder = isInteger(sum.element) || (s.op == "+" && kernel.reassociates);
    if (sum.role != Buffer::Role::Local || !isAnyOrder)
      return false;
    for (const Access &a : s.accesses)
      if (!a.isWrite && kernel.buffers[a.buffer].role != Buffer::Role::Local) {
        if (along(kernel, a, loop) != Along::Contiguous || along(kernel, a, x) == Along::Contiguous)
          return false;
        found |= along(kernel, a, x) == Along::Strided;
      }
  }
  return found;
}

} // namespace

Outcome vectorise(const Scheduled &kernel, const VectorForm &form) {
  int x = form.along;
  for (const Statement &s : kernel.statements) {
    if (s.isOpaque)
      return {std::nullopt, "its body is a call of C++ code"};
    if (form.along >= 0)
      continue;
    const int here = contiguousVariable(kernel, s);
    if (here < 0)
      continue;
    if (x >= 0 && here != x)
      return {std::nullopt, "its outputs are contiguous in different variables"};
    x = here;
  }
  if (x < 0)
    return {std::nullopt, "no variable runs along what it writes"};
  Scheduled split = kernel;
  split.schedule.tree = splitBands(kernel.schedule.tree);
  std::string why =
      "its loop over " + kernel.statements.front().dimensions[x] + " is not the innermost one over points";
  bool found = false;
  isl::schedule_node band;
  visit(isl::manage(isl_schedule_get_root(split.schedule.tree.get())), [&](const isl::schedule_node &node) {
    if (!isBand(node))
      return;
    const int d = memberDimension(split, node);
    const Statement &s = split.statements[statementIndex(split, statementsAt(node).front())];
    if (d >= s.freeCount)
      return;
    found = d == x; // the last band over a free variable decides
    band = node;
  });
  if (!found)
    return {std::nullopt, why};
  if (!isParallel(band, 0, kernel.dependences, false))
    return {std::nullopt, "a point needs the one before it along " + kernel.statements.front().dimensions[x]};
  if (form.body == VectorForm::Body::Lanes)
    return spreadOverLanes(split, band, x, form.lanes);
  const long longest = form.body == VectorForm::Body::Unrolled ? kLongestBody : kShortBody;
  if (Outcome unrolled = unrollBodies(split, longest); unrolled.kernel) {
    Scheduled marked = *unrolled.kernel;
    // Also marks other rules in the group, where their loop is parallel.
    marked.schedule.tree = mapBottomUp(marked.schedule.tree, [&](const isl::schedule_node &node) {
      return isBand(node) && memberDimension(marked, node) == x &&
                     isParallel(node, 0, kernel.dependences, false)
                 ? insertMark(node, as::Vector{form.unroll})
                 : node;
    });
    return {marked, ""};
  } else if (form.body == VectorForm::Body::Unrolled) {
    return unrolled;
  }
  if (form.along < 0 && form.body == VectorForm::Body::Any && form.lanes == 0 && reducesAlongRows(kernel, x))
    return {std::nullopt, "its points lie far apart; its sums become vectors along the rows that it reads"};
  return spreadOverLanes(split, band, x, form.lanes);
}

Outcome keepScalar(const Scheduled &kernel) {
  Scheduled marked = kernel;
  marked.schedule.tree = mapBottomUp(splitBands(kernel.schedule.tree), [&](const isl::schedule_node &node) {
    int bands = 0; // from here on inwards
    visit(node, [&](const isl::schedule_node &below) { bands += isBand(below); });
    return isBand(node) && bands == 1 ? insertMark(node, as::Scalar{}) : node;
  });
  return {marked, ""};
}

} // namespace pbc::kernel
