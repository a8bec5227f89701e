// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/source/source.h"
#include <algorithm>

namespace pbc::source {

void MappedText::append(std::string_view bytes, Span origin, bool verbatim) {
  if (bytes.empty())
    return;
  if (!pieces.empty()) {
    Piece &last = pieces.back();
    bool sameFile = last.origin.file == origin.file && last.verbatim == verbatim;
    bool continues = verbatim ? last.origin.end == origin.begin : last.origin == origin;
    if (sameFile && continues) {
      last.origin.end = origin.end;
      text += bytes;
      return;
    }
  }
  pieces.push_back({static_cast<std::uint32_t>(text.size()), origin, verbatim});
  text += bytes;
}

void MappedText::append(const MappedText &part) {
  for (std::size_t i = 0; i < part.pieces.size(); ++i) {
    const std::uint32_t from = part.pieces[i].begin;
    const std::size_t to = i + 1 < part.pieces.size() ? part.pieces[i + 1].begin : part.text.size();
    append(std::string_view(part.text).substr(from, to - from), part.pieces[i].origin,
           part.pieces[i].verbatim);
  }
}

namespace {

std::size_t pieceAt(const MappedText &mapped, std::uint32_t offset) {
  auto next =
      std::upper_bound(mapped.pieces.begin(), mapped.pieces.end(), offset,
                       [](std::uint32_t at, const MappedText::Piece &piece) { return at < piece.begin; });
  return static_cast<std::size_t>(next - mapped.pieces.begin()) - 1;
}

std::uint32_t endOf(const MappedText &mapped, std::size_t piece) {
  return piece + 1 < mapped.pieces.size() ? mapped.pieces[piece + 1].begin
                                          : static_cast<std::uint32_t>(mapped.text.size());
}

/// The origin of bytes [begin, end) of the text, which are all in this piece.
Span originOf(const MappedText::Piece &piece, std::uint32_t begin, std::uint32_t end) {
  if (!piece.verbatim)
    return piece.origin;
  return {piece.origin.file, piece.origin.begin + (begin - piece.begin),
          piece.origin.begin + (end - piece.begin)};
}

} // namespace

Span MappedText::locate(std::uint32_t begin, std::uint32_t end) const {
  if (pieces.empty())
    return {};
  const auto size = static_cast<std::uint32_t>(text.size());
  if (begin >= size) { // just after the last byte
    Span last = locate(size - 1, size);
    return {last.file, last.end, last.end};
  }
  end = std::clamp(end, begin, size);
  std::size_t index = pieceAt(*this, begin);
  Span span = originOf(pieces[index], begin, std::min(end, endOf(*this, index)));
  if (begin == end)
    return {span.file, span.begin, span.begin};
  for (++index; index < pieces.size() && pieces[index].begin < end; ++index) {
    Span more = originOf(pieces[index], pieces[index].begin, std::min(end, endOf(*this, index)));
    if (more.file != span.file)
      continue;
    span.begin = std::min(span.begin, more.begin);
    span.end = std::max(span.end, more.end);
  }
  return span;
}

MappedText MappedText::slice(std::uint32_t begin, std::uint32_t end) const {
  MappedText part;
  const auto size = static_cast<std::uint32_t>(text.size());
  end = std::min(end, size);
  if (begin >= end)
    return part;
  for (std::size_t i = pieceAt(*this, begin); i < pieces.size() && pieces[i].begin < end; ++i) {
    std::uint32_t from = std::max(begin, pieces[i].begin), to = std::min(end, endOf(*this, i));
    part.append(std::string_view(text).substr(from, to - from), originOf(pieces[i], from, to),
                pieces[i].verbatim);
  }
  return part;
}

} // namespace pbc::source
