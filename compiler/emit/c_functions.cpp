// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/c_functions.h"
#include "compiler/emit/parts.h"
#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>
#include <string_view>

namespace pbc::emit {
namespace {

/// Words that no parameter of a C or C++ function can be called, and those that the header itself uses.
constexpr std::string_view kWords[] = {
    "alignas",   "alignof",   "and",       "asm",       "auto",         "bool",       "break",
    "case",      "catch",     "char",      "class",     "co_await",     "co_yield",   "compl",
    "concept",   "const",     "consteval", "constexpr", "constinit",    "const_cast", "continue",
    "co_return", "decltype",  "default",   "delete",    "do",           "double",     "dynamic_cast",
    "else",      "enum",      "explicit",  "export",    "extern",       "false",      "float",
    "for",       "friend",    "goto",      "if",        "inline",       "int",        "long",
    "mutable",   "namespace", "new",       "noexcept",  "not",          "nullptr",    "operator",
    "or",        "private",   "protected", "public",    "register",     "restrict",   "requires",
    "return",    "short",     "signed",    "sizeof",    "static",       "struct",     "switch",
    "template",  "this",      "throw",     "true",      "try",          "typedef",    "typeid",
    "typename",  "typeof",    "union",     "unsigned",  "using",        "virtual",    "void",
    "volatile",  "while",     "xor",       "int32_t",   "int64_t",      "uint8_t",    "pbc_array",
    "context",   "bitand",    "bitor",     "char8_t",   "thread_local", "static_cast"};

/// Letters, digits and underscores of the name; other bytes become underscores.
std::string cName(const std::string &name) {
  std::string out;
  for (const char c : name)
    out += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return out;
}

/// Names of one scope, each given once.
class Names {
public:
  std::string take(const std::string &wanted) {
    std::string name = cName(wanted);
    while (std::find(std::begin(kWords), std::end(kWords), name) != std::end(kWords) ||
           !used_.insert(name).second)
      name += "_";
    return name;
  }

private:
  std::set<std::string> used_;
};

} // namespace

std::string cxxName(const std::string &name) {
  // These are members of the class beside the functions, too.
  for (const char *own : {"Context", "get", "check", "owned", "configuration"})
    if (name == own)
      return name + "_";
  if (!name.empty() && std::isdigit(static_cast<unsigned char>(name[0])))
    return Names().take("_" + name);
  return Names().take(name);
}

std::vector<CFunction> cFunctions(const Input &in, poly::Context &context) {
  std::vector<CFunction> all;
  // Names that every library has.
  Names symbols;
  for (const char *own : {"create", "create_for", "destroy", "message", "configuration", "free", "library"})
    symbols.take(own);
  int first = 0;
  for (const sema::Transform &t : in.module.transforms) {
    if (in.library->isCallable[static_cast<std::size_t>(t.index)]) {
      Names names;
      CFunction f{&t,
                  fmt::format("pbc_{}_{}", in.library->name, symbols.take(t.symbol)),
                  transformDoc(in, t),
                  {},
                  {},
                  "",
                  first};
      for (const sema::Matrix &m : t.matrices)
        if (m.role != sema::Role::Through && !m.after)
          f.arguments.push_back({&m, names.take(m.name)});
      for (const std::string &p : t.params)
        f.sizes.push_back({p, names.take(p)});
      for (const std::string &s : openSizes(Scope{in, t, context, {}, {}}))
        if (std::find(t.params.begin(), t.params.end(), s) == t.params.end())
          f.sizes.push_back({s, names.take(s)});
      if (t.hasBins())
        f.accuracy = names.take("accuracy");
      all.push_back(std::move(f));
    }
    first += t.binCount();
  }
  return all;
}

const char *cType(sema::Element e) {
  switch (e) {
  case sema::Element::F64:
    return "double";
  case sema::Element::F32:
    return "float";
  case sema::Element::I32:
    return "int32_t";
  case sema::Element::I64:
    return "int64_t";
  case sema::Element::U8:
    return "uint8_t";
  }
  return "";
}

const char *cElement(sema::Element e) {
  switch (e) {
  case sema::Element::F64:
    return "PBC_F64";
  case sema::Element::F32:
    return "PBC_F32";
  case sema::Element::I32:
    return "PBC_I32";
  case sema::Element::I64:
    return "PBC_I64";
  case sema::Element::U8:
    return "PBC_U8";
  }
  return "";
}

std::string cParameters(const CFunction &f) {
  std::string out;
  const auto add = [&](const std::string &parameter) { out += (out.empty() ? "" : ", ") + parameter; };
  const auto arguments = [&](bool outputs) {
    for (const CArgument &a : f.arguments)
      if (a.isOutput() == outputs)
        add(a.isNumber() ? fmt::format("{} {}{}", cType(a.matrix->element), outputs ? "*" : "", a.name)
                         : fmt::format("{}pbc_array *{}", outputs ? "" : "const ", a.name));
  };
  arguments(false);
  for (const CSize &s : f.sizes)
    add("int64_t " + s.name);
  if (!f.accuracy.empty())
    add("double " + f.accuracy);
  arguments(true);
  return out;
}

} // namespace pbc::emit
