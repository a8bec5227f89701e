// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Apple's Metal shading language, as text only: it shows that a printed language is one class (emit/dialect/dialect.h).
#pragma once
#include "compiler/emit/dialect/dialect.h"

namespace pbc::emit {

class Metal : public Dialect {
public:
  std::string type(Scalar) const override;
  std::string helper(Helper) const override;
  std::string restricted() const override { return " *"; }
  std::string infinity(Scalar) const override { return "INFINITY"; }
  std::string literal(const loop::Literal &) const override;
  std::string function(const loop::Function &) const override;
  std::string coordinate(const std::string &value) const override { return "int(" + value + ")"; }
  ViewText view(std::size_t number, const loop::Call::View &, Scalar element, const std::string &first,
                const std::vector<std::string> &strides,
                const std::vector<std::string> &extents) const override;
  std::string hint(const loop::Hint &) const override;
  std::string parameter(const Parameter &) const override;
  std::string signature(const Signature &) const override;
  std::string itemId(loop::Parallel::Over, int axis) const override;
  std::string barrier() const override { return "threadgroup_barrier(mem_flags::mem_threadgroup)"; }
  std::string localArray(const std::string &type, const std::string &name,
                         const std::string &extent) const override;
};

} // namespace pbc::emit
