// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/matrix/file_bytes.h"
#include "runtime/base/errors.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace pb::matrix {
namespace {

struct Descriptor {
  int fd;
  bool owned;
  ~Descriptor() {
    if (owned && fd >= 0)
      close(fd);
  }
};

[[noreturn]] void fail(const std::string &name, const char *what, int error) {
  throw base::UserError(name + ": " + what + ": " + std::strerror(error));
}

} // namespace

FileBytes FileBytes::open(const std::string &name, unsigned long most) {
  FileBytes file;
  const Descriptor d{name == "-" ? 0 : ::open(name.c_str(), O_RDONLY | O_CLOEXEC), name != "-"};
  if (d.fd < 0)
    fail(name, "cannot open the file", errno);
  struct stat s{};
  if (fstat(d.fd, &s))
    fail(name, "cannot look at the file", errno);
  if (S_ISDIR(s.st_mode))
    throw base::UserError(name + ": is a folder, expected a file");
  if (S_ISREG(s.st_mode) && s.st_size > 0 && lseek(d.fd, 0, SEEK_CUR) == 0) {
    const auto size = static_cast<unsigned long>(s.st_size);
    void *at = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, d.fd, 0);
    if (at != MAP_FAILED) {
      madvise(at, size, MADV_SEQUENTIAL);
      file.mapping_ = at, file.mapped_ = size;
      file.bytes_ = {static_cast<const unsigned char *>(at), size};
      return file;
    }
  }
  for (unsigned long used = 0;;) {
    if (file.read_.size() < used + 65536)
      file.read_.resize(used + used / 2 + 65536);
    const long n = ::read(d.fd, file.read_.data() + used, file.read_.size() - used);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      fail(name, "cannot read the input", errno);
    if (n == 0) {
      file.read_.resize(used);
      break;
    }
    used += static_cast<unsigned long>(n);
    if (used > most)
      throw base::UserError(name + ": is longer than " + std::to_string(most) + " bytes");
  }
  file.bytes_ = file.read_;
  return file;
}

FileBytes::FileBytes(FileBytes &&o) noexcept
    : bytes_(o.bytes_), read_(std::move(o.read_)), mapping_(std::exchange(o.mapping_, nullptr)),
      mapped_(o.mapped_) {
  if (!mapping_)
    bytes_ = read_;
}

FileBytes::~FileBytes() {
  if (mapping_)
    munmap(mapping_, mapped_);
}

} // namespace pb::matrix
