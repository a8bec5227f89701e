// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds machines' files: those that come with pbc are installed beside it, like the standard library.
#include "compiler/model/machine/machine_file.h"
#include "compiler/source/installed.h"

#include "runtime/base/closest.h"
#include "runtime/base/read_file.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace pbc::model {
namespace {

std::filesystem::path machineFolder() { return source::installedFolder("PBC_MACHINES", "machines"); }

std::string textOfFile(const std::string &path) {
  std::error_code failed;
  pb::base::FileText file = pb::base::readFile(path);
  if (!file.text)
    throw Problem(fmt::format("the machine's file {} cannot be read", path),
                  std::filesystem::exists(path, failed) ? file.why : "there is no such file");
  return std::move(*file.text);
}

} // namespace

std::vector<std::string> machineNames() {
  std::vector<std::string> names;
  std::error_code failed;
  for (const auto &entry : std::filesystem::directory_iterator(machineFolder(), failed))
    if (entry.path().extension() == ".toml")
      names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

Machine findMachine(const std::string &nameOrPath) {
  if (nameOrPath.find('/') != std::string::npos || nameOrPath.ends_with(".toml"))
    return readMachine(textOfFile(nameOrPath), nameOrPath);
  const std::vector<std::string> names = machineNames();
  if (std::ranges::find(names, nameOrPath) == names.end())
    throw Problem(
        fmt::format("no machine is named '{}'{}", nameOrPath, pb::base::didYouMean(nameOrPath, names)),
        names.empty()
            ? "pbc's folder of machines is not there; PBC_MACHINES can name it"
            : fmt::format("known: {}; or the path of a file that ends in .toml", pb::base::listed(names)));
  const std::string path = (machineFolder() / (nameOrPath + ".toml")).string();
  return readMachine(textOfFile(path), path);
}

} // namespace pbc::model
