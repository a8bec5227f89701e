// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/precision.h"
#include <algorithm>

namespace pbc::kernel {
namespace {

/// The first literal of type double that takes part in a computation; `isComputed`: what is around it computes with it.
std::string firstIn(const ExprPtr &e, bool isComputed) {
  if (!e)
    return "";
  if (e->kind == Expr::Kind::Literal)
    return isComputed && e->type == Scalar::F64 ? e->text : "";
  for (const ExprPtr &operand : e->operands)
    if (std::string found = firstIn(operand, e->kind != Expr::Kind::Cast); !found.empty())
      return found;
  return "";
}

} // namespace

std::string literalOfDouble(const Kernel &kernel) {
  const bool isFloat = std::any_of(kernel.buffers.begin(), kernel.buffers.end(),
                                   [](const Buffer &b) { return isMatrix(b) && b.element == Scalar::F32; }) &&
                       std::none_of(kernel.buffers.begin(), kernel.buffers.end(),
                                    [](const Buffer &b) { return b.element == Scalar::F64; });
  if (isFloat)
    for (const Statement &s : kernel.statements)
      if (std::string found = firstIn(s.value, false); !found.empty())
        return found;
  return "";
}

} // namespace pbc::kernel
