// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A folder of our own that is gone with this.
//
//   TemporaryFolder folder;   writeAtomically(folder.path() + "/a.toml", text);
#pragma once
#include <string>

namespace pbc::tuner {

class TemporaryFolder {
public:
  /// Throws TunerError.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  const std::string &path() const { return path_; }

private:
  std::string path_;
};

} // namespace pbc::tuner
