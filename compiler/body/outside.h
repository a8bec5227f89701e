// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Optional cell inputs (language reference 1.5): `A.cell(i-1) p = 0` as Values.
//
//   isInside(t, p)       =>  i - 1 >= 0 && i - 1 < n
//   valueOutside(t, p)   =>  0.0; for `= OPTIONAL`: pb::missing()
//
// The body sees isInside ? A[i - 1] : valueOutside, as a Select, which reads only the arm that it takes.
#pragma once
#include "compiler/body/facts.h"

namespace pbc::body {

ValuePtr isInside(const sema::Transform &, const sema::Binding &);
/// The value has the matrix' element type.
ValuePtr valueOutside(const sema::Transform &, const sema::Binding &);

/// The value of a size variable, coordinate, param or tunable in a body.
ValuePtr nameValue(const sema::Transform &, const std::string &name);

} // namespace pbc::body
