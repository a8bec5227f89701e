// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/dialect/metal.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pbc::emit {

// Metal has no double.
std::string Metal::type(Scalar s) const { return s == Scalar::F64 ? "float" : Dialect::type(s); }

std::string Metal::helper(Helper h) const {
  return h == Helper::Minimum ? "min" : h == Helper::Maximum ? "max" : "pb_floordiv";
}

std::string Metal::literal(const loop::Literal &l) const {
  return l.type == Scalar::F64 ? l.text + "f" : l.text;
}

/// Its functions are overloaded: sqrtf is sqrt.
std::string Metal::function(const loop::Function &f) const {
  return "metal::" + (f.name.ends_with('f') ? f.name.substr(0, f.name.size() - 1) : f.name);
}

Dialect::ViewText Metal::view(std::size_t, const loop::Call::View &, Scalar, const std::string &first,
                              const std::vector<std::string> &strides,
                              const std::vector<std::string> &extents) const {
  return {{}, fmt::format("&{}, {}, {}", first, fmt::join(strides, ", "), fmt::join(extents, ", "))};
}

std::string Metal::hint(const loop::Hint &h) const {
  return h.unrolling == loop::Hint::Unrolling::Fully ? "#pragma unroll\n" : "";
}

std::string Metal::parameter(const Parameter &p) const {
  const std::string name = p.type ? type(*p.type) : index();
  return p.isPointer ? fmt::format("device {}{} *{}", p.isConstant ? "const " : "", name, p.name)
                     : fmt::format("constant {} &{}", name, p.name);
}

std::string Metal::signature(const Signature &s) const {
  return fmt::format("kernel void {}({}, uint3 pb_group [[threadgroup_position_in_grid]], uint3 pb_item "
                     "[[thread_position_in_threadgroup]], uint3 pb_grid [[thread_position_in_grid]], uint "
                     "pb_slot [[thread_index_in_threadgroup]])",
                     s.name, parameters(s));
}

std::string Metal::itemId(loop::Parallel::Over over, int axis) const {
  switch (over) {
  case loop::Parallel::Over::Groups:
    return fmt::format("pb_group[{}]", axis);
  case loop::Parallel::Over::Launch:
    return fmt::format("pb_grid[{}]", axis);
  case loop::Parallel::Over::InGroup:
    return "pb_slot";
  case loop::Parallel::Over::Items:
    return fmt::format("pb_item[{}]", axis);
  default:
    return Dialect::itemId(over, axis);
  }
}

std::string Metal::barrier() const {
  return "threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device)";
}

std::string Metal::shuffle(const std::string &type, const std::string &name, const std::string &value,
                           const std::string &lanes, bool isBefore) const {
  return fmt::format("const {} {} = simd_shuffle_{}({}, ushort({}))", type, name, isBefore ? "up" : "down",
                     value, lanes);
}

std::string Metal::vote(const std::string &name, const std::string &condition) const {
  return fmt::format("const {} {} = simd_all({})", index(), name, condition);
}

std::string Metal::together(const std::string &type, const std::string &to, const std::string &from,
                            Move move) const {
  const std::string cells = fmt::format("array<{0}, 16 / sizeof({0})>", type);
  const char *at = move == Move::Load ? "device" : move == Move::Store ? "thread" : "threadgroup";
  return fmt::format("*({} {} *)&{} = *({} const {} *)&{}", move == Move::Store ? "device" : "thread", cells,
                     to, at, cells, from);
}

std::string Metal::copy(const std::string &to, const std::string &from, bool isWide) const {
  return isWide ? fmt::format("*(threadgroup uint4 *)&{} = *(device const uint4 *)&{}", to, from)
                : Dialect::copy(to, from, isWide);
}

std::string Metal::partial(Scalar s, const std::string &place) const {
  const bool isReal = s == Scalar::F64 || s == Scalar::F32;
  return isReal ? fmt::format("*(device {} *)(scratch + ({}))", type(s), place)
                : fmt::format("scratch[{}]", place);
}

std::string Metal::localArray(const std::string &type, const std::string &name,
                              const std::string &extent) const {
  return fmt::format("threadgroup {} {}[{}]", type, name, extent);
}

} // namespace pbc::emit
