// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads a matrix from a file; also what the readers of the formats share.
//
//   Wanted w{"A", ElementKind::F64, 2, "[w, h]"};
//   Matrix m = readMatrix("photo.png", w);        // UserError names file, what was expected, what was found
//
// Formats: `.npy`, `.png`, `.pgm`/`.ppm`/`.pnm`. The format of every other name and of `-` (standard input)
// is detected: a file that begins like one of these is read as such, everything else as the text format
// (language reference 4.4). Axes: numpy's last axis is dimension 0 here, so shape (h, w) is a matrix [w, h].
// Images: see image.h. Invariant: no memory is allocated for a header's claim that the file's size
// contradicts.
#pragma once
#include "runtime/matrix/matrix.h"
#include <cmath>
#include <span>

namespace pb::matrix {

/// What a transform expects of an input.
struct Wanted {
  std::string name; // "A"
  ElementKind element = ElementKind::F64;
  int rank = 0;
  std::string extents; // as declared, "[w, h]"
  std::string print() const { return name + (rank ? extents : ""); }
};

using Bytes = std::span<const unsigned char>;

Matrix readMatrix(const std::string &file, const Wanted &);

// One file for each format:
Matrix readNpy(const std::string &file, Bytes, const Wanted &);
Matrix readText(const std::string &file, Bytes, const Wanted &);
Matrix readPnm(const std::string &file, Bytes, const Wanted &);
Matrix readPng(const std::string &file, Bytes, const Wanted &);

// Shared by the readers:

/// Throws UserError "FILE: text".
[[noreturn]] void refuse(const std::string &file, const std::string &text);
/// Refuses if `found` is not the wanted number of dimensions. `shape`: as the format writes it, for messages.
void requireRank(const std::string &file, const Wanted &, size_t found, const std::string &shape);
/// The first bytes in quotes, made printable.
std::string beginning(Bytes);

/// Whether `value` can be stored as D without becoming another number. Rounding from float to float is
/// allowed, but not to infinity.
template <class D, class S>
bool keeps(S value, D *stored) {
  if constexpr (std::is_floating_point_v<D>) {
    *stored = static_cast<D>(value);
    if constexpr (std::is_floating_point_v<S>)
      return std::isfinite(*stored) || !std::isfinite(value);
    return true;
  } else if constexpr (std::is_floating_point_v<S>) {
    // The comparisons are with powers of two, which every float type represents exactly; NaN fails both.
    constexpr S low = std::is_unsigned_v<D> ? S(0) : -static_cast<S>(1ul << (8 * sizeof(D) - 1));
    constexpr S high = 2 * static_cast<S>(1ul << (8 * sizeof(D) - 1 - (std::is_signed_v<D> ? 1 : 0)));
    if (!(value >= low && value < high))
      return false;
    *stored = static_cast<D>(value);
    return static_cast<S>(*stored) == value;
  } else {
    *stored = static_cast<D>(value);
    return static_cast<S>(*stored) == value && (value < S(0)) == (*stored < D(0));
  }
}

/// "element [3, 4] of A is 1.5, which 'int' cannot hold".
std::string unfitElement(const Wanted &, const Extents &, long index, double value);

} // namespace pb::matrix
