// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/dialect/device_c.h"
#include <fmt/format.h>
#include <stdexcept>

namespace pbc::emit {

std::string DeviceC::helper(Helper h) const {
  switch (h) {
  case Helper::Minimum:
    return "pb_minimum";
  case Helper::Maximum:
    return "pb_maximum";
  case Helper::FloorDivide:
    return "pb_floordiv";
  case Helper::CellsToLine:
  case Helper::CellsIntoBlock:
    break;
  }
  throw std::logic_error(
      "devices have no tiles in time that begin at lines of a cache, and no stores past the caches");
}

std::string DeviceC::infinity(Scalar s) const { return s == Scalar::F32 ? "INFINITY" : "(double)INFINITY"; }

std::string DeviceC::function(const loop::Function &f) const {
  return f.name.starts_with("pb::") ? "pb_" + f.name.substr(4) : f.name;
}

Dialect::ViewText DeviceC::view(std::size_t, const loop::Call::View &, Scalar, const std::string &first,
                                const std::vector<std::string> &strides,
                                const std::vector<std::string> &extents) const {
  ViewText text{{}, "&" + first};
  for (const std::string &s : strides)
    text.argument += ", " + s;
  for (const std::string &e : extents)
    text.argument += ", (int)" + e;
  return text;
}

std::string DeviceC::parameter(const Parameter &p) const {
  return fmt::format("{}{}{}{}{}", p.isPointer ? "PB_GLOBAL " : "", p.isConstant ? "const " : "",
                     p.type ? type(*p.type) : index(), p.isPointer ? " *" : " ", p.name);
}

std::string DeviceC::hint(const loop::Hint &h) const {
  switch (h.unrolling) {
  case loop::Hint::Unrolling::Fully:
    return "#pragma unroll\n";
  case loop::Hint::Unrolling::Never:
    return "#pragma unroll 1\n";
  default:
    return "";
  }
}

std::string DeviceC::signature(const Signature &s) const {
  return fmt::format("PB_KERNEL({})({})", s.name, parameters(s));
}

std::string DeviceC::prologue() const {
  return "#ifdef PB_UNIT\n#define PB_FIRST(stride) 1\n#else\n#define PB_FIRST(stride) (stride)\n#endif\n"
         "#ifndef PB_INDEX\n#define PB_INDEX long\n#endif\n#ifndef PB_WIDE\n#define PB_WIDE 0\n#endif\n";
}

std::string DeviceC::registers(const std::string &count, GroupsAtOnce groups) const {
  constexpr const char *kMacros[] = {"PB_GROUPS_OF", "PB_GROUPS_FILLING", "PB_GROUPS_KEEPING"};
  return fmt::format("#undef PB_LEAST_GROUPS\n#define PB_LEAST_GROUPS {}({})\n",
                     kMacros[static_cast<int>(groups)], count);
}

std::string DeviceC::itemId(loop::Parallel::Over over, int axis) const {
  switch (over) {
  case loop::Parallel::Over::Launch:
    return fmt::format("PB_ID({})", axis);
  case loop::Parallel::Over::Groups:
    return fmt::format("PB_GROUP_ID({})", axis);
  case loop::Parallel::Over::Items:
    return fmt::format("PB_LOCAL_ID({})", axis);
  case loop::Parallel::Over::InGroup:
    return "PB_LOCAL_INDEX";
  default:
    return Dialect::itemId(over, axis);
  }
}

std::string DeviceC::partial(Scalar s, const std::string &place) const {
  const bool isReal = s == Scalar::F64 || s == Scalar::F32;
  return isReal ? fmt::format("*(PB_GLOBAL {} *)(scratch + ({}))", type(s), place)
                : fmt::format("scratch[{}]", place);
}

std::string DeviceC::localArray(const std::string &type, const std::string &name,
                                const std::string &extent) const {
  return fmt::format("PB_LOCAL_ARRAY({}, {}, {})", type, name, extent);
}

} // namespace pbc::emit
