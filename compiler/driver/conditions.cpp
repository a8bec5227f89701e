// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/conditions.h"
#include "compiler/body/clang_reader.h"
#include "compiler/body/prelude.h"
#include <algorithm>
#include <fmt/format.h>

namespace pbc::driver {
namespace {

/// A condition as a function of the adaptor's parameters, and where its expression is in that text.
struct Checked {
  body::Unit unit;
  std::uint32_t begin = 0;
};

Checked functionOf(const script::Adaptor &adaptor, const script::Condition &condition,
                   const kernel::Buffer &matrix) {
  std::string parameters = fmt::format("const pb::Region<const {}, {}> &{}", body::cxxType(matrix.element),
                                       matrix.rank, adaptor.parameters.front());
  for (std::size_t k = 1; k < adaptor.parameters.size(); ++k)
    parameters += fmt::format(", const long {}", adaptor.parameters[k]);
  Checked made;
  made.unit.text = body::prelude(body::Library::None) +
                   fmt::format("static bool pb_condition({}) {{\n  return (", parameters);
  made.begin = static_cast<std::uint32_t>(made.unit.text.size());
  made.unit.text += condition.predicate + ");\n}\n";
  made.unit.segments = {{body::Unit::Segment::Kind::Prelude, 0, {}, nullptr, -1}};
  return made;
}

void check(const script::Adaptor &adaptor, const script::Condition &condition, const kernel::Buffer &matrix,
           source::Diagnostics &diagnostics) {
  using Complaint = body::Complaint;
  const Checked text = functionOf(adaptor, condition, matrix);
  for (const Complaint &c : body::readUnit(text.unit, {}).complaints) {
    if (c.level != Complaint::Level::Error || c.kind == Complaint::Kind::UnknownName)
      continue;
    source::Span at = condition.predicateSpan;
    const auto length = at.end - at.begin;
    const auto offset = [&](std::uint32_t place) {
      return place < text.begin ? 0U : std::min(place - text.begin, length);
    };
    if (c.inUnit) {
      at.begin = condition.predicateSpan.begin + offset(c.begin);
      at.end = condition.predicateSpan.begin + std::max(offset(c.end), offset(c.begin));
    }
    diagnostics.error(at, fmt::format("this condition is no C++: {}", c.text))
        .help(fmt::format("it is an expression over `{}`, which is a pb::Region<const {}, {}>",
                          adaptor.parameters.front(), body::cxxType(matrix.element), matrix.rank));
    return;
  }
}

} // namespace

void checkConditions(const script::Adaptor &adaptor, const kernel::Buffer &matrix,
                     source::Diagnostics &diagnostics) {
  for (const script::AdaptorRule &rule : adaptor.rules)
    for (const script::Condition &condition : rule.conditions)
      if (condition.kind == script::Condition::Kind::Predicate)
        check(adaptor, condition, matrix, diagnostics);
}

} // namespace pbc::driver
