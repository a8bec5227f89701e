// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/write_file.h"

#include "runtime/base/pending_files.h"
#include "runtime/base/read_file.h"
#include "tuner/space/program_space.h"

#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>

namespace pbc::tuner {

std::string textOf(const std::string &path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored) || std::filesystem::is_directory(path, ignored))
    return "";
  pb::base::FileText file = pb::base::readFile(path, 256UL << 20);
  if (!file.text)
    throw TunerError(fmt::format("{}: cannot be read: {}", path, file.why));
  return std::move(*file.text);
}

std::string versionOf(const std::string &path) {
  struct stat file{};
  if (stat(path.c_str(), &file) != 0)
    return "";
  return fmt::format("{}:{}:{}:{}.{}", file.st_dev, file.st_ino, file.st_size, file.st_mtim.tv_sec,
                     file.st_mtim.tv_nsec);
}

void writeAtomically(const std::string &path, const std::string &text, bool isProgram) {
  using pb::base::PendingFiles;
  try {
    pb::base::writeWhole(path, text, isProgram ? PendingFiles::Kind::Program : PendingFiles::Kind::Data);
  } catch (const pb::base::CannotWrite &problem) {
    throw TunerError(problem.what());
  }
}

} // namespace pbc::tuner
