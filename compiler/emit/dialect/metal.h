// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Apple's Metal shading language, as text only: no runtime launches it. It shows what a printed language for devices takes: this class, and
// a line in the table of emit/device_texts.cpp.
//
//   kernel void pb_Sum(device const float *A_p, constant long &A_o, ..., uint3 pb_item [[thread_position_in_threadgroup]], ...)
//   threadgroup float team0_l[256];    threadgroup_barrier(..);    const float other = simd_shuffle_down(s_l, width);
//
// Who builds a kernel defines the macros that say what is fixed then: PB_G0, PB_G1, PB_G2, PB_C0, PB_C1, PB_WIDE and PB_WARP.
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
  std::string barrier() const override;
  std::string shuffle(const std::string &type, const std::string &name, const std::string &value,
                      const std::string &lanes, bool isBefore) const override;
  std::string vote(const std::string &name, const std::string &condition) const override;
  std::string copy(const std::string &to, const std::string &from, bool isWide) const override;
  std::string together(const std::string &type, const std::string &to, const std::string &from,
                       Move) const override;
  std::string partial(Scalar, const std::string &place) const override;
  std::string localArray(const std::string &type, const std::string &name,
                         const std::string &extent) const override;
};

} // namespace pbc::emit
