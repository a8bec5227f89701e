// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Prints regions as a user would write them.
#include "compiler/poly/conditions.h"
#include "compiler/poly/poly.h"
#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/val.h>
#include <regex>

namespace pbc::poly {
namespace {

// isl's text without the parameter prefix, which does not help a user.
std::string withoutPrefix(const std::string &text) {
  const auto arrow = text.find("-> {");
  return arrow == std::string::npos ? text : text.substr(arrow + 3);
}

// C++ text with divisions as a program writes them: pb::floordiv(n + 1, 2) => (n + 1)/2.
std::string asWritten(const std::string &cxxText) {
  static const std::regex single(R"(pb::floordiv\((\w+), (\d+)\))"),
      sum(R"(pb::floordiv\(([^(),]+), (\d+)\))");
  static const std::regex product("__(?=[A-Za-z_])"); // displayed(), in a text
  const std::string divided =
      std::regex_replace(std::regex_replace(cxxText, single, "$1/$2"), sum, "($1)/$2");
  return std::regex_replace(divided, product, "*");
}

// The single formula of a bound, without the conditions under which the set has points.
std::optional<isl::pw_aff> formula(const isl::pw_aff &bound) {
  isl_aff *only = nullptr;
  int pieces = 0;
  std::pair<isl_aff **, int *> found{&only, &pieces};
  isl_pw_aff_foreach_piece(
      bound.get(),
      [](isl_set *domain, isl_aff *a, void *user) {
        auto [first, count] = *static_cast<std::pair<isl_aff **, int *> *>(user);
        isl_set_free(domain);
        if ((*count)++)
          isl_aff_free(a);
        else
          *first = a;
        return isl_stat_ok;
      },
      &found);
  if (pieces != 1) {
    isl_aff_free(only);
    return std::nullopt;
  }
  return isl::manage(isl_pw_aff_from_aff(only));
}

struct Constraints {
  isl_basic_set *set;
  isl_constraint_list *list;
  explicit Constraints(const isl::set &piece)
      : set(isl_set_simple_hull(piece.copy())), list(isl_basic_set_get_constraint_list(set)) {}
  Constraints(const Constraints &) = delete;
  ~Constraints() {
    isl_constraint_list_free(list);
    isl_basic_set_free(set);
  }
};

// The least and the greatest value of dimension `d` as they stand among the constraints, if there is one of
// each, and no constraint relates it to other dimensions; dimMin() would have to search for them.
std::optional<std::pair<isl::pw_aff, isl::pw_aff>> plainBounds(const Constraints &constraints, unsigned d,
                                                               unsigned rank) {
  std::optional<isl::pw_aff> low, high;
  bool isPlain = isl_basic_set_dim(constraints.set, isl_dim_div) == 0;
  const int count = static_cast<int>(isl_constraint_list_n_constraint(constraints.list));
  for (int k = 0; k < count && isPlain; ++k) {
    isl_constraint *c = isl_constraint_list_get_constraint(constraints.list, k);
    if (isl_constraint_involves_dims(c, isl_dim_set, d, 1) == isl_bool_true) {
      isl_val *factor = isl_constraint_get_coefficient_val(c, isl_dim_set, static_cast<int>(d));
      const bool isEqual = isl_constraint_is_equality(c) == isl_bool_true;
      const bool isLow = isEqual || isl_val_is_pos(factor) == isl_bool_true;
      isl_val *size = isl_val_abs(factor);
      isPlain = isl_val_is_one(size) == isl_bool_true &&
                isl_constraint_involves_dims(c, isl_dim_set, 0, d) != isl_bool_true &&
                isl_constraint_involves_dims(c, isl_dim_set, d + 1, rank - d - 1) != isl_bool_true &&
                !(isLow && low) && !((isEqual || !isLow) && high);
      isl_val_free(size);
      if (isPlain) {
        const isl::pw_aff bound = isl::manage(isl_pw_aff_project_domain_on_params(
            isl_pw_aff_from_aff(isl_constraint_get_bound(c, isl_dim_set, static_cast<int>(d)))));
        if (isLow)
          low = bound;
        if (isEqual || !isLow)
          high = bound;
      }
    }
    isl_constraint_free(c);
  }
  if (!isPlain || !low || !high)
    return std::nullopt;
  return std::pair(*low, *high);
}

// Whether the dimensions' values do not depend on each other, and have no strides.
bool isProductOfItsDimensions(const isl::set &piece, unsigned rank) {
  isl::set hull = isl::manage(isl_set_universe(isl_set_get_space(piece.get())));
  for (unsigned d = 0; d < rank; ++d) {
    isl_set *cylinder = isl_set_eliminate(piece.copy(), isl_dim_set, 0, d);
    cylinder = isl_set_eliminate(cylinder, isl_dim_set, d + 1, rank - d - 1);
    hull = hull.intersect(isl::manage(isl_set_remove_divs(cylinder)));
  }
  return piece.is_subset(hull) && hull.is_subset(piece);
}

// A convex piece as a box, if it is one.
std::optional<std::string> box(const isl::set &piece, const std::string &matrix) {
  const unsigned rank = static_cast<unsigned>(isl_set_dim(piece.get(), isl_dim_set));
  isl::set condition = isl::manage(isl_set_params(piece.copy())), implied = condition;
  implied = isl::manage(isl_set_universe(isl_set_get_space(condition.get())));
  std::string inside;
  bool isBox = true;
  const Constraints constraints(piece);
  for (unsigned d = 0; d < rank; ++d) {
    std::optional<isl::pw_aff> low, high;
    if (const auto bounds = plainBounds(constraints, d, rank)) {
      low = bounds->first, high = bounds->second;
    } else {
      isBox = false;
      if (isl_set_dim_has_lower_bound(piece.get(), isl_dim_set, d) != isl_bool_true ||
          isl_set_dim_has_upper_bound(piece.get(), isl_dim_set, d) != isl_bool_true)
        return std::nullopt;
      low = formula(dimMin(piece, d)), high = formula(dimMax(piece, d));
    }
    if (!low || !high)
      return std::nullopt;
    isl_val *one = isl_val_one(isl_pw_aff_get_ctx(high->get()));
    isl::pw_aff end = isl::manage(isl_pw_aff_add_constant_val(high->copy(), one));
    inside += (d ? ", " : "") + asWritten(cxx(*low)) +
              (low->plain_is_equal(*high) ? "" : " : " + asWritten(cxx(end)));
    implied = implied.intersect(isl::manage(isl_pw_aff_le_set(low->copy(), high->copy())));
  }
  if (!isBox && !isProductOfItsDimensions(piece, rank))
    return std::nullopt;
  std::string text = matrix + (rank ? "[" + inside + "]" : "");
  condition = isl::manage(isl_set_gist(condition.release(), implied.release()));
  if (isl_set_plain_is_universe(condition.get()) == isl_bool_true)
    return text;
  return text + " if " + conditions(condition).value_or(withoutPrefix(poly::text(condition)));
}

struct Pieces {
  std::vector<isl::set> sets;
  static isl_stat add(isl_basic_set *b, void *user) {
    static_cast<Pieces *>(user)->sets.push_back(isl::manage(isl_set_from_basic_set(b)));
    return isl_stat_ok;
  }
};

std::vector<isl::set> convexPieces(const isl::set &cells) {
  Pieces pieces;
  isl_set_foreach_basic_set(simplified(cells).get(), Pieces::add, &pieces);
  return pieces.sets;
}

// "B[x, y] with x > y" for pieces that are not boxes.
std::string byConditions(const isl::set &pieces, const CellNames &names) {
  isl::set cells = names.dimensions.empty() ? pieces : nameDimensions(pieces, names.dimensions);
  if (names.all)
    cells = simplified(
        cells.gist(names.dimensions.empty() ? *names.all : nameDimensions(*names.all, names.dimensions)));
  const auto said = conditions(cells);
  if (!said)
    return withoutPrefix(text(cells));
  std::string dimensions;
  for (int d = 0, n = static_cast<int>(isl_set_dim(cells.get(), isl_dim_set)); d < n; ++d) {
    const char *name = isl_set_get_dim_name(cells.get(), isl_dim_set, static_cast<unsigned>(d));
    dimensions += (d ? ", " : "") + std::string(name ? name : "?");
  }
  return names.matrix + "[" + dimensions + "]" + (said->empty() ? "" : " with " + *said);
}

// The lowest point with these values for all parameters; sizes and coordinates are never negative.
std::optional<std::vector<long>> lowest(const isl::set &cells, std::optional<long> parameters) {
  isl_set *s = cells.copy();
  const auto params = static_cast<unsigned>(isl_set_dim(s, isl_dim_param));
  for (unsigned p = 0; p < params; ++p)
    s = parameters ? isl_set_fix_si(s, isl_dim_param, p, static_cast<int>(*parameters))
                   : isl_set_lower_bound_si(s, isl_dim_param, p, 0);
  s = isl_set_move_dims(s, isl_dim_set, 0, isl_dim_param, 0, params);
  const int dims = static_cast<int>(isl_set_dim(s, isl_dim_set));
  for (int d = 0; d < dims; ++d)
    s = isl_set_lower_bound_si(s, isl_dim_set, static_cast<unsigned>(d), 0);
  if (isl_set_is_empty(s) != isl_bool_false) {
    isl_set_free(s);
    return std::nullopt;
  }
  isl_point *point = isl_set_sample_point(isl_set_lexmin(s));
  std::vector<long> values;
  for (int d = 0; d < dims; ++d) {
    isl_val *v = isl_point_get_coordinate_val(point, isl_dim_set, d);
    values.push_back(isl_val_get_num_si(v));
    isl_val_free(v);
  }
  isl_point_free(point);
  return values;
}

} // namespace

std::string readable(const isl::set &cells, const CellNames &names) {
  std::string boxes;
  std::optional<isl::set> others;
  for (const isl::set &piece : convexPieces(cells))
    if (const std::optional<std::string> one = box(piece, names.matrix))
      boxes += (boxes.empty() ? "" : ", ") + *one;
    else
      others = others ? others->unite(piece) : piece;
  if (others)
    boxes += (boxes.empty() ? "" : ", ") + byConditions(*others, names);
  return boxes.empty() ? "nothing" : boxes;
}

std::optional<std::string> readable(const isl::pw_aff &function) {
  const auto only = formula(function);
  return only ? std::optional(asWritten(cxx(*only))) : std::nullopt;
}

std::string example(const isl::set &cells, const CellNames &names) {
  std::optional<isl::set> others;
  for (const isl::set &piece : convexPieces(cells))
    if (!box(piece, names.matrix))
      others = others ? others->unite(piece) : piece;
  if (!others)
    return "";
  for (unsigned k = 0, n = static_cast<unsigned>(isl_set_dim(others->get(), isl_dim_param)); k < n; ++k) {
    const std::string size = isl_set_get_dim_name(others->get(), isl_dim_param, k);
    if (displayed(size) != unmangle(size))
      return ""; // a product: isl would choose its value without regard to the factors
  }
  std::optional<std::vector<long>> point;
  for (const long size : {4, 5, 6, 7, 8, 3, 2, 1, 0})
    if (!point)
      point = lowest(*others, size);
  if (!point)
    point = lowest(*others, std::nullopt);
  if (!point)
    return "";
  std::string sizes, cell;
  const auto params = static_cast<std::size_t>(isl_set_dim(others->get(), isl_dim_param));
  for (std::size_t k = 0; k < point->size(); ++k)
    if (k < params)
      sizes += (k ? ", " : "") +
               displayed(isl_set_get_dim_name(others->get(), isl_dim_param, static_cast<unsigned>(k))) +
               " = " + std::to_string((*point)[k]);
    else
      cell += (k > params ? ", " : "") + std::to_string((*point)[k]);
  return (sizes.empty() ? "for example " : "for " + sizes + ": ") + names.matrix + "[" + cell + "]";
}

} // namespace pbc::poly
