// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads and writes PNG images through libpng.
//
// libpng leaves a function by longjmp on an error; so the functions that call it own nothing with a
// destructor, and their data lives in their callers.
#include "runtime/matrix/image.h"
#include "runtime/matrix/writing.h"
#include <csetjmp>
#include <cstring>
#include <png.h>

namespace pb::matrix {
namespace {

struct Reading {
  Bytes left;
  char message[160] = {};
  png_structp png = nullptr;
  png_infop info = nullptr;
  ~Reading() { png_destroy_read_struct(&png, &info, nullptr); }
};

void takeBytes(png_structp png, png_bytep to, size_t n) {
  auto &r = *static_cast<Reading *>(png_get_io_ptr(png));
  if (n > r.left.size())
    png_error(png, "the file is cut off");
  std::memcpy(to, r.left.data(), n);
  r.left = r.left.subspan(n);
}

template <class State>
void keepMessage(png_structp png, png_const_charp text) {
  auto &state = *static_cast<State *>(png_get_error_ptr(png));
  std::strncpy(state.message, text, sizeof state.message - 1);
  longjmp(png_jmpbuf(png), 1);
}
void ignoreWarning(png_structp, png_const_charp) {}

/// Reads the header; samples become grey or RGB of 8 or 16 bits (native order). False: see message.
bool readHeader(Reading &r, Image &image, int *bits) {
  if (setjmp(png_jmpbuf(r.png)))
    return false;
  png_set_read_fn(r.png, &r, takeBytes);
  png_set_user_limits(r.png, 1 << 24, 1 << 24);
  png_read_info(r.png, r.info);
  image.width = static_cast<int>(png_get_image_width(r.png, r.info));
  image.height = static_cast<int>(png_get_image_height(r.png, r.info));
  png_set_expand(r.png);
  png_set_strip_alpha(r.png);
  png_set_swap(r.png);
  png_set_interlace_handling(r.png);
  png_read_update_info(r.png, r.info);
  image.channels = png_get_channels(r.png, r.info);
  *bits = png_get_bit_depth(r.png, r.info);
  return true;
}

bool readRows(Reading &r, png_bytep *rows) {
  if (setjmp(png_jmpbuf(r.png)))
    return false;
  png_read_image(r.png, rows);
  png_read_end(r.png, nullptr);
  return true;
}

struct Writing {
  std::string *to;
  char message[160] = {};
  png_structp png = nullptr;
  png_infop info = nullptr;
  ~Writing() { png_destroy_write_struct(&png, &info); }
};

void giveBytes(png_structp png, png_bytep from, size_t n) {
  auto &to = *static_cast<Writing *>(png_get_io_ptr(png))->to;
  to.append(reinterpret_cast<const char *>(from), n);
}

bool writeRows(Writing &w, const ImageShape &s, png_bytep *rows) {
  if (setjmp(png_jmpbuf(w.png)))
    return false;
  png_set_write_fn(w.png, &w, giveBytes, nullptr);
  png_set_IHDR(w.png, w.info, static_cast<png_uint_32>(s.width), static_cast<png_uint_32>(s.height), 8,
               s.channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_compression_level(w.png, 3); // a third of the time of the default, a few per cent more bytes
  png_write_info(w.png, w.info);
  png_write_image(w.png, rows);
  png_write_end(w.png, w.info);
  return true;
}

std::vector<png_bytep> rowsOf(unsigned char *pixels, size_t rowBytes, int height) {
  std::vector<png_bytep> rows(static_cast<size_t>(height));
  for (size_t y = 0; y < rows.size(); ++y)
    rows[y] = pixels + y * rowBytes;
  return rows;
}

} // namespace

Matrix readPng(const std::string &file, Bytes b, const Wanted &wanted) {
  if (b.size() < 8 || std::memcmp(b.data(), "\x89PNG\r\n\x1a\n", 8))
    refuse(file, "expected a PNG image, found a file that begins with " + beginning(b));
  Reading r{b};
  r.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &r, keepMessage<Reading>, ignoreWarning);
  r.info = r.png ? png_create_info_struct(r.png) : nullptr;
  Image image;
  int bits = 8;
  if (!r.info || !readHeader(r, image, &bits))
    refuse(file, std::string("is not a readable PNG image: ") + r.message);
  const size_t samples = static_cast<size_t>(image.width) * static_cast<size_t>(image.channels);
  const size_t rowBytes = samples * static_cast<size_t>(bits / 8);
  // Deflate compresses to at least a 1032nd; packed samples of one bit take another eighth.
  if (rowBytes * static_cast<size_t>(image.height) / 1032 / 24 > b.size())
    refuse(file, "announces " + std::to_string(image.width) + " x " + std::to_string(image.height) +
                     " pixels, more than the file can hold");
  std::vector<unsigned char> pixels(rowBytes * static_cast<size_t>(image.height));
  auto rows = rowsOf(pixels.data(), rowBytes, image.height);
  if (!readRows(r, rows.data()))
    refuse(file, std::string("is not a readable PNG image: ") + r.message);
  image.samples.resize(samples * static_cast<size_t>(image.height));
  if (bits == 16)
    std::memcpy(image.samples.data(), pixels.data(), pixels.size());
  else
    std::copy(pixels.begin(), pixels.end(), image.samples.begin());
  return fromImage(file, image, wanted);
}

std::string encodePng(const std::string &file, const Matrix &m, const std::string &declared) {
  const ImageShape s = imageShape(file, m.extents(), declared);
  std::vector<unsigned char> pixels = toPixels(m, s);
  std::string bytes;
  auto rows = rowsOf(pixels.data(), static_cast<size_t>(s.width) * static_cast<size_t>(s.channels), s.height);
  Writing w{&bytes};
  w.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &w, keepMessage<Writing>, ignoreWarning);
  w.info = w.png ? png_create_info_struct(w.png) : nullptr;
  if (!w.info || !writeRows(w, s, rows.data()))
    refuse(file, std::string("cannot be written: ") + w.message);
  return bytes;
}

} // namespace pb::matrix
