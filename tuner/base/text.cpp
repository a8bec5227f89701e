// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/base/text.h"

#include <fmt/format.h>

namespace pbc::tuner {

std::string seconds(double value) {
  if (value >= 1)
    return fmt::format("{:.3g} s", value);
  if (value >= 1e-3)
    return fmt::format("{:.3g} ms", value * 1e3);
  return fmt::format("{:.3g} us", value * 1e6);
}

std::string escaped(const std::string &text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const std::size_t length = c < 0x80                ? 1
                               : c >= 0xc2 && c < 0xe0 ? 2
                               : c >= 0xe0 && c < 0xf0 ? 3
                               : c >= 0xf0 && c < 0xf5 ? 4
                                                       : 0;
    bool isWhole = length > 0 && i + length <= text.size();
    for (std::size_t k = 1; isWhole && k < length; ++k)
      isWhole = (static_cast<unsigned char>(text[i + k]) & 0xc0) == 0x80;
    if (!isWhole || (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f) {
      result += "\xef\xbf\xbd";
      ++i;
      continue;
    }
    switch (text[i]) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    case '\'':
      result += "&#39;";
      break;
    default:
      result.append(text, i, length);
    }
    i += length;
  }
  return result;
}

} // namespace pbc::tuner
