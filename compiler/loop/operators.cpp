// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/operators.h"
#include <algorithm>
#include <stdexcept>

namespace pbc::loop {
namespace {

using BodyOp = Operation::Op;

struct Operator {
  BodyOp op;
  std::size_t operands;
  std::string_view spelling;
};

constexpr Operator kOperators[] = {
    {BodyOp::Negate, 1, "-"},        {BodyOp::Plus, 1, "+"},       {BodyOp::Not, 1, "!"},
    {BodyOp::Complement, 1, "~"},    {BodyOp::Add, 2, "+"},        {BodyOp::Subtract, 2, "-"},
    {BodyOp::Multiply, 2, "*"},      {BodyOp::Divide, 2, "/"},     {BodyOp::Modulo, 2, "%"},
    {BodyOp::And, 2, "&&"},          {BodyOp::Or, 2, "||"},        {BodyOp::BitAnd, 2, "&"},
    {BodyOp::BitOr, 2, "|"},         {BodyOp::BitXor, 2, "^"},     {BodyOp::ShiftLeft, 2, "<<"},
    {BodyOp::ShiftRight, 2, ">>"},   {BodyOp::Equal, 2, "=="},     {BodyOp::NotEqual, 2, "!="},
    {BodyOp::Less, 2, "<"},          {BodyOp::LessEqual, 2, "<="}, {BodyOp::Greater, 2, ">"},
    {BodyOp::GreaterEqual, 2, ">="}, {BodyOp::Choose, 3, "?"},
};

const Operator &find(auto matches) {
  const auto *at = std::find_if(std::begin(kOperators), std::end(kOperators), matches);
  if (at == std::end(kOperators))
    throw std::logic_error("an operator that no liftable body has");
  return *at;
}

} // namespace

Operation::Op operation(std::string_view spelling, std::size_t operands) {
  return find([&](const Operator &o) { return o.spelling == spelling && o.operands == operands; }).op;
}

std::string_view spelling(Operation::Op op) {
  return find([&](const Operator &o) { return o.op == op; }).spelling;
}

} // namespace pbc::loop
