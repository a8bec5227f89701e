// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/movement/chain_experiment.h"

#include "compiler/model/movement/closed_forms.h"
#include "compiler/model/movement/exact_counts.h"
#include "runtime/abi/matrix_chain.h"

#include <algorithm>
#include <random>

namespace pbc::model {
namespace {

constexpr int kShortest = 2, kFirstFused = 3;

/// n + 1 random sizes, computed by remainder, because std::uniform_int_distribution differs between
/// libraries.
std::vector<long> randomSizes(int n, std::mt19937_64 &random) {
  constexpr long kStep = 8, kLeast = 320, kMost = 1024;
  std::vector<long> sizes;
  for (int i = 0; i <= n; ++i)
    sizes.push_back(kLeast + kStep * static_cast<long>(random() % ((kMost - kLeast) / kStep + 1)));
  return sizes;
}

template <class Costs>
auto costOf(const pb::ChainTree &tree, const std::vector<long> &sizes, const Costs &costs, bool mayFuse) {
  return pb::leastCost(tree, sizes, costs, mayFuse).at(0, tree.split.count() - 1).total;
}

double savedBy(double fused, double plain) { return 100 * (1 - fused / plain); }

Saved summaryOf(const std::vector<double> &saved) {
  if (saved.empty())
    return {};
  Saved out{0, saved.front(), saved.front()};
  for (const double s : saved) {
    out.mean += s / static_cast<double>(saved.size());
    out.least = std::min(out.least, s);
    out.most = std::max(out.most, s);
  }
  return out;
}

} // namespace

ChainExperiment chainExperiment(const ExperimentOptions &options) {
  const pb::FastMemory memory{options.memory};
  requireMemory(memory);
  const ClosedCosts closed{static_cast<double>(options.memory), options.mode};
  const pb::MovementCosts exact{memory};
  std::mt19937_64 random(options.seed);
  ChainExperiment out;
  for (int n = kShortest; n <= options.longest; ++n) {
    std::vector<double> closedSaved, exactSaved;
    for (int c = 0; c < options.chains; ++c) {
      const std::vector<long> sizes = randomSizes(n, random);
      const pb::ChainTree tree = pb::fewestOperations(sizes);
      closedSaved.push_back(savedBy(costOf(tree, sizes, closed, true), costOf(tree, sizes, closed, false)));
      if (options.withExact)
        exactSaved.push_back(savedBy(static_cast<double>(costOf(tree, sizes, exact, true).count),
                                     static_cast<double>(costOf(tree, sizes, exact, false).count)));
    }
    out.rows.push_back({n, summaryOf(closedSaved), summaryOf(exactSaved)});
    out.chains += options.chains;
    if (n >= kFirstFused) {
      out.mean += out.rows.back().closed.mean / (options.longest - kFirstFused + 1);
      out.exactMean += out.rows.back().exact.mean / (options.longest - kFirstFused + 1);
    }
  }
  return out;
}

} // namespace pbc::model
