// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A model of times that is learnt from few of them: extremely randomised trees, which also give the
// uncertainty of their predictions.
//
//   Forest forest(rows, targets, {.trees = 24}, random);
//   forest.predict(row)   ->  {mean -3.2, deviation 0.4}
//
// Each tree splits at random thresholds of random columns, taking the best of several, so learning needs no
// sorting: 200 rows take a millisecond or two. The deviation combines that between the trees and that inside
// their leaves (law of total variance). Invariant: a prediction lies between the smallest and the largest
// target. Source: Geurts et al., Extremely randomized trees, 2006; Hutter et al., SMAC (2011) for the
// deviation; docs/decisions/0025.
#pragma once
#include "tuner/strategy/random.h"

#include <cstddef>
#include <vector>

namespace pbc::tuner {

struct ForestSettings {
  int trees = 24;
  int leaf = 3;               // groups of at most so many rows are not split further
  std::size_t mostRows = 400; // each tree learns from at most so many
};

struct Estimate {
  double mean = 0, deviation = 0;
};

class Forest {
public:
  /// Needs at least one row; all rows have one length; there are as many targets as rows.
  Forest(const std::vector<std::vector<float>> &rows, const std::vector<double> &targets,
         const ForestSettings &, Random &);
  Estimate predict(const std::vector<float> &row) const;

private:
  struct Node {
    int column = -1; // -1: a leaf
    float below = 0; // the row goes to `next` if the value is below, else to next + 1
    int next = 0;
    float mean = 0, variance = 0;
  };
  using Tree = std::vector<Node>;
  std::vector<Tree> trees_;
};

} // namespace pbc::tuner
