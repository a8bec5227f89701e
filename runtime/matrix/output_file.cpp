// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/base/errors.h"
#include "runtime/matrix/image.h"
#include "runtime/matrix/writing.h"
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace pb::matrix {
namespace {

[[noreturn]] void fail(const std::string &name, const std::string &what, int error) {
  throw base::UserError((name == "-" ? "standard output" : name) + ": " + what + ": " + std::strerror(error));
}

std::string folderOf(const std::string &path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

std::string resolved(const std::string &path) {
  char *real = realpath(path.c_str(), nullptr);
  if (!real)
    return "";
  std::string text = real;
  std::free(real);
  return text;
}

bool writeAll(int fd, const void *data, unsigned long n) {
  const char *at = static_cast<const char *>(data);
  while (n) {
    const long written = ::write(fd, at, n);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return false;
    at += written, n -= static_cast<unsigned long>(written);
  }
  return true;
}

} // namespace

OutputFile::Format OutputFile::formatOf(const std::string &name) {
  if (name == "/dev/null")
    return Format::None;
  const size_t dot = name.rfind('.');
  std::string extension = dot == name.npos ? "" : name.substr(dot);
  for (char &c : extension)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (extension == ".npy")
    return Format::Npy;
  if (extension == ".png")
    return Format::Png;
  if (extension == ".pgm" || extension == ".ppm" || extension == ".pnm")
    return Format::Pnm;
  return Format::Text;
}

OutputFile::OutputFile(std::string name, const Extents &extents, std::string declared)
    : name_(std::move(name)), declared_(std::move(declared)), format_(formatOf(name_)) {
  if (format_ == Format::Png || format_ == Format::Pnm) {
    const ImageShape s = imageShape(name_, extents, declared_);
    if (s.channels == 3 && name_.size() > 4 && strcasecmp(name_.c_str() + name_.size() - 4, ".pgm") == 0)
      refuse(name_, "a .pgm file holds grey values only, the matrix " + print(extents) +
                        " has colours (use .ppm or .png)");
    if (format_ == Format::Png && (s.width > 1 << 24 || s.height > 1 << 24))
      refuse(name_, "a PNG image is at most 16777216 wide and high, the matrix is " + print(extents));
  }
  if (format_ != Format::None && name_ != "-")
    checkTarget();
}

void OutputFile::checkTarget() {
  struct stat s{};
  const bool exists = stat(name_.c_str(), &s) == 0;
  if (!exists && errno != ENOENT)
    fail(name_, "cannot be written", errno);
  if (exists && S_ISDIR(s.st_mode))
    throw base::UserError(name_ + ": is a folder, expected a file to write");
  if (exists && access(name_.c_str(), W_OK))
    fail(name_, "cannot be written", errno);
  target_ = exists ? resolved(name_) : base::targetOf(name_);
  const std::string folder = exists ? folderOf(target_) : resolved(folderOf(target_));
  if (folder.empty())
    fail(name_, "cannot be written: the folder " + folderOf(target_), errno);
  if (!exists)
    target_ = folder + "/" + target_.substr(target_.rfind('/') + 1); // npos + 1 is 0
  if (!exists && access(folder.c_str(), W_OK | X_OK) != 0)
    fail(name_, "cannot be written: the folder " + folder, errno);
}

void OutputFile::write(const Matrix &m, base::PendingFiles &files) const {
  if (skipped())
    return;
  std::string head;
  switch (format_) {
  case Format::Npy:
    head = npyHeader(m);
    break;
  case Format::Png:
    head = encodePng(name_, m, declared_);
    break;
  case Format::Pnm:
    head = encodePnm(name_, m, declared_);
    break;
  default:
    head = encodeText(m);
  }
  const unsigned long elementBytes = format_ == Format::Npy ? static_cast<unsigned long>(m.bytes()) : 0;
  if (isStandardOutput()) {
    if (!writeAll(1, head.data(), head.size()))
      fail(name_, "cannot be written", errno);
    return;
  }
  files.add(name_, {head, {static_cast<const char *>(m.data()), elementBytes}});
}

void OutputFile::write(const Matrix &m) const {
  base::PendingFiles files;
  write(m, files);
  files.commit();
}

} // namespace pb::matrix
