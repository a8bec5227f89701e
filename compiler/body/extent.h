// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sizes of views as Values: sema's affine texts read back.
//
//   begin "i - 1", end "i + 2"   =>   (i + 2) - (i - 1), whose affine text is "3"
#pragma once
#include "compiler/body/value.h"
#include <functional>

namespace pbc::body {

/// The C++ text of an Affine as a Value; null if it holds more than + - * / of names and integers and
/// pb::floordiv. `name` makes a name's value.
ValuePtr parseAffine(const std::string &cxx, const std::function<ValuePtr(const std::string &)> &name);

} // namespace pbc::body
