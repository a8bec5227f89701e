// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads the text of a file that the user has named, which may also be a folder, a pipe or a device without an
// end.
//
//   const FileText f = readFile("prog.cfg", 64 << 20);
//   if (!f.text) complain(f.why);            // "it is larger than 64 MiB", "No such file or directory"
//
// Invariants: reading ends when `most` bytes were read; it waits for data from a process that writes into a
// pipe, but not for a process that might open the pipe later.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace pb::base {

struct FileText {
  std::optional<std::string> text;
  std::string why; // if there is no text
};

/// The largest source file, configuration and other file of text that is read.
constexpr unsigned long kMostText = 64ul << 20;

FileText readFile(const std::string &path, unsigned long most = kMostText);

/// Whether the rest of a stream is of use, given its beginning (4096 bytes, or all of a shorter stream).
using IsOfUse = std::function<bool(std::string_view begin)>;

/// Reads the rest of an open file, whose descriptor may be non-blocking. If `isOfUse` returns false, the text
/// ends there.
FileText readDescriptor(int descriptor, unsigned long most, const IsOfUse &isOfUse = nullptr);

/// How long a pipe may have no process at its other end, in milliseconds, and how often that is looked at: a
/// process that a shell has started may need a moment.
constexpr int kPipePatience = 2000, kPipeStep = 20;

/// Opens a file for reading without waiting for the other end of a pipe. Fails as open() does: -1 and errno.
int openWithoutWaiting(const std::string &path);

/// "64 MiB", "3 bytes"
std::string sizeText(unsigned long bytes);

} // namespace pb::base
