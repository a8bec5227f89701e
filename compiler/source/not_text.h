// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Recognises files that are not programs at all: compiled ones, images, UTF-16.
//
//   notText("\xFF\xFEt\0r\0")   ->   offset 0, "this file is UTF-16 text", "save it as UTF-8"
//
// Such a file gives one message instead of one for each of its bytes.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pbc::source {

struct NotText {
  std::uint32_t offset; // of the byte that shows it
  std::string message, help;
};

/// Why the bytes cannot be a program; nothing for text. Bytes above 127 are allowed: comments may be in any
/// encoding that extends ASCII.
std::optional<NotText> notText(std::string_view);

} // namespace pbc::source
