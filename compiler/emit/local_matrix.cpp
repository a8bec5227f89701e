// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/choice/spaces.h"
#include "compiler/emit/parts.h"
#include <algorithm>

namespace pbc::emit {

namespace {

/// The text as a part of a format of printf.
std::string inFormat(const std::string &text) {
  std::string out;
  for (const char c : text)
    out += c == '%' ? std::string("%%") : std::string(1, c);
  return out;
}

bool mentions(const sema::Affine &extent, const std::string &name) {
  return std::find(extent.names.begin(), extent.names.end(), name) != extent.names.end();
}

/// Ends the program if the extent is negative, with a message that gives the values of the names in it.
std::string extentCheck(const Scope &scope, const sema::Rule &rule, const sema::Local &local,
                        const sema::Affine &extent) {
  std::string all, format, values;
  for (const auto &e : local.extents)
    all += (all.empty() ? "" : ", ") + e.written;
  const auto mention = [&](const std::string &name) {
    if (!mentions(extent, name))
      return;
    format += (format.empty() ? " for " : ", ") + name + " = %ld";
    values += ", static_cast<long>(" + poly::mangle(name) + ")";
  };
  for (const auto &v : rule.freeVariables)
    mention(v);
  for (const auto &s : scope.transform.sizeVariables)
    mention(s);
  for (const auto &k : scope.transform.tunables)
    if (k.isParameter())
      mention(k.name);
  const std::string text = inFormat(fmt::format("{}{}: the matrix {}[{}] would have a negative size: {} is ",
                                                placeOf(scope, local.span), ruleName(scope, rule), local.name,
                                                all, extent.written)) +
                           "%ld" + format;
  return fmt::format("if (const long pb_size = {}; pb_size < 0) {{ pb::Message pb_m; pb::pb_explain(&pb_m, "
                     "{}, pb_size{}); pb::pb_fail(pb_m.text); }} ",
                     extent.cxx, quoted(text), values);
}

} // namespace

std::string localMatrix(const Scope &scope, const sema::Rule &rule, const sema::Local &local) {
  const std::string type = regionType(local.element, static_cast<int>(local.extents.size()), false);
  std::string sizes, captures;
  for (const auto &e : local.extents)
    sizes += (sizes.empty() ? "" : ", ") + e.cxx;
  for (const auto &v : rule.freeVariables) // as long: their product may exceed an int
    if (std::any_of(local.extents.begin(), local.extents.end(),
                    [&](const sema::Affine &e) { return mentions(e, v); }))
      captures += fmt::format(", {} = static_cast<long>({})", poly::mangle(v), v);
  const choice::Spaces spaces(scope.transform, scope.context);
  const isl::set domain = scope.choices().grid.applications[rule.index].domain;
  std::string checks;
  if (!domain.is_subset(spaces.fits(rule, local)))
    for (const auto &e : local.extents)
      checks += extentCheck(scope, rule, local, e);
  // The extents use mangled names; a lambda hides these from the body.
  return fmt::format("  const {0} {1} = [&{2}] {{ {3}{4}return {0}::allocate({5}); }}();\n", type, local.name,
                     captures, parameterDefinitions(scope), checks, sizes);
}

} // namespace pbc::emit
