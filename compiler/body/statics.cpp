// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/statics.h"
#include <fmt/format.h>

namespace pbc::body {

namespace {

void warn(const RuleContext &context, const Tree &t, source::Diagnostics &d) {
  if (t.kind == Tree::Kind::Declare) {
    const Variable &v = context.function.variables[static_cast<std::size_t>(t.index)];
    if (v.isStatic && !v.isConstant)
      d.warning(
           context.span(t),
           fmt::format("the static variable `{}` is one for all cells of the rule, which are computed in "
                       "parallel and in any order",
                       v.name))
          .help("remove `static`, or keep the value in a matrix");
  }
  for (const TreePtr &child : t.children)
    if (child)
      warn(context, *child, d);
}

} // namespace

void warnOfStatics(const RuleContext &context, source::Diagnostics &d) {
  if (!context.rule.freeVariables.empty() && context.function.body)
    warn(context, *context.function.body, d);
}

} // namespace pbc::body
