// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The C++ header of a library: a class Context whose members are the functions of the C header, with views and exceptions.
// Each transform has two members, one with all outputs, and one that returns those of its outputs, allocated.
#include "compiler/emit/c_functions.h"
#include "compiler/emit/parts.h"
#include "pbc/version.h"
#include <algorithm>
#include <fmt/ranges.h>

namespace pbc::emit {
namespace {

std::string cxxParameter(const CArgument &a) {
  const char *const type = cType(a.matrix->element);
  if (a.isNumber())
    return fmt::format("{} {}{}", type, a.isOutput() ? "&" : "", a.name);
  return fmt::format("View<{}{}, {}> {}", a.isOutput() ? "" : "const ", type, a.matrix->rank(), a.name);
}

std::string joined(const std::vector<std::string> &parts) {
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Parameters that both members have; and the arguments of the C function in front of its outputs.
struct Inputs {
  std::vector<std::string> parameters, statements, arguments{"get()"};
};

Inputs inputsOf(const CFunction &f) {
  Inputs in;
  for (const CArgument &a : f.arguments) {
    if (a.isOutput())
      continue;
    in.parameters.push_back(cxxParameter(a));
    if (!a.isNumber())
      in.statements.push_back(fmt::format("const pbc_array pb_{0} = {0}.array();", a.name));
    in.arguments.push_back(a.isNumber() ? a.name : "&pb_" + a.name);
  }
  for (const CSize &s : f.sizes) {
    in.parameters.push_back("std::int64_t " + s.name);
    in.arguments.push_back(s.name);
  }
  if (!f.accuracy.empty()) {
    in.parameters.push_back("double " + f.accuracy);
    in.arguments.push_back(f.accuracy);
  }
  return in;
}

std::string member(const std::string &result, const std::string &name, const Inputs &in,
                   const std::vector<std::string> &ending, const std::string &symbol) {
  std::string out = fmt::format("  {} {}({}) const {{\n", result, name, joined(in.parameters));
  for (const std::string &s : in.statements)
    out += "    " + s + "\n";
  out += fmt::format("    check({}({}));\n", symbol, joined(in.arguments));
  for (const std::string &s : ending)
    out += "    " + s + "\n";
  return out + "  }\n";
}

/// Adds an output as a parameter.
void addOutput(const CArgument &a, Inputs &all) {
  all.parameters.push_back(cxxParameter(a));
  if (!a.isNumber())
    all.statements.push_back(fmt::format("pbc_array pb_{0} = {0}.array();", a.name));
  all.arguments.push_back("&" + (a.isNumber() ? a.name : "pb_" + a.name));
}

/// With all outputs as parameters.
std::string intoOutputs(const CFunction &f, const std::string &name) {
  Inputs all = inputsOf(f);
  for (const CArgument &a : f.arguments)
    if (a.isOutput())
      addOutput(a, all);
  return member("void", name, all, {}, f.symbol);
}

/// With all outputs as results, but those that it updates.
std::string withResults(const CFunction &f, const std::string &name) {
  Inputs all = inputsOf(f);
  std::vector<std::string> types, values;
  for (const CArgument &a : f.arguments) {
    if (!a.isOutput())
      continue;
    if (a.isUpdated()) {
      addOutput(a, all);
      continue;
    }
    const std::string type = cType(a.matrix->element);
    if (a.isNumber()) {
      all.statements.push_back(fmt::format("{} pb_{} = 0;", type, a.name));
      types.push_back(type);
      values.push_back("pb_" + a.name);
    } else {
      all.statements.push_back(fmt::format("pbc_array pb_{} = pbc_array_wanted();", a.name));
      types.push_back(fmt::format("Array<{}, {}>", type, a.matrix->rank()));
      values.push_back(fmt::format("owned<{}, {}>(pb_{})", type, a.matrix->rank(), a.name));
    }
    all.arguments.push_back("&pb_" + a.name);
  }
  if (types.size() == 1)
    return member(types[0], name, all, {fmt::format("return {};", values[0])}, f.symbol);
  const std::string result = fmt::format("std::tuple<{}>", joined(types));
  return member(result, name, all, {fmt::format("return {}({});", result, joined(values))}, f.symbol);
}

} // namespace

std::string libraryCxxHeader(const Input &in, poly::Context &context, const std::string &header,
                             const std::string &interface) {
  const std::string &name = in.library->name;
  std::string out = fmt::format("// The functions of the library {0} for C++20, made by {1} from {2}.pbcc.\n"
                                "#include \"{3}\"\n{4}\n#ifndef PBC_{0}_HPP\n#define PBC_{0}_HPP\n\n"
                                "namespace pbc::{5} {{\n\nclass Context : public AnyContext {{\npublic:\n"
                                "  explicit Context(const Options &pb_options = {{}})\n"
                                "      : AnyContext(*pbc_{0}_library(), pb_options) {{}}\n\n",
                                name, PBC_NAME_AND_VERSION, in.module.name, header, interface, cxxName(name));
  const std::size_t prefix = fmt::format("pbc_{}_", name).size();
  for (const CFunction &f : cFunctions(in, context)) {
    const std::string own = cxxName(f.symbol.substr(prefix));
    out += cComment(f) + intoOutputs(f, own);
    if (std::any_of(f.arguments.begin(), f.arguments.end(),
                    [](const CArgument &a) { return a.isOutput() && !a.isUpdated(); }))
      out += withResults(f, own);
    out += "\n";
  }
  return out + fmt::format("}};\n\n}} // namespace pbc::{}\n#endif\n", cxxName(name));
}

} // namespace pbc::emit
