// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What no model may say, because nature forbids it: a result that breaks a bound is a fault of the model and
// ends as an internal error instead of a figure.
//
//   requireBound(t.total >= ideal, [&] { return fmt::format("a time of {} s is below ...", t.total); })
#pragma once
#include <stdexcept>
#include <string>

namespace pbc::model {

/// The words are made only if they are needed: searches ask millions of times.
template <class Words>
void requireBound(bool holds, Words words) {
  if (!holds)
    throw std::logic_error(words());
}

} // namespace pbc::model
