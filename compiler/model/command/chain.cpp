// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// pbc model chain P0 P1 ... Pn: in which order a chain of matrices is multiplied, and which pairs of products
// are fused; --experiment: what that saves in thousands of random chains.
#include "compiler/model/bound.h"
#include "compiler/model/command/command.h"
#include "compiler/model/command/fast_memory.h"
#include "compiler/model/movement/chain_experiment.h"
#include "compiler/model/movement/chain_nodes.h"
#include "compiler/model/movement/chain_text.h"
#include "compiler/model/movement/closed_forms.h"
#include "compiler/model/movement/exact_counts.h"
#include "compiler/model/problem.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <fmt/format.h>
#include <memory>

namespace pbc::model {
namespace {

using Json = nlohmann::ordered_json;

/// One tree takes O(n^3). All trees take O(n^4) searches for a tile.
constexpr size_t kMostMatrices = 500, kMostForAllTrees = 40;

struct ChainQuestion {
  std::vector<long> sizes;
  FastMemoryOptions memory;
  bool isExperiment = false;
};

double savedPercent(double fused, double plain) { return plain > 0 ? 100 * (1 - fused / plain) : 0; }

Json shownCost(double cost) { return cost; }
Json shownCost(pb::Words words) { return words == pb::kTooMany ? Json() : Json(words.count); }
template <class Cost>
Json shownCost(const std::optional<Cost> &cost) {
  return cost ? shownCost(*cost) : Json();
}

const char *fusedText(pb::Fused fused) {
  switch (fused) {
  case pb::Fused::Nothing:
    return "alone";
  case pb::Fused::Left:
    return "left";
  case pb::Fused::Right:
    break;
  }
  return "right";
}

template <class Costs>
AnswerTable nodeTable(const std::string &title, const pb::ChainTree &tree, const std::vector<long> &sizes,
                      const Costs &costs) {
  AnswerTable table{title, {"node", "product", "size", "alone", "left fused", "right fused", "best"}, {}};
  for (const auto &node : ChainNodes<Costs>(tree, sizes, costs).rows())
    table.rows.push_back({node.name, node.product,
                          fmt::format("{} x {}", sizes[static_cast<size_t>(node.first)],
                                      sizes[static_cast<size_t>(node.last) + 1]),
                          shownCost(node.alone), shownCost(node.left), shownCost(node.right),
                          fusedText(node.fused)});
  return table;
}

template <class Plan>
auto wholeChain(const Plan &plan) {
  return plan.at(0, plan.count() - 1).total;
}

struct Totals {
  long plain, fused;
};

Totals exactTotals(const pb::ChainTree &tree, const std::vector<long> &sizes, const pb::FastMemory &memory) {
  const pb::MovementCosts costs{memory};
  return {wholeChain(pb::leastCost(tree, sizes, costs, false)).count,
          wholeChain(pb::leastCost(tree, sizes, costs, true)).count};
}

/// The step that moves most, in words.
std::string dominantStep(const pb::ChainPlan<pb::Words> &plan, const std::vector<long> &sizes,
                         const pb::FastMemory &memory) {
  const pb::MovementCosts costs{memory};
  const int n = plan.count();
  const pb::Array<pb::ChainStep> steps = pb::chainSteps(plan);
  const auto begin = [&](int operand) { return operand < n ? operand : steps[operand - n].first; };
  long most = -1;
  std::string text;
  for (const pb::ChainStep &step : steps) {
    const auto size = [&](int i) { return sizes[static_cast<size_t>(i)]; };
    const long p0 = size(step.first), p1 = size(begin(step.operands[1])), last = size(step.last + 1);
    const long p2 = step.fused == pb::Fused::Nothing ? 0 : size(begin(step.operands[2]));
    const long words = step.fused == pb::Fused::Nothing ? costs.product(p0, p1, last).count
                       : step.fused == pb::Fused::Left  ? costs.left(p0, p1, p2, last).count
                                                        : costs.right(p0, p1, p2, last).count;
    if (words <= most)
      continue;
    most = words;
    text = fmt::format("{:.1f} % of the words move in {}, which makes the {} x {} product of A{} to A{}.",
                       100.0 * static_cast<double>(words) / static_cast<double>(wholeChain(plan).count),
                       step.fused == pb::Fused::Nothing ? "the product" : "the fused pair", p0, last,
                       step.first + 1, step.last + 1);
  }
  return text;
}

/// What would have to change for (more) fusing.
std::string whatWouldChange(const pb::ChainTree &tree, const std::vector<long> &sizes,
                            const FastMemoryOptions &asked, const Totals &now) {
  const pb::FastMemory memory = asked.value();
  if (now.fused < now.plain) {
    const Totals then = exactTotals(tree, sizes, {2 * memory.words, memory.stream});
    return fmt::format(
        "Fusing saves {:.2f} %; with twice the memory, or numbers of half the size, {} words would move, "
        "{:.2f} % saved by fusing.",
        savedPercent(static_cast<double>(now.fused), static_cast<double>(now.plain)), then.fused,
        savedPercent(static_cast<double>(then.fused), static_cast<double>(then.plain)));
  }
  constexpr double kMost = 1e15, kStep = 1.05;
  for (double words = static_cast<double>(memory.words); words < kMost; words *= kStep) {
    const Totals then = exactTotals(tree, sizes, {std::lround(words), memory.stream});
    if (then.fused < then.plain)
      return fmt::format("No pair is worth fusing; from about {} words ({}) on one is.", std::lround(words),
                         asked.bytes(std::lround(words)));
  }
  return "No pair is worth fusing in a memory of any size.";
}

Plot chainCurve(const pb::ChainTree &tree, const std::vector<long> &sizes, const pb::FastMemory &memory) {
  Plot plot{"Words moved, exact", "fast memory [words]", "moved [words]", true, true, {}};
  plot.series = {{"one by one", {}, true}, {"fused pairs", {}, true}};
  for (double factor = 1.0 / 64; factor <= 64; factor *= std::sqrt(2.0)) {
    const pb::FastMemory here{std::lround(static_cast<double>(memory.words) * factor), memory.stream};
    const Totals totals = exactTotals(tree, sizes, here);
    if (here.words < 1 || totals.plain == pb::kTooMany.count)
      continue;
    plot.series[0].points.emplace_back(static_cast<double>(here.words), static_cast<double>(totals.plain));
    plot.series[1].points.emplace_back(static_cast<double>(here.words), static_cast<double>(totals.fused));
  }
  return plot;
}

/// D.18 and D.26, or why there are none.
void addClosed(Answer &answer, const pb::ChainTree &tree, const std::vector<long> &sizes, double memory,
               Mode mode) {
  const ClosedCosts costs{memory, mode};
  try {
    const double plain = wholeChain(pb::leastCost(tree, sizes, costs, false));
    const double fused = wholeChain(pb::leastCost(tree, sizes, costs, true));
    answer.figure("closed form, one by one", plain, "words", "D.18");
    answer.figure("closed form, fused pairs", fused, "words",
                  mode == Mode::Printed ? "D.26 as printed" : "D.26");
    answer.figure("closed form, saved", savedPercent(fused, plain), "%");
    answer.tables.push_back(nodeTable("Closed forms [words, with all below]", tree, sizes, costs));
  } catch (const Problem &wrong) {
    if (mode == Mode::Printed)
      throw;
    answer.explain(fmt::format("No closed forms: {}.", wrong.what()));
  }
}

Answer chainAnswer(const ChainQuestion &asked, Mode mode) {
  const std::vector<long> &sizes = asked.sizes;
  const pb::FastMemory memory = asked.memory.value();
  const pb::MovementCosts costs{memory};
  const pb::ChainTree tree = pb::fewestOperations(sizes);
  counted(pb::leastOutputKept(1, 1, 1, memory), memory, "the chain"); // does any tile fit?
  const auto fused = pb::leastCost(tree, sizes, costs, true);
  const Totals totals{counted(wholeChain(pb::leastCost(tree, sizes, costs, false)), "the chain"),
                      counted(wholeChain(fused), "the chain")};
  if (sizes.size() > 2)
    requireEachOnce(totals.fused, sizes);
  requireBound(totals.fused <= totals.plain, [] { return "fused pairs move more than they would alone"; });
  Answer answer(fmt::format("Chain of {} matri{} through {}", sizes.size() - 1,
                            sizes.size() == 2 ? "x" : "ces", asked.memory.text()));
  if (tree.operations == pb::kTooMany)
    throw Problem("the chain's multiplications are more than 64 bits can count", "take smaller sizes");
  answer.figure("order, fused pairs in brackets", chainText(fused));
  answer.figure("multiplications", tree.operations.count, "", "Algorithm 10");
  answer.figure("one by one", totals.plain, "words", "cost-models.md 5, exact");
  answer.figure("fused pairs", totals.fused, "words", "cost-models.md 7.3, exact");
  answer.figure("saved", savedPercent(static_cast<double>(totals.fused), static_cast<double>(totals.plain)),
                "%");
  if (sizes.size() - 1 <= kMostForAllTrees) {
    const auto joint = pb::leastCost(sizes, costs, true);
    answer.figure("least of all orders", counted(wholeChain(joint), "the chain"), "words",
                  "cost-models.md 7.3, exact");
    answer.figure("that order", chainText(joint));
  }
  answer.tables.push_back(nodeTable("Exact counts [words, with all below]", tree, sizes, costs));
  addClosed(answer, tree, sizes, static_cast<double>(memory.words), mode);
  if (sizes.size() > 2) { // else there is no product
    answer.explain(dominantStep(fused, sizes, memory));
    answer.explain(whatWouldChange(tree, sizes, asked.memory, totals));
  }
  answer.plots.push_back(chainCurve(tree, sizes, memory));
  return answer;
}

Answer experimentAnswer(const ChainQuestion &asked, Mode mode) {
  constexpr long kPublished[] = {65536, 98304};
  std::vector<long> memories(std::begin(kPublished), std::end(kPublished));
  if (!asked.memory.memory.empty())
    memories = {asked.memory.value().words};
  Answer answer("What fused pairs save in random chains: sizes are multiples of 8 from 320 to 1024");
  Plot plot{"Saved by fusing pairs, mean", "matrices", "saved [%]", false, false, {}};
  for (const long words : memories) {
    const ChainExperiment run = chainExperiment({.memory = words, .mode = mode});
    answer.figure(fmt::format("mean for {} words, closed forms", words), run.mean, "%",
                  "Table D.1, n = 3 to 20");
    answer.figure(fmt::format("mean for {} words, exact counts", words), run.exactMean, "%",
                  "cost-models.md 7.5");
    AnswerTable table{fmt::format("{} words, saved [%]; 1000 chains a row", words),
                      {"matrices", "closed: mean", "least", "most", "exact: mean", "least", "most"},
                      {}};
    PlotSeries closed{fmt::format("{} words, closed forms", words), {}, true};
    PlotSeries exact{fmt::format("{} words, exact counts", words), {}, true};
    for (const ExperimentRow &row : run.rows) {
      table.rows.push_back({row.matrices, row.closed.mean, row.closed.least, row.closed.most, row.exact.mean,
                            row.exact.least, row.exact.most});
      closed.points.emplace_back(row.matrices, row.closed.mean);
      exact.points.emplace_back(row.matrices, row.exact.mean);
    }
    answer.tables.push_back(std::move(table));
    plot.series.push_back(std::move(closed));
    plot.series.push_back(std::move(exact));
  }
  answer.explain(
      "The exact counts are what to expect: integer tiles, cut at borders, against the best of the three "
      "matrices that one product can keep; the closed forms always keep the output.");
  if (mode == Mode::Printed)
    answer.explain(
        "The printed forms take P0/P1 for P0/P2 in right pairs and promise more than the true minimum.");
  answer.plots.push_back(std::move(plot));
  return answer;
}

} // namespace

void addChainCommand(CLI::App &parent, const Common &common, Question &question) {
  CLI::App *app = parent.add_subcommand(
      "chain", "A chain of matrices: fewest operations, and which pairs of products to fuse to move least");
  const auto asked = std::make_shared<ChainQuestion>();
  app->add_option("sizes", asked->sizes, "P0 P1 ... Pn: matrix i is P(i-1) x P(i)");
  asked->memory.addTo(*app);
  app->add_flag("--experiment", asked->isExperiment,
                "19000 random chains instead: what fusing saves, for 65536 and 98304 words or for --memory");
  app->callback([asked, &common, &question] {
    question = [asked, &common] {
      if (asked->isExperiment) {
        if (!asked->sizes.empty())
          throw Problem("--experiment draws its own sizes", "leave out the sizes, or --experiment");
        if (asked->memory.stream != 0)
          throw Problem("--experiment counts without streaming panels", "leave out --stream");
        return experimentAnswer(*asked, common.mode());
      }
      if (asked->sizes.size() < 2 || asked->sizes.size() > kMostMatrices + 1)
        throw Problem(fmt::format("{} size{}", asked->sizes.size(), asked->sizes.size() == 1 ? "" : "s"),
                      fmt::format("a chain of n matrices has n + 1 sizes: 2 to {}", kMostMatrices + 1));
      requireSizes(asked->sizes);
      return chainAnswer(*asked, common.mode());
    };
  });
}

} // namespace pbc::model
