// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/dialect/cxx.h"
#include <fmt/format.h>

namespace pbc::emit {

std::string Cxx::helper(Helper h) const {
  switch (h) {
  case Helper::Minimum:
    return "pb::minimum";
  case Helper::Maximum:
    return "pb::maximum";
  case Helper::FloorDivide:
    return "pb::floordiv";
  case Helper::CellsToLine:
    return "pb::cellsToLine";
  case Helper::CellsIntoBlock:
    return "pb::cellsIntoBlock";
  }
  return "";
}

std::string Cxx::infinity(Scalar s) const {
  return s == Scalar::F32 ? "__builtin_inff()" : "__builtin_inf()";
}

std::string Cxx::function(const loop::Function &f) const {
  return f.hasVectors ? "pb_vector_" + f.name : f.name;
}

std::string vectorDeclaration(const loop::Function &f) {
  const std::string type = body::cxxType(f.type);
  return fmt::format("{0} pb_vector_{1}({0}{2})", type, f.name, f.operands.size() == 2 ? ", " + type : "");
}

Dialect::ViewText Cxx::view(std::size_t number, const loop::Call::View &v, Scalar element,
                            const std::string &first, const std::vector<std::string> &strides,
                            const std::vector<std::string> &extents) const {
  std::string casts;
  for (const std::string &e : extents)
    casts += (casts.empty() ? "(int)" : ", (int)") + e;
  const auto all = [](const std::string &list) { return list.empty() ? std::string("0") : list; };
  return {{fmt::format("const long strides{}[] = {{{}}};", number,
                       all(fmt::format("{}", fmt::join(strides, ", ")))),
           fmt::format("const int extents{}[] = {{{}}};", number, all(casts))},
          fmt::format("pb::Region<{0}{1}, {2}>(&{3}, strides{4}, extents{4})", v.isOutput ? "" : "const ",
                      type(element), v.dimensions.size(), first, number)};
}

std::string Cxx::streamed(const std::string &to, const std::string &from, long cells) const {
  return fmt::format("pb::storeBlock<{}>(&{}, {})", cells, to, from);
}

std::string Cxx::hint(const loop::Hint &h) const {
  using loop::Hint;
  std::string text;
  const auto add = [&](const std::string &clause) { text += " " + clause; };
  const bool isVector = h.vectors == Hint::Vectors::Always;
  if (h.vectors == Hint::Vectors::Never)
    add("vectorize(disable)");
  if (h.unrolling == Hint::Unrolling::Never)
    add("unroll(disable)");
  if (h.unrolling == Hint::Unrolling::Fully)
    add("unroll(full)");
  if (isVector)
    add("vectorize(assume_safety)");
  if (h.width)
    add("vectorize_width(" + std::to_string(h.width) + ")");
  if (h.interleave)
    add("interleave_count(" + std::to_string(h.interleave) + ")");
  return text.empty() ? "" : "#pragma clang loop" + text + "\n";
}

std::string Cxx::parameter(const Parameter &p) const {
  return std::string(p.isConstant ? "const " : "") + (p.type ? type(*p.type) : index()) +
         (!p.isPointer ? " "
          : p.isAlone  ? restricted()
                       : " *") +
         p.name;
}

std::string Cxx::signature(const Signature &s) const { return s.name + "(" + parameters(s) + ")"; }

} // namespace pbc::emit
