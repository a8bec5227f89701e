// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// pbc model movement P0 P1 P2 [P3]: one product, or two that may be fused.
#include "compiler/model/command/command.h"
#include "compiler/model/command/fast_memory.h"
#include "compiler/model/movement/exact_counts.h"
#include "compiler/model/movement/ways.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>

namespace pbc::model {
namespace {

using Json = nlohmann::ordered_json;

struct MovementQuestion {
  std::vector<long> sizes;
  FastMemoryOptions memory;
};

/// A row of the table of ways.
std::vector<Json> wayRow(const Way &way, const pb::FastMemory &memory) {
  std::vector<Json> out{way.name};
  const pb::Tiled exact = way.exact(memory);
  if (exact.words == pb::kTooMany)
    out.insert(out.end(), {Json(), "does not fit"});
  else
    out.insert(out.end(), {exact.words.count,
                           exact.first ? Json(fmt::format("{} x {}", exact.first, exact.second)) : Json()});
  const auto closed = closedOf(way, static_cast<double>(memory.words));
  if (!closed)
    out.insert(out.end(), {Json(), Json()});
  else if (closed->first <= 0)
    out.insert(out.end(), {closed->words, Json()});
  else
    out.insert(out.end(),
               {closed->words, fmt::format("{:.1f} x {:.1f}{}", closed->first, closed->second,
                                           closed->first > static_cast<double>(way.firstExtent) ||
                                                   closed->second > static_cast<double>(way.secondExtent)
                                               ? ", more than there is"
                                               : "")});
  return out;
}

AnswerTable wayTable(std::initializer_list<const std::vector<Way> *> groups, const pb::FastMemory &memory) {
  AnswerTable table{"", {"way", "exact [words]", "tile", "closed form [words]", "its tile"}, {}};
  for (const std::vector<Way> *ways : groups)
    for (const Way &way : *ways)
      table.rows.push_back(wayRow(way, memory));
  return table;
}

/// Words over the memory's size, from a 64th to 64 times the requested one.
Plot movementCurve(const std::vector<Way> &ways, const pb::FastMemory &memory) {
  Plot plot{"Words moved, exact", "fast memory [words]", "moved [words]", true, true, {}};
  for (const Way &way : ways) {
    PlotSeries series{way.name, {}, true};
    for (double factor = 1.0 / 64; factor <= 64; factor *= std::sqrt(2.0)) {
      const pb::FastMemory here{std::lround(static_cast<double>(memory.words) * factor), memory.stream};
      const pb::Words words = way.exact(here).words;
      if (!(words == pb::kTooMany))
        series.points.emplace_back(static_cast<double>(here.words), static_cast<double>(words.count));
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

std::string percentOf(double part, double whole) { return fmt::format("{:.1f} %", 100 * part / whole); }

std::string percentOf(long part, long whole) {
  return percentOf(static_cast<double>(part), static_cast<double>(whole));
}

/// How the words of one product are composed: "62.1 % of the words are A2, read 4 times."
std::string dominantMatrix(const ProductSizes &p, size_t kept, const pb::Tiled &tile) {
  const long times[] = {kept == 1 ? 1 : pb::parts(p[2], kept == 0 ? tile.second : tile.first),
                        kept == 2 ? 1 : pb::parts(p[0], tile.first),
                        kept == 0 ? 1 : 2 * pb::parts(p[1], tile.second) - 1};
  const long words[] = {p[0] * p[1] * times[0], p[1] * p[2] * times[1], p[0] * p[2] * times[2]};
  const size_t most = static_cast<size_t>(std::ranges::max_element(words) - words);
  const char *names[] = {"A1", "A2", "R"};
  return fmt::format("{} of the words are {}, which moves {} time{}.",
                     percentOf(words[most], tile.words.count), names[most], times[most],
                     times[most] == 1 ? "" : "s");
}

/// The smallest memory with which each matrix is moved only once.
long memoryForOnce(const ProductSizes &p, long once, long stream) {
  long low = 0, high = pb::minimum((p[0] + stream) * (p[2] + stream), (p[0] + stream) * (p[1] + stream));
  high = pb::minimum(high, (p[2] + stream) * (p[1] + stream));
  while (low + 1 < high) {
    const long middle = low + (high - low) / 2;
    (pb::leastProduct(p[0], p[1], p[2], {middle, stream}).words == once ? high : low) = middle;
  }
  return high;
}

Answer oneProduct(const ProductSizes &p, const FastMemoryOptions &asked, Mode mode) {
  const pb::FastMemory memory = asked.value();
  const std::vector<Way> ways = waysOfOne(p);
  const Way &best = leastOf(ways, memory);
  const pb::Tiled tile = best.exact(memory);
  const long words = tile.words.count;
  const long once =
      counted(pb::Words(p[0]) * p[1] + pb::Words(p[1]) * p[2] + pb::Words(p[0]) * p[2], "the product");
  requireEachOnce(words, {p.begin(), p.end()});
  Answer answer(fmt::format("Movement of R ({0} x {2}) = A1 ({0} x {1}) A2 ({1} x {2}) through {3}", p[0],
                            p[1], p[2], asked.text()));
  answer.figure("least", words, "words", "cost-models.md 5, exact");
  answer.figure("least in bytes", static_cast<double>(words) * static_cast<double>(asked.element), "bytes");
  answer.figure("each matrix once", once, "words");
  answer.figure("way", best.name);
  answer.tables.push_back(wayTable({&ways}, memory));
  answer.explain(dominantMatrix(p, static_cast<size_t>(&best - ways.data()), tile));
  if (words > once) {
    const long enough = memoryForOnce(p, once, memory.stream);
    answer.explain(
        fmt::format("Each matrix would move once with {} words ({}).", enough, asked.bytes(enough)));
  } else
    answer.explain("Less is impossible: each matrix moves once.");
  if (mode == Mode::Printed)
    answer.explain(
        "Of one product print has the same words; only the tile of the right matrix is printed as x "
        "by y and is y by z (D.6).");
  answer.plots.push_back(movementCurve(ways, memory));
  return answer;
}

void explainFusing(Answer &answer, const std::vector<Way> &ways, const Way &best, long between,
                   const FastMemoryOptions &asked) {
  const pb::FastMemory memory = asked.value();
  const Way &plain = ways[0], &fused = ways[1];
  const long oneByOne = counted(plain.exact(memory).words, "one by one");
  answer.explain(
      fmt::format("The product in between, written once and read once, is {} of what moves one by one: "
                  "about that is what fusing can save.",
                  percentOf(2 * between, oneByOne)));
  if (&best != &plain)
    answer.explain(
        fmt::format("Fusing saves {}.", percentOf(oneByOne - best.exact(memory).words.count, oneByOne)));
  else if (const auto from = paysFrom(fused, plain, memory))
    answer.explain(
        fmt::format("Fusing pays from about {} words ({}) on: with less, its tiles read the operands too "
                    "often.",
                    *from, asked.bytes(*from)));
}

Answer twoProducts(const FusedSizes &p, const FastMemoryOptions &asked, Mode mode) {
  const pb::FastMemory memory = asked.value();
  const WaysOfTwo all = waysOfTwo(p, mode);
  const pb::Words left = pb::Words(p[0]) * p[1] * p[2] + pb::Words(p[0]) * p[2] * p[3];
  const pb::Words right = pb::Words(p[1]) * p[2] * p[3] + pb::Words(p[0]) * p[1] * p[3];
  const bool isLeft = !(right < left);
  const std::vector<Way> &ways = isLeft ? all.left : all.right;
  const Way &best = leastOf(ways, memory);
  requireEachOnce(best.exact(memory).words.count, {p.begin(), p.end()});
  Answer answer(fmt::format("Movement of R = A1 ({} x {}) A2 ({} x {}) A3 ({} x {}) through {}", p[0], p[1],
                            p[1], p[2], p[2], p[3], asked.text()));
  answer.figure("order of fewest operations", isLeft ? "(A1 A2) A3" : "A1 (A2 A3)");
  answer.figure("multiplications", counted(isLeft ? left : right, "the order"));
  answer.figure("least in this order", best.exact(memory).words.count, "words", "cost-models.md 6, exact");
  answer.figure("way", best.name);
  answer.tables.push_back(wayTable({&all.left, &all.right}, memory));
  explainFusing(answer, ways, best, isLeft ? p[0] * p[2] : p[1] * p[3], asked);
  answer.explain(fmt::format("By the closed forms fusing pays from {:.0f} words on (left), {:.0f} (right).",
                             std::ceil(breakEvenLeft(p)), std::ceil(breakEvenRight(p))));
  answer.plots.push_back(movementCurve(ways, memory));
  return answer;
}

} // namespace

void addMovementCommand(CLI::App &parent, const Common &common, Question &question) {
  CLI::App *app = parent.add_subcommand(
      "movement", "Words that cross the border of a fast memory: one product of matrices, or two fused ones");
  const auto asked = std::make_shared<MovementQuestion>();
  app->add_option("sizes", asked->sizes, "P0 P1 P2: P0 x P1 times P1 x P2; with P3: times P2 x P3 as well")
      ->required()
      ->expected(3, 4);
  asked->memory.addTo(*app);
  app->callback([asked, &common, &question] {
    question = [asked, &common] {
      const std::vector<long> &p = asked->sizes;
      requireSizes(p);
      return p.size() == 3 ? oneProduct({p[0], p[1], p[2]}, asked->memory, common.mode())
                           : twoProducts({p[0], p[1], p[2], p[3]}, asked->memory, common.mode());
    };
  });
}

} // namespace pbc::model
