// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/base/read_file.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pb::base {
namespace {

struct Closer {
  int descriptor;
  ~Closer() { close(descriptor); }
};

} // namespace

std::string sizeText(unsigned long bytes) {
  const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  for (; unit < 4 && bytes >= 1024 && bytes % 1024 == 0; ++unit)
    bytes /= 1024;
  for (; unit < 4 && bytes >= 10240; ++unit)
    bytes /= 1024;
  return std::to_string(bytes) + " " + units[unit];
}

int openWithoutWaiting(const std::string &path) {
  return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

FileText readDescriptor(int descriptor, unsigned long most, const IsOfUse &isOfUse) {
  struct stat status{};
  const bool isPipe = fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode);
  std::string text;
  bool isAsked = false;
  int waited = 0;
  for (unsigned long used = 0;;) {
    // One byte more than is allowed, so that the end of a file of exactly this length is found.
    const unsigned long room = std::min(most + 1 - used, std::max(used / 2, 1ul << 16));
    text.resize(used + room);
    const long n = read(descriptor, text.data() + used, room);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) { // a process has the pipe open for writing
      pollfd ready{descriptor, POLLIN, 0};
      poll(&ready, 1, -1);
      continue;
    }
    if (n < 0)
      return {std::nullopt, std::strerror(errno)};
    if (n == 0 && used == 0 && isPipe && (fcntl(descriptor, F_GETFL) & O_NONBLOCK) &&
        waited < kPipePatience) {
      pollfd none{-1, 0, 0};
      poll(&none, 1, kPipeStep);
      waited += kPipeStep;
      continue;
    }
    if (n == 0 && used == 0 && waited >= kPipePatience)
      return {std::nullopt, "it is a pipe that no process writes to"};
    used += static_cast<unsigned long>(n);
    if (used > most)
      return {std::nullopt, "it is larger than " + sizeText(most)};
    const bool isEnough = n == 0 || used >= 4096;
    if (n == 0 || (isOfUse && isEnough && !isAsked && !isOfUse(std::string_view(text).substr(0, used)))) {
      text.resize(used);
      return {std::move(text), ""};
    }
    isAsked |= isEnough;
  }
}

FileText readFile(const std::string &path, unsigned long most) {
  const int descriptor = openWithoutWaiting(path);
  if (descriptor < 0)
    return {std::nullopt, std::strerror(errno)};
  const Closer closer{descriptor};
  struct stat status{};
  if (fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode))
    return {std::nullopt, "it is a folder"};
  if (S_ISREG(status.st_mode) && status.st_size > 0 && static_cast<unsigned long>(status.st_size) > most)
    return {std::nullopt, "it is larger than " + sizeText(most)};
  return readDescriptor(descriptor, most);
}

} // namespace pb::base
