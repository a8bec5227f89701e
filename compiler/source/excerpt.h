// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The source line under a message, with carets below what it is about.
//
//       4 |   B.cell(i) from(A.region(i-1, i+2) a) {
//         |   ^~~~~~~~~
//
// Tabs stay tabs in both lines, wide characters get two carets, so the carets stand right in any terminal. Of
// a span over several lines the first is shown; of a very long line, the part around the span.
#pragma once
#include "compiler/source/source.h"

namespace pbc::source {

/// Two lines with their ends; empty when the span lies in no file. The carets stand between `on` and `off`.
std::string excerpt(const SourceManager &, Span, std::string_view on = "", std::string_view off = "");

} // namespace pbc::source
