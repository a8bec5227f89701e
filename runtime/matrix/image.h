// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Images as matrices.
//
//   rank 2, A[w, h]:     grey values; colours become luma (0.299 R + 0.587 G + 0.114 B)
//   rank 3, A[w, h, c]:  one plane per channel: A.slice(2, 0) is the red image. c is 1 (grey) or 3 (colour)
//   rank 3, A[3, w, h]:  channels side by side, when the first extent is declared as the number 3 (or 1)
//
// Values are those of the file: 0..255, or 0..65535 for 16 bits; transparency is dropped. Written values are
// rounded and clamped to 0..255 (NaN becomes 0), 8 bits a channel. Row 0 is the top row.
#pragma once
#include "runtime/matrix/reading.h"
#include <cstdint>

namespace pb::matrix {

struct Image {
  int width = 0, height = 0, channels = 1; // 1 or 3
  std::vector<std::uint16_t> samples;      // channels of a pixel side by side, rows from the top
};

/// Refuses ranks other than 2 and 3, and values that the element kind cannot hold.
Matrix fromImage(const std::string &file, const Image &, const Wanted &);

/// How the dimensions of a matrix form an image; throws UserError if they do not. `extents`: as declared.
struct ImageShape {
  int width, height, channels;
  bool interleaved;
};
ImageShape imageShape(const std::string &file, const Extents &, const std::string &declared);

/// 8-bit pixels, channels side by side.
std::vector<unsigned char> toPixels(const Matrix &, const ImageShape &);

} // namespace pb::matrix
