// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/kernel/device_tiles.h"
#include <fmt/format.h>

namespace pbc::emit {
namespace {

class GroupTilePrinter {
public:
  explicit GroupTilePrinter(const kernel::GroupTiles &tiles)
      : tiles_(tiles), last_(tiles.kernel.schedule.taskDimensions.size() - 1) {}

  std::string print(const std::string &statements) const {
    std::string text = tile(), indent = "    ", loops, ends;
    for (std::size_t k = last_; k-- > 0; indent += "  ") {
      loops += indent + items(k);
      ends.insert(0, indent + "}\n");
    }
    return text + "  for (long round = " + sum("begin", last_) + "; round < past; ++round) {\n" + loops +
           fmt::format("{}const long low{} = {};\n", indent, last_, rest(0)) + statements + ends +
           "    PB_BARRIER();\n  }\n";
  }

private:
  /// The group's tile, and the end of its rounds.
  std::string tile() const {
    std::string text, others;
    for (std::size_t k = 0; k < last_; ++k) {
      text += fmt::format("  const long at{0} = first{0} + PB_GROUP_ID({0});\n", k);
      others += fmt::format(" - at{}", k);
    }
    text += fmt::format("  const long at{} = diagonal{};\n", last_, others);
    for (std::size_t k = 0; k <= last_; ++k)
      text += fmt::format("  const long begin{0} = from{0} + at{0} * tile{0}, end{0} = pb_minimum(begin{0} + "
                          "tile{0}, to{0});\n",
                          k);
    return text + fmt::format("  const long past = at{0} < 0 || begin{0} >= end{0} ? {1} : {2};\n", last_,
                              sum("begin", last_), less(sum("end", last_), count(last_) - 1));
  }

  /// Whether function `k` is one of the round's functions below `limit`, or the last one.
  bool isSummand(std::size_t k, std::size_t limit) const {
    return tiles_.isInRound[k] && (k < limit || k == last_);
  }
  int count(std::size_t limit) const {
    int all = 0;
    for (std::size_t k = 0; k <= last_; ++k)
      all += isSummand(k, limit) ? 1 : 0;
    return all;
  }
  /// "begin0 + begin2"
  std::string sum(const std::string &name, std::size_t limit) const {
    std::string text;
    for (std::size_t k = 0; k <= last_; ++k)
      if (isSummand(k, limit))
        text += fmt::format("{}{}{}", text.empty() ? "" : " + ", name, k);
    return text;
  }
  static std::string less(const std::string &sum, int times) {
    return times ? fmt::format("{} - {}", sum, times) : sum;
  }

  /// The part of the round that is left for functions `k` and above.
  std::string rest(std::size_t k) const {
    std::string text = "round";
    for (; k < last_; ++k)
      if (tiles_.isInRound[k])
        text += fmt::format(" - low{}", k);
    return text;
  }

  /// An item's loop over its values of function `k`: those for which the other functions have values.
  std::string items(std::size_t k) const {
    if (!tiles_.isInRound[k])
      return fmt::format(
          "for (long low{0} = begin{0} + PB_LOCAL_ID({0}); low{0} < end{0}; low{0} += PB_G{0}) {{\n", k);
    return fmt::format("for (long low{0} = pb_maximum(begin{0}, {1} - ({2})) + PB_LOCAL_ID({0}), stop{0} = "
                       "pb_minimum(end{0}, {1} - ({3}) + 1); low{0} < stop{0}; low{0} += PB_G{0}) {{\n",
                       k, rest(k + 1), less(sum("end", k), count(k)), sum("begin", k));
  }

  const kernel::GroupTiles &tiles_;
  std::size_t last_; // the function that follows from the round
};

} // namespace

std::string tileArguments(const kernel::GroupTiles &tiles) {
  const std::size_t count = tiles.kernel.schedule.taskDimensions.size();
  std::string text;
  for (std::size_t k = 0; k < count; ++k)
    text += fmt::format(", long tile{}", k);
  text += ", long diagonal";
  for (std::size_t k = 0; k + 1 < count; ++k)
    text += fmt::format(", long first{}", k);
  return text;
}

std::string tileLoops(const kernel::GroupTiles &tiles, const std::string &statements) {
  return GroupTilePrinter(tiles).print(statements);
}

} // namespace pbc::emit
