// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/matrix/file_bytes.h"
#include "runtime/base/errors.h"
#include "runtime/base/machine.h"
#include <cerrno>
#include <cstring>
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

FileBytes FileBytes::open(const std::string &name, const base::IsOfUse &isOfUse) {
  FileBytes file;
  const Descriptor d{name == "-" ? 0 : base::openWithoutWaiting(name), name != "-"};
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
  // A quarter of the memory, because the matrix needs as much again, and other processes need memory, too.
  const long memory = base::memoryOfMachine();
  base::FileText all =
      base::readDescriptor(d.fd, memory > 0 ? static_cast<unsigned long>(memory) / 4 : ~0ul - 1, isOfUse);
  if (!all.text)
    throw base::UserError((name == "-" ? "standard input" : name) + ": cannot read the input: " + all.why);
  file.read_ = std::move(*all.text);
  file.look();
  return file;
}

void FileBytes::look() { bytes_ = {reinterpret_cast<const unsigned char *>(read_.data()), read_.size()}; }

FileBytes::FileBytes(FileBytes &&o) noexcept
    : bytes_(o.bytes_), read_(std::move(o.read_)), mapping_(std::exchange(o.mapping_, nullptr)),
      mapped_(o.mapped_) {
  if (!mapping_)
    look();
}

FileBytes::~FileBytes() {
  if (mapping_)
    munmap(mapping_, mapped_);
}

} // namespace pb::matrix
