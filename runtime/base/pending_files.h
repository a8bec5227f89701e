// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Files that are all written first and then all renamed to their final names.
//
//   PendingFiles files;
//   files.add("b.npy", {header, elements});   // into a new file of a random name in the same folder
//   files.add("c.npy", {header, elements});   // throws if the disk is full: neither b.npy nor c.npy changes
//   files.commit();                           // now both have their names
//
// Invariants: a regular file has its old content or the whole new one, no matter when the process ends. Files that
// were not committed are removed with the object, and also if SIGINT, SIGTERM or SIGHUP end the process
// meanwhile. A new file is created by the call that opens it (O_EXCL, O_NOFOLLOW), so no other process can
// put a link in its place.
#pragma once
#include "runtime/base/errors.h"
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace pb::base {

/// "NAME: cannot be written: No space left on device"
struct CannotWrite : UserError {
  CannotWrite(const std::string &name, std::string why);
  std::string name, why;
};

class PendingFiles {
public:
  enum class Kind { Data, Program }; // programs may be executed

  PendingFiles();
  PendingFiles(const PendingFiles &) = delete;
  PendingFiles &operator=(const PendingFiles &) = delete;
  /// Removes files that were not committed.
  ~PendingFiles();

  /// Writes the parts, one after the other. Links are followed and an existing file keeps its permissions. A
  /// pipe or device, and a file in a folder that may not be written to, are written at once; for a reader of a
  /// pipe it waits at most two seconds. Returns where the content is until commit(). Throws CannotWrite.
  std::string add(const std::string &path, std::initializer_list<std::string_view> parts,
                  Kind kind = Kind::Data);

  /// Renames all files; signals that end the process wait until that is done. Throws CannotWrite.
  void commit();

private:
  struct File {
    struct Entry *entry; // in the list of files that a signal removes
    std::string temporary, target, name;
  };
  std::vector<File> files_;
};

/// Where a file of this name is written: through links, also if nothing is there yet. If the links lead nowhere,
/// as in a circle, it is the name itself, and errno says why.
std::string targetOf(const std::string &path);

/// Writes one file completely or not at all.
void writeWhole(const std::string &path, std::string_view bytes,
                PendingFiles::Kind kind = PendingFiles::Kind::Data);

/// From now on signals are left alone: in a library they are for the program that calls it.
void leaveSignals();

/// Removes the files of this process that have no name yet. May be called from a signal handler, and by code
/// that ends the process without running destructors.
void removePendingFiles() noexcept;

} // namespace pb::base
