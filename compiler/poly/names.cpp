// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/poly/names.h"
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>

namespace pbc::poly {

namespace {

constexpr std::string_view kPlain =
    "pb_u_"; // of a name with other characters; no name of a program begins so
constexpr std::string_view kOld = "old ", kPlainOld = "pb_old_"; // likewise

bool isWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

} // namespace

std::string plain(const std::string &name) {
  if (name.starts_with(kOld))
    return std::string(kPlainOld) + plain(name.substr(kOld.size()));
  if (!name.starts_with(kPlain) && std::all_of(name.begin(), name.end(), isWordCharacter))
    return name;
  std::string out(kPlain);
  for (const char c : name)
    if (c == '_')
      out += "__";
    else if (isWordCharacter(c))
      out += c;
    else
      out += fmt::format("_{:02x}", static_cast<unsigned char>(c));
  return out;
}

std::string mangle(const std::string &written) {
  std::string name = plain(written);
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

namespace {

/// The name that was made plain.
std::string original(const std::string &name) {
  if (name.starts_with(kPlainOld))
    return std::string(kOld) + original(name.substr(kPlainOld.size()));
  if (!name.starts_with(kPlain))
    return name;
  std::string out;
  for (std::size_t at = kPlain.size(); at < name.size(); ++at) {
    if (name[at] != '_' || at + 1 == name.size()) {
      out += name[at];
    } else if (name[at + 1] == '_') {
      out += '_', ++at;
    } else {
      out += static_cast<char>(std::strtol(name.substr(at + 1, 2).c_str(), nullptr, 16));
      at += 2;
    }
  }
  return out;
}

} // namespace

std::string unmangle(const std::string &name) {
  if (name.starts_with(kPlain) || name.starts_with(kPlainOld))
    return original(name);
  const std::string shorter = name.substr(0, name.empty() ? 0 : name.size() - 1);
  return !name.empty() && mangle(shorter) == name ? shorter : name;
}

std::string join(const std::vector<std::string> &parts, const char *separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string displayed(const std::string &name) {
  if (name.starts_with(kPlain) || name.starts_with(kPlainOld))
    return unmangle(name);
  std::string text;
  std::size_t at = 0;
  for (std::size_t join; (join = name.find("__", at)) != std::string::npos && join + 2 < name.size();
       at = join + 2)
    text += unmangle(name.substr(at, join - at)) + "*";
  return text + unmangle(name.substr(at));
}

} // namespace pbc::poly
