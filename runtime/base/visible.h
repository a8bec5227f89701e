// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes untrusted text (names of files, values, output of other programs) safe to print on a terminal.
//
//   visible("a\x1b[2Jb.npy")    =>  "a\\x1b[2Jb.npy"
//   visible("caf\xc3\xa9\n")    =>  the same: text in UTF-8, tabs and line ends are kept
//
// Messages of the compiler, the programs and the tuner pass through this function before they are printed.
// Otherwise a file's name could clear the screen, change the title of the window or hide the rest of the
// message.
#pragma once
#include <string>
#include <string_view>

namespace pb::base {

/// Control characters (those of ASCII, of Latin-1, and those that change the direction of text) and bytes
/// that are not UTF-8 are written as C escapes.
std::string visible(std::string_view text);

/// The code point at the beginning of a text that is not empty.
struct CodePoint {
  char32_t value;
  unsigned long bytes; // 1 if it is not UTF-8
  bool isValid;
};
CodePoint firstCodePoint(std::string_view text);

/// Whether a terminal would act on the character instead of showing it. Tabs and line ends do not count.
bool isControl(char32_t value);

} // namespace pb::base
