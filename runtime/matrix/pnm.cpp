// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads portable grey and pixel maps: P2/P5 (grey) and P3/P6 (colour), 8 and 16 bits.
#include "runtime/matrix/image.h"
#include <cctype>

namespace pb::matrix {
namespace {

class PnmReader {
public:
  PnmReader(const std::string &file, Bytes b) : file_(file), b_(b) {}

  /// The next number, in least..most; comments run from # to the end of the line.
  int number(const char *what, int most, int least = 0) {
    while (at_ < b_.size() && (std::isspace(b_[at_]) || b_[at_] == '#')) {
      if (b_[at_] == '#')
        while (at_ < b_.size() && b_[at_] != '\n')
          ++at_;
      else
        ++at_;
    }
    long value = 0;
    const size_t begin = at_;
    while (at_ < b_.size() && std::isdigit(b_[at_]) && at_ - begin < 10)
      value = value * 10 + (b_[at_++] - '0');
    if (at_ == begin || value > most || value < least)
      refuse(file_, std::string("expected ") + what + " (" + std::to_string(least) + " to " +
                        std::to_string(most) + ") at byte " + std::to_string(begin) + ", found " +
                        (begin < b_.size() ? beginning(b_.subspan(begin)) : "the end"));
    return static_cast<int>(value);
  }
  void skip(size_t n) { at_ += n; }
  Bytes rest() const { return at_ < b_.size() ? b_.subspan(at_) : Bytes{}; }

private:
  const std::string &file_;
  Bytes b_;
  size_t at_ = 0;
};

} // namespace

Matrix readPnm(const std::string &file, Bytes b, const Wanted &wanted) {
  const char kind = b.size() > 2 && b[0] == 'P' ? static_cast<char>(b[1]) : '?';
  if (kind != '2' && kind != '3' && kind != '5' && kind != '6')
    refuse(file,
           "expected a grey or pixel map (P2, P3, P5 or P6), found a file that begins with " + beginning(b));
  PnmReader reader(file, b);
  reader.skip(2);
  Image image;
  image.width = reader.number("the width", 1 << 30);
  image.height = reader.number("the height", 1 << 30);
  image.channels = kind == '3' || kind == '6' ? 3 : 1;
  const int most = reader.number("the largest value", 65535, 1);
  const bool binary = kind == '5' || kind == '6';
  if (binary)
    reader.skip(1);

  const unsigned long sampleBytes = binary ? (most > 255 ? 2 : 1) : 2; // text: a digit and its separator
  const unsigned __int128 needed = static_cast<unsigned __int128>(image.width) *
                                   static_cast<unsigned>(image.height) *
                                   static_cast<unsigned>(image.channels);
  if (needed * sampleBytes > reader.rest().size() + (binary ? 0 : 1))
    refuse(file, "announces " + std::to_string(image.width) + " x " + std::to_string(image.height) +
                     " pixels, more than the file can hold (is it cut off?)");
  image.samples.resize(static_cast<size_t>(needed));
  const Bytes data = reader.rest();
  for (size_t i = 0; i < image.samples.size(); ++i)
    image.samples[i] = static_cast<std::uint16_t>(!binary            ? reader.number("a sample", most)
                                                  : sampleBytes == 2 ? data[2 * i] << 8 | data[2 * i + 1]
                                                                     : data[i]);
  return fromImage(file, image, wanted);
}

} // namespace pb::matrix
