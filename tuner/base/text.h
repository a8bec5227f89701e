// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Text that every component of the tuner writes, and the models as well.
//
//   seconds(0.00123)   -> "1.23 ms"
//   escaped("a < b")   -> "a &lt; b"
#pragma once
#include <string>

namespace pbc::tuner {

/// A time with its unit, three digits of it.
std::string seconds(double);
/// For HTML and SVG text and for attributes; bytes that are no text of XML become U+FFFD.
std::string escaped(const std::string &);

} // namespace pbc::tuner
