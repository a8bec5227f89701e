// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/text_input.h"
#include "compiler/driver/problems.h"
#include "compiler/source/load.h"
#include <cstdio>
#include <fmt/format.h>
#include <vector>

namespace pbc::driver {
namespace {

std::string readStandardInput(const std::string &command) {
  std::string text;
  std::vector<char> part(1 << 16);
  while (const std::size_t n = std::fread(part.data(), 1, part.size(), stdin)) {
    text.append(part.data(), n);
    if (text.size() > source::SourceManager::kLargestFile)
      throw Refusal(command + ": error: standard input is larger than 64 MiB\n");
  }
  return text;
}

} // namespace

source::FileId loadText(source::SourceManager &sources, const std::string &path, const std::string &command) {
  if (path == "-")
    return sources.add("standard input", readStandardInput(command));
  std::string why;
  const std::optional<source::FileId> file = source::load(sources, path, &why);
  if (!file)
    throw Refusal(fmt::format("{}: error: cannot read {}: {}\n", command, path, why));
  return *file;
}

} // namespace pbc::driver
