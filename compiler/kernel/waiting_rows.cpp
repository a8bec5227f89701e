// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/waiting_rows.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/formula.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/other_statements.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

namespace pbc::kernel {
namespace {

bool isOfPoint(const Statement &s) { return static_cast<int>(s.dimensions.size()) == s.freeCount; }

bool writesBuffer(const Statement &s, int buffer) {
  return s.accesses[static_cast<std::size_t>(s.write)].buffer == buffer;
}

bool readsBuffer(const Statement &s, int buffer) {
  return std::any_of(s.accesses.begin(), s.accesses.end(),
                     [&](const Access &a) { return a.buffer == buffer && (!a.isWrite || !s.op.empty()); });
}

isl::map renamed(const isl::map &relation, const std::string &from, const std::string &to) {
  isl_map *map = isl_map_set_tuple_name(relation.copy(), isl_dim_in, from.c_str());
  return isl::manage(isl_map_set_tuple_name(map, isl_dim_out, to.c_str()));
}

isl::set withName(const isl::set &points, const std::string &name) {
  return isl::manage(isl_set_set_tuple_name(points.copy(), name.c_str()));
}

/// A free variable of the rule as a function of the statement's instances.
isl::pw_aff freeVariable(const Statement &s, int d) {
  isl_local_space *space = isl_local_space_from_space(isl_set_get_space(s.domain.get()));
  return isl::manage(
      isl_pw_aff_from_aff(isl_aff_var_on_domain(space, isl_dim_set, static_cast<unsigned>(d))));
}

isl::pw_aff parameterOn(const isl::set &instances, const char *name) {
  isl_id *id = isl_id_alloc(isl_set_get_ctx(instances.get()), name, nullptr);
  isl_space *space = isl_set_get_space(instances.get());
  if (isl_space_find_dim_by_id(space, isl_dim_param, id) < 0) {
    const auto last = static_cast<unsigned>(isl_space_dim(space, isl_dim_param));
    space = isl_space_set_dim_id(isl_space_add_dims(space, isl_dim_param, 1), isl_dim_param, last,
                                 isl_id_copy(id));
  }
  return isl::manage(isl_pw_aff_from_aff(isl_aff_param_on_domain_space_id(space, id)));
}

/// low <= row < high
isl::set inBlock(const isl::set &instances, const isl::pw_aff &row) {
  const isl::set from =
                     isl::manage(isl_pw_aff_ge_set(row.copy(), parameterOn(instances, kFirstRow).release())),
                 to = isl::manage(
                     isl_pw_aff_lt_set(row.copy(), parameterOn(instances, kBehindRows).release()));
  return from.intersect(to);
}

ExprPtr readOf(int access, Scalar type) {
  Expr e{};
  e.kind = Expr::Kind::Read;
  e.type = type;
  e.index = access;
  return std::make_shared<const Expr>(std::move(e));
}

Statement assigns(const Statement &like, Access to, Access from, Scalar type) {
  Statement s = like;
  to.isWrite = true, from.isWrite = false;
  s.accesses = {std::move(to), std::move(from)};
  s.write = 0, s.op = "", s.value = readOf(1, type);
  return s;
}

/// What the body of such a rule consists of: indices of statements, which are in the order of the body.
struct Parts {
  int loop = -1, store = -1; // the sum's loop; the statement that writes the result
  int sum = -1, result = -1; // buffers
  int begin = -1;            // the last statement that sets the sum before the loop
};

std::string noSum() {
  return "the rows before a point's are not summed up by one loop, in a variable of the body";
}

std::string findParts(const Scheduled &kernel, Parts &parts) {
  const auto at = [&](int index) -> const Statement & {
    return kernel.statements[static_cast<std::size_t>(index)];
  };
  const auto role = [&](const Access &a) { return kernel.buffers[static_cast<std::size_t>(a.buffer)].role; };
  const int count = static_cast<int>(kernel.statements.size());
  for (int k = 0; k < count; ++k) {
    const Statement &s = at(k);
    if (s.isOpaque || s.copy || isOfCopy(s) || s.rule != at(0).rule)
      return "its points are not those of one rule whose body consists of assignments";
    if (!isOfPoint(s) && (parts.loop >= 0 || static_cast<int>(s.dimensions.size()) != s.freeCount + 1))
      return noSum();
    if (!isOfPoint(s))
      parts.loop = k;
    const Access &written = s.accesses[static_cast<std::size_t>(s.write)];
    if (role(written) == Buffer::Role::Local)
      continue;
    if (role(written) != Buffer::Role::Output || parts.store >= 0 || !isOfPoint(s) || !s.op.empty())
      return "its points do not write one cell each, at their end";
    parts.store = k, parts.result = written.buffer;
  }
  if (parts.loop < 0 || parts.store < parts.loop)
    return noSum();
  parts.sum = at(parts.loop).accesses[static_cast<std::size_t>(at(parts.loop).write)].buffer;
  for (int k = 0; k < parts.loop; ++k) {
    if (std::any_of(at(k).accesses.begin(), at(k).accesses.end(),
                    [&](const Access &a) { return role(a) == Buffer::Role::Output; }))
      return "it reads other points before it adds anything up";
    if (writesBuffer(at(k), parts.sum))
      parts.begin = k;
    else if (readsBuffer(at(k), parts.sum))
      return noSum();
  }
  const isl::set &points = at(parts.store).domain;
  if (parts.begin < 0 || !withName(at(parts.begin).domain, at(parts.store).name).is_equal(points))
    return noSum();
  return "";
}

/// The row that a step of the loop reads, as a function of the step: by all of its reads the same. `store` writes the rows.
std::string rowRead(const Statement &loop, const Statement &store, int result, int row,
                    std::optional<isl::pw_aff> &read) {
  const isl::map written = isl::manage(isl_map_gist_domain(
      store.accesses[static_cast<std::size_t>(store.write)].relation.copy(), store.domain.copy()));
  for (const Access &a : loop.accesses) {
    if (a.buffer != result)
      continue;
    const isl::map points = a.relation.apply_range(written.reverse()).intersect_domain(loop.domain);
    if (isl_map_is_single_valued(points.get()) != isl_bool_true || !points.domain().is_equal(loop.domain))
      return "a step of the sum reads no cell of the result's rows, or several points write it";
    const isl::pw_multi_aff all = isl::manage(isl_pw_multi_aff_from_map(points.copy()));
    isl::pw_aff one = isl::manage(isl_pw_multi_aff_get_pw_aff(all.get(), row));
    one = one.gist(loop.domain);
    if (read && isl_pw_aff_is_equal(read->get(), one.get()) != isl_bool_true)
      return "a step of the sum reads several rows";
    read = one;
  }
  return read ? "" : "the sum reads nothing of the result";
}

bool namesDimension(const Expr &e, int dimension) {
  return (e.kind == Expr::Kind::Dimension && e.index == dimension) ||
         std::any_of(e.operands.begin(), e.operands.end(),
                     [&](const ExprPtr &one) { return namesDimension(*one, dimension); });
}

/// The same steps, counted from the first row of the block in the order of rows: `read` is the row of a step. The same numbers as before if
/// they cannot be counted so.
Statement countedInBlock(const Statement &steps, const isl::pw_aff &read, bool isBackward) {
  const unsigned count = static_cast<unsigned>(steps.dimensions.size()), own = count - 1;
  if (namesDimension(*steps.value, static_cast<int>(own)))
    return steps;
  isl_pw_aff *first = parameterOn(steps.domain, isBackward ? kBehindRows : kFirstRow).release();
  isl_pw_aff *place = isBackward
                          ? isl_pw_aff_add_constant_val(isl_pw_aff_sub(first, read.copy()),
                                                        isl_val_negone(isl_set_get_ctx(steps.domain.get())))
                          : isl_pw_aff_sub(read.copy(), first);
  isl_map *points = isl_map_identity(isl_space_map_from_set(isl_set_get_space(steps.domain.get())));
  points = isl_map_reset_tuple_id(isl_map_project_out(points, isl_dim_out, own, 1), isl_dim_out);
  isl_map *all = isl_map_flat_range_product(points, isl_map_from_pw_aff(place));
  const isl::map numbers = isl::manage(isl_map_set_tuple_name(all, isl_dim_out, steps.name.c_str()));
  if (isl_map_is_injective(numbers.get()) != isl_bool_true)
    return steps;
  Statement made = steps;
  const auto simple = [](isl_map *relation) {
    return isl::manage(isl_map_coalesce(isl_map_remove_redundancies(relation)));
  };
  made.domain = isl::manage(isl_set_coalesce(isl_set_apply(steps.domain.copy(), numbers.copy())));
  for (Access &a : made.accesses)
    a.relation = simple(isl_map_apply_domain(a.relation.copy(), numbers.copy()));
  return made;
}

/// The kernel with these statements, and the matrix of sums.
Scheduled withSums(const Scheduled &lifted, std::vector<Statement> statements, Buffer sums,
                   const isl::set &context, InOrder order) {
  Scheduled made = lifted;
  made.buffers.push_back(std::move(sums));
  made.context = context;
  return withStatements(made, std::move(statements), order);
}

class TakingApart {
public:
  TakingApart(const Scheduled &lifted, const Parts &parts) : lifted_(lifted), parts_(parts) {}

  WaitingRowsOutcome run() {
    std::string why = "none of the directions of its points is one in which rows wait";
    const int free = loop().freeCount;
    for (int row = 0; row < free; ++row)
      for (const bool isBackward : {false, true}) {
        std::optional<isl::pw_aff> read;
        if (std::string none = rowRead(loop(), store(), parts_.result, row, read); !none.empty())
          return {std::nullopt, std::move(none), areRowsRead()};
        if (!readsBefore(row, *read, isBackward))
          continue;
        if (std::string none = whyNoBlocks(row, *read, isBackward); !none.empty()) {
          why = std::move(none);
          continue;
        }
        return {take(row, *read, isBackward), ""};
      }
    return {std::nullopt, why, areRowsRead()};
  }

private:
  bool areRowsRead() const { return readsBuffer(loop(), parts_.result); }

  const Statement &at(int index) const { return lifted_.statements[static_cast<std::size_t>(index)]; }
  const Statement &loop() const { return at(parts_.loop); }
  const Statement &store() const { return at(parts_.store); }

  bool readsBefore(int row, const isl::pw_aff &read, bool isBackward) const {
    const isl::pw_aff own = freeVariable(loop(), row);
    const isl::set before = isl::manage(isBackward ? isl_pw_aff_gt_set(read.copy(), own.copy())
                                                   : isl_pw_aff_lt_set(read.copy(), own.copy()));
    return loop().domain.is_subset(before);
  }

  /// Blocks are in order if no dependence leads to an earlier row, and none between steps and what is behind the loop leads from a
  /// later block to an earlier one; a step belongs to the block that it reads.
  std::string whyNoBlocks(int row, const isl::pw_aff &read, bool isBackward) const {
    const int sign = isBackward ? -1 : 1;
    isl_union_pw_aff *own = nullptr, *block = nullptr;
    isl_union_set *before = isl_union_set_empty_ctx(isl_set_get_ctx(lifted_.context.get())),
                  *others = isl_union_set_copy(before);
    const auto add = [](isl_union_pw_aff *&to, const isl::pw_aff &one) {
      isl_union_pw_aff *value = isl_union_pw_aff_from_pw_aff(one.copy());
      to = to ? isl_union_pw_aff_union_add(to, value) : value;
    };
    for (int k = 0; k < static_cast<int>(lifted_.statements.size()); ++k) {
      add(own, freeVariable(at(k), row));
      add(block, k == parts_.loop ? read : freeVariable(at(k), row));
      isl_union_set *&to = k < parts_.loop ? before : others;
      to = isl_union_set_add_set(to, at(k).domain.copy());
    }
    const isl::union_pw_aff rows = isl::manage(own), blocks = isl::manage(block);
    const isl::union_set first = isl::manage(before), second = isl::manage(others);
    const isl::union_map &all = lifted_.dependences;
    if (!neverDecreases(all, times(rows, sign)))
      return "its rows do not come one after the other";
    if (!all.intersect_domain(second).intersect_range(first).is_empty())
      return "what comes before its sum waits for other points";
    if (!neverDecreases(all.intersect_domain(second).intersect_range(second), times(blocks, sign)))
      return "its sums do not add up the rows in the order in which these are computed";
    return "";
  }

  /// Whether each column of the points has all of these rows.
  bool isRectangle(int row, const isl::set &rows) const {
    const isl::set points =
        isl::manage(isl_set_reset_tuple_id(store().domain.copy())).intersect_params(lifted_.context);
    const isl::set own = isl::manage(isl_map_domain(
        isl_map_intersect_range(isl_map_from_pw_aff(freeVariable(store(), row).release()), rows.copy())));
    isl_set *columns = isl_set_eliminate(points.copy(), isl_dim_set, static_cast<unsigned>(row), 1);
    return isl::manage(isl_set_intersect(columns, isl_set_reset_tuple_id(own.copy()))).is_subset(points);
  }

  bool isTriangle(int row, const isl::pw_aff &read, bool isBackward, const isl::set &rows) const {
    const auto free = static_cast<unsigned>(loop().freeCount);
    isl_map *points =
        isl_map_project_out(isl_map_identity(isl_space_map_from_set(isl_set_get_space(loop().domain.get()))),
                            isl_dim_out, free, 1);
    points = isl_map_reset_tuple_id(points, isl_dim_out);
    isl_map *all = isl_map_flat_range_product(points, isl_map_from_pw_aff(read.copy()));
    const isl::map pairs = isl::manage(isl_map_intersect_domain(all, loop().domain.copy()));
    isl_set *before = isl_set_flat_product(isl_set_reset_tuple_id(store().domain.copy()), rows.copy());
    isl_local_space *space = isl_local_space_from_space(isl_set_get_space(before));
    isl_aff *own =
                isl_aff_var_on_domain(isl_local_space_copy(space), isl_dim_set, static_cast<unsigned>(row)),
            *other = isl_aff_var_on_domain(space, isl_dim_set, free);
    isl_set *ordered =
        isl_set_intersect(before, isBackward ? isl_aff_gt_set(other, own) : isl_aff_lt_set(other, own));
    return isl_map_is_injective(pairs.get()) == isl_bool_true &&
           pairs.range()
               .intersect_params(lifted_.context)
               .is_equal(isl::manage(ordered).intersect_params(lifted_.context));
  }

  WaitingRows take(int row, const isl::pw_aff &read, bool isBackward) const {
    WaitingRows made{.row = row, .isBackward = isBackward, .result = parts_.result};
    const isl::set own = isl::manage(isl_map_range(isl_map_intersect_domain(
                       isl_map_from_pw_aff(freeVariable(store(), row).release()), store().domain.copy()))),
                   before = isl::manage(isl_map_range(
                       isl_map_intersect_domain(isl_map_from_pw_aff(read.copy()), loop().domain.copy())));
    const isl::set rows = own.unite(before).intersect_params(lifted_.context);
    isl_val *one = isl_val_one(isl_set_get_ctx(rows.get()));
    made.low = poly::dimMin(rows, 0);
    made.high = isl::manage(isl_pw_aff_add_constant_val(poly::dimMax(rows, 0).release(), one));
    made.isTriangle = rows.is_equal(own.intersect_params(lifted_.context)) && isRectangle(row, rows) &&
                      isTriangle(row, read, isBackward, rows);
    made.sums = static_cast<int>(lifted_.buffers.size());
    const isl::set inOrder =
        lifted_.context.intersect(poly::apart(lifted_.context.ctx(), kFirstRow, kBehindRows, 1))
            .intersect(withinRows(made));
    made.start = withSums(lifted_, start(), sums(), lifted_.context, InOrder::Upwards);
    made.finish = withSums(lifted_, finish(row, read), sums(), inOrder, InOrder::OfKernel);
    made.update = withSums(lifted_, update(row, read, isBackward), sums(), inOrder, InOrder::Upwards);
    // Nothing is written but sums.
    made.start.buffers[static_cast<std::size_t>(parts_.result)].role = Buffer::Role::Input;
    made.update.buffers[static_cast<std::size_t>(parts_.result)].role = Buffer::Role::Input;
    made.finish.buffers.back().role = Buffer::Role::Input;
    return made;
  }

  /// The block's rows are some of all rows.
  isl::set withinRows(const WaitingRows &made) const {
    isl::set all = isl::manage(isl_set_universe(isl_set_get_space(lifted_.context.get())));
    const std::optional<isl::aff> low = formula(made.low), high = formula(made.high);
    const auto bound = [&](const isl::aff &f, const char *name, auto compare) {
      isl_pw_aff *limit = parameterOn(all, name).release(), *range = isl_pw_aff_from_aff(f.copy());
      isl_set *holds = compare(limit, range);
      return isl::manage(isl_set_params(holds));
    };
    if (low)
      all = all.intersect(bound(*low, kFirstRow, isl_pw_aff_ge_set));
    if (high)
      all = all.intersect(bound(*high, kBehindRows, isl_pw_aff_le_set));
    return all;
  }

  Buffer sums() const {
    const Buffer &result = lifted_.buffers[static_cast<std::size_t>(parts_.result)];
    const Buffer &sum = lifted_.buffers[static_cast<std::size_t>(parts_.sum)];
    Buffer b;
    b.name = sum.name + "_rows";
    b.role = Buffer::Role::Output;
    b.element = sum.element;
    b.rank = result.rank;
    b.called = sum.called.empty() ? "" : "the waiting " + sum.called;
    return b;
  }

  Access ofSum(const Statement &s) const {
    const Statement &begin = at(parts_.begin);
    const isl::map own = begin.accesses[static_cast<std::size_t>(begin.write)].relation;
    return {parts_.sum, false,
            renamed(own, s.name, lifted_.buffers[static_cast<std::size_t>(parts_.sum)].name)};
  }
  Access ofSums(const Statement &s) const {
    const isl::map own = store().accesses[static_cast<std::size_t>(store().write)].relation;
    return {static_cast<int>(lifted_.buffers.size()), false, renamed(own, s.name, sums().name)};
  }
  Statement loads() const {
    return assigns(at(parts_.begin), ofSum(at(parts_.begin)), ofSums(at(parts_.begin)), sums().element);
  }
  Statement stores() const { return assigns(store(), ofSums(store()), ofSum(store()), sums().element); }

  std::vector<Statement> start() const {
    std::vector<Statement> all(lifted_.statements.begin(), lifted_.statements.begin() + parts_.loop);
    all.push_back(stores());
    return all;
  }

  /// What comes before the loop, with the sum that has waited.
  std::vector<Statement> resumed() const {
    std::vector<Statement> all;
    for (int k = 0; k < parts_.loop; ++k)
      if (k == parts_.begin)
        all.push_back(loads());
      else if (!writesBuffer(at(k), parts_.sum))
        all.push_back(at(k));
    return all;
  }

  std::vector<Statement> finish(int row, const isl::pw_aff &read) const {
    std::vector<Statement> all = resumed();
    all.insert(all.end(), lifted_.statements.begin() + parts_.loop, lifted_.statements.end());
    for (Statement &s : all) {
      if (!isOfPoint(s))
        s.domain = s.domain.intersect(inBlock(s.domain, read));
      s.domain = s.domain.intersect(inBlock(s.domain, freeVariable(s, row)));
    }
    return all;
  }

  std::vector<Statement> update(int row, const isl::pw_aff &read, bool isBackward) const {
    std::vector<Statement> all = resumed();
    Statement steps = loop();
    const isl::pw_aff own = freeVariable(steps, row);
    const isl::set behind = isl::manage(
        isBackward ? isl_pw_aff_lt_set(own.copy(), parameterOn(steps.domain, kFirstRow).release())
                   : isl_pw_aff_ge_set(own.copy(), parameterOn(steps.domain, kBehindRows).release()));
    const isl::set context =
        lifted_.context.intersect(poly::apart(lifted_.context.ctx(), kFirstRow, kBehindRows, 1));
    steps.domain =
        steps.domain.intersect(inBlock(steps.domain, read)).intersect(behind).intersect_params(context);
    // Of all points, as if they were behind the block: so their limits are not those of the steps.
    isl_set *points = isl_set_add_dims(store().domain.copy(), isl_dim_set, 1);
    points = isl_set_set_tuple_name(points, steps.name.c_str());
    isl_set *shared = isl_set_gist(isl_set_coalesce(steps.domain.release()),
                                   isl_set_intersect(behind.copy(), isl_set_copy(points)));
    steps.domain = isl::manage(isl_set_intersect(shared, points));
    all.push_back(countedInBlock(steps, read, isBackward));
    all.push_back(stores());
    return all;
  }

  const Scheduled &lifted_;
  const Parts &parts_;
};

} // namespace

bool isOfBlock(const Kernel &kernel) {
  return isl_set_find_dim_by_name(kernel.context.get(), isl_dim_param, kFirstRow) >= 0;
}

isl::set ofAnyBlock(const isl::set &values, const isl::set &context) {
  const auto without = [](isl_set *all) {
    for (const char *name : {kFirstRow, kBehindRows})
      if (const int at = isl_set_find_dim_by_name(all, isl_dim_param, name); at >= 0)
        all = isl_set_project_out(all, isl_dim_param, static_cast<unsigned>(at), 1);
    return all;
  };
  isl_set *all = without(isl_set_intersect_params(values.copy(), context.copy()));
  return isl::manage(isl_set_gist_params(isl_set_coalesce(all), without(context.copy())));
}

WaitingRowsOutcome waitingRows(const Scheduled &lifted) {
  if (lifted.statements.empty())
    return {std::nullopt, "it does nothing"};
  Parts parts;
  if (std::string why = findParts(lifted, parts); !why.empty())
    return {std::nullopt, std::move(why)};
  return TakingApart(lifted, parts).run();
}

} // namespace pbc::kernel
