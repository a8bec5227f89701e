// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/measure/leaf_library.h"
#include <dlfcn.h>

namespace pbc::search {

LeafFunction LeafLibrary::leaf(const std::string &path, std::size_t number) {
  if (path != path_) {
    close();
    library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    path_ = path;
  }
  return library_ ? reinterpret_cast<LeafFunction>(dlsym(library_, leafFunctionName(number).c_str()))
                  : nullptr;
}

void LeafLibrary::close() {
  if (library_)
    dlclose(library_);
  library_ = nullptr;
}

} // namespace pbc::search
