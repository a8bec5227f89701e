// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/library/library_call.h"
#include "runtime/matrix/element.h"
#include <algorithm>
#include <climits>

namespace pb::device {
namespace {

int fitting(long number, const char *name) {
  if (number > INT_MAX)
    throw DeviceError(Failure::Unsuitable,
                      std::string("`") + name + "` is too large for the library: " + std::to_string(number));
  return static_cast<int>(number);
}

ElementKind elementOf(const std::string &text) {
  const std::string name = text.substr(text.find(' ') + 1);
  for (const ElementKind kind : {ElementKind::F64, ElementKind::F32, ElementKind::I32, ElementKind::I64})
    if (name == matrix::name(kind))
      return kind;
  throw DeviceError(Failure::Build, "this program's runtime knows no entry " + text);
}

} // namespace

bool LibraryMatrix::isEmpty(int rank) const {
  return std::any_of(extent, extent + rank, [](long e) { return e <= 0; });
}

Columns columnsOf(const LibraryMatrix &m, const char *name) {
  const long width = m.extent[0], height = m.extent[1], x = m.stride[0], y = m.stride[1];
  Columns out{m.address, fitting(width, name), fitting(height, name), 0, false};
  if ((x == 1 || width <= 1) && (height <= 1 || y >= std::max(1L, width))) {
    out.step = fitting(std::max({y, width, 1L}), name);
    return out;
  }
  if ((y == 1 || height <= 1) && (width <= 1 || x >= std::max(1L, height))) {
    out.step = fitting(std::max({x, height, 1L}), name);
    out.isTransposed = true;
    return out;
  }
  throw DeviceError(Failure::Unsuitable, std::string("`") + name + "` is a view with strides of " +
                                             std::to_string(x) + " and " + std::to_string(y) +
                                             " numbers: the library needs one of them to be 1");
}

int stepOf(const LibraryMatrix &m, const char *name) {
  if (m.extent[0] > 1 && m.stride[0] < 1)
    throw DeviceError(Failure::Unsuitable, std::string("`") + name + "` is a vector with a stride of " +
                                               std::to_string(m.stride[0]) + ": the library needs 1 or more");
  fitting(m.extent[0], name);
  return fitting(std::max(1L, m.stride[0]), name);
}

bool liesAlike(const LibraryMatrix &a, const LibraryMatrix &b, int rank) {
  return a.address == b.address && std::equal(a.stride, a.stride + rank, b.stride);
}

LibraryCall::LibraryCall(const std::string &text)
    : entry(), element(elementOf(text)), isFloat(element == ElementKind::F32) {
  const LibraryEntry *found = findEntry(text.substr(0, text.find(' ')));
  if (!found)
    throw DeviceError(Failure::Build, "this program's runtime knows no entry " + text);
  entry = static_cast<Entry>(found - kLibraryEntries);
}

std::vector<LibraryMatrix>
LibraryCall::matrices(const std::vector<Argument> &arguments,
                      const std::function<unsigned long(Buffer &)> &addressOf) const {
  std::vector<LibraryMatrix> all;
  std::size_t at = 0;
  for (int k = 0; k < about().count; ++k) {
    LibraryMatrix m{.elementBytes = static_cast<int>(matrix::bytes(element))};
    Buffer &buffer = *arguments.at(at++).buffer;
    m.address = addressOf(buffer) + static_cast<unsigned long>(arguments.at(at++).value * m.elementBytes);
    for (int d = 0; d < about().parameters[k].rank(); ++d)
      m.stride[d] = arguments.at(at++).value;
    all.push_back(m);
  }
  for (int k = 0; k < about().count; ++k)
    for (int d = 0; d < about().parameters[k].rank(); ++d)
      all[static_cast<std::size_t>(k)].extent[d] = arguments.at(at++).value;
  return all;
}

} // namespace pb::device
