// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A shared library of leaves (leaf_program.h) in the process that runs them.
//
//   LeafLibrary library;
//   library.leaf("/tmp/.../3.so", 1)(sizes, cells)
#pragma once
#include "compiler/search/measure/leaf_program.h"

namespace pbc::search {

/// Computes part number `part` of so many, which may run at the same time.
using LeafFunction = void (*)(const long *sizes, void *const *cells, long part, long parts);

/// Has the library that was asked for last: the leaves of one are measured one after the other.
class LeafLibrary {
public:
  LeafLibrary() = default;
  LeafLibrary(const LeafLibrary &) = delete;
  LeafLibrary &operator=(const LeafLibrary &) = delete;
  ~LeafLibrary() { close(); }

  /// Null: there is no such file or leaf.
  LeafFunction leaf(const std::string &path, std::size_t number);

private:
  void close();
  std::string path_;
  void *library_ = nullptr;
};

} // namespace pbc::search
