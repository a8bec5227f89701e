// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/strategy/forest.h"

#include <algorithm>
#include <cmath>

namespace pbc::tuner {
namespace {

using Rows = std::vector<std::vector<float>>;

struct Moments {
  double count = 0, sum = 0, squares = 0;
  void add(double value) {
    ++count;
    sum += value;
    squares += value * value;
  }
  /// The sum of the squared deviations from the mean.
  double spread() const { return count > 0 ? std::max(squares - sum * sum / count, 0.0) : 0; }
};

struct Split {
  int column = -1;
  float below = 0;
  double spread = 0; // of both sides
};

/// The rows of a node: `from` to `to` of `order`.
struct Part {
  std::size_t from, to;
};

Split bestSplit(const Rows &rows, const std::vector<double> &targets, const std::vector<std::size_t> &order,
                Part part, Random &random) {
  const std::size_t columns = rows.front().size();
  const std::size_t wanted = std::clamp<std::size_t>(columns / 3, std::min<std::size_t>(columns, 8), 24);
  Split best;
  std::size_t useful = 0;
  // Many columns are the same for all rows of a small node and cannot split it.
  for (std::size_t tries = 0; tries < 4 * wanted && useful < wanted; ++tries) {
    const std::size_t column = random.below(columns);
    float least = rows[order[part.from]][column], most = least;
    for (std::size_t i = part.from; i < part.to; ++i) {
      least = std::min(least, rows[order[i]][column]);
      most = std::max(most, rows[order[i]][column]);
    }
    if (!(least < most))
      continue;
    ++useful;
    float below = least + static_cast<float>(random.unit()) * (most - least);
    if (!(below > least))
      below = most;
    Moments left, right;
    for (std::size_t i = part.from; i < part.to; ++i)
      (rows[order[i]][column] < below ? left : right).add(targets[order[i]]);
    const double spread = left.spread() + right.spread();
    if (left.count > 0 && right.count > 0 && (best.column < 0 || spread < best.spread))
      best = {static_cast<int>(column), below, spread};
  }
  return best;
}

} // namespace

Forest::Forest(const Rows &rows, const std::vector<double> &targets, const ForestSettings &settings,
               Random &random) {
  for (int t = 0; t < settings.trees; ++t) {
    std::vector<std::size_t> order(rows.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      order[i] = i;
    if (order.size() > settings.mostRows) {
      for (std::size_t i = 0; i < settings.mostRows; ++i)
        std::swap(order[i], order[i + random.below(order.size() - i)]);
      order.resize(settings.mostRows);
    }
    Tree tree(1);
    std::vector<std::pair<std::size_t, Part>> open{{0, {0, order.size()}}};
    while (!open.empty()) {
      const auto [index, part] = open.back();
      open.pop_back();
      Moments all;
      for (std::size_t i = part.from; i < part.to; ++i)
        all.add(targets[order[i]]);
      tree[index].mean = static_cast<float>(all.sum / all.count);
      tree[index].variance = static_cast<float>(all.spread() / all.count);
      if (part.to - part.from <= static_cast<std::size_t>(settings.leaf) || all.spread() <= 1e-12)
        continue;
      const Split split = rows.front().empty() ? Split{} : bestSplit(rows, targets, order, part, random);
      if (split.column < 0)
        continue;
      const auto middle =
          std::partition(order.begin() + static_cast<std::ptrdiff_t>(part.from),
                         order.begin() + static_cast<std::ptrdiff_t>(part.to), [&](std::size_t row) {
                           return rows[row][static_cast<std::size_t>(split.column)] < split.below;
                         });
      const std::size_t cut = static_cast<std::size_t>(middle - order.begin());
      const std::size_t next = tree.size();
      tree[index].column = split.column;
      tree[index].below = split.below;
      tree[index].next = static_cast<int>(next);
      tree.resize(next + 2);
      open.push_back({next, {part.from, cut}});
      open.push_back({next + 1, {cut, part.to}});
    }
    trees_.push_back(std::move(tree));
  }
}

Estimate Forest::predict(const std::vector<float> &row) const {
  double sum = 0, squares = 0, inside = 0;
  for (const Tree &tree : trees_) {
    const Node *node = tree.data();
    while (node->column >= 0)
      node = &tree[static_cast<std::size_t>(node->next) +
                   (row[static_cast<std::size_t>(node->column)] < node->below ? 0 : 1)];
    sum += node->mean;
    squares += static_cast<double>(node->mean) * node->mean;
    inside += node->variance;
  }
  const double count = static_cast<double>(trees_.size());
  const double mean = sum / count;
  return {mean, std::sqrt(std::max(squares / count - mean * mean, 0.0) + inside / count)};
}

} // namespace pbc::tuner
