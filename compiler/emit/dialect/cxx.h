// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// C++ for the processor, with Clang's pragmas.
//
//   for c1 [vectors, 2 at once] ..   =>   #pragma clang loop vectorize(assume_safety) interleave_count(2)
//                                         for (long c1 = 0; c1 < n_v; c1 += 1) { .. }
#pragma once
#include "compiler/emit/dialect/dialect.h"

namespace pbc::emit {

class Cxx : public Dialect {
public:
  std::string helper(Helper) const override;
  std::string restricted() const override { return " *__restrict "; }
  std::string taskArray() const override { return "alignas(64) static thread_local "; }
  std::string sizedArray(const std::string &type, const std::string &name,
                         const std::string &extent) const override {
    return "const pb::ScratchArray<" + type + "> " + name + "(" + extent + ")";
  }
  std::string unused() const override { return "[[maybe_unused]] "; }
  std::string infinity(Scalar) const override;
  std::string eagerChoice(Scalar type) const override { return "pb::chosen<" + this->type(type) + ">"; }
  std::string function(const loop::Function &) const override;
  std::string frame() const override { return "f"; }
  std::string coordinate(const std::string &value) const override { return "(pb::IndexT)" + value; }
  ViewText view(std::size_t number, const loop::Call::View &, Scalar element, const std::string &first,
                const std::vector<std::string> &strides,
                const std::vector<std::string> &extents) const override;
  std::string streamed(const std::string &to, const std::string &from, long cells) const override;
  std::string hint(const loop::Hint &) const override;
  std::string parameter(const Parameter &) const override;
  std::string signature(const Signature &) const override;
};

/// The declaration of a function that has vector versions (build/vector_math.h): "double pb_vector_exp(double)".
std::string vectorDeclaration(const loop::Function &);

} // namespace pbc::emit
