// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Decides in which order a chain of matrices is multiplied and which products are fused in pairs, by dynamic
// programming. Like data_movement.h, it serves both the compiler's cost model and programs while they run.
//
//   const ChainTree tree = fewestOperations(sizes);      936, 1008, 552, 368, 1016, 616, 544:
//                                                        ((A1(A2A3))((A4A5)A6)), 1092977664 multiplications
//   const auto plan = leastCost(tree, sizes, MovementCosts{{65536}}, true);
//   chainSteps(plan)                                     products and fused pairs, each after what it needs
//
// Matrix i of the chain, counted from 0, has sizes[i] rows and sizes[i + 1] columns. Node (i, j) is the
// product of the matrices i to j. A fused node takes its child's operands instead of the child: the child is
// never written, so no two fused edges of a tree touch. Invariant: among equal costs the smallest split wins,
// and an unfused node wins over a fused one. Source: cost-models.md section 7: Algorithm 10, D.18 to D.26 in
// the form T (a node's cost includes writing it).
#pragma once
#include "data_movement.h"

namespace pb {

/// Replaces std::vector where the C++ library is not available.
template <class T>
class Array {
public:
  Array() = default;
  explicit Array(long size) : elements_(new T[static_cast<unsigned long>(size)]()), size_(size) {}
  Array(const Array &o) : Array(o.size_) {
    for (long i = 0; i < size_; ++i)
      elements_[i] = o.elements_[i];
  }
  Array(Array &&o) noexcept : elements_(o.elements_), size_(o.size_) {
    o.elements_ = nullptr;
    o.size_ = 0;
  }
  Array &operator=(Array o) noexcept {
    T *const mine = elements_;
    elements_ = o.elements_;
    o.elements_ = mine;
    size_ = o.size_;
    return *this;
  }
  ~Array() { delete[] elements_; }

  long size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T &operator[](long i) { return elements_[i]; }
  const T &operator[](long i) const { return elements_[i]; }
  T *begin() { return elements_; }
  T *end() { return elements_ + size_; }
  const T *begin() const { return elements_; }
  const T *end() const { return elements_ + size_; }
  const T &back() const { return elements_[size_ - 1]; }
  /// Copies the whole list; it is meant for the few steps of a chain.
  void add(const T &element) {
    Array longer(size_ + 1);
    for (long i = 0; i < size_; ++i)
      longer.elements_[i] = elements_[i];
    longer.elements_[size_] = element;
    *this = static_cast<Array &&>(longer);
  }

private:
  T *elements_ = nullptr;
  long size_ = 0;
};

/// The sizes of a chain of `matrices` matrices; refers to memory of the caller.
struct ChainSizes {
  const long *at;
  int matrices;
  template <class Container>
  ChainSizes(const Container &sizes) : at(sizes.data()), matrices(static_cast<int>(sizes.size()) - 1) {}
  long operator[](int i) const { return at[i]; }
};

/// A value for each pair i <= j of n.
template <class Value>
class Pairs {
public:
  explicit Pairs(int n) : n_(n), values_(static_cast<long>(n) * n) {}
  int count() const { return n_; }
  Value &at(int i, int j) { return values_[static_cast<long>(i) * n_ + j]; }
  const Value &at(int i, int j) const { return values_[static_cast<long>(i) * n_ + j]; }

private:
  int n_;
  Array<Value> values_;
};

/// Which product is done last in node (i, j): (i, k) times (k + 1, j).
struct ChainTree {
  Pairs<int> split;
  Words operations; // multiplications of numbers
};

/// Algorithm 10. Needs at least one matrix, so two sizes.
inline ChainTree fewestOperations(const ChainSizes &sizes) {
  const int n = sizes.matrices;
  ChainTree tree{Pairs<int>(n), 0};
  Pairs<Words> least(n);
  for (int length = 1; length < n; ++length)
    for (int i = 0; i + length < n; ++i) {
      const int j = i + length;
      for (int k = i; k < j; ++k) {
        const Words count =
            least.at(i, k) + least.at(k + 1, j) + Words(sizes[i]) * sizes[k + 1] * sizes[j + 1];
        if (k == i || count < least.at(i, j)) {
          least.at(i, j) = count;
          tree.split.at(i, j) = k;
        }
      }
    }
  tree.operations = least.at(0, n - 1);
  return tree;
}

/// The tree (((A1 A2) A3) ...: the order in which the product is written.
inline ChainTree leftToRight(const ChainSizes &sizes) {
  const int n = sizes.matrices;
  ChainTree tree{Pairs<int>(n), 0};
  for (int j = 1; j < n; ++j) {
    tree.split.at(0, j) = j - 1;
    tree.operations = tree.operations + Words(sizes[0]) * sizes[j] * sizes[j + 1];
  }
  return tree;
}

enum class Fused { Nothing, Left, Right };

/// What node (i, j) does. Left: multiplies (i, inner) (inner + 1, split) (split + 1, j) in one fused step,
/// the first two first; Right: (i, split) (split + 1, inner) (inner + 1, j), the last two first.
template <class Cost>
struct ChainNode {
  bool isKnown = false;
  Fused fused = Fused::Nothing;
  int split = 0, inner = 0;
  Cost total{}; // including everything below it
};
template <class Cost>
using ChainPlan = Pairs<ChainNode<Cost>>;

/// Costs by exact counts, with the best tiles and the best matrix kept.
struct MovementCosts {
  using Cost = Words;
  FastMemory memory;
  Cost product(long p0, long p1, long p2) const { return leastProduct(p0, p1, p2, memory).words; }
  Cost left(long p0, long p1, long p2, long p3) const { return leastLeft(p0, p1, p2, p3, memory).words; }
  Cost right(long p0, long p1, long p2, long p3) const { return leastRight(p0, p1, p2, p3, memory).words; }
};

/// Fills the nodes that the root needs. Splits follow `tree`; if it is null, all splits are tried.
template <class Costs>
class ChainSearch {
public:
  using Cost = typename Costs::Cost;
  ChainSearch(const ChainTree *tree, const ChainSizes &sizes, const Costs &costs, bool mayFuse)
      : tree_(tree), sizes_(sizes), costs_(costs), mayFuse_(mayFuse), plan_(sizes.matrices) {}

  ChainPlan<Cost> run() {
    node(0, plan_.count() - 1);
    return plan_;
  }

private:
  const ChainNode<Cost> &node(int i, int j) {
    ChainNode<Cost> &here = plan_.at(i, j);
    if (here.isKnown || i == j)
      return here;
    const Range splits = splitsOf(i, j);
    for (int k = splits.begin; k < splits.end; ++k) {
      const long p0 = sizes_[i], p = sizes_[k + 1], last = sizes_[j + 1];
      const Cost before = node(i, k).total, after = node(k + 1, j).total;
      offer(here, {true, Fused::Nothing, k, 0, before + after + costs_.product(p0, p, last)});
      if (!mayFuse_)
        continue;
      for (int l = splitsOf(i, k).begin; l < splitsOf(i, k).end; ++l)
        offer(here,
              {true, Fused::Left, k, l,
               node(i, l).total + node(l + 1, k).total + after + costs_.left(p0, sizes_[l + 1], p, last)});
      for (int r = splitsOf(k + 1, j).begin; r < splitsOf(k + 1, j).end; ++r)
        offer(here, {true, Fused::Right, k, r,
                     before + node(k + 1, r).total + node(r + 1, j).total +
                         costs_.right(p0, p, sizes_[r + 1], last)});
    }
    return here;
  }

  struct Range {
    int begin, end;
  };
  Range splitsOf(int i, int j) const {
    if (i == j)
      return {0, 0};
    if (!tree_)
      return {i, j};
    return {tree_->split.at(i, j), tree_->split.at(i, j) + 1};
  }

  static void offer(ChainNode<Cost> &here, const ChainNode<Cost> &other) {
    if (!here.isKnown || other.total < here.total)
      here = other;
  }

  const ChainTree *tree_;
  ChainSizes sizes_;
  const Costs &costs_;
  bool mayFuse_;
  ChainPlan<Cost> plan_;
};

/// The cheapest plan with the products of the given tree, in O(n).
template <class Costs>
ChainPlan<typename Costs::Cost> leastCost(const ChainTree &tree, const ChainSizes &sizes, const Costs &costs,
                                          bool mayFuse) {
  return ChainSearch<Costs>(&tree, sizes, costs, mayFuse).run();
}

/// The cheapest plan of all trees, in O(n^4).
template <class Costs>
ChainPlan<typename Costs::Cost> leastCost(const ChainSizes &sizes, const Costs &costs, bool mayFuse) {
  return ChainSearch<Costs>(nullptr, sizes, costs, mayFuse).run();
}

/// One call: an operand below n is a matrix of the chain, an operand n + s is the result of step s.
struct ChainStep {
  Fused fused = Fused::Nothing;
  int operands[3] = {}; // the third is used if the step is fused
  int first = 0, last = 0;
};

namespace chain_detail {

template <class Cost>
int addSteps(const ChainPlan<Cost> &plan, int i, int j, Array<ChainStep> &steps) {
  if (i == j)
    return i;
  const ChainNode<Cost> &node = plan.at(i, j);
  ChainStep step{node.fused, {}, i, j};
  if (node.fused == Fused::Nothing) {
    step.operands[0] = addSteps(plan, i, node.split, steps);
    step.operands[1] = addSteps(plan, node.split + 1, j, steps);
  } else {
    const int a = minimum(node.split, node.inner), b = maximum(node.split, node.inner);
    step.operands[0] = addSteps(plan, i, a, steps);
    step.operands[1] = addSteps(plan, a + 1, b, steps);
    step.operands[2] = addSteps(plan, b + 1, j, steps);
  }
  steps.add(step);
  return plan.count() + static_cast<int>(steps.size()) - 1;
}

} // namespace chain_detail

/// The plan as calls, operands before their products; the last one makes the result. None for one matrix.
template <class Cost>
Array<ChainStep> chainSteps(const ChainPlan<Cost> &plan) {
  Array<ChainStep> steps;
  chain_detail::addSteps(plan, 0, plan.count() - 1, steps);
  return steps;
}

} // namespace pb
