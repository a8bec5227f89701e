// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/base/visible.h"
#include <cstdio>

namespace pb::base {

CodePoint firstCodePoint(std::string_view text) {
  const auto byte = [&](unsigned long i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80)
    return {lead, 1, true};
  const unsigned long length = lead >= 0xF0 && lead < 0xF5   ? 4
                               : lead >= 0xE0 && lead < 0xF0 ? 3
                               : lead >= 0xC2 && lead < 0xE0 ? 2
                                                             : 0;
  const CodePoint invalid{0xFFFD, 1, false};
  if (length == 0 || length > text.size())
    return invalid;
  char32_t value = lead & (0x7Fu >> length);
  for (unsigned long i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80)
      return invalid;
    value = (value << 6) | (byte(i) & 0x3Fu);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kLeast[length] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000))
    return invalid;
  return {value, length, true};
}

bool isControl(char32_t c) {
  const bool isAscii = (c < 0x20 && c != '\t' && c != '\n') || c == 0x7F;
  const bool isLatin = c >= 0x80 && c < 0xA0;
  const bool isDirection = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
  return isAscii || isLatin || isDirection;
}

std::string visible(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = firstCodePoint(text);
    char escape[16];
    if (!c.isValid)
      std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned char>(text[0]));
    else if (c.value < 0x80)
      std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned>(c.value));
    else
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c.value));
    if (!c.isValid || isControl(c.value))
      out += escape;
    else
      out += text.substr(0, c.bytes);
    text.remove_prefix(c.bytes);
  }
  return out;
}

} // namespace pb::base
