// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The bytes of an input: a file mapped into memory, or everything that standard input has.
//
//   FileBytes f = FileBytes::open("photo.png");   f.bytes().size()
//   FileBytes f = FileBytes::open("-");           // standard input, once
//
// Invariant: opening a regular file takes no memory, so a reader can compare what a header claims with the
// file's size before anything is allocated.
#pragma once
#include "runtime/base/read_file.h"
#include <span>
#include <string>

namespace pb::matrix {

class FileBytes {
public:
  /// Throws base::UserError if there is no such file, it is a folder, permission is missing, it is a pipe to
  /// which no process writes, or it is not a regular file (a pipe or a device, which may have no end) and longer
  /// than a quarter of the memory. If the beginning of a stream shows that it is of no use, the rest is not read.
  static FileBytes open(const std::string &name, const base::IsOfUse &isOfUse = nullptr);
  FileBytes(FileBytes &&) noexcept;
  FileBytes &operator=(FileBytes &&) = delete;
  ~FileBytes();

  std::span<const unsigned char> bytes() const { return bytes_; }

private:
  FileBytes() = default;
  void look();
  std::span<const unsigned char> bytes_;
  std::string read_; // for pipes
  void *mapping_ = nullptr;
  unsigned long mapped_ = 0;
};

} // namespace pb::matrix
