// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/unit/loop/metal.h"
#include <fmt/format.h>
#include <stdexcept>

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
                     "[[thread_position_in_threadgroup]], uint3 pb_grid [[thread_position_in_grid]])",
                     s.name, parameters(s));
}

std::string Metal::itemId(loop::Parallel::Over over, int axis) const {
  const char *name = over == loop::Parallel::Over::Groups   ? "pb_group"
                     : over == loop::Parallel::Over::Launch ? "pb_grid"
                                                            : "pb_item";
  return fmt::format("{}[{}]", name, axis);
}

std::string Metal::localArray(const std::string &type, const std::string &name,
                              const std::string &extent) const {
  return fmt::format("threadgroup {} {}[{}]", type, name, extent);
}

} // namespace pbc::emit
