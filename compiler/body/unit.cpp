// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/unit.h"
#include "compiler/body/prelude.h"
#include <algorithm>
#include <fmt/format.h>

namespace pbc::body {

const sema::Binding &binding(const sema::Rule &rule, int number) {
  const int outputs = static_cast<int>(rule.outputs.size());
  return number < outputs ? rule.outputs[number] : rule.inputs[number - outputs];
}

bool isCell(const sema::Binding &b) { return b.isCell || b.viewDims.empty(); }

Scalar scalarOf(sema::Element e) {
  switch (e) {
  case sema::Element::F64:
    return Scalar::F64;
  case sema::Element::F32:
    return Scalar::F32;
  case sema::Element::I32:
    return Scalar::I32;
  case sema::Element::I64:
    return Scalar::I64;
  case sema::Element::U8:
    return Scalar::U8;
  }
  return Scalar::F64;
}

const Unit::Segment &Unit::segment(std::uint32_t offset) const {
  auto next = std::upper_bound(segments.begin(), segments.end(), offset,
                               [](std::uint32_t o, const Segment &s) { return o < s.begin; });
  return *std::prev(next);
}

std::optional<Span> Unit::locate(std::uint32_t begin, std::uint32_t end) const {
  const Segment &s = segment(begin);
  if (s.kind == Segment::Kind::Prelude)
    return std::nullopt;
  if (!s.text)
    return s.origin;
  const auto length = static_cast<std::uint32_t>(s.text->text.size());
  const std::uint32_t from = begin - s.begin, to = std::max(end, begin) - s.begin;
  if (from >= length) // the line end after the user's last byte
    return s.text->locate(length ? length - 1 : 0, length);
  return s.text->locate(from, std::min(to, length));
}

namespace {

std::string regionType(sema::Element element, int rank, bool readOnly) {
  return std::string("pb::Region<") + (readOnly ? "const " : "") + sema::cxxType(element) + ", " +
         std::to_string(rank) + ">";
}

class UnitMaker {
public:
  UnitMaker(const sema::Module &m, const RuleNumbers &keeping) : module_(m), keeping_(keeping) {}

  Unit make(const std::vector<std::vector<bool>> &wanted, Library library) {
    generated(Unit::Segment::Kind::Prelude, {}, prelude(library));
    for (const syntax::RawBlock *raw : module_.rawBlocks)
      verbatim(Unit::Segment::Kind::Raw, raw->text);
    generated(Unit::Segment::Kind::Prelude, {}, markers());
    for (const sema::Transform &t : module_.transforms)
      declare(t);
    for (const sema::Transform &t : module_.transforms)
      for (const sema::Rule &r : t.rules)
        if (wanted[t.index][r.index] && r.body)
          define(t, r);
    generated(Unit::Segment::Kind::Prelude, {}, "} // namespace pb_program\n");
    return std::move(unit_);
  }

private:
  void begin(Unit::Segment::Kind kind, Span origin, const source::MappedText *text, int rule) {
    unit_.segments.push_back({kind, static_cast<std::uint32_t>(unit_.text.size()), origin, text, rule});
  }
  void generated(Unit::Segment::Kind kind, Span origin, const std::string &text, int rule = -1) {
    begin(kind, origin, nullptr, rule);
    unit_.text += text;
  }
  void verbatim(Unit::Segment::Kind kind, const source::MappedText &text, int rule = -1) {
    begin(kind, {}, &text, rule);
    unit_.text += text.text;
    unit_.text += '\n'; // the text may end in a `//` comment
  }

  /// Declares a function with the outputs first; through matrices are not passed, and one that is updated is passed once. Copies of a template share
  /// one declaration, with their arguments first; a transform with accuracy bins has one declaration with the
  /// bin and one without.
  void declare(const sema::Transform &t) {
    if (module_.find(t.family) != &t)
      return;
    Unit::Callee callee{t.family, static_cast<std::size_t>(t.argumentCount()), 0, {}};
    for (const sema::Matrix &m : t.matrices)
      if (m.role == sema::Role::Output) {
        if (m.before)
          callee.updated.insert(callee.outputs);
        ++callee.outputs;
      }
    unit_.callees.push_back(std::move(callee));
    declare(t, false);
    if (t.hasBins())
      declare(t, true);
  }

  void declare(const sema::Transform &t, bool withBin) {
    generated(Unit::Segment::Kind::Transform, t.span, "void " + t.family + "(");
    bool first = true;
    for (const sema::Constant &c : t.constants) {
      generated(Unit::Segment::Kind::Transform, c.span, (first ? "IndexT " : ", IndexT ") + c.name);
      first = false;
    }
    if (withBin) {
      generated(Unit::Segment::Kind::Transform, t.binsSpan, "IndexT pb_bin");
      first = false;
    }
    for (sema::Role role : {sema::Role::Output, sema::Role::Input})
      for (const sema::Matrix &m : t.matrices) {
        if (m.role != role || m.after)
          continue;
        const bool input = role == sema::Role::Input;
        std::string type =
            m.rank() ? regionType(m.element, m.rank(), input)
                     : (input ? "const " : "") + std::string(sema::cxxType(m.element)) + (input ? "" : " &");
        generated(Unit::Segment::Kind::Transform, m.span, (first ? "" : ", ") + type + " " + m.name);
        first = false;
      }
    generated(Unit::Segment::Kind::Transform, t.span, ");\n");
  }

  void add(RuleText &text, Parameter p) const {
    if (p.name.empty())
      return;
    for (const Parameter &other : text.parameters)
      if (other.name == p.name)
        return; // the inner meaning hides the outer one
    text.parameters.push_back(std::move(p));
  }

  void addBinding(RuleText &text, const sema::Transform &t, const sema::Binding &b, int number) const {
    const sema::Matrix &m = t.matrices[b.matrix];
    const std::string element = sema::cxxType(m.element);
    std::string type;
    if (isCell(b))
      type = b.isOutput ? element + " &" : "const " + element;
    else
      type = regionType(m.element, static_cast<int>(b.viewDims.size()), !b.isOutput) + " const &";
    add(text, {Parameter::Role::Binding, number, b.name, type, b.span});
  }

  RuleText header(const sema::Transform &t, const sema::Rule &r) const {
    using Role = Parameter::Role;
    RuleText text{t.index, r.index, "pb_rule_" + std::to_string(t.index) + "_" + std::to_string(r.index), {}};
    int number = 0;
    for (const sema::Binding &b : r.outputs)
      addBinding(text, t, b, number++);
    for (const sema::Binding &b : r.inputs)
      addBinding(text, t, b, number++);
    if (keeps(t, r))
      add(text, {Role::Binding, 0, kBefore,
                 std::string("const ") + sema::cxxType(t.matrices[r.outputs[0].matrix].element) + " &",
                 r.outputs[0].span});
    for (std::size_t i = 0; i < t.matrices.size(); ++i)
      if (const sema::Matrix &m = t.matrices[i]; m.role == sema::Role::Input && m.rank() == 0 && !m.after)
        add(text, {Role::Input, static_cast<int>(i), m.name, std::string("const ") + sema::cxxType(m.element),
                   m.span});
    for (std::size_t i = 0; i < r.locals.size(); ++i) {
      const sema::Local &l = r.locals[i];
      const std::string type = regionType(l.element, static_cast<int>(l.extents.size()), false) + " const &";
      add(text, {Role::LocalMatrix, static_cast<int>(i), l.name, type, l.span});
    }
    for (std::size_t i = 0; i < r.freeVariables.size(); ++i)
      add(text, {Role::Coordinate, static_cast<int>(i), r.freeVariables[i], "const IndexT", r.headerSpan});
    for (std::size_t i = 0; i < t.sizeVariables.size(); ++i)
      add(text, {Role::Size, static_cast<int>(i), t.sizeVariables[i], "const IndexT", r.headerSpan});
    for (std::size_t i = 0; i < t.tunables.size(); ++i) {
      const sema::Tunable &tunable = t.tunables[i];
      const char *type = tunable.length
                             ? (tunable.isFloat ? "const pb::FloatArray" : "const pb::IntegerArray")
                             : (tunable.isFloat ? "const double" : "const IndexT");
      add(text, {Role::Tunable, static_cast<int>(i), tunable.name, type, tunable.span, 0, tunable.length});
    }
    for (const auto *constants : {&r.constants, &t.constants})
      for (const sema::Constant &c : *constants)
        add(text, {Role::Constant, -1, c.name, "constexpr int", c.span, c.value});
    return text;
  }

  void define(const sema::Transform &t, const sema::Rule &r) {
    using Kind = Unit::Segment::Kind;
    RuleText text = header(t, r);
    const int number = static_cast<int>(unit_.rules.size());
    std::string result = "void";
    if (r.returnStyle && !r.outputs.empty())
      result = sema::cxxType(t.matrices[r.outputs[0].matrix].element);
    generated(Kind::Rule, r.headerSpan, "static " + result + " " + text.function + "(", number);
    for (std::size_t i = 0; i < text.parameters.size(); ++i) {
      const Parameter &p = text.parameters[i];
      if (p.role != Parameter::Role::Constant)
        generated(Kind::Rule, p.span, (i ? ", " : "") + p.type + " " + p.name, number);
    }
    generated(Kind::Rule, r.headerSpan, ") {", number);
    for (const Parameter &p : text.parameters)
      if (p.role == Parameter::Role::Constant)
        generated(Kind::Rule, p.span, p.type + " " + p.name + " = " + std::to_string(p.value) + ";\n",
                  number);
    generated(Kind::Rule, r.headerSpan, "{\n", number);
    text.bodyBegin = static_cast<std::uint32_t>(unit_.text.size());
    verbatim(Kind::Body, r.body->text, number);
    text.bodyEnd = text.bodyBegin + static_cast<std::uint32_t>(r.body->text.text.size());
    const Span whole = r.body->span;
    generated(Kind::BodyEnd, {whole.file, whole.end > whole.begin ? whole.end - 1 : whole.begin, whole.end},
              keeps(t, r) ? fmt::format("return {};\n}}}}\n", kBefore) : "}}\n", number);
    unit_.rules.push_back(std::move(text));
  }

  static constexpr const char *kBefore = "pb_before";

  bool keeps(const sema::Transform &t, const sema::Rule &r) const {
    return keeping_.count({t.index, r.index});
  }

  const sema::Module &module_;
  const RuleNumbers &keeping_;
  Unit unit_;
};

} // namespace

Unit makeUnit(const sema::Module &module, const std::vector<std::vector<bool>> &wanted, Library library,
              const RuleNumbers &keeping) {
  return UnitMaker(module, keeping).make(wanted, library);
}

} // namespace pbc::body
