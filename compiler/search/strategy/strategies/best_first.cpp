// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/strategy/frontier.h"
#include <algorithm>
#include <utility>

namespace pbc::search {
namespace {

/// A heap on the bound. Of regions with one bound, the deeper one comes first, so that there is a measurement soon; of these, the one that
/// promises most.
class BestFirst : public Frontier {
public:
  void push(std::vector<Region> regions) override {
    for (Region &region : regions) {
      heap_.push_back({std::move(region), count_++});
      std::push_heap(heap_.begin(), heap_.end(), isWorse);
    }
  }
  std::optional<Region> pop() override {
    if (heap_.empty())
      return std::nullopt;
    std::pop_heap(heap_.begin(), heap_.end(), isWorse);
    Region region = std::move(heap_.back().region);
    heap_.pop_back();
    return region;
  }
  std::optional<double> least() const override {
    return heap_.empty() ? std::nullopt : std::optional(heap_.front().region.bound);
  }
  std::size_t size() const override { return heap_.size(); }
  /// The first ones of a heap are among its least.
  std::vector<Region *> soon(std::size_t most) override {
    std::vector<Region *> found;
    for (std::size_t at = 0; at < std::min(most, heap_.size()); ++at)
      found.push_back(&heap_[at].region);
    return found;
  }

private:
  struct Entry {
    Region region;
    unsigned long number;
  };
  static bool isWorse(const Entry &a, const Entry &b) {
    if (a.region.bound != b.region.bound)
      return a.region.bound > b.region.bound;
    if (a.region.depth != b.region.depth)
      return a.region.depth < b.region.depth;
    if (a.region.promise != b.region.promise)
      return a.region.promise > b.region.promise;
    return a.number > b.number;
  }
  std::vector<Entry> heap_;
  unsigned long count_ = 0;
};

} // namespace

Strategy bestFirstStrategy() {
  return {"best-first",
          "The region with the least bound comes next: no region is divided that the optimum would have cut.",
          [](unsigned) -> std::unique_ptr<Frontier> { return std::make_unique<BestFirst>(); }, true};
}

} // namespace pbc::search
