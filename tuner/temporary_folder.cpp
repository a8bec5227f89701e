// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/temporary_folder.h"

#include "tuner/space/program_space.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>

namespace pbc::tuner {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::error_code problem;
  std::string pattern = (fs::temp_directory_path(problem) / "pbc-tune-XXXXXX").string();
  if (problem || !mkdtemp(pattern.data()))
    throw TunerError(fmt::format("cannot make a temporary folder: {}",
                                 problem ? problem.message() : std::strerror(errno)));
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

} // namespace pbc::tuner
