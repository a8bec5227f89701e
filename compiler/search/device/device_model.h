// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The launches of a kernel on a device as a model for the search: bounds by the rates of the GPU, times from the device.
//
//   DeviceModel model(lifted, {{"n", 1024}}, gpuRatesOf(machine), times);
//   SearchResult r = search(model, {.seconds = 60});
//   model.program(r.best->root, r.best->domains)     blocks with strips of 16; groups of 16 x 8, 8 x 8 points an item
//
// There is a root for each version (launch_space.h). The bound of a region is that of the programs of gpu_nest.h that have its groups,
// points and strips: the least over the ways to cut the loops that are left. What the terms cannot tell of a version (the order of its loops, which
// caches it uses) stays open there, so that the bound holds for the version, too.
#pragma once
#include "compiler/search/device/device_times.h"
#include "compiler/search/device/launch_space.h"
#include "compiler/search/gpu/gpu_model.h"
#include "compiler/search/gpu/gpu_nest.h"

namespace pbc::search {

class DeviceModel : public Model {
public:
  /// Throws Unsearchable if the kernel has no version or no bound.
  DeviceModel(const kernel::Scheduled &lifted, const SizeValues &values, const GpuRates &rates,
              DeviceTimes &times);

  std::size_t roots() const override { return launches_.size(); }
  const Problem &problem(std::size_t root) const override { return launches_[root]->problem(); }
  RegionBound bound(std::size_t root, const State &) const override;
  LeafTime measure(std::size_t root, const State &leaf, double most) override;
  std::vector<std::string_view> limitNames() const override;
  bool measuresAlone() const override { return true; }
  bool refute(std::size_t root, const State &leaf, double seconds) override;

  const LaunchSpace &launches(std::size_t root) const { return *launches_[root]; }
  std::string lineOf(std::size_t root, const State &leaf) const override;
  std::string explain(std::size_t root, const State &) const override;
  const std::vector<std::string> &refutations() const override { return refutations_; }

private:
  void findRoots();
  GpuBound boundOf(std::size_t root, const State &) const;

  GpuNestSpaces nests_;
  GpuRates rates_;
  std::vector<GpuBounds> bounds_; // by nest
  std::vector<GpuBound> roots_;   // of all programs of a nest
  std::vector<std::unique_ptr<LaunchSpace>> launches_;
  DeviceTimes &times_;
  std::vector<std::string> refutations_;
};

} // namespace pbc::search
