// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/build/system_packages.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace pbc::build {
namespace {

struct Provided {
  std::string_view argument, package;
};

constexpr std::array<Provided, 17> kProvided = {{
    {"Scrt1.o", "libc6-dev"},
    {"crt1.o", "libc6-dev"},
    {"crti.o", "libc6-dev"},
    {"crtn.o", "libc6-dev"},
    {"-lc", "libc6-dev"},
    {"-lm", "libc6-dev"},
    {"-lpthread", "libc6-dev"},
    {"-ldl", "libc6-dev"},
    {"crtbegin.o", "libgcc-12-dev"},
    {"crtbeginS.o", "libgcc-12-dev"},
    {"crtend.o", "libgcc-12-dev"},
    {"crtendS.o", "libgcc-12-dev"},
    {"-lgcc", "libgcc-12-dev"},
    {"-lgcc_s", "libgcc-12-dev"},
    {"-lstdc++", "libstdc++-12-dev"},
    {"-lpng", "libpng-dev"},
    {"-lz", "zlib1g-dev"},
}};

bool exists(const std::filesystem::path &path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

bool isFound(const std::string &argument, const std::vector<std::string> &folders) {
  if (!argument.starts_with("-l"))
    return exists(argument);
  return std::any_of(folders.begin(), folders.end(), [&](const std::string &folder) {
    const std::string stem = folder + "/lib" + argument.substr(2);
    return exists(stem + ".so") || exists(stem + ".a");
  });
}

} // namespace

std::vector<std::string> missingPackages(const std::vector<std::string> &line) {
  std::vector<std::string> folders, packages;
  for (const std::string &argument : line)
    if (argument.starts_with("-L") && argument.size() > 2)
      folders.push_back(argument.substr(2));
  for (const std::string &argument : line) {
    const auto *known = std::find_if(kProvided.begin(), kProvided.end(),
                                     [&](const Provided &provided) { return provided.argument == argument; });
    if (known != kProvided.end() && !isFound(argument, folders) &&
        std::find(packages.begin(), packages.end(), known->package) == packages.end())
      packages.emplace_back(known->package);
  }
  return packages;
}

} // namespace pbc::build
