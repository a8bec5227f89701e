// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/source/installed.h"
#include <cstdlib>
#include <filesystem>

namespace pbc::source {

std::string installedFolder(const char *variable, const char *name) {
  std::filesystem::path folder;
  std::error_code failed;
  if (const char *named = std::getenv(variable); named && *named)
    folder = named;
  else
    folder = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path().parent_path() / "share" /
             "pbc" / name;
  return std::filesystem::is_directory(folder, failed) ? folder.lexically_normal().string() : "";
}

} // namespace pbc::source
