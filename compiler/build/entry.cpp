// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/build/entry.h"

#include <cstdint>

namespace pbc::build {
void appendPart(std::string &entry, std::string_view part) {
  const std::uint64_t size = part.size();
  entry.append(reinterpret_cast<const char *>(&size), sizeof size).append(part);
}

std::optional<std::string_view> takePart(std::string_view &rest) {
  std::uint64_t size = 0;
  if (rest.size() < sizeof size)
    return std::nullopt;
  rest.copy(reinterpret_cast<char *>(&size), sizeof size);
  rest.remove_prefix(sizeof size);
  if (rest.size() < size)
    return std::nullopt;
  const std::string_view part = rest.substr(0, size);
  rest.remove_prefix(size);
  return part;
}

} // namespace pbc::build
