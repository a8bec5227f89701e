// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/source/not_text.h"
#include <algorithm>
#include <cstdio>

namespace pbc::source {

namespace {
bool isControl(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && (byte < '\t' || byte > '\r')) || byte == 0x7F;
}
} // namespace

std::optional<NotText> notText(std::string_view text) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    return NotText{0, "this file is UTF-16 text", "save it as UTF-8"};
  const auto at = std::find_if(text.begin(), text.end(), isControl);
  if (at == text.end())
    return std::nullopt;
  char byte[8];
  std::snprintf(byte, sizeof byte, "0x%02X", static_cast<unsigned char>(*at));
  return NotText{static_cast<std::uint32_t>(at - text.begin()),
                 std::string("this file is not text: it has the byte ") + byte + " here",
                 "a program is a text file in ASCII or UTF-8"};
}

} // namespace pbc::source
