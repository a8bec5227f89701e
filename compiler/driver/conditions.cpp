// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/conditions.h"
#include "compiler/body/clang_reader.h"
#include "compiler/body/prelude.h"
#include <algorithm>
#include <fmt/format.h>

namespace pbc::driver {
namespace {

/// A condition as a function, and where its expression is in that text.
struct Checked {
  body::Unit unit;
  std::uint32_t begin = 0;
};

Checked functionOf(const std::string &before, const std::string &parameters, const std::string &expression) {
  Checked made;
  made.unit.text = fmt::format("{}static bool pb_condition({}) {{\n  return (", before, parameters);
  made.begin = static_cast<std::uint32_t>(made.unit.text.size());
  made.unit.text += expression + ");\n}\n";
  made.unit.segments = {{body::Unit::Segment::Kind::Prelude, 0, {}, nullptr, -1}};
  return made;
}

/// "pb::Region<const double, 2>"
std::string viewOf(const char *element, int rank) {
  return fmt::format("pb::Region<const {}, {}>", element, rank);
}

/// Reports the first error in the condition, which is the expression of this text; `isMissing`: names that nothing declares are errors.
/// Returns whether it asks the matrix for its memory.
bool reportFirstError(const Checked &text, const script::Condition &condition, bool isMissing,
                      const std::vector<std::string> &headerPath, const std::string &help,
                      source::Diagnostics &diagnostics) {
  using Complaint = body::Complaint;
  const body::Reading reading = body::readUnit(text.unit, headerPath);
  for (const Complaint &c : reading.complaints) {
    if (c.level != Complaint::Level::Error || (!isMissing && c.kind == Complaint::Kind::UnknownName))
      continue;
    source::Span at = condition.predicateSpan;
    const auto length = at.end - at.begin;
    const auto offset = [&](std::uint32_t place) {
      return place < text.begin ? 0U : std::min(place - text.begin, length);
    };
    // With arguments in the place of parameters, the expression is another text than that of the file.
    if (c.inUnit && length == condition.predicate.size()) {
      at.begin = condition.predicateSpan.begin + offset(c.begin);
      at.end = condition.predicateSpan.begin + std::max(offset(c.end), offset(c.begin));
    }
    diagnostics.error(at, fmt::format("this condition is no C++: {}", c.text)).help(help);
    break;
  }
  return reading.takesPointers;
}

} // namespace

void checkConditions(const script::Adaptor &adaptor, const kernel::Buffer &matrix,
                     source::Diagnostics &diagnostics) {
  const std::string view = viewOf(body::cxxType(matrix.element), matrix.rank);
  std::string parameters = fmt::format("const {} &{}", view, adaptor.parameters.front());
  for (std::size_t k = 1; k < adaptor.parameters.size(); ++k)
    parameters += fmt::format(", const long {}", adaptor.parameters[k]);
  for (const script::AdaptorRule &rule : adaptor.rules)
    for (const script::Condition &condition : rule.conditions)
      if (condition.kind == script::Condition::Kind::Predicate)
        reportFirstError(
            functionOf(body::prelude(body::Library::None), parameters, condition.predicate), condition, false,
            {}, fmt::format("it is an expression over `{}`, which is a {}", adaptor.parameters.front(), view),
            diagnostics);
}

bool checkGuard(const script::Condition &condition, const sema::Matrix &matrix,
                const ProgramBeginning &program, source::Diagnostics &diagnostics) {
  std::string before = body::prelude(program.library);
  for (const std::string &block : program.rawBlocks)
    before += block + "\n";
  const std::string view = viewOf(sema::cxxType(matrix.element), matrix.rank());
  return reportFirstError(
      functionOf(before, fmt::format("const {} &{}", view, matrix.name), condition.predicate), condition,
      true, program.headerPath,
      fmt::format("here it is `{}`, and `{}` is a {}; functions that it calls stand in a raw block of "
                  "the program, `%{{ ... %}}`",
                  condition.predicate, matrix.name, view),
      diagnostics);
}

} // namespace pbc::driver
