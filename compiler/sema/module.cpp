// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/sema/module.h"
#include "compiler/poly/names.h"
#include <algorithm>
#include <fmt/format.h>

namespace pbc::sema {

namespace {
struct ElementRow {
  const char *name, *cxx;
  unsigned bytes;
};
constexpr ElementRow kElements[] = {{"double", "double", 8},
                                    {"float", "float", 4},
                                    {"int", "int", 4},
                                    {"long", "long", 8},
                                    {"byte", "unsigned char", 1}};
} // namespace

const char *name(Element e) { return kElements[static_cast<int>(e)].name; }
const char *cxxType(Element e) { return kElements[static_cast<int>(e)].cxx; }
unsigned bytes(Element e) { return kElements[static_cast<int>(e)].bytes; }

std::optional<Element> findElement(std::string_view wanted) {
  for (const Element e : kAllElements)
    if (wanted == name(e))
      return e;
  return std::nullopt;
}

const Matrix *Transform::find(const std::string &wanted) const {
  const auto at =
      std::find_if(matrices.begin(), matrices.end(), [&](const Matrix &m) { return m.name == wanted; });
  return at == matrices.end() ? nullptr : &*at;
}

namespace {
int countRole(const std::vector<Matrix> &matrices, Role role) {
  return static_cast<int>(
      std::count_if(matrices.begin(), matrices.end(), [&](const Matrix &m) { return m.role == role; }));
}
} // namespace

int Transform::inputCount() const { return countRole(matrices, Role::Input); }
std::string SizeProduct::cxx() const { return poly::join(factors, " * "); }

std::vector<std::string> Transform::sizeNames() const {
  std::vector<std::string> names;
  for (const auto &s : sizeVariables)
    names.push_back(poly::mangle(s));
  for (const auto &p : products)
    names.push_back(p.name);
  return names;
}

int Transform::outputCount() const { return countRole(matrices, Role::Output); }

int Transform::argumentCount() const {
  return inputCount() + outputCount() -
         static_cast<int>(std::count_if(matrices.begin(), matrices.end(),
                                        [](const Matrix &m) { return m.after.has_value(); }));
}

const char *symbol(syntax::Relation::Op op) {
  switch (op) {
  case syntax::Relation::Op::Equal:
    return "=";
  case syntax::Relation::Op::NotEqual:
    return "!=";
  case syntax::Relation::Op::Less:
    return "<";
  case syntax::Relation::Op::Greater:
    return ">";
  case syntax::Relation::Op::LessEqual:
    return "<=";
  case syntax::Relation::Op::GreaterEqual:
    return ">=";
  }
  return "?";
}

std::string written(const Condition &c) {
  if (c.kind == Condition::Kind::Relation)
    return fmt::format("{} {} {}", c.left.written, symbol(c.op), c.right.written);
  std::vector<std::string> parts;
  for (const auto &part : c.parts)
    parts.push_back(written(part));
  return c.kind == Condition::Kind::Not
             ? fmt::format("not {}", parts.front())
             : fmt::format("({})", fmt::join(parts, c.kind == Condition::Kind::Any ? " or " : " and "));
}

std::string written(const Transform &t, const Binding &b) {
  std::string out = t.matrices[b.matrix].name;
  for (std::size_t d = 0; d < b.begin.size(); ++d) {
    out += (d ? ", " : "[") + b.begin[d].written;
    if (!b.isCell)
      out += " : " + b.end[d].written;
  }
  return out + (b.begin.empty() ? "" : "]");
}

std::string familyOf(const Rule &rule) {
  return rule.label.substr(0, rule.label.size() - labelSuffix(rule.constants).size());
}

std::string Schedule::choice(const std::string &alternative) const {
  return (device == Device::Gpu ? "gpu:" : "cpu:") + alternative;
}

std::string labelSuffix(const std::vector<Constant> &constants) {
  std::string out;
  for (const Constant &c : constants)
    out += fmt::format("{}{}={}", out.empty() ? "<" : ",", c.name, c.value);
  return out.empty() ? out : out + ">";
}

const Transform *Module::find(const std::string &wanted) const {
  for (const auto member : {&Transform::name, &Transform::family})
    for (const Transform &t : transforms)
      if (t.*member == wanted)
        return &t;
  return nullptr;
}

std::vector<const Transform *> Module::family(const std::string &wanted) const {
  std::vector<const Transform *> out;
  for (const Transform &t : transforms)
    if (t.family == wanted)
      out.push_back(&t);
  return out;
}

} // namespace pbc::sema
