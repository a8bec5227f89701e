// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A folder that is deleted at the end of the test.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace pbc::build {

class Scratch {
public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "pbc-build-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  std::string path(const std::string &name) const { return (folder_ / name).string(); }
  const std::filesystem::path &folder() const { return folder_; }

private:
  std::filesystem::path folder_;
};

inline std::string readFile(const std::filesystem::path &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void writeFile(const std::filesystem::path &path, const std::string &text) {
  std::ofstream(path, std::ios::binary) << text;
}

} // namespace pbc::build
