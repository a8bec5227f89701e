// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Prints a plan of a chain as people write it.
//
//   chainText(plan)      "((A1(A2A3))([A4A5]A6))"
//
// A product in square brackets is never written: its parent is fused with it.
#pragma once
#include "runtime/abi/matrix_chain.h"

#include <string>

namespace pbc::model {

/// The text of its node (i, j).
template <class Cost>
std::string chainText(const pb::ChainPlan<Cost> &plan, int i, int j) {
  if (i == j)
    return "A" + std::to_string(i + 1);
  const pb::ChainNode<Cost> &node = plan.at(i, j);
  const auto part = [&](int from, int to) { return chainText(plan, from, to); };
  if (node.fused == pb::Fused::Left)
    return "([" + part(i, node.inner) + part(node.inner + 1, node.split) + "]" + part(node.split + 1, j) +
           ")";
  if (node.fused == pb::Fused::Right)
    return "(" + part(i, node.split) + "[" + part(node.split + 1, node.inner) + part(node.inner + 1, j) +
           "])";
  return "(" + part(i, node.split) + part(node.split + 1, j) + ")";
}

template <class Cost>
std::string chainText(const pb::ChainPlan<Cost> &plan) {
  return chainText(plan, 0, plan.count() - 1);
}

} // namespace pbc::model
