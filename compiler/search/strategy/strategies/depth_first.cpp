// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/strategy/frontier.h"
#include <algorithm>
#include <set>
#include <utility>

namespace pbc::search {
namespace {

class DepthFirst : public Frontier {
public:
  void push(std::vector<Region> regions) override {
    std::stable_sort(regions.begin(), regions.end(),
                     [](const Region &a, const Region &b) { return a.bound > b.bound; });
    for (Region &region : regions) {
      bounds_.insert(region.bound);
      stack_.push_back(std::move(region));
    }
  }
  std::optional<Region> pop() override {
    if (stack_.empty())
      return std::nullopt;
    Region region = std::move(stack_.back());
    stack_.pop_back();
    bounds_.erase(bounds_.find(region.bound));
    return region;
  }
  std::optional<double> least() const override {
    return bounds_.empty() ? std::nullopt : std::optional(*bounds_.begin());
  }
  std::size_t size() const override { return stack_.size(); }
  std::vector<Region *> soon(std::size_t most) override {
    std::vector<Region *> found;
    for (auto at = stack_.rbegin(); at != stack_.rend() && found.size() < most; ++at)
      found.push_back(&*at);
    return found;
  }

private:
  std::vector<Region> stack_;
  std::multiset<double> bounds_;
};

} // namespace

Strategy depthFirstStrategy() {
  return {"depth-first",
          "The most promising part of the region that was divided last comes next: little memory, first "
          "times soon.",
          [](unsigned) -> std::unique_ptr<Frontier> { return std::make_unique<DepthFirst>(); }, false};
}

} // namespace pbc::search
