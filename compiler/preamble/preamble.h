// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Headers that Clang has parsed already, for the many texts of one compilation that begin with the same ones.
//
//   Request headers{.text = "#include \"pb/region.h\"\n#include <vector>\n", .files = abiHeaders(),
//                   .arguments = {"-triple", ...}};
//   Shared preamble = make(headers);       // null: Clang has an error to report, or broke down
//   if (preamble)
//     use(*preamble, invocation, files);   // preamble_use.h: what is parsed now sees those declarations
//
// A text that is parsed so keeps its #include lines: each header says `#pragma once` or has a guard, and the
// preamble remembers both. Lines that must not stand twice are left out under `#ifndef PB_PREAMBLE`, which
// every preamble defines. A preamble is Clang's own precompiled header, as bytes in memory.
//
// Invariants: a preamble serves only a front end with the arguments that it was made with, and more of those
// that decide about messages and about where headers are found; Clang's own tests of that are switched off.
// A text means the same with and without it, so that whoever has no preamble does without.
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
/// Where preambles come from: made, remembered or found in a cache. May be called from several threads.
using Source = std::function<Shared(const Request &)>;

/// Virtual folder of all texts in memory, and of the headers among them.
inline constexpr const char *kVirtualFolder = "/pbc";
inline constexpr const char *kVirtualIncludes = "/pbc/include";

/// Parses the headers. Null where there is an error in them: parsed as a part of the text, they report it.
Shared make(const Request &);

} // namespace pbc::preamble
