// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/write_file.h"

#include "tuner/space/program_space.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace pbc::tuner {

std::string textOf(const std::string &path) {
  constexpr std::size_t kMost = 256UL << 20, kPart = 1UL << 16;
  std::ifstream file(path, std::ios::binary);
  std::string text, part(kPart, '\0');
  while (file.read(part.data(), kPart) || file.gcount() > 0) {
    text.append(part, 0, static_cast<std::size_t>(file.gcount()));
    if (text.size() > kMost)
      throw TunerError(fmt::format("{}: is longer than {} MB: nothing of ours", path, kMost >> 20));
  }
  return text;
}

std::string versionOf(const std::string &path) {
  struct stat file{};
  if (stat(path.c_str(), &file) != 0)
    return "";
  return fmt::format("{}:{}:{}:{}.{}", file.st_dev, file.st_ino, file.st_size, file.st_mtim.tv_sec,
                     file.st_mtim.tv_nsec);
}

namespace {

[[noreturn]] void cannotWrite(const std::string &path, int error) {
  throw TunerError(fmt::format("{}: cannot be written: {}", path, std::strerror(error)));
}

void writeInto(const std::string &path, const std::string &text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file)
    cannotWrite(path, errno);
}

} // namespace

void writeAtomically(const std::string &path, const std::string &text, bool isProgram) {
  struct stat old{};
  const bool exists = stat(path.c_str(), &old) == 0;
  if (exists && !S_ISREG(old.st_mode) && !S_ISDIR(old.st_mode))
    return writeInto(path, text); // a pipe or a terminal is written to, not replaced
  std::error_code noLink;
  const std::filesystem::path followed = std::filesystem::canonical(path, noLink);
  const std::string target = noLink ? path : followed.string();
  const std::string temporary = fmt::format("{}.{}.tmp", target, getpid());
  std::ofstream file(temporary, std::ios::binary);
  file << text;
  file.close();
  if (isProgram || exists)
    chmod(temporary.c_str(), isProgram ? 0755 : old.st_mode & 07777);
  if (!file || std::rename(temporary.c_str(), target.c_str()) != 0) {
    const int error = errno;
    std::remove(temporary.c_str());
    cannotWrite(path, error);
  }
}

} // namespace pbc::tuner
