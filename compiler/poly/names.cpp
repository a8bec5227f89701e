#include "compiler/poly/names.h"
#include <algorithm>
#include <array>

namespace pbc::poly {

std::string mangle(const std::string &name) {
  static constexpr std::array keywords = {"and",    "or",    "not", "exists", "mod",     "floor",  "ceil",
                                          "floord", "ceild", "min", "max",    "rat",     "true",   "false",
                                          "infty",  "inf",   "NaN", "lexmin", "implies", "symbol", "div"};
  std::string stem = name;
  while (!stem.empty() && stem.back() == '_')
    stem.pop_back();
  // A trailing underscore keeps the map injective: `mod_` becomes `mod__`.
  if (std::find(keywords.begin(), keywords.end(), stem) != keywords.end())
    return name + "_";
  return name;
}

std::string unmangle(const std::string &mangled) {
  if (mangled.empty() || mangled.back() != '_')
    return mangled;
  const std::string name = mangled.substr(0, mangled.size() - 1);
  return mangle(name) == mangled ? name : mangled;
}

} // namespace pbc::poly
