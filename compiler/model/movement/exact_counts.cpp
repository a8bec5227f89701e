// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/movement/exact_counts.h"

#include "compiler/model/bound.h"
#include "compiler/model/problem.h"

#include <fmt/format.h>
#include <limits>

namespace pbc::model {

void requireSizes(const std::vector<long> &sizes) {
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] < 1 || sizes[i] > std::numeric_limits<int>::max())
      throw Problem(fmt::format("size P{} is {}", i, sizes[i]),
                    "sizes are whole numbers from 1 to 2147483647");
}

void requireMemory(const pb::FastMemory &memory) {
  if (memory.words < 1)
    throw Problem(fmt::format("a fast memory of {} words", memory.words), "it has at least one word");
  if (memory.stream < 0)
    throw Problem(fmt::format("{} streamed lines beside a tile", memory.stream), "0, 1 or more");
}

long counted(pb::Words words, const std::string &what) {
  if (words == pb::kTooMany)
    throw Problem(fmt::format("the words that {} moves are more than 64 bits can count", what),
                  "take smaller sizes");
  return words.count;
}

long counted(const pb::Tiled &tiled, const pb::FastMemory &memory, const std::string &what) {
  if (!fits(tiled))
    throw Problem(fmt::format("no tile of {} fits in {} words with {} streamed lines of each matrix", what,
                              memory.words, memory.stream),
                  "a tile of 1 x 1 takes 1 word and 2 for each streamed line");
  return counted(tiled.words, what);
}

void requireEachOnce(long words, const std::vector<long> &sizes) {
  pb::Words once = pb::Words(sizes.front()) * sizes.back();
  for (size_t i = 1; i < sizes.size(); ++i)
    once = once + pb::Words(sizes[i - 1]) * sizes[i];
  requireBound(!(pb::Words(words) < once),
               [&] { return fmt::format("{} words are less than each matrix once, {}", words, once.count); });
}

} // namespace pbc::model
