// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/command/fast_memory.h"

#include "compiler/model/movement/exact_counts.h"
#include "compiler/model/problem.h"
#include "runtime/base/caches.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <fmt/format.h>

namespace pbc::model {
namespace {

/// 1024 to the power of the unit's letter; 0 if it is not a unit of bytes. "KiB", "KB" and "K" are the same
/// here.
long unitBytes(std::string_view unit) {
  if (unit.ends_with("iB"))
    unit.remove_suffix(2);
  else if (unit.size() > 1 && unit.back() == 'B')
    unit.remove_suffix(1);
  if (unit == "B")
    return 1;
  if (unit == "K" || unit == "k")
    return 1L << 10;
  if (unit == "M")
    return 1L << 20;
  if (unit == "G")
    return 1L << 30;
  return 0;
}

long wordsOf(const std::string &text, long element) {
  long number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, text.data() + text.size());
  const long bytes = unit.empty() ? element : unitBytes(unit);
  long all = 0;
  if (error != std::errc() || bytes == 0 || __builtin_mul_overflow(number, bytes, &all))
    throw Problem(fmt::format("--memory={} is not the size of a memory", text),
                  "a number of words (65536), or of bytes with B, K, M or G behind it (64K)");
  return unit.empty() ? number : all / element;
}

} // namespace

void FastMemoryOptions::addTo(CLI::App &app) {
  app.add_option(
      "--memory", memory,
      "the fast memory: words (65536), or bytes with a unit (64K); without it this machine's second cache");
  app.add_option("--element", element, "bytes of a word, 8 unless told");
  app.add_option(
      "--stream", stream,
      "columns and rows of the moving matrices that must fit beside a tile; 0, as the closed forms have "
      "it, unless told");
}

pb::FastMemory FastMemoryOptions::value() const {
  if (element < 1 || element > 1024)
    throw Problem(fmt::format("--element={}: a word has 1 to 1024 bytes", element));
  const pb::FastMemory out{memory.empty() ? pb::pb_cache_bytes(2) / element : wordsOf(memory, element),
                           stream};
  requireMemory(out);
  return out;
}

std::string FastMemoryOptions::text() const {
  const long words = value().words;
  return fmt::format("{} words of {} byte{} ({}{})", words, element, element == 1 ? "" : "s",
                     memory.empty() ? "this machine's second cache, " : "", bytes(words));
}

std::string FastMemoryOptions::bytes(long words) const {
  double bytes = static_cast<double>(words) * static_cast<double>(element);
  const char *unit = "bytes";
  for (const char *next : {"KiB", "MiB", "GiB", "TiB"})
    if (bytes >= 1024) {
      bytes /= 1024;
      unit = next;
    }
  return fmt::format("{:.4g} {}", bytes, unit);
}

} // namespace pbc::model
