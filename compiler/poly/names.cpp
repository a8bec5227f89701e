// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/poly/names.h"
#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>

namespace pbc::poly {

std::string mangle(const std::string &name) {
  static constexpr std::array keywords = {"and",    "or",    "not", "exists", "mod",     "floor",   "ceil",
                                          "floord", "ceild", "min", "max",    "rat",     "true",    "false",
                                          "infty",  "inf",   "nan", "lexmin", "implies", "infinity"};
  std::string stem;
  for (const char c : name) // isl reads `MIN` as `min`
    stem += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  while (!stem.empty() && stem.back() == '_')
    stem.pop_back();
  // A trailing underscore keeps the map injective: `mod_` becomes `mod__`.
  if (std::find(keywords.begin(), keywords.end(), stem) != keywords.end())
    return name + "_";
  return name;
}

std::string unmangle(const std::string &name) {
  const std::string shorter = name.substr(0, name.empty() ? 0 : name.size() - 1);
  return !name.empty() && mangle(shorter) == name ? shorter : name;
}

std::string join(const std::vector<std::string> &parts, const char *separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string displayed(const std::string &name) {
  std::string text;
  std::size_t at = 0;
  for (std::size_t join; (join = name.find("__", at)) != std::string::npos && join + 2 < name.size();
       at = join + 2)
    text += unmangle(name.substr(at, join - at)) + "*";
  return text + unmangle(name.substr(at));
}

} // namespace pbc::poly
