// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The dialect of devices (runtime/device/dialect.h), which is OpenCL C, CUDA C++ or the host's C++ by its macros.
//
//   pb_minimum(low0 + 1, n_v)    (double)INFINITY    PB_BARRIER();    R0_body(A_p[low0], &B_p[low0], B_s0, (int)n_v)
#pragma once
#include "compiler/emit/dialect/dialect.h"

namespace pbc::emit {

class DeviceC : public Dialect {
public:
  std::string index() const override { return "PB_INDEX"; } // 32 or 64 bits, chosen at the launch
  std::string helper(Helper) const override;
  std::string restricted() const override { return " *"; }
  std::string infinity(Scalar) const override;
  std::string function(const loop::Function &) const override;
  std::string divisionByNumber() const override { return "PB_DIVIDE"; }
  std::string coordinate(const std::string &value) const override { return "(int)" + value; }
  ViewText view(std::size_t number, const loop::Call::View &, Scalar element, const std::string &first,
                const std::vector<std::string> &strides,
                const std::vector<std::string> &extents) const override;
  std::string hint(const loop::Hint &) const override;
  std::string parameter(const Parameter &) const override;
  std::string signature(const Signature &) const override;
  std::string prologue() const override;
  std::string begin() const override { return "  PB_BEGIN\n"; }
  std::string end() const override { return "  PB_END\n"; }
  std::string registers(const std::string &count, GroupsAtOnce) const override;
  std::string moved(const std::string &pointer, const std::string &offset) const override {
    return "PB_PLACE(" + pointer + ", " + offset + ")";
  }
  std::string firstStride(const std::string &argument) const override { return "PB_FIRST(" + argument + ")"; }
  bool hasBodies() const override { return true; }
  std::string itemId(loop::Parallel::Over, int axis) const override;
  std::string barrier() const override { return "PB_BARRIER()"; }
  std::string shuffle(const std::string &type, const std::string &name, const std::string &value,
                      const std::string &lanes, bool isBefore) const override {
    return std::string(isBefore ? "PB_SHUFFLE_BEFORE(" : "PB_SHUFFLE(") + type + ", " + name + ", " + value +
           ", " + lanes + ")";
  }
  std::string vote(const std::string &name, const std::string &condition) const override {
    return "PB_VOTE(" + name + ", " + condition + ")";
  }
  std::string endOfCopies() const override { return "PB_COPIED()"; }
  std::string copy(const std::string &to, const std::string &from, bool isWide) const override {
    return (isWide ? "PB_COPY_16(" : "PB_COPY(") + to + ", " + from + ")";
  }
  std::string together(const std::string &type, const std::string &to, const std::string &from,
                       Move move) const override {
    constexpr const char *kMoves[] = {"PB_LOAD_16(", "PB_LOAD_LOCAL_16(", "PB_STORE_16("};
    return kMoves[static_cast<int>(move)] + type + ", " + to + ", " + from + ")";
  }
  std::string partial(Scalar, const std::string &place) const override;
  std::string localArrays() const override { return "  PB_LOCAL_ARRAYS\n"; }
  std::string localArray(const std::string &type, const std::string &name,
                         const std::string &extent) const override;
};

} // namespace pbc::emit
