// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/row_turns.h"
#include "compiler/kernel/dependences.h"
#include "compiler/kernel/formula.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/split_tasks.h"
#include "compiler/schedule/levels.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <map>

namespace pbc::kernel {
namespace {

/// So many operations of isl may be spent on one step: most have their answer after some thousands.
constexpr unsigned long kTurnBudget = 2'000'000;
/// Reads of one statement may be so many rows apart: most of a block is then still there for all of them.
constexpr long kRowsApart = 8;
/// Rows that loops have in registers at once, at most.
constexpr long kMostGrain = 8;

/// A statement that goes over the cells of the matrix, and the row that it reads, as a function of its instances.
struct Main {
  std::size_t statement;
  isl::aff row;
};

/// How a step reads a matrix.
struct Reader {
  std::vector<Main> mains;
  std::optional<RowTurn> turn;
  std::string why;                   // if there is none
  std::optional<isl::set> rows = {}; // that it reads
};

bool involves(const isl::aff &f, int dimension) {
  return isl_aff_involves_dims(f.get(), isl_dim_in, static_cast<unsigned>(dimension), 1) == isl_bool_true;
}

/// The number by which one function is larger than another one; nothing if it is none.
std::optional<long> difference(const isl::aff &a, const isl::aff &b) {
  const isl::aff d = isl::manage(isl_aff_sub(a.copy(), b.copy()));
  if (isl_aff_is_cst(d.get()) != isl_bool_true)
    return std::nullopt;
  isl_val *value = isl_aff_get_constant_val(d.get());
  const long number = isl_val_get_num_si(value);
  isl_val_free(value);
  return number;
}

/// The coordinates of the cell that an access touches; nothing if one of them has cases or divisions.
std::optional<std::vector<isl::aff>> coordinates(const Access &a, int rank) {
  if (isl_map_is_single_valued(a.relation.get()) != isl_bool_true)
    return std::nullopt;
  const isl::pw_multi_aff cell = isl::manage(isl_pw_multi_aff_from_map(a.relation.copy()));
  std::vector<isl::aff> all;
  for (int c = 0; c < rank; ++c) {
    const auto f = formula(isl::manage(isl_pw_multi_aff_get_pw_aff(cell.get(), c)));
    if (!f || isl_aff_dim(f->get(), isl_dim_div) > 0)
      return std::nullopt;
    all.push_back(*f);
  }
  return all;
}

/// A set over the parameters without the limits of parts: what holds whatever the limits are.
isl::set withoutLimits(const isl::set &s) {
  isl_set *out = s.copy();
  for (int p = static_cast<int>(isl_set_dim(out, isl_dim_param)); p-- > 0;)
    if (std::string(isl_set_get_dim_name(out, isl_dim_param, static_cast<unsigned>(p))).starts_with("pb__"))
      out = isl_set_project_out(out, isl_dim_param, static_cast<unsigned>(p), 1);
  return isl::manage(out);
}

class StepReads {
public:
  StepReads(const Scheduled &kernel, int step) : kernel_(kernel), step_(step) {}

  /// Nothing if it does not go over the cells of the matrix.
  std::optional<Reader> of(int matrix) const {
    const auto b = std::find_if(kernel_.buffers.begin(), kernel_.buffers.end(),
                                [&](const Buffer &k) { return k.matrix == matrix; });
    if (b == kernel_.buffers.end() || b->role != Buffer::Role::Input || b->rank < 2)
      return std::nullopt;
    Reader reader;
    if (!findMains(static_cast<int>(b - kernel_.buffers.begin()), b->rank, reader))
      return std::nullopt;
    if (!reader.why.empty())
      return reader;
    reader.rows = rowsOf(reader.mains);
    if (kernel_.schedule.taskOrder != TaskOrder::Any || kernel_.schedule.bytesPerPlace)
      reader.why = "its points wait for each other";
    else if (kernel_.schedule.registerTile)
      reader.why = "it computes blocks in registers";
    else if (!(reader.turn = ofOwnPoints(reader.mains)))
      reader.turn = cutAlongRows(reader);
    return reader;
  }

private:
  const Statement &statement(const Main &m) const { return kernel_.statements[m.statement]; }

  bool findMains(int buffer, int rank, Reader &reader) const {
    bool isRepeated = false;
    for (std::size_t k = 0; k < kernel_.statements.size(); ++k) {
      const Statement &s = kernel_.statements[k];
      if (s.isOpaque || isOfCopy(s))
        return false;
      const isl::aff *first = nullptr;
      for (const Access &a : s.accesses) {
        if (a.buffer != buffer)
          continue;
        const auto at = coordinates(a, rank);
        if (!at)
          return false;
        const auto moves = [&](int d) {
          return std::any_of(at->begin(), at->end(), [&](const isl::aff &f) { return involves(f, d); });
        };
        int moving = 0;
        for (int d = 0; d < static_cast<int>(s.dimensions.size()); ++d)
          moving += moves(d) ? 1 : 0;
        const bool isLine =
            std::any_of(at->begin(), at->end(), [&](const isl::aff &f) { return !involvesAny(f, s); });
        if (moving < rank || isLine)
          continue; // an edge or a diagonal
        isRepeated = isRepeated ||
                     (static_cast<int>(s.dimensions.size()) > rank &&
                      isl_map_is_injective(a.relation.intersect_domain(s.domain).get()) != isl_bool_true);
        if (!first) {
          reader.mains.push_back({k, at->back()});
          first = &reader.mains.back().row;
        } else if (const auto apart = difference(at->back(), *first);
                   !apart || std::abs(*apart) > kRowsApart) {
          reader.why = "it reads different rows at once";
        }
      }
    }
    if (isRepeated)
      reader.why = "it reads each row again and again";
    return !reader.mains.empty();
  }

  static bool involvesAny(const isl::aff &f, const Statement &s) {
    return isl_aff_involves_dims(f.get(), isl_dim_in, 0, static_cast<unsigned>(s.dimensions.size())) ==
           isl_bool_true;
  }

  /// The rows that the mains read, whatever part of the points runs.
  isl::set rowsOf(const std::vector<Main> &mains) const {
    isl::set all;
    for (const Main &m : mains) {
      isl_map *row = isl_map_from_aff(m.row.copy());
      const isl::set domain =
          isl::manage(isl_set_intersect_params(statement(m).domain.copy(), kernel_.context.copy()));
      const isl::set here =
          withoutLimits(isl::manage(isl_map_range(isl_map_intersect_domain(row, domain.copy()))));
      all = all.is_null() ? here : all.unite(here);
    }
    return poly::simplified(all);
  }

  /// If each row has points of its own: a row is the value of one of the step's task dimensions, plus a number.
  std::optional<RowTurn> ofOwnPoints(const std::vector<Main> &mains) const {
    std::optional<RowTurn> turn;
    const auto &tasks = kernel_.schedule.taskDimensions;
    for (const Main &m : mains) {
      int variable = -1;
      for (int d = 0; d < statement(m).freeCount; ++d)
        if (involves(m.row, d))
          variable = variable < 0 ? d : -2;
      if (variable < 0)
        return std::nullopt;
      isl_local_space *space = isl_aff_get_domain_local_space(m.row.get());
      const isl::aff alone =
          isl::manage(isl_aff_var_on_domain(space, isl_dim_set, static_cast<unsigned>(variable)));
      const auto offset = difference(m.row, alone);
      const auto task = std::find_if(tasks.begin(), tasks.end(), [&](const TaskDimension &d) {
        return d.name == statement(m).dimensions[static_cast<std::size_t>(variable)];
      });
      const int along = static_cast<int>(task - tasks.begin());
      if (!offset || task == tasks.end() || (turn && turn->along != along))
        return std::nullopt;
      if (!turn)
        turn = RowTurn{step_, along, *offset, std::min(task->grain, kMostGrain), {}};
    }
    return turn;
  }

  /// Which statements run before the rows because some main needs what they write, directly or not.
  std::vector<bool> areBefore(const std::vector<Main> &mains) const {
    std::vector<bool> leads(kernel_.statements.size(), false);
    for (const Main &m : mains)
      leads[m.statement] = true;
    for (bool isChanging = true; isChanging;) {
      isChanging = false;
      for (std::size_t from = 0; from < leads.size(); ++from)
        for (std::size_t to = 0; to < leads.size() && !leads[from]; ++to)
          if (leads[to] && depend(kernel_.statements[from], kernel_.statements[to]))
            leads[from] = isChanging = true;
    }
    return leads;
  }

  bool depend(const Statement &from, const Statement &to) const {
    return !kernel_.dependences.intersect_domain(isl::union_set(from.domain))
                .intersect_range(isl::union_set(to.domain))
                .is_empty();
  }

  /// The kernel cut along the rows; else reader.why.
  std::optional<RowTurn> cutAlongRows(Reader &reader) const {
    const auto first = formula(poly::dimMin(*reader.rows, 0)), last = formula(poly::dimMax(*reader.rows, 0));
    if (!first || !last) {
      reader.why = "which rows it reads has no formula";
      return std::nullopt;
    }
    // What comes before the rows runs with row 0 or the first one, which is there even if no row is read.
    isl::aff begin = *first;
    if (isl_aff_is_cst(begin.get()) == isl_bool_true) {
      isl_val *value = isl_aff_get_constant_val(begin.get());
      if (isl_val_is_pos(value) == isl_bool_true)
        begin = isl::manage(isl_aff_set_constant_si(begin.release(), 0));
      isl_val_free(value);
    }
    const isl::aff end = isl::manage(isl_aff_add_constant_si(last->copy(), 1));
    const std::vector<bool> isBefore = areBefore(reader.mains);
    isl_union_pw_aff *all = nullptr;
    for (std::size_t k = 0; k < kernel_.statements.size(); ++k) {
      const auto m = std::find_if(reader.mains.begin(), reader.mains.end(),
                                  [&](const Main &one) { return one.statement == k; });
      isl_set *instances = isl_set_universe(isl_set_get_space(kernel_.statements[k].domain.get()));
      isl_union_pw_aff *value =
          m != reader.mains.end()
              ? isl_union_pw_aff_from_pw_aff(isl_pw_aff_from_aff(m->row.copy()))
              : isl_union_pw_aff_aff_on_domain(isl_union_set_from_set(isl_set_copy(instances)),
                                               (isBefore[k] ? begin : end).copy());
      isl_set_free(instances);
      all = all ? isl_union_pw_aff_union_add(all, value) : value;
    }
    const auto &dimensions = statement(reader.mains.front()).dimensions;
    std::string name = "row";
    for (std::size_t d = 0; d < dimensions.size(); ++d)
      if (involves(reader.mains.front().row, static_cast<int>(d)))
        name = dimensions[d];
    const TaskFunction rows{name, isl::manage(all)};
    if (!neverDecreases(kernel_.dependences.intersect_params(kernel_.context), rows.value)) {
      reader.why = "it needs its rows in another order";
      return std::nullopt;
    }
    if (keepsValues(rows)) {
      reader.why = "it keeps values from row to row";
      return std::nullopt;
    }
    constexpr long kJammed = 8; // rows that a loop may take together
    RowTurn turn{step_, static_cast<int>(kernel_.schedule.taskDimensions.size()), 0, kJammed, {}};
    turn.cut = std::make_shared<const Scheduled>(cutFurther(
        kernel_, rows,
        {isl::manage(isl_pw_aff_from_aff(begin.copy())), isl::manage(isl_pw_aff_from_aff(end.copy()))}));
    return turn;
  }

  /// Whether values of different rows go through what only one call has.
  bool keepsValues(const TaskFunction &rows) const {
    std::set<int> own;
    for (std::size_t b = 0; b < kernel_.buffers.size(); ++b)
      if (!isMatrix(kernel_.buffers[b]))
        own.insert(static_cast<int>(b));
    return !own.empty() &&
           !neverChanges(dependences(kernel_, own).intersect_params(kernel_.context), rows.value);
  }

  const Scheduled &kernel_;
  const int step_;
};

class TurnFinder {
public:
  TurnFinder(const schedule::Plan &plan, const std::vector<std::optional<Scheduled>> &kernels)
      : levels_(schedule::levelsOf(plan)), kernels_(kernels) {
    for (const auto &kernel : kernels)
      if (kernel)
        for (const Buffer &b : kernel->buffers)
          if (b.role == Buffer::Role::Input && b.matrix >= 0 && b.rank >= 2)
            matrices_.insert(b.matrix);
  }

  RowTurns run() {
    RowTurns out;
    const std::set<std::size_t> levels(levels_.begin(), levels_.end());
    for (const std::size_t level : levels)
      for (const int matrix : matrices_)
        addGroup(level, matrix, out);
    return out;
  }

private:
  void addGroup(std::size_t level, int matrix, RowTurns &out) {
    std::vector<std::pair<int, Reader>> readers; // by step
    std::vector<int> steps;
    for (std::size_t s = 0; s < kernels_.size(); ++s)
      if (levels_[s] == level && kernels_[s] && !grouped_.count(static_cast<int>(s)) &&
          reads(*kernels_[s], matrix))
        steps.push_back(static_cast<int>(s));
    if (steps.size() < 2)
      return;
    for (const int s : steps)
      if (auto reader = readerOf(s, matrix))
        readers.emplace_back(s, std::move(*reader));
    if (readers.size() < 2)
      return;
    TurnGroup group{matrix, {}};
    std::vector<NoTurn> refused;
    std::optional<isl::set> rows;
    for (auto &[s, reader] : readers) {
      const bool isElsewhere = reader.turn && rows && rows->is_disjoint(*reader.rows);
      if (!reader.turn || isElsewhere)
        refused.push_back({matrix, s, isElsewhere ? "it reads other rows" : reader.why});
      else {
        rows = rows ? rows->unite(*reader.rows) : *reader.rows;
        group.turns.push_back(std::move(*reader.turn));
      }
    }
    if (!group.turns.empty())
      out.refused.insert(out.refused.end(), refused.begin(), refused.end());
    if (group.turns.size() < 2)
      return;
    for (const RowTurn &turn : group.turns)
      grouped_.insert(turn.step);
    out.groups.push_back(std::move(group));
  }

  static bool reads(const Scheduled &kernel, int matrix) {
    return std::any_of(kernel.buffers.begin(), kernel.buffers.end(),
                       [&](const Buffer &b) { return b.matrix == matrix && b.role == Buffer::Role::Input; });
  }

  std::optional<Reader> readerOf(int step, int matrix) const {
    const Scheduled &kernel = *kernels_[static_cast<std::size_t>(step)];
    std::optional<Reader> reader;
    if (!poly::withBudget(kernel.context.ctx(), kTurnBudget,
                          [&] { reader = StepReads(kernel, step).of(matrix); }))
      return std::nullopt;
    return reader;
  }

  const std::vector<std::size_t> levels_;
  const std::vector<std::optional<Scheduled>> &kernels_;
  std::set<int> matrices_; // that some step reads
  std::set<int> grouped_;  // steps
};

} // namespace

RowTurns rowTurns(const schedule::Plan &plan, const std::vector<std::optional<Scheduled>> &kernels) {
  return TurnFinder(plan, kernels).run();
}

std::string print(const sema::Transform &t, const RowTurns &turns) {
  std::string out;
  for (const TurnGroup &group : turns.groups) {
    out += fmt::format("// turns of rows of {}:\n", t.matrices[static_cast<std::size_t>(group.matrix)].name);
    for (const RowTurn &turn : group.turns)
      out += fmt::format("//   step {}: {}d{} + {}, by {}\n", turn.step, turn.cut ? "cut along " : "",
                         turn.along, turn.offset, turn.grain);
  }
  for (const NoTurn &no : turns.refused)
    out += fmt::format("// no turns of step {} with {}: {}\n", no.step,
                       t.matrices[static_cast<std::size_t>(no.matrix)].name, no.why);
  return out;
}

} // namespace pbc::kernel
