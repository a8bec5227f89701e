// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/cooperate.h"
#include "compiler/kernel/along.h"
#include "compiler/kernel/buffer_names.h"
#include "compiler/kernel/formula.h"
#include "compiler/kernel/item_values.h"
#include "compiler/kernel/loops.h"
#include "compiler/kernel/tree.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/set.h>

namespace pbc::kernel {
namespace {

/// The accesses that read a buffer.
std::set<int> readsOf(const Statement &s, int buffer) {
  std::set<int> all;
  for (std::size_t a = 0; a < s.accesses.size(); ++a)
    if (s.accesses[a].buffer == buffer && static_cast<int>(a) != s.write)
      all.insert(static_cast<int>(a));
  return all;
}

const Access &written(const Statement &s) { return s.accesses[static_cast<std::size_t>(s.write)]; }

/// The instances projected onto the first `count` dimensions.
isl::set outerOf(const Statement &s, std::size_t count) {
  isl_set *set = isl_set_project_out(s.domain.copy(), isl_dim_set, static_cast<unsigned>(count),
                                     static_cast<unsigned>(s.dimensions.size() - count));
  return isl::manage(isl_set_reset_tuple_id(set));
}

class Search {
public:
  Search(const Scheduled &item, const Scheduled &all) : kernel_(item), all_(all) {
    for (std::size_t k = static_cast<std::size_t>(roundsOf(all.schedule));
         k < all.schedule.taskDimensions.size(); ++k)
      functions_.push_back(all.schedule.taskDimensions[k].name);
  }

  Cooperation ofTeams() {
    for (const LoopNode &loop : loopsOf(kernel_.schedule.tree)) {
      const as::Team *how = loop.how ? std::get_if<as::Team>(&*loop.how) : nullptr;
      if (!how)
        continue;
      const int d = memberDimension(kernel_, loop.band);
      std::vector<int> statements = statementsOfLoop(loop.band);
      if (d < kernel_.statements[static_cast<std::size_t>(statements.front())].freeCount) {
        if (auto scan = findScan())
          return *scan;
        continue;
      }
      if (!how->folds)
        found_.loops.back().dealt = d;
      else
        found_.loops.push_back({std::move(statements), d, d, {}});
    }
    std::erase_if(found_.loops, [&](SharedLoop &l) { return !fold(l); });
    return found_;
  }

  CooperationOutcome find() {
    const Statement &first = kernel_.statements.front();
    if (std::any_of(kernel_.statements.begin(), kernel_.statements.end(),
                    [](const Statement &s) { return s.isOpaque; }))
      return {std::nullopt, kNoStatements};
    if (std::any_of(kernel_.statements.begin(), kernel_.statements.end(),
                    [&](const Statement &s) { return s.rule != first.rule; }))
      return {std::nullopt, "its points are those of several rules"};
    if (functions_.size() > 3)
      return {std::nullopt, "its items have more than three coordinates"};
    if (auto scan = findScan())
      return {scan, ""};
    if (readsWhatItWrites())
      return {std::nullopt, why_.empty() ? "an item reads cells that it has written" : why_};
    const isl::schedule split = splitBands(kernel_.schedule.tree);
    visit(isl::manage(isl_schedule_get_root(split.get())), [&](const isl::schedule_node &node) {
      if (isBand(node))
        loop(node);
    });
    if (found_.loops.empty())
      return {std::nullopt, why_.empty() ? kNoLongLoop : why_};
    for (const SharedLoop &l : found_.loops) {
      const Statement &s = kernel_.statements[static_cast<std::size_t>(l.statements.front())];
      found_.over += (found_.over.empty() ? "" : ", ") + s.dimensions[static_cast<std::size_t>(l.dealt)];
    }
    found_.isAlongSteps = isAlongSteps(found_.loops.front());
    if (found_.loops.size() == 1)
      found_.steps = stepsOf(found_.loops.front().statements.front(), found_.loops.front().dealt);
    return {found_, ""};
  }

private:
  void refuse(const std::string &why) {
    if (why_.empty())
      why_ = why;
  }

  std::string nameOf(int buffer) const { return programName(kernel_, buffer); }
  Buffer::Role roleOf(int buffer) const { return kernel_.buffers[static_cast<std::size_t>(buffer)].role; }

  /// Only the first item of a team writes, so other items must not read what it writes.
  bool readsWhatItWrites() const {
    for (const Statement &w : kernel_.statements)
      for (const Statement &r : kernel_.statements)
        for (const Access &a : r.accesses) {
          if (a.buffer != written(w).buffer || roleOf(a.buffer) == Buffer::Role::Local ||
              (a.isWrite && r.op.empty()))
            continue;
          const isl::set cells = written(w).relation.intersect_domain(w.domain).range(),
                         read = a.relation.intersect_domain(r.domain).range();
          if (!cells.is_disjoint(read))
            return true;
        }
    return false;
  }

  /// An input may be the very same view as an output that is written before the loop, or around it.
  bool mayWriteWhatItReads(const SharedLoop &l, const std::string &over) {
    for (const Statement &w : kernel_.statements) {
      const Buffer &out = kernel_.buffers[static_cast<std::size_t>(written(w).buffer)];
      const bool isBefore = &w - kernel_.statements.data() < l.statements.back() || l.outer > w.freeCount;
      if (out.role == Buffer::Role::Local || !isBefore)
        continue;
      for (const int k : l.statements)
        for (const Access &a : kernel_.statements[static_cast<std::size_t>(k)].accesses) {
          const Buffer &in = kernel_.buffers[static_cast<std::size_t>(a.buffer)];
          if (in.role == Buffer::Role::Input && in.rank == out.rank && in.element == out.element) {
            refuse(fmt::format(
                "it writes `{}` before the loop over `{}` reads `{}`, which may be the same matrix", out.name,
                over, in.name));
            return true;
          }
        }
    }
    return false;
  }

  // ---- loops of bodies

  std::vector<int> statementsOfLoop(const isl::schedule_node &band) const {
    std::vector<int> all;
    for (const std::string &name : statementsAt(band))
      all.push_back(statementIndex(kernel_, name));
    std::sort(all.begin(), all.end());
    return all;
  }

  void loop(const isl::schedule_node &node) {
    const int outer = memberDimension(kernel_, node);
    const std::vector<int> statements = statementsOfLoop(node);
    const Statement &first = kernel_.statements[static_cast<std::size_t>(statements.front())];
    if (outer < first.freeCount)
      return;
    for (const SharedLoop &l : found_.loops) // inside of one
      if (std::includes(l.statements.begin(), l.statements.end(), statements.begin(), statements.end()))
        return;
    SharedLoop shared{statements, outer, outer, {}};
    if (!chooseDealt(node, shared) || !fold(shared))
      return;
    found_.loops.push_back(std::move(shared));
  }

  /// Chooses a loop without a constant length; of several loops of which each is the whole body of the other,
  /// one along memory.
  bool chooseDealt(const isl::schedule_node &band, SharedLoop &shared) const {
    const Statement &first = kernel_.statements[static_cast<std::size_t>(shared.statements.front())];
    bool found = false;
    isl::schedule_node node = band;
    for (int d = shared.outer;; ++d) {
      const bool isLong = !tripCount(first.domain, d).has_value();
      if (isLong && (!found || !isAlong(shared, shared.dealt)) && (!found || isAlong(shared, d))) {
        shared.dealt = d;
        found = true;
      }
      do
        node = isl::manage(isl_schedule_node_child(node.copy(), 0));
      while (isl_schedule_node_get_type(node.get()) == isl_schedule_node_mark);
      if (!isBand(node) || memberDimension(kernel_, node) != d + 1)
        return found;
    }
  }

  /// Whether some matrix is read contiguously along that dimension.
  bool isAlong(const SharedLoop &l, int d) const {
    for (const int k : l.statements) {
      const Statement &s = kernel_.statements[static_cast<std::size_t>(k)];
      for (const Access &a : s.accesses)
        if (!a.isWrite && roleOf(a.buffer) != Buffer::Role::Local &&
            along(kernel_, a, d) == Along::Contiguous)
          return true;
    }
    return false;
  }

  bool isAlongSteps(const SharedLoop &l) const {
    return isAlong(l, l.dealt) || !isAlongFirstFunction(l.statements);
  }

  /// Whether neighbouring cells read or write contiguous memory.
  bool isAlongFirstFunction(const std::vector<int> &statements) const {
    if (functions_.empty())
      return false;
    for (const int k : statements) {
      const Statement &s = kernel_.statements[static_cast<std::size_t>(k)];
      const auto at = std::find(s.dimensions.begin(), s.dimensions.begin() + s.freeCount, functions_.front());
      if (at == s.dimensions.begin() + s.freeCount)
        continue;
      for (const Access &a : s.accesses)
        if (roleOf(a.buffer) != Buffer::Role::Local &&
            along(kernel_, a, static_cast<int>(at - s.dimensions.begin())) == Along::Contiguous)
          return true;
    }
    return false;
  }

  /// Whether every statement of the loop folds into an accumulator or computes a value for this step only.
  bool fold(SharedLoop &l) {
    const Statement &any = kernel_.statements[static_cast<std::size_t>(l.statements.front())];
    const std::string over = any.dimensions[static_cast<std::size_t>(l.outer)];
    std::set<int> locals;
    for (const int k : l.statements) {
      const int buffer = written(kernel_.statements[static_cast<std::size_t>(k)]).buffer;
      if (roleOf(buffer) != Buffer::Role::Local) {
        refuse(fmt::format("the loop over `{}` writes to `{}`", over, nameOf(buffer)));
        return false;
      }
      locals.insert(buffer);
    }
    for (const int local : locals) {
      if (isOfOneStep(l, local))
        continue;
      if (const auto operation = accumulates(l, local, over))
        l.accumulators.emplace_back(local, *operation);
      else
        return false;
    }
    return !l.accumulators.empty() && !mayWriteWhatItReads(l, over);
  }

  bool touches(const Statement &s, int local) const {
    return std::any_of(s.accesses.begin(), s.accesses.end(),
                       [&](const Access &a) { return a.buffer == local; });
  }

  /// Whether the Local is set anew in each step before anything reads it, and is not used outside of the
  /// loop.
  bool isOfOneStep(const SharedLoop &l, int local) const {
    const Statement *setter = nullptr;
    for (int k = 0; k < static_cast<int>(kernel_.statements.size()); ++k) {
      const Statement &s = kernel_.statements[static_cast<std::size_t>(k)];
      if (!touches(s, local))
        continue;
      if (!std::binary_search(l.statements.begin(), l.statements.end(), k))
        return false;
      if (!setter) {
        setter = &s;
        if (written(s).buffer != local || !s.op.empty() || !readsOf(s, local).empty() ||
            static_cast<int>(s.dimensions.size()) <= l.dealt)
          return false;
        continue;
      }
      const std::size_t shared = setter->dimensions.size();
      if (s.dimensions.size() < shared ||
          !std::equal(setter->dimensions.begin(), setter->dimensions.end(), s.dimensions.begin()) ||
          !outerOf(s, shared).is_subset(outerOf(*setter, shared)))
        return false;
    }
    return setter != nullptr;
  }

  std::optional<Operation> accumulates(const SharedLoop &l, int local, const std::string &over) {
    std::optional<Operation> operation;
    for (const int k : l.statements) {
      const Statement &s = kernel_.statements[static_cast<std::size_t>(k)];
      if (!touches(s, local))
        continue;
      const Folding folding =
          written(s).buffer == local ? foldingOf(kernel_, s, readsOf(s, local)) : Folding{};
      if (folding.isRounded)
        refuse(fmt::format("the loop over `{}` rounds in its order; `fast` or --reassociate allow others",
                           over));
      if (!folding.operation || (operation && *operation != *folding.operation)) {
        refuse(fmt::format(
            "the loop over `{}` has a scalar that a step takes over from the one before, not by one "
            "associative operation",
            over));
        return std::nullopt;
      }
      operation = folding.operation;
    }
    return operation;
  }

  // ---- scans

  std::optional<Cooperation> findScan() {
    const Statement *writer = nullptr;
    for (const Statement &s : kernel_.statements) {
      if (roleOf(written(s).buffer) == Buffer::Role::Local)
        continue;
      if (writer || static_cast<int>(s.dimensions.size()) != s.freeCount || !s.op.empty())
        return std::nullopt;
      writer = &s;
    }
    if (!writer)
      return std::nullopt;
    for (const Statement &s : kernel_.statements)
      if (&s != writer && !readsOf(s, written(*writer).buffer).empty())
        return std::nullopt;
    const std::set<int> previous = readsOf(*writer, written(*writer).buffer);
    if (previous.empty())
      return std::nullopt;
    for (int d = 0; d < writer->freeCount; ++d)
      if (movesOn(*writer, d) &&
          std::all_of(previous.begin(), previous.end(), [&](int a) { return isOneBefore(*writer, a, d); })) {
        const Folding folding = foldingOf(kernel_, *writer, previous);
        const std::string &over = writer->dimensions[static_cast<std::size_t>(d)];
        if (folding.isRounded)
          refuse(fmt::format("the scan along `{}` rounds in its order; `fast` or --reassociate allow others",
                             over));
        if (!folding.operation)
          return std::nullopt;
        Cooperation out;
        const int statement = static_cast<int>(writer - kernel_.statements.data());
        out.scan = Scan{statement, d, previous, *folding.operation};
        out.over = over;
        out.steps = stepsOf(statement, d);
        out.isAlongSteps =
            along(kernel_, written(*writer), d) == Along::Contiguous || !isAlongFirstFunction({statement});
        return out;
      }
    return std::nullopt;
  }

  /// Whether each point along `d` writes another cell, and not a version in a slot that the next one uses
  /// again.
  bool movesOn(const Statement &s, int d) const {
    const auto how = along(kernel_, written(s), d);
    return how && *how != Along::Nowhere;
  }

  /// Whether it reads the cell that the neighbouring point along `d` writes.
  bool isOneBefore(const Statement &s, int read, int d) const {
    const isl::set points = s.domain.intersect_params(kernel_.context);
    const isl::map from = s.accesses[static_cast<std::size_t>(read)].relation.intersect_domain(points);
    for (const int step : {-1, 1}) {
      isl_multi_aff *shift =
          isl_multi_aff_identity(isl_space_map_from_set(isl_set_get_space(s.domain.get())));
      isl_aff *moved = isl_aff_add_constant_si(isl_multi_aff_get_aff(shift, d), step);
      const isl::map next = isl::manage(isl_map_from_multi_aff(isl_multi_aff_set_aff(shift, d, moved)));
      const isl::map there = next.apply_range(written(s).relation).intersect_domain(points);
      if (from.is_equal(there))
        return true;
    }
    return false;
  }

  std::optional<isl::pw_aff> stepsOf(int statement, int d) const {
    try {
      const isl::set &points = all_.statements[static_cast<std::size_t>(statement)].domain;
      const auto at = static_cast<unsigned>(d);
      const auto low = formula(poly::dimMin(points, at)), high = formula(poly::dimMax(points, at));
      if (!low || !high)
        return std::nullopt;
      isl_aff *count = isl_aff_add_constant_si(isl_aff_sub(high->copy(), low->copy()), 1);
      return isl::manage(isl_pw_aff_from_aff(count));
    } catch (const isl::exception &) { // the sizes do not bound it
      return std::nullopt;
    }
  }

  const Scheduled &kernel_, &all_;     // one item, all of them
  std::vector<std::string> functions_; // of the items
  Cooperation found_;
  std::string why_;
};

} // namespace

CooperationOutcome cooperate(const Items &items) { return Search(items.item, items.kernel).find(); }

Cooperation ofTeams(const Scheduled &kernel) { return Search(kernel, kernel).ofTeams(); }

} // namespace pbc::kernel
