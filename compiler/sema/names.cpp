// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/sema/names.h"
#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace pbc::sema {

namespace {

constexpr std::string_view kCxx[] = {
    "alignas",     "alignof",  "and",        "and_eq",    "asm",       "auto",         "bitand",
    "bitor",       "bool",     "break",      "case",      "catch",     "char",         "char16_t",
    "char32_t",    "char8_t",  "class",      "co_await",  "co_return", "co_yield",     "compl",
    "concept",     "const",    "const_cast", "consteval", "constexpr", "constinit",    "continue",
    "decltype",    "default",  "delete",     "do",        "double",    "dynamic_cast", "else",
    "enum",        "explicit", "export",     "extern",    "false",     "float",        "for",
    "friend",      "goto",     "if",         "inline",    "int",       "long",         "mutable",
    "namespace",   "new",      "noexcept",   "not",       "not_eq",    "nullptr",      "operator",
    "or",          "or_eq",    "private",    "protected", "public",    "register",     "reinterpret_cast",
    "requires",    "return",   "short",      "signed",    "sizeof",    "static",       "static_assert",
    "static_cast", "struct",   "switch",     "template",  "this",      "thread_local", "throw",
    "true",        "try",      "typedef",    "typeid",    "typename",  "union",        "unsigned",
    "using",       "virtual",  "void",       "volatile",  "wchar_t",   "while",        "xor",
    "xor_eq"};

constexpr std::string_view kBodies[] = {"ElementT", "IndexT", "spawn",      "sync",     "SPAWN",
                                        "SYNC",     "CALL",   "IS_MISSING", "OPTIONAL", "JASSERT"};

/// Macros that every body sees (body/prelude.cpp).
constexpr std::string_view kMacros[] = {"NULL",     "NAN",        "INFINITY", "HUGE_VAL",    "M_PI",
                                        "M_E",      "M_SQRT2",    "INT_MAX",  "INT_MIN",     "LONG_MAX",
                                        "LONG_MIN", "DBL_MAX",    "DBL_MIN",  "DBL_EPSILON", "FLT_MAX",
                                        "FLT_MIN",  "FLT_EPSILON"};

template <std::size_t N>
bool has(const std::string_view (&words)[N], const std::string &name) {
  return std::find(std::begin(words), std::end(words), name) != std::end(words);
}

std::string whyTaken(const std::string &name) {
  if (has(kCxx, name))
    return "it is a word of C++";
  if (has(kBodies, name))
    return "it has a meaning in rule bodies";
  if (has(kMacros, name))
    return "it is a constant of C";
  if (name.starts_with("pb_") || name.starts_with("PB_"))
    return "names that begin with `pb_` belong to the generated code";
  const bool underscored = name.size() > 1 && name[0] == '_' && name[1] >= 'A' && name[1] <= 'Z';
  if (underscored || name.find("__") != std::string::npos)
    return "names with two underscores in a row, or with one before a capital letter, belong to the C++ "
           "compiler";
  return "";
}

} // namespace

bool checkName(const syntax::Identifier &name, source::Diagnostics &diagnostics) {
  const std::string why = whyTaken(name.text);
  if (why.empty())
    return true;
  diagnostics.error(name.span, fmt::format("`{}` cannot be a name: {}", name.text, why))
      .help("take another name");
  return false;
}

} // namespace pbc::sema
