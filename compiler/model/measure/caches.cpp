// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/measure/caches.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace pbc::model {
namespace {

std::string wordOf(const std::filesystem::path &file) {
  std::ifstream in(file);
  std::string word;
  in >> word;
  return word;
}

/// Reads "48K", "32M"; 0 for other text.
double bytesOf(const std::string &text) {
  char *end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const double unit = *end == 'K' ? 1024 : *end == 'M' ? 1024 * 1024 : *end == 'G' ? 1024.0 * 1024 * 1024 : 1;
  return number > 0 ? number * unit : 0;
}

} // namespace

std::vector<Cache> cachesOf(const std::string &folder) {
  std::vector<Cache> caches;
  for (int i = 0;; ++i) {
    const std::filesystem::path cache =
        std::filesystem::path(folder) / "cache" / ("index" + std::to_string(i));
    const std::string level = wordOf(cache / "level"), type = wordOf(cache / "type");
    if (level.empty())
      break;
    const double bytes = bytesOf(wordOf(cache / "size"));
    if (type == "Instruction" || bytes == 0)
      continue;
    // A cache is a core's own if the list of processors that share it is one number.
    const bool isShared = wordOf(cache / "shared_cpu_list").find_first_of(",-") != std::string::npos;
    caches.push_back({"L" + level, bytes, isShared ? Scope::Machine : Scope::Unit});
  }
  std::ranges::stable_sort(caches, {}, &Cache::name);
  return caches;
}

} // namespace pbc::model
