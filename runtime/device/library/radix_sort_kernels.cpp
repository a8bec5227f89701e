// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/library/radix_sort_kernels.h"

#include "runtime/matrix/element.h"

#include <algorithm>

namespace pb::device {
namespace {

constexpr const char *kKeys = R"(
#if PB_SORT_BITS == 32
typedef unsigned Key;
#define PB_SORT_SIGN 0x80000000u
#else
typedef unsigned long Key;
#define PB_SORT_SIGN 0x8000000000000000ul
#endif
#define PB_SORT_PLACES (PB_SORT_BITS / 8)
#define PB_SORT_WARPS (PB_G0 / PB_WARP)
#define PB_SORT_TILE (PB_G0 * PB_SORT_KEYS)
#define PB_SORT_OWN (256 / PB_G0) // digits of an item
#if PB_WARP == 1 // the keys of an item are an array in memory
#define PB_SORT_UNROLL 1
#else
#define PB_SORT_UNROLL 64
#endif
#define PB_SORT_DIGIT(key, shift) ((unsigned)((key) >> (shift)) & 255u)
PB_FUNCTION Key pb_keyOf(Key element) {
#if PB_SORT_FLOATS
  return element ^ (((Key)0 - (element >> (PB_SORT_BITS - 1))) | PB_SORT_SIGN);
#else
  return element ^ PB_SORT_SIGN;
#endif
}
PB_FUNCTION Key pb_elementOf(Key key) {
#if PB_SORT_FLOATS
  return key ^ (((key >> (PB_SORT_BITS - 1)) - (Key)1) | PB_SORT_SIGN);
#else
  return key ^ PB_SORT_SIGN;
#endif
}
// The sum of `own` of all items of the group before this one, by way of an array with a number for each warp.
#define PB_SORT_SUM_BEFORE(name, own, sums)                                          \
  unsigned name = own;                                                               \
  for (int lanes = 1; lanes < PB_WARP; lanes *= 2) {                                 \
    PB_SHUFFLE_BEFORE(unsigned, other, name, lanes);                                 \
    if (lane >= lanes) name += other;                                                \
  }                                                                                  \
  if (lane == PB_WARP - 1) sums[warp] = name;                                        \
  PB_BARRIER();                                                                      \
  name -= own;                                                                       \
  for (int w = 0; w < PB_SORT_WARPS; ++w) name += w < warp ? sums[w] : 0u
)";

constexpr const char *kCopy = R"(
PB_KERNEL(pb_sort_copy)(PB_GLOBAL const Key *from, long fromFirst, long fromStep, PB_GLOBAL Key *to, long toFirst,
                        long toStep, long count)
{
  PB_BEGIN
  const long i = PB_ID(0);
  if (i < count) to[toFirst + i * toStep] = from[fromFirst + i * fromStep];
  PB_END
}
)";

// It names the numbers only to wait for them: what a sort takes, as a trace and a tuner see it, begins with this kernel.
constexpr const char *kClear = R"(
PB_KERNEL(pb_sort_clear)(PB_GLOBAL unsigned *marks, PB_GLOBAL const Key *numbers, long count)
{
  PB_BEGIN
  if (PB_ID(0) < count) marks[PB_ID(0)] = 0;
  PB_END
}
)";

// Four loads are under way at once.
constexpr const char *kHistograms = R"(
#define PB_SORT_WIDTH ((int)(16 / sizeof(Key)))
#define PB_SORT_COUNT(element)                                                       \
  {                                                                                  \
    const Key key = pb_keyOf(element);                                               \
    for (int p = 0; p < PB_SORT_PLACES; ++p)                                         \
      PB_ADD_LOCAL(counts[p * 256 + PB_SORT_DIGIT(key, 8 * p)], 1u);                 \
  }
PB_KERNEL(pb_sort_histograms)(PB_GLOBAL const Key *from, long fromFirst, PB_GLOBAL unsigned *marks, long count, long items)
{
  PB_LOCAL_ARRAYS
  PB_LOCAL_ARRAY(unsigned, counts, PB_SORT_PLACES * 256);
  PB_BEGIN
  PB_PLACE(from, fromFirst);
  const int item = (int)PB_LOCAL_ID(0);
  for (int k = item; k < PB_SORT_PLACES * 256; k += PB_G0) counts[k] = 0;
  PB_BARRIER();
  const long mine = PB_ID(0);
  long lead = (long)((16 - ((unsigned long)from & 15)) & 15) / (long)sizeof(Key);
  if (lead > count) lead = count;
  const long blocks = (count - lead) / PB_SORT_WIDTH;
  long b = mine;
  for (; b + 3 * items < blocks; b += 4 * items) {
    Key some[4 * PB_SORT_WIDTH];
#pragma unroll PB_SORT_UNROLL
    for (int k = 0; k < 4; ++k) PB_LOAD_16(Key, some[k * PB_SORT_WIDTH], from[lead + (b + k * items) * PB_SORT_WIDTH]);
#pragma unroll PB_SORT_UNROLL
    for (int k = 0; k < 4 * PB_SORT_WIDTH; ++k) PB_SORT_COUNT(some[k])
  }
  for (; b < blocks; b += items)
    for (int k = 0; k < PB_SORT_WIDTH; ++k) PB_SORT_COUNT(from[lead + b * PB_SORT_WIDTH + k])
  // What lies before the first multiple of 16 bytes, and behind the last one.
  if (mine < lead) PB_SORT_COUNT(from[mine])
  if (lead + blocks * PB_SORT_WIDTH + mine < count) PB_SORT_COUNT(from[lead + blocks * PB_SORT_WIDTH + mine])
  PB_BARRIER();
  for (int k = item; k < PB_SORT_PLACES * 256; k += PB_G0)
    if (counts[k] > 0) PB_ADD_GLOBAL(marks[k], counts[k]);
  PB_END
}
)";

// A group for each place.
constexpr const char *kStarts = R"(
PB_KERNEL(pb_sort_starts)(PB_GLOBAL unsigned *marks)
{
  PB_LOCAL_ARRAYS
  PB_LOCAL_ARRAY(unsigned, sums, PB_SORT_WARPS);
  PB_BEGIN
  const int item = (int)PB_LOCAL_ID(0), lane = item % PB_WARP, warp = item / PB_WARP;
  marks += PB_GROUP_ID(0) * 256 + item * PB_SORT_OWN;
  unsigned own = 0;
  for (int k = 0; k < PB_SORT_OWN; ++k) own += marks[k];
  PB_SORT_SUM_BEFORE(at, own, sums);
  for (int k = 0; k < PB_SORT_OWN; ++k) {
    const unsigned count = marks[k];
    marks[k] = at;
    at += count;
  }
  PB_END
}
)";

// A group for each digit; its row has a number for each tile.
constexpr const char *kRows = R"(
PB_KERNEL(pb_sort_rows)(PB_GLOBAL unsigned *marks, long starts, long here, long tiles)
{
  PB_LOCAL_ARRAYS
  PB_LOCAL_ARRAY(unsigned, sums, PB_SORT_WARPS);
  PB_BEGIN
  const int item = (int)PB_LOCAL_ID(0), lane = item % PB_WARP, warp = item / PB_WARP;
  PB_GLOBAL unsigned *row = marks + here + PB_GROUP_ID(0) * tiles;
  const long each = (tiles + PB_G0 - 1) / PB_G0;
  const long low = item * each < tiles ? item * each : tiles, high = low + each < tiles ? low + each : tiles;
  unsigned own = 0;
  for (long t = low; t < high; ++t) own += row[t];
  PB_SORT_SUM_BEFORE(at, own, sums);
  at += marks[starts + PB_GROUP_ID(0)];
  for (long t = low; t < high; ++t) {
    const unsigned count = row[t];
    row[t] = at;
    at += count;
  }
  PB_END
}
)";

// Both Count and Pass begin with the keys of a tile and how often each warp has each digit. Keys behind the end are the
// largest ones; they come last, and are not written. Numbers that are published: 0 none, else the upper two bits say which.
constexpr const char *kTile = R"(
#define PB_SORT_PART 0x40000000u  // of the tile
#define PB_SORT_WHOLE 0x80000000u // of the tile and all before it
#define PB_SORT_VALUE 0x3fffffffu
#if PB_SORT_ONLY_COUNTS
PB_KERNEL(pb_sort_count)(PB_GLOBAL const Key *from, long fromFirst, PB_GLOBAL unsigned *marks, long here, long tiles, long count,
                         long shift, long isFirst)
#else
// `here`: what tiles publish, or the places of tiles' digits; `next`: the same of the next pass, to be cleared, or -1.
PB_KERNEL(pb_sort_pass)(PB_GLOBAL const Key *from, long fromFirst, PB_GLOBAL Key *to, long toFirst, PB_GLOBAL unsigned *marks,
                        long starts, long ticket, long here, long next, long tiles, long count, long shift, long isFirst,
                        long isLast)
#endif
{
  PB_LOCAL_ARRAYS
  PB_LOCAL_ARRAY(unsigned, counts, PB_SORT_WARPS * 256);
#if !PB_SORT_ONLY_COUNTS
  PB_LOCAL_ARRAY(Key, sorted, PB_SORT_TILE);
  PB_LOCAL_ARRAY(unsigned, places, 256);
  PB_LOCAL_ARRAY(unsigned, sums, PB_SORT_WARPS + 1);
#endif
  PB_BEGIN
  const int item = (int)PB_LOCAL_ID(0), lane = item % PB_WARP, warp = item / PB_WARP;
  for (int k = item; k < PB_SORT_WARPS * 256; k += PB_G0) counts[k] = 0;
#if PB_SORT_LOOKS_BACK
  if (item == 0) sums[PB_SORT_WARPS] = PB_ADD_GLOBAL(marks[ticket], 1u);
  PB_BARRIER();
  const long tile = sums[PB_SORT_WARPS];
#else
  const long tile = PB_GROUP_ID(0);
#endif
  Key key[PB_SORT_KEYS];
  const long first = tile * PB_SORT_TILE + warp * (PB_SORT_KEYS * PB_WARP) + lane;
  PB_PLACE(from, fromFirst + first);
  if (tile * PB_SORT_TILE + PB_SORT_TILE <= count) {
#pragma unroll PB_SORT_UNROLL
    for (int j = 0; j < PB_SORT_KEYS; ++j) key[j] = from[j * PB_WARP];
    if (isFirst) {
#pragma unroll PB_SORT_UNROLL
      for (int j = 0; j < PB_SORT_KEYS; ++j) key[j] = pb_keyOf(key[j]);
    }
  } else {
    const int rest = (int)(count - first);
#pragma unroll PB_SORT_UNROLL
    for (int j = 0; j < PB_SORT_KEYS; ++j) {
      key[j] = ~(Key)0;
      if (j * PB_WARP < rest) {
        key[j] = from[j * PB_WARP];
        if (isFirst) key[j] = pb_keyOf(key[j]);
      }
    }
  }
  PB_BARRIER();
  PB_LOCAL unsigned *mine = counts + warp * 256;
#pragma unroll PB_SORT_UNROLL
  for (int j = 0; j < PB_SORT_KEYS; ++j)
#if PB_WARP == 1
    ++mine[PB_SORT_DIGIT(key[j], shift)];
#else
    PB_ADD_LOCAL(mine[PB_SORT_DIGIT(key[j], shift)], 1u);
#endif
  PB_BARRIER();
  unsigned own[PB_SORT_OWN];
  unsigned all = 0;
#pragma unroll PB_SORT_UNROLL
  for (int k = 0; k < PB_SORT_OWN; ++k) {
    const int digit = item * PB_SORT_OWN + k;
    own[k] = 0;
    for (int w = 0; w < PB_SORT_WARPS; ++w) own[k] += counts[w * 256 + digit];
    all += own[k];
#if PB_SORT_ONLY_COUNTS
    marks[here + digit * tiles + tile] = own[k];
#elif PB_SORT_LOOKS_BACK
    PB_PUBLISH(marks[here + tile * 256 + digit], (tile == 0 ? PB_SORT_WHOLE : PB_SORT_PART) | own[k]);
    if (next >= 0) marks[next + tile * 256 + digit] = 0;
#endif
  }
#if !PB_SORT_ONLY_COUNTS
  PB_SORT_SUM_BEFORE(before, all, sums);
#pragma unroll PB_SORT_UNROLL
  for (int k = 0; k < PB_SORT_OWN; ++k) {
    const int digit = item * PB_SORT_OWN + k;
    unsigned at = before;
    for (int w = 0; w < PB_SORT_WARPS; ++w) {
      const unsigned some = counts[w * 256 + digit];
      counts[w * 256 + digit] = at;
      at += some;
    }
    places[digit] = before;
    before = at;
  }
  PB_BARRIER();
#pragma unroll PB_SORT_UNROLL
  for (int j = 0; j < PB_SORT_KEYS; ++j) {
    const unsigned digit = PB_SORT_DIGIT(key[j], shift);
    PB_MATCH(alike, digit, 8);
    const unsigned at = mine[digit], below = PB_COUNT_ONES(alike & ((1u << lane) - 1u));
    PB_WARP_BARRIER();
    if (below == 0) mine[digit] = at + PB_COUNT_ONES(alike);
    PB_WARP_BARRIER();
    sorted[at + below] = key[j];
  }
#pragma unroll PB_SORT_UNROLL
  for (int k = 0; k < PB_SORT_OWN; ++k) {
    const int digit = item * PB_SORT_OWN + k;
#if PB_SORT_LOOKS_BACK
    unsigned earlier = 0;
    for (long t = tile - 1; t >= 0; --t) {
      unsigned seen = PB_PUBLISHED(marks[here + t * 256 + digit]);
      while (seen == 0) seen = PB_PUBLISHED(marks[here + t * 256 + digit]);
      earlier += seen & PB_SORT_VALUE;
      if (seen & PB_SORT_WHOLE) break;
    }
    if (tile > 0) PB_PUBLISH(marks[here + tile * 256 + digit], PB_SORT_WHOLE | (earlier + own[k]));
    places[digit] = marks[starts + digit] + earlier - places[digit];
#else
    places[digit] = marks[here + digit * tiles + tile] - places[digit];
#endif
  }
  PB_BARRIER();
  PB_PLACE(to, toFirst);
  if (isLast) {
#pragma unroll PB_SORT_UNROLL
    for (int j = 0; j < PB_SORT_KEYS; ++j) {
      const Key one = sorted[j * PB_G0 + item];
      const unsigned place = places[PB_SORT_DIGIT(one, shift)] + (unsigned)(j * PB_G0 + item);
      if (place < (unsigned)count) to[place] = pb_elementOf(one);
    }
  } else {
#pragma unroll PB_SORT_UNROLL
    for (int j = 0; j < PB_SORT_KEYS; ++j) {
      const Key one = sorted[j * PB_G0 + item];
      const unsigned place = places[PB_SORT_DIGIT(one, shift)] + (unsigned)(j * PB_G0 + item);
      if (place < (unsigned)count) to[place] = one;
    }
  }
#endif
  PB_END
}
)";

struct SortText {
  const char *entry, *text;
};
constexpr SortText kTexts[] = {
    {"pb_sort_copy", kCopy},     {"pb_sort_clear", kClear}, {"pb_sort_histograms", kHistograms},
    {"pb_sort_starts", kStarts}, {"pb_sort_count", kTile},  {"pb_sort_rows", kRows},
    {"pb_sort_pass", kTile},
};

} // namespace

SortShape sortShape(const Description &about, int elementBytes) {
  // With warps: the keys of an item, where it goes with them and what it computes with fit into 64 registers, and four
  // groups run at once. Without: each item counts digits by itself, so on a processor items are few and have many keys.
  if (about.warp > 1)
    return {8 * about.warp, elementBytes == 4 ? 20 : 12, about.groupsWait, 4};
  return about.sharesMemory ? SortShape{8, 128, about.groupsWait} : SortShape{32, 32, about.groupsWait};
}

KernelSource sortKernel(SortKernel which, const SortShape &shape, ElementKind element) {
  const auto [entry, body] = kTexts[static_cast<int>(which)];
  std::string text;
  const auto define = [&](const char *name, long value) {
    text += std::string("#define ") + name + " " + std::to_string(value) + "\n";
  };
  define("PB_SORT_BITS", 8 * static_cast<long>(matrix::bytes(element)));
  define("PB_SORT_FLOATS", matrix::isFloat(element));
  define("PB_SORT_KEYS", shape.keys);
  define("PB_SORT_ONLY_COUNTS", which == SortKernel::Count);
  define("PB_SORT_LOOKS_BACK", which == SortKernel::Pass && shape.looksBack);
  if (which == SortKernel::Pass) {
    text += "#undef PB_LEAST_GROUPS\n";
    define("PB_LEAST_GROUPS", shape.leastGroups);
  }
  return {.text = text + kKeys + body, .entry = entry, .group = {shape.items, 1, 1}};
}

} // namespace pb::device
