// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/textual/types.h"
#include "compiler/poly/names.h"
#include <algorithm>
#include <utility>

namespace pbc::kernel::textual {
namespace {

constexpr std::pair<std::string_view, Scalar> kTypes[] = {{"double", Scalar::F64}, {"float", Scalar::F32},
                                                          {"int", Scalar::I32},    {"long", Scalar::I64},
                                                          {"byte", Scalar::U8},    {"bool", Scalar::Bool}};

Scalar ofLiteral(const std::string &text) {
  if (text == "true" || text == "false")
    return Scalar::Bool;
  const bool isHex = text.starts_with("0x") || text.starts_with("0X");
  const bool isReal = text.find_first_of(isHex ? ".pP" : ".eE") != std::string::npos;
  const char last = text.back();
  if (isReal)
    return (last == 'f' || last == 'F') ? Scalar::F32 : Scalar::F64;
  return last == 'L' || last == 'l' ? Scalar::I64 : Scalar::I32;
}

bool isTruth(const std::string &op) {
  constexpr const char *kOperators[] = {"<", "<=", ">", ">=", "==", "!=", "&&", "||", "!"};
  return std::find(std::begin(kOperators), std::end(kOperators), op) != std::end(kOperators);
}

} // namespace

std::string_view typeName(Scalar type) {
  const auto *at =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const auto &t) { return t.second == type; });
  return at->first;
}

std::optional<Scalar> typeNamed(std::string_view word) {
  const auto *at =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const auto &t) { return t.first == word; });
  return at == std::end(kTypes) ? std::nullopt : std::optional(at->second);
}

Scalar usualType(const Kernel &kernel, const Statement &s, const Expr &e) {
  using Kind = Expr::Kind;
  switch (e.kind) {
  case Kind::Literal:
    return ofLiteral(e.text);
  case Kind::Dimension:
    return Scalar::I32;
  case Kind::Name:
    return std::count(kernel.parameters.begin(), kernel.parameters.end(), poly::mangle(e.text)) ? Scalar::I32
                                                                                                : Scalar::F64;
  case Kind::Read:
    return kernel.buffers[static_cast<std::size_t>(s.accesses[static_cast<std::size_t>(e.index)].buffer)]
        .element;
  case Kind::Unary:
  case Kind::Binary:
    return isTruth(e.text) ? Scalar::Bool : e.operands.front()->type;
  case Kind::Select:
    return e.operands[1]->type;
  case Kind::Call:
    return e.operands.empty() ? Scalar::F64 : e.operands.front()->type;
  case Kind::Cast:
    return e.type; // it is written in front of its operand
  }
  return Scalar::F64;
}

} // namespace pbc::kernel::textual
