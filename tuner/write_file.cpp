#include "tuner/write_file.h"

#include "tuner/space/program_space.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace pbc::tuner {

std::string textOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  if (file)
    text << file.rdbuf();
  return text.str();
}

void writeAtomically(const std::string &path, const std::string &text, bool isProgram) {
  const std::string temporary = fmt::format("{}.{}.tmp", path, getpid());
  std::ofstream file(temporary, std::ios::binary);
  file << text;
  file.close();
  if (isProgram)
    chmod(temporary.c_str(), 0755);
  if (!file || std::rename(temporary.c_str(), path.c_str()) != 0) {
    const std::string why = std::strerror(errno);
    std::remove(temporary.c_str());
    throw TunerError(fmt::format("{}: cannot be written: {}", path, why));
  }
}

} // namespace pbc::tuner
