// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads `.npy` files (numpy's format versions 1 to 3, https://numpy.org/neps/nep-0001-npy-format.html).
#include "runtime/matrix/reading.h"
#include <bit>
#include <climits>
#include <cstring>
#include <optional>
#include <string_view>

static_assert(std::endian::native == std::endian::little,
              "the readers swap bytes for little-endian machines only");

namespace pb::matrix {
namespace {

struct Header {
  std::string descr; // "<f8"
  bool fortran = false;
  std::vector<long> shape;
  std::string shapeText;
};

/// Reads the Python dictionary that is the header. It supports only what numpy writes: strings, True/False,
/// tuples of integers.
class HeaderReader {
public:
  explicit HeaderReader(std::string_view text) : rest_(text) {}
  std::optional<Header> read() {
    Header h;
    bool descr = false, order = false, shape = false;
    if (!take('{'))
      return {};
    while (!take('}')) {
      std::string key;
      if (!string(&key) || !take(':'))
        return {};
      if (key == "descr") {
        if (!string(&h.descr))
          return {};
        descr = true;
      } else if (key == "fortran_order") {
        if (!(order = truth(&h.fortran)))
          return {};
      } else if (key == "shape") {
        if (!(shape = tuple(&h)))
          return {};
      } else {
        return {};
      }
      take(',');
    }
    if (!descr || !order || !shape)
      return {};
    return h;
  }

private:
  void blanks() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n' || rest_[0] == '\t'))
      rest_.remove_prefix(1);
  }
  bool take(char c) {
    blanks();
    if (rest_.empty() || rest_[0] != c)
      return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool string(std::string *out) {
    blanks();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"'))
      return false;
    const size_t end = rest_.find(rest_[0], 1);
    if (end == rest_.npos)
      return false;
    *out = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return true;
  }
  bool truth(bool *out) {
    blanks();
    *out = rest_.starts_with("True");
    if (!*out && !rest_.starts_with("False"))
      return false;
    rest_.remove_prefix(*out ? 4 : 5);
    return true;
  }
  bool tuple(Header *h) {
    blanks();
    const size_t end = rest_.find(')');
    if (end == rest_.npos || !take('('))
      return false;
    h->shapeText = "shape (" + std::string(rest_.substr(0, end - 1)) + ")";
    while (!take(')')) {
      blanks();
      long n = 0;
      size_t digits = 0;
      while (!rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9' && ++digits < 19)
        n = n * 10 + (rest_[0] - '0'), rest_.remove_prefix(1);
      if (!digits || digits == 19)
        return false;
      if (!rest_.empty() && rest_[0] == 'L')
        rest_.remove_prefix(1); // Python 2
      h->shape.push_back(n);
      if (!take(',') && (blanks(), rest_.empty() || rest_[0] != ')'))
        return false;
    }
    return true;
  }
  std::string_view rest_;
};

template <class S>
S load(const unsigned char *at, bool swap) {
  unsigned char raw[sizeof(S)];
  for (size_t i = 0; i < sizeof(S); ++i)
    raw[i] = at[swap ? sizeof(S) - 1 - i : i];
  S value;
  std::memcpy(&value, raw, sizeof(S));
  return value;
}

template <class S>
void convert(const std::string &file, const Wanted &wanted, const unsigned char *from, bool swap,
             bool fortran, const Matrix &to) {
  const long n = to.count();
  const size_t rank = to.extents().size();
  long stride[AnyRegion::kMaxRank] = {}, at[AnyRegion::kMaxRank] = {};
  long step = 1;
  for (size_t k = 0; k < rank; ++k) {
    const size_t d =
        fortran ? rank - 1 - k : k; // in Fortran order the first axis, the last dimension here, is contiguous
    stride[d] = step;
    step *= n ? to.extents()[d] : 1;
  }
  withType(to.element(), [&](auto zero) {
    using D = decltype(zero);
    D *out = to.elements<D>();
    if (std::is_same_v<D, S> && !swap && !fortran) {
      if (n)
        std::memcpy(out, from, static_cast<size_t>(n) * sizeof(D));
      return;
    }
    long offset = 0;
    for (long i = 0; i < n; ++i) {
      const S value = load<S>(from + static_cast<size_t>(offset) * sizeof(S), swap);
      if (!keeps<D, S>(value, &out[i]))
        refuse(file, unfitElement(wanted, to.extents(), i, static_cast<double>(value)));
      for (size_t d = 0; d < rank; ++d) {
        offset += stride[d];
        if (++at[d] < to.extents()[d])
          break;
        offset -= stride[d] * at[d];
        at[d] = 0;
      }
    }
  });
}

/// Calls f with a zero of the type that a name like "f8" stands for; false for an unknown type.
template <class F>
bool withSource(std::string_view type, F &&f) {
  if (type == "f8")
    return f(double{}), true;
  if (type == "f4")
    return f(float{}), true;
  if (type == "i1")
    return f(std::int8_t{}), true;
  if (type == "i2")
    return f(std::int16_t{}), true;
  if (type == "i4")
    return f(std::int32_t{}), true;
  if (type == "i8")
    return f(std::int64_t{}), true;
  if (type == "u1" || type == "b1")
    return f(std::uint8_t{}), true;
  if (type == "u2")
    return f(std::uint16_t{}), true;
  if (type == "u4")
    return f(std::uint32_t{}), true;
  if (type == "u8")
    return f(std::uint64_t{}), true;
  return false;
}

} // namespace

Matrix readNpy(const std::string &file, Bytes b, const Wanted &wanted) {
  if (b.size() < 10 || std::memcmp(b.data(), "\x93NUMPY", 6))
    refuse(file, "expected a .npy file, found one that begins with " + beginning(b));
  const unsigned version = b[6];
  if (version < 1 || version > 3)
    refuse(file, "is a .npy file of version " + std::to_string(version) + ", expected 1 to 3");
  const size_t lengthBytes = version == 1 ? 2 : 4;
  if (b.size() < 8 + lengthBytes)
    refuse(file, "the .npy header is cut off");
  size_t length = 0;
  for (size_t i = lengthBytes; i-- > 0;)
    length = length << 8 | b[8 + i];
  const size_t begin = 8 + lengthBytes;
  if (b.size() - begin < length)
    refuse(file, "the .npy header is cut off: " + std::to_string(length) + " bytes announced, " +
                     std::to_string(b.size() - begin) + " there");
  const auto header = HeaderReader({reinterpret_cast<const char *>(b.data()) + begin, length}).read();
  if (!header)
    refuse(file, "the .npy header is not understood (expected a plain array, not a structure of fields)");
  requireRank(file, wanted, header->shape.size(), header->shapeText);

  Extents extents(header->shape.rbegin(), header->shape.rend());
  bool empty = false;
  for (long n : header->shape) {
    if (n > INT_MAX)
      refuse(file, header->shapeText + " is larger than 2147483647 in one dimension");
    empty |= n == 0;
  }
  const std::string &descr = header->descr;
  const std::string_view type = std::string_view(descr).substr(std::min<size_t>(1, descr.size()));
  const bool orderKnown = !descr.empty() && std::strchr("<>=|", descr[0]);
  Matrix m;
  const bool known =
      orderKnown && withSource(type, [&](auto zero) {
        using S = decltype(zero);
        const unsigned long there = b.size() - begin - length;
        unsigned __int128 needed = empty ? 0 : sizeof(S);
        for (long n : header->shape) // stops before the product can wrap
          if (needed <= there)
            needed *= static_cast<unsigned long>(n);
        if (needed != there)
          refuse(file, header->shapeText + " of '" + descr + "' needs " +
                           (needed > there ? "more" : "fewer") + " bytes than the " + std::to_string(there) +
                           " that follow the header" + (needed > there ? " (is the file cut off?)" : ""));
        m = Matrix::allocate(wanted.element, extents);
        convert<S>(file, wanted, b.data() + begin + length, descr[0] == '>' && sizeof(S) > 1, header->fortran,
                   m);
      });
  if (!known)
    refuse(file, "elements of type '" + descr +
                     "' cannot be read (floats f4 f8, integers i1 to i8 and u1 to u8, " + "and bool can)");
  return m;
}

} // namespace pb::matrix
