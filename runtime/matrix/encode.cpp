// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes matrices as bytes of the simple formats.
#include "runtime/matrix/image.h"
#include "runtime/matrix/writing.h"
#include <cstdio>

namespace pb::matrix {
std::string encodeText(const Matrix &m) {
  std::string out = "SIZE";
  for (int e : m.extents())
    out += " " + std::to_string(e);
  out += "\n";
  withType(m.element(), [&](auto zero) {
    using T = decltype(zero);
    const T *e = m.elements<T>();
    const long n = m.count();
    out.reserve(out.size() + static_cast<size_t>(n) * 10);
    char number[48];
    int at[AnyRegion::kMaxRank] = {};
    for (long i = 0; i < n; ++i) {
      int length = 0;
      if constexpr (std::is_floating_point_v<T>)
        length = std::snprintf(number, sizeof number, "%4.8g ", static_cast<double>(e[i]));
      else
        length = std::snprintf(number, sizeof number, "%4ld ", static_cast<long>(e[i]));
      out.append(number, static_cast<size_t>(length - (m.rank() == 0)));
      for (int d = 0; d < m.rank() && ++at[d] == m.extents()[static_cast<size_t>(d)]; ++d) {
        at[d] = 0;
        if (d == 0 || d + 1 < m.rank())
          out.push_back('\n');
      }
    }
  });
  out.push_back('\n');
  return out;
}

std::string encodePnm(const std::string &file, const Matrix &m, const std::string &declared) {
  const ImageShape s = imageShape(file, m.extents(), declared);
  char head[80];
  const int n =
      std::snprintf(head, sizeof head, "P%c\n%d %d\n255\n", s.channels == 3 ? '6' : '5', s.width, s.height);
  std::string out(head, static_cast<size_t>(n));
  const std::vector<unsigned char> pixels = toPixels(m, s);
  out.insert(out.end(), pixels.begin(), pixels.end());
  return out;
}

std::string npyHeader(const Matrix &m) {
  const char *type = withType(m.element(), [](auto zero) {
    using T = decltype(zero);
    return std::is_same_v<T, double>         ? "<f8"
           : std::is_same_v<T, float>        ? "<f4"
           : std::is_same_v<T, std::int32_t> ? "<i4"
           : std::is_same_v<T, std::int64_t> ? "<i8"
                                             : "|u1";
  });
  std::string shape;
  for (size_t d = m.extents().size(); d-- > 0;)
    shape += std::to_string(m.extents()[d]) + (d ? ", " : m.extents().size() == 1 ? "," : "");
  std::string dictionary =
      std::string("{'descr': '") + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // The length of the header, including its 10 leading bytes, is a multiple of 64, and it ends in a newline.
  while ((10 + dictionary.size() + 1) % 64)
    dictionary += ' ';
  dictionary += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(dictionary.size() & 255);
  out += static_cast<char>(dictionary.size() >> 8);
  return out + dictionary;
}

} // namespace pb::matrix
