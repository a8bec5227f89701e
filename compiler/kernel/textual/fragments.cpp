// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/textual/fragments.h"
#include "runtime/base/closest.h"
#include <algorithm>
#include <cctype>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

namespace pbc::kernel::textual {
namespace {

/// Sets of programs take some thousands of operations.
constexpr unsigned long kReadBudget = 2'000'000;

constexpr const char *kWordsOfIsl[] = {"and",   "or",  "not", "exists", "floor", "ceil",  "floord",
                                       "ceild", "mod", "min", "max",    "true",  "false", "implies"};

std::vector<std::string> wordsOf(const std::string &text) {
  std::vector<std::string> all;
  const auto isPart = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && isPart(text[end]))
      ++end;
    if (std::isdigit(static_cast<unsigned char>(text[at]))) // "2i" is 2 * i
      while (at < end && std::isdigit(static_cast<unsigned char>(text[at])))
        ++at;
    if (end > at)
      all.push_back(text.substr(at, end - at));
    at = std::max(end, at + 1);
  }
  return all;
}

} // namespace

std::string Fragments::tuple(const Statement &s) { return s.name + "[" + poly::join(s.dimensions) + "]"; }

void Fragments::requireKnownNames(const Fragment &fragment, const Statement *s) const {
  if (fragment.text.starts_with("{")) // it may have names of its own
    return;
  std::vector<std::string> known = parameters_;
  if (s)
    known.insert(known.begin(), s->dimensions.begin(), s->dimensions.end());
  for (const std::string &word : wordsOf(fragment.text)) {
    if (std::count(known.begin(), known.end(), word) ||
        std::count(std::begin(kWordsOfIsl), std::end(kWordsOfIsl), word))
      continue;
    const std::string nearest = pb::base::closest(word, known);
    reader_.fail(fragment.span,
                 "`" + word + "` is neither a " + (s ? "dimension of " + s->name + " nor a " : "") +
                     "parameter" + (nearest.empty() ? "" : " (did you mean `" + nearest + "`?)"),
                 known.empty() ? "" : "the names that can stand here are " + poly::join(known));
  }
}

template <class T>
T Fragments::read(const Fragment &fragment, const std::string &text, const std::string &what,
                  const Statement *s) const {
  requireKnownNames(fragment, s);
  if (fragment.text.find('"') != std::string::npos || fragment.text.find('\0') != std::string::npos)
    reader_.fail(fragment.span, "expected " + what);
  std::optional<T> made;
  try {
    if (!ctx_.withBudget(kReadBudget, [&] { made.emplace(ctx_.get(), prefix_ + text); }))
      reader_.fail(fragment.span, "this text stands for too many cases");
  } catch (const isl::exception &) {
    made.reset();
  }
  if (!made || made->is_null())
    reader_.fail(fragment.span, "expected " + what);
  return *made;
}

isl::pw_aff Fragments::ofParameters(const Fragment &f) const {
  const std::string what = "an affine function of the parameters, such as `n - 1`";
  const isl::pw_aff read =
      this->read<isl::pw_aff>(f, f.text.starts_with("{") ? f.text : "{ [(" + f.text + ")] }", what, nullptr);
  if (isl_space_is_params(isl::space(isl::manage(isl_pw_aff_get_domain_space(read.get()))).get()) !=
      isl_bool_true)
    reader_.fail(f.span, "expected " + what);
  return read;
}

isl::pw_aff Fragments::function(const Fragment &f, const Statement &s) const {
  const std::string what = "an affine function of the dimensions of " + tuple(s);
  const isl::pw_aff read = this->read<isl::pw_aff>(
      f, f.text.starts_with("{") ? f.text : "{ " + tuple(s) + " -> [(" + f.text + ")] }", what, &s);
  const isl::space space = isl::manage(isl_pw_aff_get_domain_space(read.get()));
  const isl::set all = isl::manage(isl_set_universe(space.copy()));
  const char *name = isl_set_get_tuple_name(all.get());
  if (!name || s.name != name || isl_set_dim(all.get(), isl_dim_set) != static_cast<int>(s.dimensions.size()))
    reader_.fail(f.span, "expected " + what);
  return read;
}

isl::set Fragments::condition(const Fragment &f) const {
  return read<isl::set>(f, "{ : " + f.text + " }", "conditions on the parameters, such as `n >= 0 and w > n`",
                        nullptr);
}

isl::set Fragments::domain(const Fragment &f, const Statement &s) const {
  const std::string what = "the instances of " + s.name + ", such as `{ " + tuple(s) + " : ... }`";
  const isl::set set = read<isl::set>(f, f.text, what, nullptr);
  const char *name = isl_set_get_tuple_name(set.get());
  if (!name || s.name != name || isl_set_dim(set.get(), isl_dim_set) != static_cast<int>(s.dimensions.size()))
    reader_.fail(f.span, "expected " + what);
  return poly::nameDimensions(set, s.dimensions);
}

isl::union_set Fragments::instances(const Fragment &f) const {
  return read<isl::union_set>(
      f, f.text, "names of statements, or a set of instances such as `{ S0[x] : x < 3 }`", nullptr);
}

isl::union_map Fragments::dependences(const Fragment &f) const {
  return read<isl::union_map>(f, f.text, "pairs of instances, such as `{ S0[x] -> S0[1 + x] : x >= 0 }`",
                              nullptr);
}

isl::union_pw_aff Fragments::functions(const Fragment &f) const {
  return read<isl::union_pw_aff>(
      f, f.text, "functions of instances, such as `{ S0[x] -> [(x)]; S1[x, k] -> [(k)] }`", nullptr);
}

isl::map Fragments::relation(const Fragment &f, const Statement &s) const {
  const std::string what =
      "the elements of a buffer that " + s.name + " accesses, such as `{ " + tuple(s) + " -> A[...] }`";
  const isl::map map = read<isl::map>(f, f.text, what, nullptr);
  const char *from = isl_map_get_tuple_name(map.get(), isl_dim_in);
  if (!from || s.name != from || !isl_map_get_tuple_name(map.get(), isl_dim_out) ||
      isl_map_dim(map.get(), isl_dim_in) != static_cast<int>(s.dimensions.size()))
    reader_.fail(f.span, "expected " + what);
  return map;
}

isl::map Fragments::element(const Fragment &f, const Statement &s, const Buffer &b) const {
  int indices = f.text.empty() ? 0 : 1, open = 0;
  for (const char c : f.text) {
    open += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
    indices += c == ',' && open == 0;
    if (c == ':' && open == 0)
      break;
  }
  if (f.text.starts_with(":"))
    indices = 0;
  if (indices != b.rank)
    reader_.fail(f.span, b.name + " has " + std::to_string(b.rank) +
                             (b.rank == 1 ? " dimension" : " dimensions") + ", but here " +
                             (indices == 1 ? "is 1 index" : "are " + std::to_string(indices) + " indices"));
  const std::size_t colon = f.text.find(':');
  const std::string text = "{ " + tuple(s) + " -> " + b.name + "[" + f.text.substr(0, colon) + "]" +
                           (colon == std::string::npos ? "" : " " + f.text.substr(colon)) + " }";
  return read<isl::map>(f, text, "affine functions of the dimensions of " + tuple(s), &s);
}

} // namespace pbc::kernel::textual
