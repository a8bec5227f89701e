// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The source line of a message, with carets below the span.
//
//       4 |   B.cell(i) from(A.region(i-1, i+2) a) {
//         |   ^~~~~~~~~
//
// Tabs stay tabs in both lines, and wide characters get two carets, so the carets are aligned in any
// terminal. For a span over several lines the first one is shown; for a very long line, the part around the
// span.
#pragma once
#include "compiler/source/source.h"

namespace pbc::source {

/// Two lines with their line ends; empty if the span lies in no file. The carets are enclosed by `on` and
/// `off`.
std::string excerpt(const SourceManager &, Span, std::string_view on = "", std::string_view off = "");

} // namespace pbc::source
