// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/unseen_inputs.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace pb::program {
namespace {

constexpr long kBlock = 64;        // one of so many elements changes
constexpr long kMostBlocks = 4096; // of one matrix
constexpr long kAttempts = 4;      // elements of a block that are looked at until one may change

} // namespace

UnseenInputs::UnseenInputs(const Instance &instance, unsigned long seed, Origin origin)
    : instance_(instance), random_(seed), origin_(origin) {}

/// The value itself if it must not change.
template <class T>
T UnseenInputs::changed(T value, const T *first, long count) {
  if constexpr (std::is_floating_point_v<T>) {
    constexpr long kUnits = 16; // at most, in the last place
    if (!std::isnormal(value) || std::trunc(value) == value)
      return value;
    const T part = static_cast<T>(1 + random_.below(kUnits)) * std::numeric_limits<T>::epsilon();
    return value * (random_.below(2) ? 1 + part : 1 - part);
  } else {
    return origin_ == Origin::Random ? first[random_.below(count)] : value;
  }
}

template <class T>
void UnseenInputs::changeSome(T *first, long count) {
  if (count <= 0)
    return;
  const long blocks = std::clamp(count / kBlock, 1L, kMostBlocks);
  for (long block = 0; block < blocks; ++block) {
    const long begin = count / blocks * block;
    const long length = block + 1 < blocks ? count / blocks : count - begin;
    for (long attempt = 0; attempt < kAttempts; ++attempt) {
      T *element = first + begin + random_.below(length);
      const T after = changed(*element, first, count);
      if (after == *element)
        continue;
      Change change{reinterpret_cast<unsigned char *>(element), 0, 0, sizeof(T)};
      std::memcpy(&change.before, element, sizeof(T));
      std::memcpy(&change.after, &after, sizeof(T));
      changes_.push_back(change);
      *element = after;
      break;
    }
  }
}

void UnseenInputs::change() {
  restore();
  for (int i = 0; i < inputCount(*instance_.transform); ++i)
    if (const Matrix &input = instance_.matrices[static_cast<size_t>(i)]; input.rank() > 0)
      matrix::withType(input.element(),
                       [&](auto zero) { changeSome(input.elements<decltype(zero)>(), input.count()); });
}

void UnseenInputs::restore() {
  for (const Change &change : changes_)
    if (std::memcmp(change.at, &change.after, change.bytes) == 0)
      std::memcpy(change.at, &change.before, change.bytes);
  changes_.clear();
}

} // namespace pb::program
