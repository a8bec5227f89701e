// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/matrix/reading.h"
#include "runtime/base/errors.h"
#include "runtime/matrix/file_bytes.h"
#include <cctype>
#include <cstdio>
#include <cstring>

namespace pb::matrix {
namespace {

bool endsWith(const std::string &name, const char *extension) {
  const size_t n = std::strlen(extension);
  if (name.size() < n)
    return false;
  for (size_t i = 0; i < n; ++i)
    if (std::tolower(static_cast<unsigned char>(name[name.size() - n + i])) != extension[i])
      return false;
  return true;
}

bool beginsWith(Bytes b, const char *magic, size_t n) {
  return b.size() >= n && !std::memcmp(b.data(), magic, n);
}

bool looksLikePnm(Bytes b) {
  return b.size() > 2 && b[0] == 'P' && b[1] >= '1' && b[1] <= '6' && (std::isspace(b[2]) || b[2] == '#');
}

/// Whether a stream begins like one of the formats. Any other stream is refused without waiting for its end.
bool mayBeMatrix(std::string_view begin) {
  const Bytes b(reinterpret_cast<const unsigned char *>(begin.data()), begin.size());
  size_t at = 0;
  while (at < b.size() && std::isspace(b[at]))
    ++at;
  return beginsWith(b, "\x93NUMPY", 6) || beginsWith(b, "\x89PNG", 4) || looksLikePnm(b) ||
         (b.size() - at >= 4 && !strncasecmp(begin.data() + at, "SIZE", 4));
}

} // namespace

Matrix readMatrix(const std::string &file, const Wanted &wanted) {
  const FileBytes content = FileBytes::open(file, mayBeMatrix);
  const Bytes b = content.bytes();
  if (b.empty())
    refuse(file, "is empty, expected the matrix " + wanted.print());
  if (beginsWith(b, "\x93NUMPY", 6) || endsWith(file, ".npy"))
    return readNpy(file, b, wanted);
  if (beginsWith(b, "\x89PNG", 4) || endsWith(file, ".png"))
    return readPng(file, b, wanted);
  if (looksLikePnm(b) || endsWith(file, ".pgm") || endsWith(file, ".ppm") || endsWith(file, ".pnm"))
    return readPnm(file, b, wanted);
  return readText(file, b, wanted);
}

void refuse(const std::string &file, const std::string &text) {
  throw base::UserError((file == "-" ? "standard input" : file) + ": " + text);
}

void requireRank(const std::string &file, const Wanted &wanted, size_t found, const std::string &shape) {
  if (found == static_cast<size_t>(wanted.rank))
    return;
  refuse(file, "expected " + std::to_string(wanted.rank) + " dimensions for " + wanted.print() + ", found " +
                   std::to_string(found) + " (" + shape + ")");
}

std::string beginning(Bytes b) {
  std::string text;
  for (size_t i = 0; i < b.size() && i < 12; ++i)
    text += b[i] >= 32 && b[i] < 127 ? static_cast<char>(b[i]) : '.';
  return "'" + text + "'";
}

std::string unfitElement(const Wanted &wanted, const Extents &extents, long index, double value) {
  std::string at = "[";
  for (size_t d = 0; d < extents.size(); ++d) {
    at += (d ? ", " : "") + std::to_string(index % extents[d]);
    index /= extents[d];
  }
  char number[40];
  std::snprintf(number, sizeof number, "%.17g", value);
  return "element " + at + "] of " + wanted.name + " is " + number + ", which '" + name(wanted.element) +
         "' cannot hold";
}

} // namespace pb::matrix
