// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/transformation.h"
#include <algorithm>

namespace pbc::kernel {

#define TRANSFORMATION(name) Transformation name##Transformation();
#include "compiler/kernel/transform/list.inc"
#undef TRANSFORMATION

const std::vector<Transformation> &transformations() {
  static const std::vector<Transformation> all = {
#define TRANSFORMATION(name) name##Transformation(),
#include "compiler/kernel/transform/list.inc"
#undef TRANSFORMATION
  };
  return all;
}

const Transformation *findTransformation(std::string_view name) {
  const auto &all = transformations();
  const auto at =
      std::find_if(all.begin(), all.end(), [&](const Transformation &t) { return t.name == name; });
  return at == all.end() ? nullptr : &*at;
}

} // namespace pbc::kernel
