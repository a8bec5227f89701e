// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads the text format of language reference 4.4:
//
//   SIZE 3 2
//      1    2    3
//      4    5    6
//
// The numbers may be separated by any white space and may have any form that printf writes: nan, inf, +1, .5,
// 1e-3.
#include "runtime/matrix/reading.h"
#include <algorithm>
#include <cctype>
#include <charconv>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace pb::matrix {
namespace {

class TextReader {
public:
  TextReader(const std::string &file, Bytes b, const Wanted &wanted)
      : file_(file), wanted_(wanted), at_(reinterpret_cast<const char *>(b.data())), end_(at_ + b.size()) {}

  Extents header() {
    blanks(true);
    if (end_ - at_ < 4 || strncasecmp(at_, "SIZE", 4) || (end_ - at_ > 4 && !std::isspace(byte(at_[4]))))
      refuse(file_,
             "a matrix in text begins with 'SIZE 3 2', its numbers follow; this one begins with " + word());
    at_ += 4;
    Extents extents;
    for (;;) {
      blanks(false);
      if (!extents.empty() && at_ < end_ && (*at_ == 'x' || *at_ == 'X'))
        ++at_, blanks(false);
      if (at_ == end_ || *at_ == '\n')
        return extents;
      int extent = -1;
      const auto [next, error] = std::from_chars(at_, end_, extent);
      if (error != std::errc{} || extent < 0 ||
          (next < end_ && !std::isspace(byte(*next)) && *next != 'x' && *next != 'X'))
        refuse(file_, where() + "after SIZE stand the extents, numbers from 0 to 2147483647; " + word() +
                          " is none");
      at_ = next;
      extents.push_back(extent);
    }
  }

  size_t left() const { return static_cast<size_t>(end_ - at_); }

  /// The next number; false at the end of the file.
  template <class D>
  bool number(D *out) {
    blanks(true);
    if (at_ == end_)
      return false;
    const char *begin = at_ + (*at_ == '+' && end_ - at_ > 1 && at_[1] != '-');
    if constexpr (std::is_integral_v<D>) { // exactly, all 64 bits
      long value = 0;
      const auto [next, error] = std::from_chars(begin, end_, value);
      if (error == std::errc{} && ended(next)) {
        if (!keeps<D, long>(value, out))
          unfit();
        at_ = next;
        return true;
      }
    }
    double value = 0;
    auto [next, error] = std::from_chars(begin, end_, value);
    if (error == std::errc::result_out_of_range && ended(next))
      value = withinRange(std::string(begin, next));
    else if (error != std::errc{} || !ended(next))
      refuse(file_, where() + word() + " is not a number");
    if (!keeps<D, double>(value, out))
      unfit();
    at_ = next;
    return true;
  }

  /// The next word that has not been read, with its line; "" at the end of the file.
  std::string remaining() {
    blanks(true);
    return at_ == end_ ? "" : where() + word();
  }

private:
  static unsigned char byte(char c) { return static_cast<unsigned char>(c); }
  bool ended(const char *p) const { return p == end_ || std::isspace(byte(*p)); }
  void blanks(bool lines) {
    while (at_ < end_ && std::isspace(byte(*at_)) && (lines || *at_ != '\n'))
      line_ += *at_++ == '\n';
  }
  std::string where() const { return "line " + std::to_string(line_) + ": "; }
  std::string word() const {
    const char *p = at_;
    while (p < end_ && p - at_ < 20 && !std::isspace(byte(*p)))
      ++p;
    if (p == at_)
      return "nothing";
    return beginning({reinterpret_cast<const unsigned char *>(at_), static_cast<size_t>(p - at_)});
  }
  /// A number that is not a normal double: 1e-999 is 0, but 1e999 would silently be infinite.
  double withinRange(const std::string &text) {
    const double value = std::strtod(text.c_str(), nullptr);
    if (std::isinf(value))
      unfit();
    return value;
  }
  [[noreturn]] void unfit() {
    refuse(file_, where() + word() + " does not fit " + wanted_.name + ", whose elements are '" +
                      name(wanted_.element) + "'");
  }

  const std::string &file_;
  const Wanted &wanted_;
  const char *at_, *end_;
  long line_ = 1;
};

} // namespace

Matrix readText(const std::string &file, Bytes b, const Wanted &wanted) {
  TextReader reader(file, b, wanted);
  const Extents extents = reader.header();
  requireRank(file, wanted, extents.size(), "SIZE " + print(extents));
  // A number takes at least two characters, including its separator: a header that claims more is refused
  // before allocating.
  unsigned __int128 needed = std::find(extents.begin(), extents.end(), 0) == extents.end() ? 1 : 0;
  for (int e : extents)
    if (needed <= reader.left())
      needed *= static_cast<unsigned>(e);
  if (needed > reader.left() / 2 + 1)
    refuse(file,
           "SIZE " + print(extents) + " announces more numbers than the file can hold (is it cut off?)");
  const Matrix m = Matrix::allocate(wanted.element, extents);
  withType(wanted.element, [&](auto zero) {
    using D = decltype(zero);
    D *out = m.elements<D>();
    for (long i = 0, n = m.count(); i < n; ++i)
      if (!reader.number(&out[i]))
        refuse(file, "SIZE " + print(extents) + " announces " + std::to_string(n) +
                         " numbers, but the file has " + std::to_string(i));
  });
  if (const std::string more = reader.remaining(); !more.empty())
    refuse(file, more + " stands after the " + std::to_string(m.count()) + " numbers that SIZE " +
                     print(extents) + " announces");
  return m;
}

} // namespace pb::matrix
