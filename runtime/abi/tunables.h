// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tunables with more than one value, as generated code and rule bodies read them.
//
//   tunable array(4) float w   ->   w[2]                       in a body: a pb::FloatArray
//   tunable sizespecific depth ->   values[pb::sizeBin(n)]     chosen once, at the transform's entry
//
// Slots hold, for each accuracy bin, the values for each size bin (one or kSizeBins), each with all elements.
// Source: language reference 1.4, 3.2.
#pragma once

namespace pb {

inline constexpr int kSizeBins = 32;

/// floor(log2(n)) within 0..31.
inline int sizeBin(long n) {
  if (n < 2)
    return 0;
  const int bin = 63 - __builtin_clzl(static_cast<unsigned long>(n));
  return bin < kSizeBins ? bin : kSizeBins - 1;
}

extern "C" {
/// Ends the program with a message: `array` has no element `index`.
[[noreturn]] void pb_no_element(const char *array, long index, int length);
}

/// The elements of an array tunable; only read.
template <class Stored, class Seen>
struct TunableArray {
  const Stored *values = nullptr;
  int length = 0;
  const char *name = "";
  Seen operator[](long i) const {
    if (i < 0 || i >= length)
      pb_no_element(name, i, length);
    return static_cast<Seen>(values[i]);
  }
};
using IntegerArray = TunableArray<long, int>;
using FloatArray = TunableArray<double, double>;

} // namespace pb
