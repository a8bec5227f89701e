// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/device/device_model.h"
#include "compiler/search/prove/times.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace pbc::search {
namespace {

/// The programs of one way to cut the loops that have the groups, points and strips of a region of launches.
class CutState {
public:
  CutState(const GpuNestSpace &nest, const LaunchSpace &launches, const State &region)
      : nest_(nest), space_(*nest.gpu.space), launches_(launches), region_(region), state_(space_.problem()) {
  }

  /// Nothing if no launch of the region has its loops cut so: without limits, states clash only where tiles are longer than a loop.
  std::optional<State> make() {
    std::vector<const GpuNestSpace::Loop *> loops; // of points, outermost first
    for (const GpuNestSpace::Loop &loop : nest_.loops)
      if (!loop.isOfSum)
        loops.push_back(&loop);
      else if (!cutSum(loop))
        return std::nullopt;
    const bool isOfAxes = int(loops.size()) == launches_.version().axes;
    for (std::size_t l = 0; l < loops.size() && isOfAxes; ++l)
      if (!cutPoints(*loops[l], int(loops.size() - 1 - l)))
        return std::nullopt;
    if (!state_.propagate())
      return std::nullopt;
    return std::move(state_);
  }

private:
  bool cutSum(const GpuNestSpace::Loop &loop) {
    const bool isCut = loop.levels.size() > 1, wantsCut = launches_.version().strip > 0;
    // A sum may have several loops, of which one is in strips.
    return !isCut || (wantsCut && keepSizes(loop.levels[1], {launches_.version().strip}));
  }

  bool cutPoints(const GpuNestSpace::Loop &loop, int axis) {
    std::vector<long> items = launches_.items(region_, axis), points = launches_.points(region_, axis);
    const bool mayBeOneItem = items.front() == 1, mayBeOnePoint = points.front() == 1;
    std::erase(items, 1);
    std::erase(points, 1);
    keepKind(loop.levels.front(), Kind::Block);
    switch (loop.levels.size()) {
    case 1:
      return mayBeOneItem && mayBeOnePoint;
    case 2: {
      const bool areItems = !items.empty() && mayBeOnePoint, arePoints = !points.empty() && mayBeOneItem;
      std::vector<long> sizes;
      KindSet kinds;
      if (areItems) {
        sizes.insert(sizes.end(), items.begin(), items.end());
        kinds = kinds | Kind::Thread;
      }
      if (arePoints) {
        sizes.insert(sizes.end(), points.begin(), points.end());
        kinds = kinds | kPoints;
      }
      keepKind(loop.levels[1], kinds);
      return !sizes.empty() && keepSizes(loop.levels[1], sizes);
    }
    default:
      keepKind(loop.levels[1], Kind::Thread);
      keepKind(loop.levels[2], kPoints);
      return keepSizes(loop.levels[1], items) && keepSizes(loop.levels[2], points);
    }
  }

  static constexpr KindSet kPoints = Kind::Unroll | Kind::For | Kind::Vector;

  void keepKind(int dimension, KindSet kinds) {
    const int variable = space_.kind(dimension);
    if (const Domain left = state_.domain(variable) & kinds.bits())
      state_.keepOnly(variable, left);
  }

  /// False: the dimension has none of these sizes.
  bool keepSizes(int dimension, const std::vector<long> &sizes) {
    const int size = space_.structure().dimension(dimension).size;
    const std::vector<long> &values = space_.structure().sizes[std::size_t(size)].values;
    Domain kept = 0;
    for (std::size_t v = 0; v < values.size(); ++v)
      if (std::find(sizes.begin(), sizes.end(), values[v]) != sizes.end())
        kept |= Domain(1) << v;
    kept &= state_.domain(space_.size(size));
    return kept != 0 && state_.keepOnly(space_.size(size), kept);
  }

  const GpuNestSpace &nest_;
  const Space &space_;
  const LaunchSpace &launches_;
  const State &region_;
  State state_;
};

} // namespace

DeviceModel::DeviceModel(const kernel::Scheduled &lifted, const SizeValues &values, const GpuRates &rates,
                         DeviceTimes &times)
    : rates_(rates), times_(times) {
  // Without limits: what programs of a nest may not have, such as too many registers for a sum, a version may have all the same.
  nests_ = gpuNestSpaces(lifted, {.values = values, .tileSizes = {2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}});
  if (nests_.spaces.empty())
    throw Unsearchable(nests_.why);
  bounds_.reserve(nests_.spaces.size());
  for (const GpuNestSpace &nest : nests_.spaces)
    bounds_.emplace_back(*nest.gpu.space, nest.gpu.work, rates_);
  findRoots();
  std::vector<long> extents; // x first
  for (const GpuNestSpace::Loop &loop : nests_.spaces.front().loops)
    if (!loop.isOfSum)
      extents.insert(extents.begin(), loop.extent);
  for (LaunchVersion &version : launchVersions(lifted)) {
    if (version.axes != int(extents.size()))
      continue;
    auto space = std::make_unique<LaunchSpace>(std::move(version), rates.threadsPerGroup, extents);
    State root(space->problem());
    if (times.whyNot(space->program(root)).empty())
      launches_.push_back(std::move(space));
  }
  if (launches_.empty())
    throw Unsearchable("no version of it for devices is a single launch");
}

void DeviceModel::findRoots() {
  roots_.clear();
  for (std::size_t n = 0; n < nests_.spaces.size(); ++n) {
    State root(nests_.spaces[n].gpu.space->problem());
    root.propagate();
    roots_.push_back(bounds_[n].of(root));
  }
}

GpuBound DeviceModel::boundOf(std::size_t root, const State &region) const {
  std::optional<GpuBound> least;
  const auto take = [&](const GpuBound &bound) {
    if (!least || bound.seconds < least->seconds)
      least = bound;
  };
  for (std::size_t n = 0; n < nests_.spaces.size(); ++n)
    if (const auto state = CutState(nests_.spaces[n], *launches_[root], region).make())
      take(bounds_[n].of(*state));
  // No tile of the nests is as long as a loop. Of launches whose groups are, what all programs have in common is known.
  if (!least || launches_[root]->mayCoverAnAxis(region))
    for (const GpuBound &bound : roots_)
      take(bound);
  return least.value_or(GpuBound{});
}

RegionBound DeviceModel::bound(std::size_t root, const State &region) const {
  if (launches_[root]->hasTooMany(region))
    return {HUGE_VAL, -1};
  const GpuBound bound = boundOf(root, region);
  return {bound.seconds, bound.term};
}

LeafTime DeviceModel::measure(std::size_t root, const State &leaf, double most) {
  const Measurement made = times_.of(launches_[root]->program(leaf), most);
  return {made.fate == Fate::Measured, made.seconds, made.why};
}

std::vector<std::string_view> DeviceModel::limitNames() const {
  std::vector<std::string_view> names;
  for (const GpuTerm &term : gpuTerms())
    names.push_back(term.name);
  return names;
}

bool DeviceModel::refute(std::size_t root, const State &leaf, double seconds) {
  bool isAny = false;
  for (GpuBound bound = boundOf(root, leaf); bound.term >= 0 && bound.seconds > seconds;
       bound = boundOf(root, leaf)) {
    refutations_.push_back(fmt::format("{} took {:.4g} s, less than the {:.4g} s of the bound ({})",
                                       lineOf(root, leaf), seconds, bound.seconds,
                                       GpuBounds::explain(bound)));
    for (GpuBounds &bounds : bounds_)
      bounds.switchOff(bound.term);
    findRoots();
    isAny = true;
  }
  return isAny;
}

std::string DeviceModel::lineOf(std::size_t root, const State &leaf) const {
  return pbc::search::lineOf(launches_[root]->program(leaf));
}

std::string DeviceModel::explain(std::size_t root, const State &region) const {
  return GpuBounds::explain(boundOf(root, region));
}

} // namespace pbc::search
