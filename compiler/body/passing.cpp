// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/passing.h"
#include <algorithm>
#include <string_view>

namespace pbc::body {
namespace {

using Kind = Tree::Kind;

bool isOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Looks {
public:
  explicit Looks(const RuleContext &c) : c_(c) {}

  /// Whether some cell is, or may be, read or written.
  bool any(const Tree &t) const {
    if (isMatrix(t) || t.kind == Kind::Verify || t.kind == Kind::Lambda)
      return true;
    switch (t.kind) {
    case Kind::Declare:
      if (const Variable &v = c_.function.variables[static_cast<std::size_t>(t.index)];
          v.isRegion && !v.isStatic && !t.children.empty())
        return anyInView(t.child(0));
      break;
    case Kind::TransformCall:
      return std::any_of(t.children.begin(), t.children.end(),
                         [&](const TreePtr &argument) { return anyInView(*argument); });
    case Kind::Method:
      if (isOneOf(t.text, {"width", "height", "depth", "size", "count", "bytes", "perimeter"}))
        return anyInView(t.child(0)) || anyArgument(t);
      break;
    default:
      break;
    }
    return anyChild(t);
  }

private:
  bool isMatrix(const Tree &t) const {
    if (t.kind == Kind::Variable)
      return !c_.function.variables[static_cast<std::size_t>(t.index)].type.has_value();
    if (t.kind != Kind::Parameter)
      return false;
    using Role = Parameter::Role;
    const Parameter &p = c_.text.parameters[static_cast<std::size_t>(t.index)];
    return p.role == Role::LocalMatrix || (p.role == Role::Binding && !isCell(binding(c_.rule, p.index)));
  }

  /// The same where a matrix, or a view of one, may stand. Regions from other places, such as global
  /// variables or functions, count as accesses, because their cells may be read later.
  bool anyInView(const Tree &t) const {
    if (isMatrix(t))
      return false;
    if (t.kind == Kind::Method &&
        isOneOf(t.text, {"region", "row", "column", "col", "slice", "transposed", "all"}))
      return anyInView(t.child(0)) || anyArgument(t);
    return !t.type || any(t);
  }

  /// The arguments of a method, after the object.
  bool anyArgument(const Tree &t) const {
    return std::any_of(t.children.begin() + 1, t.children.end(),
                       [&](const TreePtr &argument) { return any(*argument); });
  }
  bool anyChild(const Tree &t) const {
    return std::any_of(t.children.begin(), t.children.end(),
                       [&](const TreePtr &child) { return child && any(*child); });
  }

  const RuleContext &c_;
};

/// Whether the body gets a cell of a matrix that may be on a device.
bool getsCell(const RuleContext &c, const sema::Binding &b) {
  const sema::Matrix &m = c.transform.matrices[static_cast<std::size_t>(b.matrix)];
  return isCell(b) && (m.rank() > 0 || m.role == sema::Role::Through);
}

} // namespace

bool onlyPasses(const RuleContext &c) {
  const auto gets = [&](const sema::Binding &b) { return getsCell(c, b); };
  return c.function.body && c.function.isResumable &&
         std::none_of(c.rule.outputs.begin(), c.rule.outputs.end(), gets) &&
         std::none_of(c.rule.inputs.begin(), c.rule.inputs.end(), gets) && !Looks(c).any(*c.function.body);
}

} // namespace pbc::body
