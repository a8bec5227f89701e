// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Structures on a GPU for the search: bounds by the rates of a machine, times from whatever measures a leaf.
//
//   GpuModel model(spaces, rates, [&](std::size_t root, const State &leaf) { return devices[root].time(leaf); });
//   SearchResult r = search(model, {});
#pragma once
#include "compiler/search/gpu/gpu_bound.h"
#include "compiler/search/strategy/model.h"
#include <functional>
#include <memory>

namespace pbc::search {

/// One way to cut the loops of a computation.
struct GpuSpace {
  std::unique_ptr<Space> space;
  GpuWork work;
};

class GpuModel : public Model {
public:
  using Measure = std::function<LeafTime(std::size_t root, const State &leaf)>;
  /// The spaces have to outlive the model.
  GpuModel(const std::vector<GpuSpace> &spaces, const GpuRates &rates, Measure measure);

  std::size_t roots() const override { return spaces_.size(); }
  const Problem &problem(std::size_t root) const override { return spaces_[root].space->problem(); }
  RegionBound bound(std::size_t root, const State &) const override;
  LeafTime measure(std::size_t root, const State &leaf, double most) override;
  std::vector<std::string_view> limitNames() const override;
  double weight(std::size_t root, int variable) const override {
    return weights_[root][std::size_t(variable)];
  }
  bool refute(std::size_t root, const State &leaf, double seconds) override;

  /// In three sentences.
  std::string explain(std::size_t root, const State &) const override;
  /// Internal errors, with the derivation and the time.
  const std::vector<std::string> &refutations() const override { return refutations_; }

private:
  const std::vector<GpuSpace> &spaces_;
  GpuRates rates_;
  std::vector<GpuBounds> bounds_;
  std::vector<std::vector<double>>
      weights_; // by variable: iterations of the largest instruction that it concerns
  Measure measure_;
  std::vector<std::string> refutations_;
};

} // namespace pbc::search
