// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/legal.h"
#include "compiler/kernel/formula.h"
#include "compiler/kernel/tree.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/point.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_map.h>

namespace pbc::kernel {
namespace {

// Dependences between instances that reach this band and agree on all bands around it.
isl::union_map active(const isl::schedule_node &band, const isl::union_map &dependences) {
  isl::union_set domain = isl::manage(isl_schedule_node_get_domain(band.get()));
  isl::union_map here = dependences.intersect_domain(domain).intersect_range(domain);
  isl_multi_union_pw_aff *prefix = isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(band.get());
  if (isl_multi_union_pw_aff_dim(prefix, isl_dim_set) == 0) {
    isl_multi_union_pw_aff_free(prefix);
    return here;
  }
  return isl::manage(isl_union_map_eq_at_multi_union_pw_aff(here.release(), prefix));
}

} // namespace

isl::union_map equalAt(const isl::union_map &dependences, const isl::union_pw_aff &value) {
  isl_multi_union_pw_aff *m = isl_multi_union_pw_aff_from_union_pw_aff(value.copy());
  return isl::manage(isl_union_map_eq_at_multi_union_pw_aff(dependences.copy(), m));
}

namespace {

/// A formula of a function, and the points at which it holds.
struct Piece {
  isl::set where;
  isl::aff value;
};

/// The pieces of `f` for the points of this space; none, if it is not defined there.
std::vector<Piece> piecesAt(const isl::union_pw_aff &f, isl_space *points) {
  isl_space *space = isl_space_add_dims(isl_space_from_domain(points), isl_dim_out, 1);
  const isl::pw_aff here = isl::manage(isl_union_pw_aff_extract_pw_aff(f.get(), space));
  std::vector<Piece> all;
  isl_pw_aff_foreach_piece(
      here.get(),
      [](isl_set *where, isl_aff *value, void *to) {
        static_cast<std::vector<Piece> *>(to)->push_back({isl::manage(where), isl::manage(value)});
        return isl_stat_ok;
      },
      &all);
  return all;
}

bool isEverywhere(const isl::set &s) { return isl_set_plain_is_universe(s.get()) == isl_bool_true; }

/// Whether the second of some pair has a smaller value than the first. Each basic map of the pairs gets one more constraint, and is
/// asked whether it is empty: far less work than the map of all pairs of which one has the smaller value.
bool decreases(const isl::map &unaligned, const isl::union_pw_aff &f) {
  const isl::map pairs =
      isl::manage(isl_map_align_params(unaligned.copy(), isl_union_pw_aff_get_space(f.get())));
  const isl::space space = isl::manage(isl_map_get_space(pairs.get()));
  const isl::multi_aff first = isl::manage(isl_space_domain_map_multi_aff(space.copy())),
                       second = isl::manage(isl_space_range_map_multi_aff(space.copy()));
  const std::vector<Piece> befores = piecesAt(f, isl_space_domain(space.copy())),
                           afters = piecesAt(f, isl_space_range(space.copy()));
  for (const Piece &before : befores)
    for (const Piece &after : afters) {
      isl::map there = isEverywhere(before.where) ? pairs : pairs.intersect_domain(before.where);
      if (!isEverywhere(after.where))
        there = there.intersect_range(after.where);
      const auto of = [&](const Piece &piece, const isl::multi_aff &end) {
        return isl_aff_pullback_multi_aff(
            isl_aff_align_params(piece.value.copy(), isl_multi_aff_get_space(end.get())), end.copy());
      };
      isl_basic_set *down = isl_aff_gt_basic_set(of(before, first), of(after, second));
      if (!isl::manage(isl_set_intersect(isl_map_wrap(there.release()), isl_set_from_basic_set(down)))
               .is_empty())
        return true;
    }
  return false;
}

/// Whether the function has values at all for both ends of the pairs.
bool isDefined(const isl::map &pairs, const isl::union_pw_aff &f) {
  isl_space *space = isl_map_get_space(pairs.get());
  const bool atBoth = !piecesAt(f, isl_space_domain(isl_space_copy(space))).empty() &&
                      !piecesAt(f, isl_space_range(isl_space_copy(space))).empty();
  isl_space_free(space);
  return atBoth;
}

} // namespace

bool neverDecreases(const isl::union_map &dependences, const isl::union_pw_aff &f) {
  return dependences.every_map([&](const isl::map &pairs) { return !decreases(pairs, f); });
}

bool neverChanges(const isl::union_map &dependences, const isl::union_pw_aff &f) {
  const isl::union_pw_aff downwards = times(f, -1);
  return dependences.every_map([&](const isl::map &pairs) {
    return isDefined(pairs, f) && !decreases(pairs, f) && !decreases(pairs, downwards);
  });
}

namespace {

/// The dependences that do not end later than they begin.
isl::union_map broken(const isl::schedule &schedule, const isl::union_map &dependences) {
  const isl::union_map order = isl::manage(isl_schedule_get_map(schedule.get()));
  return dependences.intersect(isl::manage(isl_union_map_lex_ge_union_map(order.copy(), order.copy())));
}

/// "S[y=3, x=0]": the statement, and its coordinates that begin at dimension `first` of the point.
std::string instanceText(const Statement &s, isl_point *point, std::size_t first) {
  std::vector<std::string> places;
  for (std::size_t d = 0; d < s.dimensions.size(); ++d) {
    isl_val *v = isl_point_get_coordinate_val(point, isl_dim_set, static_cast<int>(first + d));
    places.push_back(fmt::format("{}={}", s.dimensions[d], isl_val_get_num_si(v)));
    isl_val_free(v);
  }
  return fmt::format("{}[{}]", s.name, fmt::join(places, ", "));
}

} // namespace

namespace {

isl::schedule_node childOf(const isl::schedule_node &node, int k) {
  return isl::manage(isl_schedule_node_get_child(node.get(), k));
}

/// Those of the dependences to which the node, which is no band, gives no order: what is below it must.
isl::union_map leftBelow(const isl::schedule_node &node, const isl::union_map &dependences) {
  switch (isl_schedule_node_get_type(node.get())) {
  case isl_schedule_node_domain: {
    const isl::union_set all = isl::manage(isl_schedule_node_domain_get_domain(node.get()));
    return dependences.intersect_domain(all).intersect_range(all);
  }
  case isl_schedule_node_filter: {
    const isl::union_set all = isl::manage(isl_schedule_node_filter_get_filter(node.get()));
    return dependences.intersect_domain(all).intersect_range(all);
  }
  default:
    return dependences;
  }
}

/// Whether no dependence leads from a child to an earlier one; nor to a later one, if the children have no order.
bool childrenOrder(const isl::schedule_node &node, const isl::union_map &dependences) {
  const bool isSet = isl_schedule_node_get_type(node.get()) == isl_schedule_node_set;
  isl::union_set earlier;
  for (int k = 0, n = static_cast<int>(isl_schedule_node_n_children(node.get())); k < n; ++k) {
    const isl::union_set here = isl::manage(isl_schedule_node_filter_get_filter(childOf(node, k).get()));
    if (!earlier.is_null() &&
        (!dependences.intersect_domain(here).intersect_range(earlier).is_empty() ||
         (isSet && !dependences.intersect_domain(earlier).intersect_range(here).is_empty())))
      return false;
    earlier = earlier.is_null() ? here : earlier.unite(here);
  }
  return true;
}

/// Sets the flags of all bands at and below a node, and finds out whether these give each dependence its order. One walk does
/// both, because both ask which dependences a band leaves to what is below it.
class Flagging {
public:
  /// The dependences are those that nothing above the node gives an order. Stops at the first band that is not legal.
  isl::schedule_node flagged(isl::schedule_node node, const isl::union_map &dependences) {
    const isl_schedule_node_type type = isl_schedule_node_get_type(node.get());
    const bool areNone = dependences.is_empty();
    isl::union_map left = dependences;
    if (isBand(node))
      node = band(node, areNone, left);
    else if (!areNone)
      left = leftBelow(node, dependences);
    isLegal_ &= areNone || (type != isl_schedule_node_leaf &&
                            ((type != isl_schedule_node_sequence && type != isl_schedule_node_set) ||
                             childrenOrder(node, dependences)));
    for (int k = 0, n = static_cast<int>(isl_schedule_node_n_children(node.get())); k < n && isLegal_; ++k)
      node = isl::manage(isl_schedule_node_parent(flagged(childOf(node, k), left).release()));
    return node;
  }

  bool isLegal() const { return isLegal_; }

private:
  isl::schedule_node band(const isl::schedule_node &node, bool areNone, isl::union_map &left) {
    const isl::union_map all = left;
    isl_schedule_node *n = node.copy();
    bool isPermutable = true;
    for (int k = 0; k < members(node); ++k) {
      const isl::union_pw_aff f = member(node, k);
      const bool staysOrGrows = areNone || neverDecreases(all, f);
      const bool isCoincident = areNone || (staysOrGrows && neverDecreases(all, times(f, -1)));
      n = isl_schedule_node_band_member_set_coincident(n, k, isCoincident);
      isPermutable &= staysOrGrows;
      isLegal_ &= staysOrGrows || (k > 0 && neverDecreases(left, f));
      if (!isCoincident)
        left = equalAt(left, f);
    }
    return isl::manage(isl_schedule_node_band_set_permutable(n, isPermutable));
  }

  bool isLegal_ = true;
};

} // namespace

std::optional<isl::schedule> withFlags(const isl::schedule &schedule, const isl::union_map &dependences) {
  Flagging flagging;
  const isl::schedule_node root =
      flagging.flagged(isl::manage(isl_schedule_get_root(schedule.get())), dependences);
  if (!flagging.isLegal())
    return std::nullopt;
  return isl::manage(isl_schedule_node_get_schedule(root.get()));
}

std::string firstClash(const Kernel &kernel, const isl::schedule &schedule) {
  const isl::union_map clashes = broken(schedule, kernel.dependences);
  if (clashes.is_empty())
    return "";
  const isl::union_map known = clashes.intersect_params(kernel.context); // empty: only impossible sizes clash
  isl_basic_map *pair = isl_union_map_sample((known.is_empty() ? clashes : known).copy());
  const Statement &from =
      kernel.statements[statementIndex(kernel, isl_basic_map_get_tuple_name(pair, isl_dim_in))];
  const Statement &to =
      kernel.statements[statementIndex(kernel, isl_basic_map_get_tuple_name(pair, isl_dim_out))];
  isl_point *point = isl_set_sample_point(isl_set_from_basic_set(isl_basic_map_wrap(pair)));
  std::string text = fmt::format("{} must run before {}", instanceText(from, point, 0),
                                 instanceText(to, point, from.dimensions.size()));
  isl_point_free(point);
  return text;
}

bool isParallel(const isl::schedule_node &band, int k, const isl::union_map &dependences) {
  return neverChanges(active(band, dependences), member(band, k));
}

AtNode atNode(const isl::schedule_node &node, const isl::union_map &open) {
  AtNode at{{}, open};
  if (!isBand(node)) {
    at.open = leftBelow(node, open);
    return at;
  }
  for (int k = 0; k < members(node); ++k) {
    bool isParallel = isl_schedule_node_band_member_get_coincident(node.get(), k) == isl_bool_true;
    if (!isParallel) {
      const isl::union_map same = equalAt(at.open, member(node, k));
      isParallel = at.open.is_subset(same);
      at.open = same;
    }
    at.isParallel.push_back(isParallel);
  }
  return at;
}

bool isParallel(const isl::schedule_node &band) {
  return isl_schedule_node_band_member_get_coincident(band.get(), 0) == isl_bool_true;
}

bool isPermutable(const isl::schedule_node &at, const std::vector<isl::union_pw_aff> &functions,
                  const isl::union_map &dependences) {
  const isl::union_map here = active(at, dependences);
  return std::all_of(functions.begin(), functions.end(),
                     [&](const isl::union_pw_aff &f) { return neverDecreases(here, f); });
}

} // namespace pbc::kernel
