// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/register_tile.h"
#include "compiler/body/value.h"
#include "compiler/kernel/along.h"
#include "compiler/kernel/block_values.h"
#include "compiler/kernel/body_length.h"
#include "compiler/kernel/buffer_names.h"
#include "compiler/kernel/formula.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/tree.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <set>

namespace pbc::kernel {
namespace {

/// The number of iterations of a body's loops up to which LLVM's vectors, with the body unrolled, are as
/// fast: with more, its sums depend on each other, and its factors no longer fit into registers
/// (bench/convolution).
constexpr long kFewOperations = 12;

/// The largest number of operations of a body for which a block pays: each is repeated for all vectors of the
/// block.
constexpr int kMostOperations = 48;

int operations(const Expr &e) {
  int n = 1;
  for (const ExprPtr &o : e.operands)
    n += operations(*o);
  return n;
}

bool isFloat(Scalar s) { return s == Scalar::F64 || s == Scalar::F32; }

/// The statements that compute points, not those that copy matrices.
std::vector<int> statementsOfPoints(const Kernel &kernel) {
  std::vector<int> all;
  for (std::size_t k = 0; k < kernel.statements.size(); ++k)
    if (!isOfCopy(kernel.statements[k]))
      all.push_back(static_cast<int>(k));
  return all;
}

isl::union_map between(const Kernel &kernel, const std::vector<int> &statements) {
  isl_union_set *all = isl_union_set_empty(kernel.dependences.get_space().release());
  for (const int index : statements)
    all = isl_union_set_add_set(all, kernel.statements[static_cast<std::size_t>(index)].domain.copy());
  const isl::union_set instances = isl::manage(all);
  return kernel.dependences.intersect_domain(instances).intersect_range(instances);
}

std::string ownMemory(const Kernel &kernel, const Buffer &scratch) {
  return fmt::format("a point has memory of its own (`{}`)", programName(kernel, scratch));
}

std::string whyNotOfOneRule(const Kernel &kernel, const std::vector<int> &points) {
  if (points.empty())
    return "it has no loops over points";
  const auto at = [&](int index) -> const Statement & {
    return kernel.statements[static_cast<std::size_t>(index)];
  };
  for (const int index : points) {
    if (at(index).isOpaque)
      return "its body is a call of C++ code";
    if (at(index).rule != at(points.front()).rule)
      return "several rules share its loops";
    for (const Access &a : at(index).accesses)
      if (const Buffer &b = kernel.buffers[static_cast<std::size_t>(a.buffer)];
          b.role == Buffer::Role::Scratch && b.rank > static_cast<int>(b.extents.size()))
        return ownMemory(kernel, b); // each iteration of loops around it has its own
  }
  return "";
}

/// Whether no point is computed in the loop.
bool isOfCopies(const Kernel &kernel, const isl::schedule_node &band) {
  const std::vector<std::string> names = statementsAt(band);
  return std::all_of(names.begin(), names.end(), [&](const std::string &name) {
    return isOfCopy(kernel.statements[static_cast<std::size_t>(statementIndex(kernel, name))]);
  });
}

/// Why scratch memory that the points use is no matrix for them: one that is filled before their loops begin, and is only read by them.
std::string whyNotFilledBefore(const Kernel &kernel, const std::vector<int> &points,
                               const isl::schedule_node &y) {
  std::set<int> filled; // before the loop over y
  const std::vector<std::string> inside = statementsAt(y);
  for (const Statement &s : kernel.statements)
    if (isOfCopy(s) && std::find(inside.begin(), inside.end(), s.name) == inside.end())
      filled.insert(s.accesses[static_cast<std::size_t>(s.write)].buffer);
  for (const int index : points)
    for (const Access &a : kernel.statements[static_cast<std::size_t>(index)].accesses)
      if (const Buffer &b = kernel.buffers[static_cast<std::size_t>(a.buffer)];
          b.role == Buffer::Role::Scratch && (a.isWrite || !filled.contains(a.buffer) || b.inRegisters))
        return ownMemory(kernel, b);
  return "";
}

class Analysis {
public:
  Analysis(const Scheduled &kernel, const std::vector<int> &points, int x, const MemberDirection &y,
           bool isParallel)
      : kernel_(kernel), points_(points), isParallel_(isParallel) {
    tile_.x = x, tile_.y = y.dimension, tile_.isBackward = y.isBackward;
  }

  std::optional<RegisterTile> run() {
    bool hasElement = false;
    for (const int index : points_)
      for (const Access &a : at(index).accesses)
        if (a.isWrite) {
          const Scalar here = kernel_.buffers[a.buffer].element;
          if (!isFloat(here) || (hasElement && here != tile_.element))
            return fail("it computes with more than one type");
          tile_.element = here, hasElement = true;
        }
    for (const int index : points_)
      if (!statement(at(index)))
        return std::nullopt;
    for (const Buffer &b : kernel_.buffers)
      tile_.scalars += b.role == Buffer::Role::Local;
    findDepth();
    if (!isParallel_ && !(tile_.isDeep && (tile_.behind = behind())))
      return fail(
          fmt::format("a point needs the one before it along `{}`", at(points_.front()).dimensions[tile_.y]));
    if (tile_.behind)
      keepRows();
    if (tile_.moves && !tile_.isDeep)
      return fail("its loops have other bounds in other rows");
    for (const Access *a : strided_)
      if (std::none_of(tile_.panels.begin(), tile_.panels.end(), [&](const RegisterTile::Panel &p) {
            return &kernel_.statements[p.statement].accesses[p.access] == a;
          }))
        return fail(fmt::format("cells of `{}` do not lie side by side", programName(kernel_, a->buffer)));
    return tile_;
  }

  const std::string &why() const { return why_; }

private:
  const Statement &at(int index) const { return kernel_.statements[static_cast<std::size_t>(index)]; }

  std::nullopt_t fail(const std::string &why) {
    no(why);
    return std::nullopt;
  }
  bool no(const std::string &why) {
    why_ = why;
    return false;
  }

  const std::string &nameOf(const Statement &s, int d) const { return s.dimensions[d]; }

  bool statement(const Statement &s) {
    for (int d = s.freeCount; d < static_cast<int>(s.dimensions.size()); ++d)
      for (const int point : {tile_.x, tile_.y}) {
        if (!boundsMoveWith(s.domain, d, point))
          continue;
        tile_.moves = true;
        if (point == tile_.x || static_cast<int>(s.dimensions.size()) > s.freeCount + 1)
          return no(fmt::format("the length of the loop over `{}` depends on `{}`", nameOf(s, d),
                                nameOf(s, point)));
      }
    for (std::size_t k = 0; k < s.accesses.size(); ++k) {
      const Access &a = s.accesses[k];
      const Buffer &b = kernel_.buffers[a.buffer];
      if (b.role == Buffer::Role::Local)
        continue;
      if (!a.isWrite && b.role == Buffer::Role::Output && isParallel_)
        return no(fmt::format("it reads `{}`, which it also writes", programName(kernel_, b)));
      const auto x = along(kernel_, a, tile_.x);
      if (!x || (a.isWrite && *x == Along::Nowhere))
        return no(fmt::format("cells of `{}` do not lie side by side along `{}`", programName(kernel_, b),
                              nameOf(s, tile_.x)));
      if (a.isWrite && !s.op.empty())
        return no(fmt::format("it updates cells of `{}`", programName(kernel_, b)));
      if (a.isWrite && static_cast<int>(s.dimensions.size()) > s.freeCount)
        return no(fmt::format("it writes `{}` in a loop", programName(kernel_, b)));
      if (!a.isWrite && *x != Along::Nowhere && b.element != tile_.element)
        return no("it computes with more than one type");
      // In a loop, cells that are not contiguous along x can be loaded as vectors only after copying: findDepth().
      if (!a.isWrite && *x == Along::Strided && static_cast<int>(s.dimensions.size()) > s.freeCount)
        strided_.push_back(&a);
    }
    return canCompute(kernel_, s, tile_) ||
           no("its terms take more than arithmetic, choices and minima of one type");
  }

  /// Finds out whether the body consists of statements and loops over statements, and if so, what its reads
  /// are.
  void findDepth() {
    std::set<std::string> loops;
    std::vector<const Statement *> steps;
    for (const int index : points_) {
      const Statement &s = at(index);
      const int depth = static_cast<int>(s.dimensions.size()) - s.freeCount;
      if (depth > 1)
        return;
      if (depth == 0)
        continue;
      steps.push_back(&s);
      loops.insert(s.dimensions.back());
    }
    tile_.isDeep = isParallel_ || loops.size() == 1;
    for (const int index : points_)
      if (static_cast<int>(at(index).dimensions.size()) > at(index).freeCount)
        addPanels(index);
    // Where rows wait, too: each step reads a row `behind` steps before, so that a row's loop ends before the step that would read itself.
    tile_.resumes = loops.size() == 1;
    if (isParallel_ && tile_.moves && steps.size() == 2)
      tile_.joined = together(steps);
  }

  /// The steps of all of these statements, if all points have the same ones, without gaps.
  std::optional<RegisterTile::Steps> together(const std::vector<const Statement *> &statements) const {
    const int points = statements.front()->freeCount;
    const auto all = static_cast<unsigned>(points);
    std::optional<isl::set> steps;
    for (const Statement *s : statements) {
      if (s->freeCount != points)
        return std::nullopt;
      const isl::set here =
          isl::manage(isl_set_reset_tuple_id(s->domain.copy())).intersect_params(kernel_.context);
      steps = steps ? steps->unite(here) : here;
    }
    steps = steps->coalesce();
    if (isl_set_n_basic_set(steps->get()) != 1 || boundsMoveWith(*steps, points, tile_.x) ||
        boundsMoveWith(*steps, points, tile_.y))
      return std::nullopt;
    const isl::set somewhere =
        isl::manage(isl_set_project_out(steps->copy(), isl_dim_set, all, 1)); // the points that have steps
    for (const int index : points_)
      if (at(index).freeCount == static_cast<int>(at(index).dimensions.size()) &&
          !isl::manage(isl_set_reset_tuple_id(at(index).domain.copy()))
               .intersect_params(kernel_.context)
               .is_subset(somewhere))
        return std::nullopt;
    const isl::set range = isl::manage(isl_set_project_out(steps->copy(), isl_dim_set, 0, all));
    const isl::pw_aff first = isl::manage(isl_set_dim_min(range.copy(), 0)).coalesce(),
                      last = isl::manage(isl_set_dim_max(range.copy(), 0)).coalesce();
    if (isl_pw_aff_n_piece(first.get()) != 1 || isl_pw_aff_n_piece(last.get()) != 1)
      return std::nullopt;
    const auto everywhere = [](const isl::pw_aff &f) {
      return f.gist(isl::manage(isl_pw_aff_domain(f.copy())));
    };
    isl_pw_aff *one =
        isl_pw_aff_val_on_domain(isl_pw_aff_domain(last.copy()), isl_val_one(isl_pw_aff_get_ctx(last.get())));
    return RegisterTile::Steps{everywhere(first), everywhere(last.add(isl::manage(one)))};
  }

  /// The smallest k - y over the dependences from a row y to a step k of a later row, where y is an iteration of the loop over rows.
  /// Nothing if rows wait for each other in any other way.
  std::optional<isl::pw_aff> behind() const {
    struct Search {
      const Analysis &self;
      std::optional<isl::set> distances; // over the parameters
      bool isRegular = true;
    } search{*this, std::nullopt};
    isl_union_map_foreach_map(
        between(kernel_, points_).get(),
        [](isl_map *taken, void *user) {
          auto &s = *static_cast<Search *>(user);
          s.isRegular = s.isRegular && s.self.addDistances(isl::manage(taken), s.distances);
          return isl_stat_ok;
        },
        &search);
    if (!search.isRegular || !search.distances)
      return std::nullopt;
    // A row whose steps read rows ever farther away than they count could share none of them with others.
    const isl::set all = search.distances->intersect_params(kernel_.context);
    if (isl_set_dim_has_lower_bound(all.get(), isl_dim_set, 0) != isl_bool_true ||
        isl_set_dim_has_upper_bound(all.get(), isl_dim_set, 0) != isl_bool_true)
      return std::nullopt;
    const isl::pw_aff least = isl::manage(isl_set_dim_min(all.copy(), 0)).coalesce(),
                      most = isl::manage(isl_set_dim_max(all.copy(), 0));
    const std::optional<isl::aff> spread = formula(most.sub(least));
    if (isl_pw_aff_n_piece(least.get()) != 1 || !spread || isl_aff_is_cst(spread->get()) != isl_bool_true)
      return std::nullopt;
    return least.gist(isl::manage(isl_pw_aff_domain(least.copy())));
  }

  /// Adds those of the dependences between two statements; false if they do not wait in this way.
  bool addDistances(const isl::map &m, std::optional<isl::set> &all) const {
    const auto ordered = [&](auto order) {
      return isl::manage(order(m.copy(), isl_dim_in, tile_.y, isl_dim_out, tile_.y));
    };
    const isl::map later = tile_.isBackward ? ordered(isl_map_order_gt) : ordered(isl_map_order_lt);
    if (!(tile_.isBackward ? ordered(isl_map_order_lt) : ordered(isl_map_order_gt)).is_empty())
      return false;
    if (later.is_empty())
      return true;
    // All rows of a column may be computed before those of the next, or after.
    const isl::map inColumn =
        isl::manage(isl_map_equate(later.copy(), isl_dim_in, tile_.x, isl_dim_out, tile_.x));
    if (!later.is_subset(inColumn))
      return false;
    const Statement &to =
        kernel_.statements[statementIndex(kernel_, isl_map_get_tuple_name(m.get(), isl_dim_out))];
    if (static_cast<int>(to.dimensions.size()) != to.freeCount + 1)
      return false;
    const isl::set pairs = isl::manage(isl_map_wrap(later.copy())); // [.., y, ..], then [.., y', .., k]
    const Statement &from =
        kernel_.statements[statementIndex(kernel_, isl_map_get_tuple_name(m.get(), isl_dim_in))];
    const isl::map toDistance =
        isl::manage(isl_map_from_aff(ahead(pairs, from, to).release())).intersect_domain(pairs);
    const isl::set here = toDistance.range();
    all = all ? all->unite(here) : here;
    return true;
  }

  /// Blocks put what they compute into strips if all that rows read of others they read there.
  void keepRows() {
    std::vector<RegisterTile::Panel *> kept;
    for (const int index : points_)
      for (std::size_t k = 0; k < at(index).accesses.size(); ++k) {
        const Access &a = at(index).accesses[k];
        if (a.isWrite || kernel_.buffers[static_cast<std::size_t>(a.buffer)].role != Buffer::Role::Output)
          continue;
        const auto panel =
            std::find_if(tile_.panels.begin(), tile_.panels.end(), [&](const RegisterTile::Panel &p) {
              return p.statement == index && p.access == static_cast<int>(k);
            });
        if (panel == tile_.panels.end() || !panel->alongX || !readsOwnRows(*panel))
          return;
        kept.push_back(&*panel);
      }
    for (RegisterTile::Panel *panel : kept)
      panel->isKept = true;
  }

  /// Whether the operand at step y + behind is the cell that the only write to its matrix writes in row y.
  bool readsOwnRows(const RegisterTile::Panel &panel) const {
    const Statement &to = at(panel.statement);
    const Access &read = to.accesses[static_cast<std::size_t>(panel.access)];
    bool isSame = false;
    for (const int index : points_)
      for (const Access &a : at(index).accesses) {
        if (!a.isWrite || a.buffer != read.buffer)
          continue;
        if (isSame) // several writes
          return false;
        const isl::map all = isl::manage(
            isl_map_equate(isl_map_from_domain_and_range(at(index).domain.copy(), to.domain.copy()),
                           isl_dim_in, tile_.x, isl_dim_out, tile_.x));
        const isl::set pairs = isl::manage(isl_map_wrap(all.copy()));
        isl_pw_aff *behind = isl_pw_aff_insert_domain(tile_.behind->copy(), isl_set_get_space(pairs.get()));
        const isl::pw_aff off =
            isl::manage(isl_pw_aff_sub(isl_pw_aff_from_aff(ahead(pairs, at(index), to).release()), behind));
        const isl::set there = isl::manage(isl_pw_aff_zero_set(off.copy())).intersect(pairs);
        isSame = isl::manage(isl_set_unwrap(there.copy()))
                     .intersect_params(kernel_.context)
                     .apply_range(read.relation)
                     .is_subset(a.relation);
        if (!isSame)
          return false;
      }
    return isSame;
  }

  /// k - y over the pairs of an instance of `from` in row y and one of `to` at step k.
  isl::aff ahead(const isl::set &pairs, const Statement &from, const Statement &to) const {
    const auto k = static_cast<unsigned>(from.dimensions.size()) + static_cast<unsigned>(to.freeCount);
    isl_local_space *space = isl_local_space_from_space(isl_set_get_space(pairs.get()));
    isl_aff *step = isl_aff_var_on_domain(isl_local_space_copy(space), isl_dim_set, k);
    isl_aff *row = isl_aff_var_on_domain(space, isl_dim_set, static_cast<unsigned>(tile_.y));
    return isl::manage(tile_.isBackward ? isl_aff_add(step, row) : isl_aff_sub(step, row));
  }

  void addPanels(int index) {
    const Statement &s = at(index);
    for (std::size_t k = 0; k < s.accesses.size(); ++k) {
      const Access &a = s.accesses[k];
      const Buffer &b = kernel_.buffers[a.buffer];
      if (b.role == Buffer::Role::Local || b.rank < 2 || b.element != tile_.element)
        continue;
      const auto x = along(kernel_, a, tile_.x), y = along(kernel_, a, tile_.y),
                 depth = along(kernel_, a, s.freeCount);
      if (!x || !y || !depth || *depth == Along::Nowhere)
        continue;
      const bool alongX = *x != Along::Nowhere, alongY = *y != Along::Nowhere;
      if (alongX != alongY)
        tile_.panels.push_back({index, static_cast<int>(k), alongX});
    }
  }

  const Scheduled &kernel_;
  const std::vector<int> &points_; // the statements of a point
  const bool isParallel_;          // the loop over y
  RegisterTile tile_{};
  std::vector<const Access *> strided_;
  std::string why_;
};

} // namespace

Outcome registerTile(const Scheduled &kernel, const RegisterShape *shape) {
  const std::vector<int> points = statementsOfPoints(kernel);
  if (std::string why = whyNotOfOneRule(kernel, points); !why.empty())
    return {std::nullopt, std::move(why)};
  const Statement &first = kernel.statements[static_cast<std::size_t>(points.front())];
  int all = 0;
  for (const int index : points)
    all += operations(*kernel.statements[static_cast<std::size_t>(index)].value);
  if (!shape && all > kMostOperations)
    return {std::nullopt, "its body is long"};
  if (!shape && whyTooLong(kernel, kFewOperations).empty())
    return {std::nullopt, "its body is short"};
  Scheduled tiled = kernel;
  tiled.schedule.tree = splitBands(kernel.schedule.tree);
  std::vector<isl::schedule_node> bands; // over points, outermost first
  std::vector<MemberDirection> variables;
  visit(isl::manage(isl_schedule_get_root(tiled.schedule.tree.get())), [&](const isl::schedule_node &node) {
    if (!isBand(node) || isOfCopies(tiled, node))
      return;
    const MemberDirection d = memberDirection(tiled, node).value_or(MemberDirection{-1, false});
    if (d.dimension < first.freeCount) {
      bands.push_back(node);
      variables.push_back(d);
    }
  });
  const std::size_t n = bands.size();
  if (n < 2 || variables[n - 1].dimension < 0 || variables[n - 1].isBackward ||
      variables[n - 2].dimension < 0 || static_cast<int>(n) != first.freeCount)
    return {std::nullopt, "it has not several loops over points in one nest"};
  const int x = variables[n - 1].dimension;
  if (!isParallel(bands[n - 1], 0, kernel.dependences))
    return {std::nullopt, fmt::format("a point needs the one before it along `{}`", first.dimensions[x])};
  if (std::string why = whyNotFilledBefore(tiled, points, bands[n - 2]); !why.empty())
    return {std::nullopt, std::move(why)};
  Analysis analysis(kernel, points, x, variables[n - 2], isParallel(bands[n - 2], 0, kernel.dependences));
  tiled.schedule.registerTile = analysis.run();
  if (!tiled.schedule.registerTile)
    return {std::nullopt, analysis.why()};
  if (shape)
    tiled.schedule.registerTile->shape = *shape;
  const isl::schedule_node marked = insertMark(bands[n - 2], as::Registers{});
  tiled.schedule.tree = isl::manage(isl_schedule_node_get_schedule(marked.get()));
  return {tiled, ""};
}

} // namespace pbc::kernel
