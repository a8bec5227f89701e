// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The products of a chain one by one, with the cost of each alone and fused with a child: the rows of Table
// D.11.
//
//   ChainNodes(tree, sizes, ClosedCosts{65536}).rows()    T1 = A2 A3, ..., T5 = T2 T4:
//                                                         alone, fused left, fused right
//
// Totals are in the form T (cost-models.md 7.3): they include everything below the node, and writing it. The
// printed F is T without P[i-1] P[j].
#pragma once
#include "runtime/abi/matrix_chain.h"

#include <optional>
#include <string>
#include <vector>

namespace pbc::model {

template <class Cost>
struct ChainNodeCosts {
  int first = 0, last = 0; // matrices, from 0
  std::string name;        // "T3"
  std::string product;     // "A1 T1"
  Cost alone{};
  std::optional<Cost> left, right; // none: the child is a matrix of the chain
  pb::Fused fused = pb::Fused::Nothing;
  Cost total{};
};

/// Children come before their parents; the fusions are those that move least.
template <class Costs>
class ChainNodes {
public:
  using Cost = typename Costs::Cost;
  using Row = ChainNodeCosts<Cost>;

  ChainNodes(const pb::ChainTree &tree, const std::vector<long> &sizes, const Costs &costs)
      : tree_(tree), sizes_(sizes), costs_(costs), plan_(pb::leastCost(tree, sizes, costs, true)) {}

  std::vector<Row> rows() {
    visit(0, plan_.count() - 1);
    return rows_;
  }

private:
  std::string visit(int i, int j) {
    if (i == j)
      return "A" + std::to_string(i + 1);
    const int k = tree_.split.at(i, j);
    const std::string before = visit(i, k), after = visit(k + 1, j);
    const long p0 = sizes_[i], p = sizes_[k + 1], last = sizes_[j + 1];
    Row row{i, j, "T" + std::to_string(rows_.size() + 1), before + " " + after, {}, {}, {}, {}, {}};
    row.alone = total(i, k) + total(k + 1, j) + costs_.product(p0, p, last);
    if (i < k) {
      const int l = tree_.split.at(i, k);
      row.left = total(i, l) + total(l + 1, k) + total(k + 1, j) + costs_.left(p0, sizes_[l + 1], p, last);
    }
    if (k + 1 < j) {
      const int r = tree_.split.at(k + 1, j);
      row.right = total(i, k) + total(k + 1, r) + total(r + 1, j) + costs_.right(p0, p, sizes_[r + 1], last);
    }
    row.fused = plan_.at(i, j).fused;
    row.total = total(i, j);
    rows_.push_back(row);
    return row.name;
  }

  Cost total(int i, int j) const { return plan_.at(i, j).total; }

  const pb::ChainTree &tree_;
  pb::ChainSizes sizes_;
  const Costs &costs_;
  pb::ChainPlan<Cost> plan_;
  std::vector<Row> rows_;
};

} // namespace pbc::model
