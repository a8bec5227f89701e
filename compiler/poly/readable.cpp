// Regions as a user would write them.
#include "compiler/poly/poly.h"
#include <isl/aff.h>
#include <isl/set.h>
#include <regex>

namespace pbc::poly {
namespace {

// isl's text without the parameter prefix, which says nothing to a user.
std::string withoutPrefix(const std::string &text) {
  const auto arrow = text.find("-> {");
  return arrow == std::string::npos ? text : text.substr(arrow + 3);
}

// C++ text with divisions as a program writes them: pb::floordiv(n + 1, 2) => (n + 1)/2.
std::string asWritten(const std::string &cxxText) {
  static const std::regex single(R"(pb::floordiv\((\w+), (\d+)\))"),
      sum(R"(pb::floordiv\(([^(),]+), (\d+)\))");
  return std::regex_replace(std::regex_replace(cxxText, single, "$1/$2"), sum, "($1)/$2");
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

// A convex piece as a box, if it is one.
std::optional<std::string> box(const isl::set &piece, const std::string &matrix) {
  const unsigned rank = static_cast<unsigned>(isl_set_dim(piece.get(), isl_dim_set));
  isl::set hull = isl::manage(isl_set_universe(isl_set_get_space(piece.get())));
  isl::set condition = isl::manage(isl_set_params(piece.copy())), implied = condition;
  implied = isl::manage(isl_set_universe(isl_set_get_space(condition.get())));
  std::string inside;
  for (unsigned d = 0; d < rank; ++d) {
    isl_set *cylinder = isl_set_eliminate(piece.copy(), isl_dim_set, 0, d);
    cylinder = isl_set_eliminate(cylinder, isl_dim_set, d + 1, rank - d - 1);
    hull = hull.intersect(isl::manage(isl_set_remove_divs(cylinder))); // a box has no strides
    if (isl_set_dim_has_lower_bound(piece.get(), isl_dim_set, d) != isl_bool_true ||
        isl_set_dim_has_upper_bound(piece.get(), isl_dim_set, d) != isl_bool_true)
      return std::nullopt;
    std::optional<isl::pw_aff> low = formula(dimMin(piece, d)), high = formula(dimMax(piece, d));
    if (!low || !high)
      return std::nullopt;
    isl_val *one = isl_val_one(isl_pw_aff_get_ctx(high->get()));
    isl::pw_aff end = isl::manage(isl_pw_aff_add_constant_val(high->copy(), one));
    inside += (d ? ", " : "") + asWritten(cxx(*low)) +
              (low->plain_is_equal(*high) ? "" : " : " + asWritten(cxx(end)));
    implied = implied.intersect(isl::manage(isl_pw_aff_le_set(low->copy(), high->copy())));
  }
  if (!piece.is_subset(hull) || !hull.is_subset(piece))
    return std::nullopt;
  std::string text = matrix + (rank ? "[" + inside + "]" : "");
  condition = isl::manage(isl_set_gist(condition.release(), implied.release()));
  if (isl_set_plain_is_universe(condition.get()) == isl_bool_true)
    return text;
  std::string when = withoutPrefix(poly::text(condition)); // "{  : n = 1 }"
  const auto colon = when.find(": "), end = when.rfind(" }");
  return text + " if " + when.substr(colon + 2, end - colon - 2);
}

struct Pieces {
  std::vector<isl::set> sets;
  static isl_stat add(isl_basic_set *b, void *user) {
    static_cast<Pieces *>(user)->sets.push_back(isl::manage(isl_set_from_basic_set(b)));
    return isl_stat_ok;
  }
};

} // namespace

std::string readable(const isl::set &cells, const std::string &matrix) {
  isl::set whole = simplified(cells);
  if (whole.is_empty())
    return "nothing";
  Pieces pieces;
  isl_set_foreach_basic_set(whole.get(), Pieces::add, &pieces);
  std::string all;
  for (const isl::set &piece : pieces.sets) {
    std::optional<std::string> one = box(piece, matrix);
    if (!one)
      return withoutPrefix(text(whole));
    all += (all.empty() ? "" : ", ") + *one;
  }
  return all;
}

} // namespace pbc::poly
