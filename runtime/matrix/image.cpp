// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/matrix/image.h"
#include <algorithm>
#include <cmath>

namespace pb::matrix {
namespace {

/// Whether the declared extents begin with a number of channels: "[3, w, h]".
bool channelsFirst(const std::string &declared) {
  const size_t at = declared.find_first_not_of("[ ");
  return at != declared.npos && (declared[at] == '3' || declared[at] == '1') &&
         declared.find_first_of(", ", at) == at + 1;
}

double luma(const std::uint16_t *rgb) { return 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2]; }

} // namespace

Matrix fromImage(const std::string &file, const Image &image, const Wanted &wanted) {
  const bool flat = wanted.rank == 2, interleaved = channelsFirst(wanted.extents);
  const int w = image.width, h = image.height, c = image.channels;
  if (!flat && wanted.rank != 3)
    requireRank(file, wanted, 2, "an image, " + std::to_string(w) + " wide, " + std::to_string(h) + " high");
  const Matrix m = Matrix::allocate(wanted.element, flat          ? Extents{w, h}
                                                    : interleaved ? Extents{c, w, h}
                                                                  : Extents{w, h, c});
  const long pixels = static_cast<long>(w) * h;
  withType(wanted.element, [&](auto zero) {
    using D = decltype(zero);
    D *out = m.elements<D>();
    auto store = [&](long to, double value) {
      if (std::is_integral_v<D>)
        value = std::round(value);
      if (!keeps<D, double>(value, &out[to]))
        refuse(file, unfitElement(wanted, m.extents(), to, value));
    };
    const std::uint16_t *from = image.samples.data();
    for (long p = 0; p < pixels; ++p, from += c)
      if (flat)
        store(p, c == 3 ? luma(from) : from[0]);
      else
        for (int k = 0; k < c; ++k)
          store(interleaved ? p * c + k : k * pixels + p, from[k]);
  });
  return m;
}

ImageShape imageShape(const std::string &file, const Extents &e, const std::string &declared) {
  ImageShape s{0, 0, 1, false};
  if (e.size() == 2) {
    s.width = e[0], s.height = e[1];
  } else if (e.size() == 3) {
    s.interleaved = channelsFirst(declared) || (e[2] != 1 && e[2] != 3 && (e[0] == 1 || e[0] == 3));
    s.channels = s.interleaved ? e[0] : e[2];
    s.width = s.interleaved ? e[1] : e[0], s.height = s.interleaved ? e[2] : e[1];
  } else {
    refuse(file,
           "an image has 2 or 3 dimensions, the matrix has " + std::to_string(e.size()) + " (use .npy)");
  }
  if ((s.channels != 1 && s.channels != 3) || s.width < 1 || s.height < 1)
    refuse(file, "a matrix " + print(e) +
                     " is not an image: expected [w, h], [w, h, 3] or [3, w, h], none of them 0");
  return s;
}

std::vector<unsigned char> toPixels(const Matrix &m, const ImageShape &s) {
  const long pixels = static_cast<long>(s.width) * s.height;
  std::vector<unsigned char> bytes(static_cast<size_t>(pixels * s.channels));
  withType(m.element(), [&](auto zero) {
    using T = decltype(zero);
    const T *from = m.elements<T>();
    for (long p = 0; p < pixels; ++p)
      for (int k = 0; k < s.channels; ++k) {
        const auto v = static_cast<double>(from[s.interleaved ? p * s.channels + k : k * pixels + p]);
        bytes[static_cast<size_t>(p * s.channels + k)] =
            v >= 0 ? static_cast<unsigned char>(std::min(255.0, std::floor(v + 0.5))) : 0;
      }
  });
  return bytes;
}

} // namespace pb::matrix
