// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/build/entry.h"
#include "compiler/build/cache.h"

#include <fstream>
#include <iterator>

namespace pbc::build {
namespace {

std::optional<std::string> fileText(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  if (!in)
    return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

} // namespace

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

void appendFiles(std::string &entry, const std::vector<std::string> &paths) {
  for (const std::string &path : paths) {
    appendPart(entry, path);
    appendPart(entry, contentHash(fileText(path).value_or("")));
  }
}

std::optional<std::vector<std::string>> takeUnchangedFiles(std::string_view rest) {
  std::vector<std::string> paths;
  while (!rest.empty()) {
    const auto path = takePart(rest), hash = takePart(rest);
    if (!path || !hash)
      return std::nullopt;
    const auto text = fileText(std::string(*path));
    if (!text || contentHash(*text) != *hash)
      return std::nullopt;
    paths.emplace_back(*path);
  }
  return paths;
}

} // namespace pbc::build
