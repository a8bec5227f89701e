// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/strategy/frontier.h"
#include <cmath>
#include <map>
#include <random>
#include <utility>

namespace pbc::search {
namespace {

/// Goes down from a random region to an implementation, and then begins anew from another one. Regions with small bounds are taken
/// more often.
class Descents : public Frontier {
public:
  explicit Descents(unsigned seed) : random_(seed) {}

  void push(std::vector<Region> regions) override {
    last_.clear();
    for (Region &region : regions)
      last_.push_back(open_.emplace(region.bound, std::move(region)));
  }
  std::optional<Region> pop() override {
    if (open_.empty())
      return std::nullopt;
    const Open::iterator taken = last_.empty() ? any() : last_[chosen()];
    Region region = std::move(taken->second);
    open_.erase(taken);
    last_.clear();
    return region;
  }
  std::optional<double> least() const override {
    return open_.empty() ? std::nullopt : std::optional(open_.begin()->first);
  }
  std::size_t size() const override { return open_.size(); }

private:
  using Open = std::multimap<double, Region>;

  /// Of those that were made last: with a probability that falls with the fourth power of the bound.
  std::size_t chosen() {
    std::vector<double> weights;
    const double least = std::max(1e-300, open_.begin()->first);
    weights.reserve(last_.size());
    for (const Open::iterator &region : last_)
      weights.push_back(std::pow(std::max(region->first, 1e-300) / least, -4));
    return std::discrete_distribution<std::size_t>(weights.begin(), weights.end())(random_);
  }
  /// Mostly one of the best.
  Open::iterator any() {
    std::geometric_distribution<long> place(0.1);
    auto at = open_.begin();
    for (long steps = place(random_); steps > 0 && std::next(at) != open_.end(); --steps)
      ++at;
    return at;
  }

  std::mt19937_64 random_;
  Open open_;
  std::vector<Open::iterator> last_;
};

} // namespace

Strategy descentsStrategy() {
  return {"descents",
          "Random descents, which prefer small bounds: for spaces that are too large for the others.",
          [](unsigned seed) -> std::unique_ptr<Frontier> { return std::make_unique<Descents>(seed); }, false};
}

} // namespace pbc::search
