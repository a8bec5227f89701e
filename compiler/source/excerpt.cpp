// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/source/excerpt.h"
#include "runtime/base/visible.h"
#include <algorithm>

namespace pbc::source {

namespace {

constexpr std::size_t longestLine = 160; // bytes shown of one line

/// The number of columns in a terminal: two for East Asian wide characters and pictures, none for combining
/// marks.
unsigned width(char32_t c) {
  if ((c >= 0x300 && c <= 0x36F) || (c >= 0x200B && c <= 0x200F) || (c >= 0xFE00 && c <= 0xFE0F))
    return 0;
  bool wide = (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) || (c >= 0xAC00 && c <= 0xD7A3) ||
              (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
              (c >= 0x1F300 && c <= 0x1FAFF) || (c >= 0x20000 && c <= 0x3FFFD);
  return wide ? 2 : 1;
}

bool isBoundary(std::string_view line, std::size_t at) {
  return at >= line.size() || (static_cast<unsigned char>(line[at]) & 0xC0) != 0x80;
}

} // namespace

std::string excerpt(const SourceManager &sources, Span span, std::string_view on, std::string_view off) {
  if (span.file >= sources.fileCount())
    return {};
  const auto size = static_cast<std::uint32_t>(sources.text(span.file).size());
  span.begin = std::min(span.begin, size);
  Position start = sources.position(span.file, span.begin);
  std::string_view line = sources.line(span.file, start.line);
  if (line.empty() && size == 0)
    return {};
  const char *base = sources.text(span.file).data();
  auto lineBegin = static_cast<std::size_t>(line.data() == nullptr ? span.begin : line.data() - base);
  std::size_t begin = std::min<std::size_t>(span.begin - lineBegin, line.size());
  std::size_t end =
      std::clamp<std::size_t>(span.end < lineBegin ? 0 : span.end - lineBegin, begin, line.size());

  std::size_t from = 0, to = line.size();
  if (to > longestLine) {
    from = begin > longestLine / 4 ? begin - longestLine / 4 : 0;
    to = std::min(line.size(), from + longestLine);
    while (!isBoundary(line, from))
      --from;
    while (!isBoundary(line, to))
      ++to;
    end = std::min(end, to);
  }

  std::string number = std::to_string(start.line);
  std::string shown = std::string(number.size() < 5 ? 5 - number.size() : 0, ' ') + number + " | ";
  std::string under = std::string(std::max<std::size_t>(5, number.size()), ' ') + " | ";
  if (from > 0) {
    shown += "...";
    under += "   ";
  }
  std::string carets;
  for (std::size_t at = from; at < to;) {
    const pb::base::CodePoint c = pb::base::firstCodePoint(line.substr(at));
    const bool printable = c.isValid && !pb::base::isControl(c.value);
    shown += printable ? std::string(line.substr(at, c.bytes)) : std::string("\xEF\xBF\xBD");
    unsigned columns = printable ? width(c.value) : 1;
    if (at + c.bytes <= begin)
      under += c.value == '\t' ? std::string("\t") : std::string(columns, ' ');
    else if (at < end || (at <= begin && begin < at + c.bytes))
      carets += std::string(c.value == '\t' ? 1 : columns, '~');
    at += c.bytes;
  }
  if (to < line.size())
    shown += "...";
  if (carets.empty())
    carets = "^";
  carets.front() = '^';
  return shown + "\n" + under + std::string(on) + carets + std::string(off) + "\n";
}

} // namespace pbc::source
