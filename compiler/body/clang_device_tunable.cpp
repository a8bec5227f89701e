// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tunables that are arrays: their elements are arguments of a kernel. If the body uses only constant indices,
// these elements are passed one by one; if it computes an index, all elements are passed and put together as
// an array of the work-item.
#include "compiler/body/clang_device_printer.h"
#include <fmt/format.h>

namespace pbc::body {

using namespace clang;

namespace {

// CUDA takes 4 KiB of arguments, and OpenCL 1.2 guarantees 1 KiB.
constexpr int kMostElements = 64;

bool isReal(const Parameter &array) { return array.type == "const pb::FloatArray"; }

} // namespace

std::string elementName(const std::string &array, int element) {
  return fmt::format("pb_{}_{}", array, element);
}

/// An index out of range ends a program on the processor. That is impossible on a device, so the nearest
/// index is used there.
std::string DevicePrinter::element(const CXXOperatorCallExpr *c) {
  const Name &name = *nameOf(c->getArg(0));
  const Parameter &array = rule_.parameters[static_cast<std::size_t>(name.parameter)];
  Elements &elements = elements_[name.parameter];
  used_[static_cast<std::size_t>(name.parameter)] = true;
  if (Expr::EvalResult known; c->getArg(1)->EvaluateAsInt(known, context_)) {
    const long k = known.Val.getInt().getExtValue();
    if (k < 0 || k >= array.length)
      refuse(c, fmt::format("`{}` has no element {}", array.name, k));
    elements.read.insert(static_cast<int>(k));
    return fmt::format("{}_{}", name.text, k);
  }
  if (array.length > kMostElements)
    refuse(c, fmt::format("`{}` has {} elements, and devices take {} of an array", array.name, array.length,
                          kMostElements));
  for (int k = 0; k < array.length; ++k)
    elements.read.insert(k);
  elements.anywhere = true;
  return fmt::format("{}[pb_minimum(pb_maximum({}, 0), {})]", name.text, value(c->getArg(1)),
                     array.length - 1);
}

std::string DevicePrinter::elementParameters(const std::string &name, std::size_t parameter) const {
  std::string list;
  for (const int k : elements_.at(static_cast<int>(parameter)).read)
    list += fmt::format("{}{} {}_{}", list.empty() ? "" : ", ",
                        isReal(rule_.parameters[parameter]) ? "double" : "int", name, k);
  return list;
}

/// The definitions at the beginning of the rule's function.
std::string DevicePrinter::arrays() const {
  std::string text;
  for (const auto &[declaration, name] : frame_.names) {
    if (name.kind != Name::Kind::Array || !used_[static_cast<std::size_t>(name.parameter)] ||
        !elements_.at(name.parameter).anywhere)
      continue;
    const Parameter &array = rule_.parameters[static_cast<std::size_t>(name.parameter)];
    std::string all;
    for (int k = 0; k < array.length; ++k)
      all += fmt::format("{}{}_{}", k ? ", " : "", name.text, k);
    text += fmt::format("  const {} {}[{}] = {{{}}};\n", isReal(array) ? "double" : "int", name.text,
                        array.length, all);
  }
  return text;
}

} // namespace pbc::body
