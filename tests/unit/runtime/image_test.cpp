// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/base/errors.h"
#include "runtime/matrix/image.h"
#include "runtime/matrix/writing.h"
#include "tests/unit/runtime/process.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <gtest/gtest.h>
#include <png.h>

using namespace pb;
using matrix::Matrix;
using E = std::vector<int>;

namespace {

Matrix read(const Folder &f, const std::string &name, int rank, const std::string &extents,
            ElementKind kind = ElementKind::F64) {
  return matrix::readMatrix(f.path(name), {"A", kind, rank, extents});
}
std::vector<double> values(const Matrix &m) {
  return {m.elements<double>(), m.elements<double>() + m.count()};
}
using D = std::vector<double>;

void write(const Folder &f, const std::string &name, const Matrix &m, const std::string &declared) {
  matrix::OutputFile(f.path(name), m.extents(), declared).write(m);
}

} // namespace

TEST(Image, GreyMapsBinaryAndText) {
  const Folder f;
  f.write("a.pgm", std::string("P5 # comment\n2 3\n255\n") + std::string("\x01\x02\x03\x04\xff\x00", 6));
  EXPECT_EQ(values(read(f, "a.pgm", 2, "[w, h]")), (D{1, 2, 3, 4, 255, 0}));
  f.write("b.pgm", "P2\n2 1\n1000\n 7 #x\n1000\n");
  EXPECT_EQ(values(read(f, "b.pgm", 2, "[w, h]")), (D{7, 1000}));
  f.write("c.pgm", std::string("P5\n1 2\n65535\n\x01\x02\xff\xff", 17));
  EXPECT_EQ(values(read(f, "c.pgm", 2, "[w, h]")), (D{258, 65535}));
}

TEST(Image, ColoursAsLumaPlanesOrInterleaved) {
  const Folder f;
  f.write("a.ppm", "P3 2 1 255  10 20 30  40 50 60");
  const Matrix luma = read(f, "a.ppm", 2, "[w, h]");
  EXPECT_NEAR(luma.elements<double>()[0], 0.299 * 10 + 0.587 * 20 + 0.114 * 30, 1e-12);
  EXPECT_EQ(read(f, "a.ppm", 2, "[w, h]", ElementKind::U8).elements<unsigned char>()[1], 48);
  const Matrix planes = read(f, "a.ppm", 3, "[w, h, c]");
  EXPECT_EQ(planes.extents(), (E{2, 1, 3}));
  EXPECT_EQ(values(planes), (D{10, 40, 20, 50, 30, 60}));
  const Matrix pixels = read(f, "a.ppm", 3, "[3, w, h]");
  EXPECT_EQ(pixels.extents(), (E{3, 2, 1}));
  EXPECT_EQ(values(pixels), (D{10, 20, 30, 40, 50, 60}));
  for (const char *name : {"b.png", "b.ppm"}) {
    write(f, name, planes, "[w, h, 3]");
    EXPECT_EQ(values(read(f, name, 3, "[w, h, c]")), values(planes));
    write(f, name, pixels, "[3, w, h]");
    EXPECT_EQ(values(read(f, name, 3, "[w, h, c]")), values(planes));
  }
}

TEST(Image, WrittenValuesAreRoundedAndClamped) {
  const Folder f;
  const Matrix m = Matrix::allocate(ElementKind::F64, {3, 2});
  const double v[] = {-5, 0.49, 0.5, 254.6, 1e300, NAN};
  std::copy(v, v + 6, m.elements<double>());
  for (const char *name : {"a.png", "a.pgm"}) {
    write(f, name, m, "[w, h]");
    EXPECT_EQ(values(read(f, name, 2, "[w, h]")), (D{0, 0, 1, 255, 255, 0})) << name;
  }
}

TEST(Image, PngOfSixteenBitsPaletteAndAlpha) {
  const Folder f;
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = 2, image.height = 1;
  image.format = PNG_FORMAT_RGBA;
  const unsigned char rgba[] = {10, 20, 30, 128, 40, 50, 60, 255};
  ASSERT_TRUE(png_image_write_to_file(&image, f.path("alpha.png").c_str(), 0, rgba, 0, nullptr));
  EXPECT_EQ(values(read(f, "alpha.png", 3, "[3, w, h]")), (D{10, 20, 30, 40, 50, 60}));
  image.format = PNG_FORMAT_RGB_COLORMAP;
  image.colormap_entries = 2;
  const unsigned char map[] = {1, 2, 3, 4, 5, 6}, index[] = {1, 0};
  ASSERT_TRUE(png_image_write_to_file(&image, f.path("palette.png").c_str(), 0, index, 0, map));
  EXPECT_EQ(values(read(f, "palette.png", 3, "[3, w, h]")), (D{4, 5, 6, 1, 2, 3}));

  FILE *file = fopen(f.path("deep.png").c_str(), "wb");
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_init_io(png, file);
  png_set_IHDR(png, info, 2, 1, 16, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  const unsigned char row[] = {1, 2, 255, 254};
  png_write_row(png, row);
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  fclose(file);
  EXPECT_EQ(values(read(f, "deep.png", 2, "[w, h]")), (D{258, 65534}));
  EXPECT_THROW(read(f, "deep.png", 2, "[w, h]", ElementKind::U8), base::UserError);
}

TEST(Image, PhotographRoundTrip) {
  const Folder f;
  const Matrix m = Matrix::allocate(ElementKind::U8, {641, 487});
  matrix::fillRandom(m, 9);
  write(f, "x.PNG", m, "[w, h]");
  const Matrix back = read(f, "x.PNG", 2, "[w, h]", ElementKind::U8);
  EXPECT_EQ(0, std::memcmp(m.data(), back.data(), static_cast<size_t>(m.bytes())));
}
