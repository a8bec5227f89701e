// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A kernel for the search: its nests as spaces, bounds by the rates of a machine, times of leaves.
//
//   MachineTimes times(lifted, {{"n", 1024}}, journal);
//   NestModel model(lifted, options, rates, times);
//   SearchResult r = search(model, {.seconds = 60});
//   script::line(model.script(r.best->root, r.best->domains))
//
// Leaves that share a script share its time.
#pragma once
#include "compiler/search/bound/bound.h"
#include "compiler/search/prove/times.h"
#include "compiler/search/strategy/model.h"

namespace pbc::search {

class NestModel : public Model {
public:
  /// Throws Unsearchable if the kernel has no space.
  /// `ofAllCores`: the rates of the cores of the options together, if these are several.
  NestModel(const kernel::Scheduled &lifted, const NestOptions &, const Rates &, Times &times,
            const std::optional<Rates> &ofAllCores = std::nullopt);

  std::size_t roots() const override { return spaces_.size(); }
  const Problem &problem(std::size_t root) const override { return spaces_[root].space->problem(); }
  RegionBound bound(std::size_t root, const State &) const override;
  LeafTime measure(std::size_t root, const State &leaf, double most) override;
  std::vector<std::string_view> limitNames() const override;
  bool measuresAlone() const override { return times_.isMeasured(); }
  bool refute(std::size_t root, const State &leaf, double seconds) override;

  script::Script script(std::size_t root, const std::vector<Domain> &leaf) const;
  const Bounds &bounds(std::size_t root) const { return bounds_[root]; }
  std::string lineOf(std::size_t root, const State &leaf) const override;
  /// In two sentences.
  std::string explain(std::size_t root, const State &) const override;
  const std::vector<std::string> &refutations() const override { return refutations_; }

private:
  Rates rates_;
  std::optional<Rates> ofAllCores_;
  std::vector<NestSpace> spaces_;
  std::vector<Bounds> bounds_;
  Times &times_;
  std::vector<std::string> refutations_;
};

} // namespace pbc::search
