// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/schedule_options.h"
#include <algorithm>
#include <charconv>

namespace pbc::kernel {
namespace {

std::optional<long> number(const std::string &text) {
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

} // namespace

const std::vector<ScheduleOption> &scheduleOptions() {
  // The most important options come first, because a search follows this order.
  static const std::vector<ScheduleOption> all = {
      {.name = "order",
       .doc = "the loops over points, the outermost first",
       .values = "all loops over points, as \"y, x\"",
       .isFree = true},
      {.name = "vector",
       .doc = "the loop over points that becomes vectors",
       .values = "\"auto\", \"off\", or the innermost loop's variable",
       .isFree = true},
      {.name = "body",
       .doc = "how the body of a point is computed: blocks of points in registers, written out in a vector "
              "loop, or its loops around groups of lanes",
       .values = "\"registers\", \"unrolled\" or \"lanes\"",
       .words = {"registers", "unrolled", "lanes"}},
      {.name = "tile",
       .doc = "cache tiles: a size for each loop over points, in their order; 0: not cut",
       .values = "\"off\", or sizes as \"32 x 256\"",
       .isFree = true},
      {.name = "unroll",
       .doc = "vectors at once in a vector loop",
       .values = "\"auto\", 1, 2, 4, 8 or 16",
       .least = 1,
       .most = 16,
       .isPower = true,
       .words = {"auto"},
       .worthTrying = {1, 2, 4, 8}},
      {.name = "jam",
       .doc = "iterations of the loop around a vector loop that are computed together",
       .values = "1 to 16",
       .least = 1,
       .most = 16,
       .worthTrying = {1, 2, 3, 4, 6, 8}},
      {.name = "lanes",
       .doc = "points in a group of lanes",
       .values = "\"auto\", or a power of two from 8 to 256",
       .least = 8,
       .most = 256,
       .isPower = true,
       .words = {"auto"},
       .worthTrying = {8, 16, 32, 64, 128}},
      {.name = "rows",
       .doc = "rows of a block in registers",
       .values = "\"auto\", or 1 to 24",
       .least = 1,
       .most = 24,
       .words = {"auto"},
       .worthTrying = {2, 4, 6, 8, 10, 12, 14}},
      {.name = "vectors",
       .doc = "vectors in a row of a block in registers",
       .values = "\"auto\", or 1 to 4",
       .least = 1,
       .most = 4,
       .words = {"auto"},
       .worthTrying = {1, 2, 3, 4}},
      {.name = "depth",
       .doc = "steps of the body's loop whose operands are copied into panels together",
       .values = "\"auto\", or 16 to 65536",
       .least = 16,
       .most = 65536,
       .words = {"auto"},
       .worthTrying = {64, 128, 256, 512, 1024}},
      {.name = "columns",
       .doc = "columns of the operand whose panels are used again and again",
       .values = "\"auto\", or 16 to 65536",
       .least = 16,
       .most = 65536,
       .words = {"auto"},
       .worthTrying = {64, 256, 1024, 4096}},
      {.name = "tasks",
       .doc = "the directions in which tasks are cut",
       .values = "some of the directions, as \"y\" or \"y, x\"",
       .isFree = true},
      {.name = "time_tiles",
       .doc = "tiles of a stencil in time: all lean the same way and wait for each other, or half of them "
              "start at once",
       .values = "\"parallelograms\" or \"diamonds\"",
       .words = {"parallelograms", "diamonds"}},
      {.name = "grain",
       .doc = "tasks begin at multiples of so many points of the contiguous direction",
       .values = "a power of two from 16 to 65536",
       .least = 16,
       .most = 65536,
       .isPower = true,
       .worthTrying = {64, 1024, 4096}},
      {.name = kScriptOption,
       .doc = "the whole schedule, instead of other options",
       .values = "steps, as \"tasks(); tile(y, x; 32, 256); vector(x)\"",
       .isFree = true},
  };
  return all;
}

const ScheduleOption *findScheduleOption(const std::string &name) {
  const auto &all = scheduleOptions();
  const auto at = std::find_if(all.begin(), all.end(), [&](const auto &o) { return name == o.name; });
  return at == all.end() ? nullptr : &*at;
}

bool isValue(const ScheduleOption &option, const std::string &value) {
  if (option.isFree)
    return !value.empty();
  if (std::find(option.words.begin(), option.words.end(), value) != option.words.end())
    return true;
  const std::optional<long> n = number(value);
  return option.most > 0 && n && *n >= option.least && *n <= option.most &&
         (!option.isPower || (*n & (*n - 1)) == 0);
}

std::vector<std::string> parts(const std::string &value, char separator) {
  std::vector<std::string> all(1);
  for (const char c : value)
    if (c == separator)
      all.emplace_back();
    else if (c != ' ')
      all.back() += c;
  return all;
}

} // namespace pbc::kernel
