// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/textual/functions.h"
#include <algorithm>
#include <functional>
#include <isl/aff.h>
#include <isl/id.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_set.h>

namespace pbc::kernel::textual {
namespace {

isl_id *idOf(isl_ctx *ctx, const std::string &name) { return isl_id_alloc(ctx, name.c_str(), nullptr); }

/// The same function with names for its dimensions.
isl_pw_aff *named(isl_pw_aff *f, const Names &names) {
  const auto dims = static_cast<std::size_t>(isl_pw_aff_dim(f, isl_dim_in));
  for (std::size_t d = 0; d < dims && d < names.size(); ++d)
    f = isl_pw_aff_set_dim_id(f, isl_dim_in, static_cast<unsigned>(d), idOf(isl_pw_aff_get_ctx(f), names[d]));
  return f;
}

/// The function's formula, defined everywhere, if it has only one.
isl::pw_aff everywhere(const isl::pw_aff &f) {
  if (isl_pw_aff_n_piece(f.get()) != 1)
    return f;
  isl::pw_aff whole;
  isl_pw_aff_foreach_piece(
      f.get(),
      [](isl_set *domain, isl_aff *formula, void *user) {
        isl_set_free(domain);
        *static_cast<isl::pw_aff *>(user) = isl::manage(isl_pw_aff_from_aff(formula));
        return isl_stat_ok;
      },
      &whole);
  return whole;
}

/// Behind the bracket in front of a function's formula.
std::size_t formulaBegin(const std::string &text) {
  const auto arrow = text.rfind("-> ["); // none if it has no dimensions
  return text.find('[', arrow == std::string::npos ? text.find('{') : arrow) + 1;
}

/// "-1 + x" of "[n] -> { S[x] -> [(-1 + x)] }"
std::string formulaOf(const std::string &text) {
  const auto begin = formulaBegin(text), end = text.rfind(']');
  std::string formula = text.substr(begin, end - begin);
  int open = 0;
  for (std::size_t k = 0; k < formula.size(); ++k) {
    open += formula[k] == '(' ? 1 : formula[k] == ')' ? -1 : 0;
    if (open == 0 && k + 1 < formula.size())
      return formula; // no parentheses, or they end before the formula does
  }
  return formula.substr(1, formula.size() - 2);
}

constexpr int kMostReadings = 4;

/// isl's text of an object. isl simplifies what it reads and then prints it in another way; this is the text that stays as it is.
/// `asRead`: from isl's text to what will be read.
template <class T>
std::string settled(const T &object, const std::function<std::string(const std::string &)> &asRead = {}) {
  std::string text = poly::text(object);
  for (int k = 0; k < kMostReadings; ++k) {
    const std::string again = poly::text(T(object.ctx(), asRead ? asRead(text) : text));
    if (again == text)
      break;
    text = again;
  }
  return text;
}

std::vector<isl::basic_set> piecesOf(const isl::set &s) {
  std::vector<isl::basic_set> pieces;
  s.foreach_basic_set([&](const isl::basic_set &piece) { pieces.push_back(piece); });
  return pieces;
}

} // namespace

std::string braces(const std::string &islText) {
  const auto at = islText.find('{');
  return at == std::string::npos ? islText : islText.substr(at);
}

bool areSamePieces(const isl::set &a, const isl::set &b) {
  const std::vector<isl::basic_set> mine = piecesOf(a), theirs = piecesOf(b);
  return std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end(),
                    [](const isl::basic_set &x, const isl::basic_set &y) { return x.is_equal(y); });
}

namespace {

std::string byPieces(const isl::set &s) {
  std::string all;
  for (const isl::basic_set &piece : piecesOf(s)) {
    const std::string one = braces(poly::text(isl::set(piece)));
    all += (all.empty() ? "{ " : "; ") + one.substr(2, one.size() - 4);
  }
  return all + " }";
}

/// isl's text of a set, piece by piece if it would read them in another order.
std::string inOrder(const isl::set &s) {
  const std::string text = settled(s);
  const isl::set read(s.ctx(), text);
  if (areSamePieces(s, read) && poly::text(read) == text)
    return braces(text);
  const std::string prefix = text.substr(0, text.find('{'));
  isl::set now = s;
  std::string pieces = byPieces(now);
  for (int k = 0; k < kMostReadings; ++k) {
    now = isl::set(s.ctx(), prefix + pieces);
    const std::string again = byPieces(now);
    if (again == pieces)
      break;
    pieces = again;
  }
  return pieces;
}

} // namespace

std::string functionText(const isl::pw_aff &f, const Names &names) {
  isl::pw_aff own = f;
  if (isl_space_is_params(isl::space(isl::manage(isl_pw_aff_get_domain_space(f.get()))).get()) !=
      isl_bool_true)
    own = isl::manage(named(f.copy(), names));
  const isl::pw_aff whole = everywhere(own);
  if (isl_pw_aff_n_piece(whole.get()) != 1)
    return braces(settled(whole));
  const auto asRead = [](const std::string &text) {
    const std::string formula = formulaOf(text);
    return text.substr(0, formulaBegin(text)) + "(" + formula + ")] }";
  };
  return formulaOf(settled(whole, asRead));
}

std::string conditionText(const isl::set &s, const Names &names) {
  // The set's dimensions become parameters: isl prints some of their constraints inside of the tuple.
  const auto dims = static_cast<unsigned>(isl_set_dim(s.get(), isl_dim_set));
  isl_set *conditions = s.copy();
  if (isl_set_is_params(conditions) != isl_bool_true) {
    for (unsigned d = 0; d < dims; ++d)
      conditions =
          isl_set_set_dim_id(conditions, isl_dim_set, d, idOf(isl_set_get_ctx(conditions), names[d]));
    const auto parameters = static_cast<unsigned>(isl_set_dim(conditions, isl_dim_param));
    conditions =
        isl_set_params(isl_set_move_dims(conditions, isl_dim_param, parameters, isl_dim_set, 0, dims));
  }
  const std::string text = braces(settled(isl::set(isl::manage(conditions))));
  const auto colon = text.find(':'), end = text.rfind('}');
  if (colon == std::string::npos)
    return "true";
  const auto first = text.find_first_not_of(' ', colon + 1), last = text.find_last_not_of(' ', end - 1);
  return text.substr(first, last - first + 1);
}

std::string setText(const isl::set &s, const Names &names) { return inOrder(poly::nameDimensions(s, names)); }

std::string instancesText(const isl::union_set &all, const std::vector<Statement> &statements) {
  std::string text;
  for (const Statement &s : statements) {
    const isl::set own = isl::manage(isl_union_set_extract_set(all.get(), isl_set_get_space(s.domain.get())));
    if (own.is_empty())
      continue;
    const std::string pieces = setText(own, s.dimensions);
    text += (text.empty() ? "{ " : "; ") + pieces.substr(2, pieces.size() - 4);
  }
  return text.empty() ? "{ }" : text + " }";
}

std::string relationText(const isl::map &m, const Names &names) {
  isl_map *own = m.copy();
  for (std::size_t d = 0; d < names.size(); ++d)
    own = isl_map_set_dim_id(own, isl_dim_in, static_cast<unsigned>(d), idOf(isl_map_get_ctx(own), names[d]));
  return braces(settled(isl::map(isl::manage(own))));
}

std::string elementText(const isl::map &relation, const Names &names) {
  if (isl_map_is_single_valued(relation.get()) != isl_bool_true)
    return relationText(relation, names);
  const isl::pw_multi_aff functions = isl::manage(isl_pw_multi_aff_from_map(relation.copy()));
  if (isl_pw_multi_aff_n_piece(functions.get()) != 1)
    return relationText(relation, names);
  std::string text;
  for (int d = 0, n = static_cast<int>(isl_pw_multi_aff_dim(functions.get(), isl_dim_out)); d < n; ++d)
    text +=
        (d ? ", " : "") + functionText(isl::manage(isl_pw_multi_aff_get_pw_aff(functions.get(), d)), names);
  const isl::set domain = relation.domain();
  const bool isEverywhere =
      isl_set_plain_is_universe(domain.get()) == isl_bool_true || domain.complement().is_empty();
  return std::string(isl_map_get_tuple_name(relation.get(), isl_dim_out)) + "[" + text +
         (isEverywhere ? "" : " : " + conditionText(domain, names)) + "]";
}

isl::map box(const isl::multi_pw_aff &begin, const isl::multi_pw_aff &end) {
  isl_map *all = isl_map_universe(isl_multi_pw_aff_get_space(begin.get()));
  isl_space *cells = isl_space_range(isl_map_get_space(all));
  for (int d = 0, n = static_cast<int>(isl_multi_pw_aff_dim(begin.get(), isl_dim_out)); d < n; ++d) {
    isl_aff *cell = isl_aff_var_on_domain(isl_local_space_from_space(isl_space_copy(cells)), isl_dim_set,
                                          static_cast<unsigned>(d));
    const isl::map value = isl::manage(isl_map_from_aff(cell));
    const isl::map from = isl::manage(isl_map_from_pw_aff(isl_multi_pw_aff_get_pw_aff(begin.get(), d)));
    const isl::map to = isl::manage(isl_map_from_pw_aff(isl_multi_pw_aff_get_pw_aff(end.get(), d)));
    // from <= value, value < to: compared in their common range.
    isl_map *above =
        isl_map_apply_range(from.copy(), isl_map_lex_le(isl_space_range(isl_map_get_space(value.get()))));
    isl_map *below =
        isl_map_apply_range(to.copy(), isl_map_lex_gt(isl_space_range(isl_map_get_space(value.get()))));
    above = isl_map_apply_range(above, isl_map_reverse(value.copy()));
    below = isl_map_apply_range(below, isl_map_reverse(value.copy()));
    all = isl_map_intersect(all, isl_map_intersect(above, below));
  }
  isl_space_free(cells);
  return isl::manage(all);
}

} // namespace pbc::kernel::textual
