// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/update.h"
#include "compiler/body/value.h"
#include <algorithm>

namespace pbc::body {
namespace {

bool readsTarget(const Value &v, const Target &target) {
  return isReadOf(v, target) || std::any_of(v.operands.begin(), v.operands.end(),
                                            [&](const ValuePtr &one) { return readsTarget(*one, target); });
}

} // namespace

bool isReadOf(const Value &v, const Target &target) {
  if (v.index != target.index || v.type != target.type)
    return false;
  if (target.isLocal)
    return v.kind == Value::Kind::Local;
  return v.kind == Value::Kind::Cell &&
         std::equal(v.operands.begin(), v.operands.end(), target.indices.begin(), target.indices.end(),
                    [](const ValuePtr &a, const ValuePtr &b) { return same(*a, *b); });
}

void takeOperator(const Target &target, std::string &op, ValuePtr &value) {
  const bool isUpdate = op.empty() && value->kind == Value::Kind::Binary && value->type == target.type &&
                        (value->text == "+" || value->text == "-" || value->text == "*");
  if (!isUpdate)
    return;
  for (const std::size_t own : {0U, 1U}) {
    const ValuePtr &other = value->operands[1 - own];
    if ((own == 1 && value->text == "-") || !isReadOf(*value->operands[own], target) ||
        readsTarget(*other, target) || other->type != target.type)
      continue;
    op = value->text;
    value = ValuePtr(other);
    return;
  }
}

} // namespace pbc::body
