// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Bounds that physics sets for every model: a result that breaks a bound is an error of the model and ends as
// an internal error instead of a figure.
//
//   requireBound(t.total >= ideal, [&] { return fmt::format("a time of {} s is below ...", t.total); })
#pragma once
#include <stdexcept>
#include <string>

namespace pbc::model {

/// The text is made only if it is needed, because searches call this millions of times.
template <class Words>
void requireBound(bool holds, Words words) {
  if (!holds)
    throw std::logic_error(words());
}

} // namespace pbc::model
