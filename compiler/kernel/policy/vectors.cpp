// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/policy/vectors.h"
#include "compiler/kernel/along.h"
#include "compiler/kernel/body_length.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/loops.h"
#include "compiler/kernel/policy/rows_at_once.h"
#include "compiler/kernel/policy/rule_vectors.h"
#include "compiler/kernel/transform/jam.h"
#include "compiler/kernel/transform/support.h"
#include "compiler/kernel/transform/unroll.h"
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <map>
#include <set>

namespace pbc::kernel {
namespace {

/// The largest number of iterations of a body that is unrolled on request.
constexpr long kLongestBody = 128;
/// So many rows are computed together if at most so many reads of every ten are left.
struct RowsTogether {
  int rows;
  std::size_t readsOfTen;
};
/// With four rows the cells of a stencil are in registers; with two, each row is still read by two of them, and of the few cells of
/// a cross four rows would need more streams of memory than they save.
constexpr RowsTogether kRowsTogether[] = {{4, 6}, {2, 8}};

/// A cell that is updated again and again is loaded and stored once for so many updates; more would be more streams of memory.
constexpr int kUpdatesTogether = 4;

bool isInteger(Scalar s) { return s != Scalar::F64 && s != Scalar::F32; }

/// Whether the kernel has sums, counts or maxima, in any order, over loops whose reads are contiguous along
/// the loop but not along x: then vectors belong along the loop, where LLVM makes them.
bool reducesAlongRows(const Kernel &kernel, int x) {
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

/// The points of a statement that are far from all ends of its rows, columns and planes.
isl::set middleOf(const Statement &s) {
  constexpr int kFar = 64; // more than windows have
  isl::set middle = s.domain;
  for (int d = 0; d < s.freeCount; ++d)
    for (const int by : {-kFar, kFar}) {
      isl_multi_aff *shift =
          isl_multi_aff_identity(isl_space_map_from_set(isl_set_get_space(s.domain.get())));
      shift = isl_multi_aff_set_aff(shift, d, isl_aff_add_constant_si(isl_multi_aff_get_aff(shift, d), by));
      middle = middle.intersect(isl::manage(isl_set_preimage_multi_aff(s.domain.copy(), shift)));
    }
  return middle;
}

/// Whether it is an access of the points at some border only.
bool isAtBorder(const Statement &s, const Access &a, const isl::set &middle) {
  const isl::set where = a.relation.domain();
  return !s.domain.is_subset(where) && !middle.is_empty() && middle.is_disjoint(where);
}

// The number of cells that `rows` neighbours along dimension `y` read together. A single cell that all points read is in a register.
std::size_t readTogether(const Kernel &kernel, const Statement &s, int y, int rows) {
  std::set<std::string> cells;
  const isl::set middle = middleOf(s);
  for (const Access &a : s.accesses) {
    const Buffer &buffer = kernel.buffers[a.buffer];
    if (a.isWrite || buffer.role == Buffer::Role::Local || buffer.rank == 0 || isAtBorder(s, a, middle))
      continue;
    for (int row = 0; row < rows; ++row) {
      isl_space *space = isl_space_map_from_set(isl_set_get_space(s.domain.get()));
      isl_multi_aff *shift = isl_multi_aff_identity(space);
      isl_aff *moved = isl_aff_add_constant_si(isl_multi_aff_get_aff(shift, y), row);
      shift = isl_multi_aff_set_aff(shift, y, moved);
      isl_pw_multi_aff *cell = isl_pw_multi_aff_from_map(a.relation.copy());
      cell = isl_pw_multi_aff_gist(cell, isl_pw_multi_aff_domain(isl_pw_multi_aff_copy(cell)));
      cell = isl_pw_multi_aff_pullback_multi_aff(cell, shift);
      char *text = isl_pw_multi_aff_to_str(cell);
      cells.insert(text);
      std::free(text);
      isl_pw_multi_aff_free(cell);
    }
  }
  return cells.size();
}

/// How many rows along `y` are worth computing together; 0: none.
int rowsWorthIt(const Kernel &kernel, const Statement &s, int y) {
  const std::size_t one = readTogether(kernel, s, y, 1);
  for (const auto &[rows, readsOfTen] : kRowsTogether)
    if (one > 0 && 10 * readTogether(kernel, s, y, rows) <= readsOfTen * static_cast<std::size_t>(rows) * one)
      return rows;
  return 0;
}

/// How many updates of the same cells are worth computing together; 0: none.
int updatesWorthIt(const Scheduled &kernel, const LoopNode &loop) {
  return tripCount(kernel, loop).value_or(kUpdatesTogether) < kUpdatesTogether ? 0 : kUpdatesTogether;
}

/// The variable along which all outputs are contiguous; -1, and why, if there is none.
int contiguousVariableOf(const Kernel &kernel, std::string &why) {
  int x = -1;
  for (const Statement &s : kernel.statements) {
    const int here = contiguousVariable(kernel, s);
    if (here < 0)
      continue;
    if (x >= 0 && here != x) {
      why = "its outputs are contiguous in different variables";
      return -1;
    }
    x = here;
  }
  if (x < 0)
    why = "no variable runs along what it writes";
  return x;
}

Steps lanesSteps(const std::string &label, const VectorForm &form) {
  return {{form.lanes ? script::step("lanes", {label}, {form.lanes}) : script::step("lanes", {label})}, ""};
}

/// Rows at once, if nothing else was asked for; otherwise why there are no vectors.
Steps rowsInstead(const Scheduled &kernel, const std::optional<LoopNode> &innermost, const VectorForm &form,
                  std::string why) {
  const bool isByDefault = form.along < 0 && form.body == VectorForm::Body::Any && form.lanes == 0;
  if (Steps rows = innermost && isByDefault ? rowsAtOnce(kernel, *innermost) : Steps{}; !rows.steps.empty())
    return rows;
  return {{}, std::move(why)};
}

} // namespace

Steps vectorSteps(const Scheduled &kernel, const VectorForm &form) {
  for (const Statement &s : kernel.statements)
    if (s.isOpaque)
      return {{}, "its body is a call of C++ code"};
  if (form.along < 0 && form.body == VectorForm::Body::Any && form.lanes == 0 && form.interleave == 0 &&
      hasSeveralNests(kernel))
    return vectorsOfRules(kernel);
  std::string why;
  const int x = form.along >= 0 ? form.along : contiguousVariableOf(kernel, why);
  std::optional<LoopNode> innermost; // over points, in the order of the tree
  std::vector<std::string> alongX, bodyLoops;
  for (const LoopNode &loop : loopsOf(kernel.schedule.tree)) {
    const int d = memberDimension(kernel, loop.band);
    if (d >= kernel.statements[statementsBelow(kernel, loop).front()].freeCount)
      bodyLoops.push_back(loop.label);
    else
      innermost = loop;
    if (d == x && isParallel(loop.band))
      alongX.push_back(loop.label);
  }
  if (x < 0)
    return rowsInstead(kernel, innermost, form, why);
  const auto named =
      std::find_if(kernel.statements.begin(), kernel.statements.end(),
                   [&](const Statement &s) { return x < static_cast<int>(s.dimensions.size()); });
  const std::string &name = named->dimensions[x];
  if (!innermost || memberDimension(kernel, innermost->band) != x)
    return rowsInstead(kernel, innermost, form,
                       fmt::format("its loop over `{}` is not the innermost one over points", name));
  if (!isParallel(innermost->band))
    return rowsInstead(kernel, innermost, form,
                       fmt::format("a point needs the one before it along `{}`", name));
  if (form.body == VectorForm::Body::Lanes)
    return lanesSteps(innermost->label, form);
  const bool isAsked = form.body == VectorForm::Body::Unrolled;
  std::string rolled =
      whyTooLong(kernel, isAsked ? kLongestBody : kShortBody); // why its loops are not written out
  for (std::size_t k = 0; k < bodyLoops.size() && rolled.empty(); ++k)
    rolled = whyNotUnrolled(kernel, *findLoop(kernel.schedule.tree, bodyLoops[k]));
  if (rolled.empty()) {
    script::Script steps;
    if (!bodyLoops.empty())
      steps.push_back(script::step("unroll", bodyLoops));
    steps.push_back(script::step("vector", alongX));
    if (form.interleave)
      script::with(steps.back(), "interleave", script::number(form.interleave));
    return {steps, ""};
  }
  if (isAsked)
    return {{}, rolled};
  if (form.along < 0 && form.lanes == 0 && reducesAlongRows(kernel, x))
    return {{}, "its points lie far apart; its sums become vectors along the rows that it reads"};
  if (form.lanes == 0)
    if (Steps rows = rowsAtOnce(kernel, *innermost); !rows.steps.empty())
      return rows;
  return lanesSteps(innermost->label, form);
}

Steps jamSteps(const Scheduled &kernel, int rows) {
  std::string why = "no loop is around a vector loop of one statement";
  std::map<int, std::vector<std::string>> labels; // by rows
  for (const LoopNode &loop : loopsOf(kernel.schedule.tree)) {
    if (!isAroundVector(kernel, loop))
      continue;
    const Statement &s = kernel.statements[statementsBelow(kernel, loop).front()];
    const int y = memberDimension(kernel, loop.band);
    const bool areUpdates = updatesSameCells(kernel, loop);
    if (!areUpdates && !isParallel(loop.band)) {
      why = fmt::format("its loop over `{}` carries a dependence", s.dimensions[y]);
      continue;
    }
    const int together = rows ? rows : areUpdates ? updatesWorthIt(kernel, loop) : rowsWorthIt(kernel, s, y);
    if (!together) {
      why = fmt::format("neighbours along `{}` share too few of the cells that they read", s.dimensions[y]);
      continue;
    }
    if (const LoopNode inner = nestFrom(loop)[1]; boundsMove(kernel, inner, loop)) {
      why = fmt::format("the bounds of its loop over `{}` depend on `{}`", inner.label, loop.label);
      continue;
    }
    if (std::string notHere = whyNotJammed(kernel, loop); !notHere.empty()) {
      why = std::move(notHere);
      continue;
    }
    labels[together].push_back(loop.label);
  }
  Steps made;
  for (const auto &[together, loops] : labels)
    made.steps.push_back(script::step("jam", loops, {together}));
  if (made.steps.empty())
    made.why = why;
  return made;
}

Steps scalarSteps(const Scheduled &kernel) {
  std::vector<std::string> innermost;
  for (const LoopNode &loop : loopsOf(kernel.schedule.tree)) {
    int inside = 0;
    visit(loop.band, [&](const isl::schedule_node &node) { inside += loopAt(node).has_value(); });
    if (inside == 0)
      innermost.push_back(loop.label);
  }
  return {{script::step("scalar", innermost)}, ""};
}

} // namespace pbc::kernel
