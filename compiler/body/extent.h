// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Parses sizes of views, which sema gives as affine texts, into Values.
//
//   begin "i - 1", end "i + 2"   =>   (i + 2) - (i - 1), whose affine text is "3"
#pragma once
#include "compiler/body/value.h"
#include <functional>

namespace pbc::body {

/// Parses the C++ text of an Affine; null if it contains anything but + - * / of names and integers and
/// pb::floordiv. `name` makes the value of a name.
ValuePtr parseAffine(const std::string &cxx, const std::function<ValuePtr(const std::string &)> &name);

} // namespace pbc::body
