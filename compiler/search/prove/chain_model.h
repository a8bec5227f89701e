// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A kernel of several nests for the search, as nest_model.h is for one of one nest.
//
//   ChainModel model(lifted, options, rates, times);
//   SearchResult r = search(model, {.seconds = 60});
//
// Leaves that share a script share its time.
#pragma once
#include "compiler/search/chain/chain_bound.h"
#include "compiler/search/prove/times.h"
#include "compiler/search/strategy/model.h"

namespace pbc::search {

class ChainModel : public Model {
public:
  /// Throws Unsearchable if the kernel has no space.
  ChainModel(const kernel::Scheduled &lifted, const NestOptions &, const Rates &, Times &times);

  std::size_t roots() const override { return spaces_.size(); }
  const Problem &problem(std::size_t root) const override { return spaces_[root].space->problem(); }
  RegionBound bound(std::size_t root, const State &) const override;
  LeafTime measure(std::size_t root, const State &leaf, double most) override;
  std::vector<std::string_view> limitNames() const override;
  bool measuresAlone() const override { return times_.isMeasured(); }
  bool refute(std::size_t root, const State &leaf, double seconds) override;
  /// Which loops nests share comes first, then where temporaries lie: most terms wait for that.
  double weight(std::size_t root, int variable) const override {
    return weights_[root][std::size_t(variable)];
  }

  const ChainSpace &space(std::size_t root) const { return spaces_[root]; }
  std::string lineOf(std::size_t root, const State &leaf) const override;
  std::string explain(std::size_t root, const State &) const override;
  const std::vector<std::string> &refutations() const override { return refutations_; }

private:
  Rates rates_;
  std::vector<ChainSpace> spaces_;
  std::vector<ChainBounds> bounds_;
  std::vector<std::vector<double>> weights_; // by space and variable
  Times &times_;
  std::vector<std::string> refutations_;
};

} // namespace pbc::search
