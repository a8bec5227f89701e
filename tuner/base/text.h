// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Formats text for all components of the tuner and for the cost models.
//
//   seconds(0.00123)   -> "1.23 ms"
//   escaped("a < b")   -> "a &lt; b"
#pragma once
#include <string>

namespace pbc::tuner {

/// A time with its unit and three digits.
std::string seconds(double);
/// Escapes text for HTML and SVG, including attributes. Bytes that XML does not allow become U+FFFD.
std::string escaped(const std::string &);

} // namespace pbc::tuner
