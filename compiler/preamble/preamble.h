// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Headers that Clang has already parsed, for the many texts of one compilation that begin with the same headers.
//
//   Request headers{.text = "#include \"pb/region.h\"\n#include <vector>\n", .files = abiHeaders(),
//                   .arguments = {"-triple", ...}};
//   Shared preamble = make(headers);       // null: Clang found an error, or crashed
//   if (preamble)
//     use(*preamble, invocation, files);   // preamble_use.h: the text that is parsed next sees their declarations
//
// A text that is parsed with a preamble keeps its #include lines: each header has `#pragma once` or a guard, and
// the preamble remembers both. Lines that must not occur twice are skipped by `#ifndef PB_PREAMBLE`, because
// every preamble defines this macro. A preamble is Clang's own precompiled header, as bytes in memory.
//
// Invariants: a preamble is used only with the front-end arguments that it was made with; more arguments may be
// added only if they concern messages or the search for headers. Clang's own checks of this are switched off.
// A text has the same meaning with and without a preamble, so it can be parsed without one where none exists.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace pbc::preamble {

struct Request {
  std::string text;                                       ///< directives and declarations of headers
  std::vector<std::pair<std::string, std::string>> files; ///< headers in memory: "pb/region.h" and its text
  std::vector<std::string> arguments;                     ///< of the front end, without a file
};

struct Preamble {
  std::string bytes;
  std::vector<std::string> filesRead; ///< files of the disk that were included
};

using Shared = std::shared_ptr<const Preamble>;
/// Returns a preamble that it makes, has in memory or finds in a cache. May be called from several threads.
using Source = std::function<Shared(const Request &)>;

/// The virtual folder of all texts in memory, including headers.
inline constexpr const char *kVirtualFolder = "/pbc";
inline constexpr const char *kVirtualIncludes = "/pbc/include";

/// Parses the headers. Null if they contain an error; parsing them as a part of the text then reports it.
Shared make(const Request &);

} // namespace pbc::preamble
