// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Source files, places in them, and text that was assembled from several places.
//
// A Span is a byte range of one file. A MappedText is the output of the preprocessor (included files,
// expanded macros): plain text in which every byte has the Span that it came from, so that every later
// message refers to the user's text.
#pragma once
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pbc::source {

using FileId = std::uint32_t;

/// Bytes [begin, end) of a file.
struct Span {
  FileId file = 0;
  std::uint32_t begin = 0, end = 0;
  bool operator==(const Span &) const = default;
};

/// The place of errors in what the command line asks for: it is in no file.
constexpr Span commandLine{~FileId(0), 0, 0};

/// One-based line and column (column in code points, as editors count).
struct Position {
  unsigned line = 1, column = 1;
};

/// A line of a file by the names that a user knows; it outlives its SourceManager.
struct Line {
  std::string path;
  unsigned number = 0; // one-based; 0: no line is known
  bool isKnown() const { return number > 0; }
  auto operator<=>(const Line &) const = default;
};

/// Where a part of a program comes from: its line, and the rule of which it is a part.
struct Origin {
  Line line = {};
  std::string rule = {}; // as messages name it; empty: of no rule, or of one without a name
  auto operator<=>(const Origin &) const = default;
};

class SourceManager {
public:
  static constexpr std::uintmax_t kLargestFile = 64u << 20;
  /// Adds text under a name; used for files and, in tests, for text in memory.
  FileId add(std::string path, std::string text);
  /// Reads a file, without its byte order mark; nothing if it cannot be read or is larger than 64 MiB.
  std::optional<FileId> load(const std::string &path);
  std::size_t fileCount() const { return files_.size(); }
  const std::string &path(FileId) const;
  std::string_view text(FileId) const;
  std::string_view text(Span) const;
  Position position(FileId, std::uint32_t offset) const;
  /// The line in which the span begins; none if the span lies in no file.
  Line lineOf(Span) const;
  /// The text of a one-based line, without its line end.
  std::string_view line(FileId, unsigned line) const;

private:
  struct File {
    std::string path, text;
    std::vector<std::uint32_t> lineStarts;
  };
  std::vector<std::unique_ptr<File>> files_;
};

/// Text with the origin of each byte. Pieces are ordered by `begin`; a piece ends where the next one begins.
/// `verbatim`: byte k of the piece is byte k of its span; otherwise the whole piece stands for the whole span
/// (a macro expansion).
struct MappedText {
  struct Piece {
    std::uint32_t begin;
    Span origin;
    bool verbatim;
  };
  std::string text;
  std::vector<Piece> pieces;

  void append(std::string_view, Span origin, bool verbatim);
  void append(const MappedText &);
  /// The smallest span that covers the origins of bytes [begin, end) (the first byte's file decides).
  Span locate(std::uint32_t begin, std::uint32_t end) const;
  /// A copy of bytes [begin, end) with their origins.
  MappedText slice(std::uint32_t begin, std::uint32_t end) const;
};

} // namespace pbc::source
