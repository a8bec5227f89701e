// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tries all points of a grid over the space (grid.h), at the full size, in random order, so that a run which
// ends early has seen a sample of it. It reports what the grid leaves out: the result is proved for the grid,
// not for the space.
#include "tuner/space/grid.h"
#include "tuner/strategy/techniques/techniques.h"

#include <numeric>
#include <set>

namespace pbc::tuner {
namespace {

class Enumeration : public Technique {
public:
  explicit Enumeration(std::uint64_t most) : most_(most) {}

  void begin(const Situation &at) override {
    grid_.emplace(finestGrid(at.space(), at.n(), most_));
    next_ = 0;
    keys_.clear();
    // Steps of a fixed width that has no common factor with the size reach every point once.
    const std::uint64_t size = grid_->size();
    start_ = at.random.below(size);
    do
      width_ = 1 + at.random.below(size);
    while (std::gcd(width_, size) != 1);
  }

  std::optional<Proposal> propose(const Situation &at) override {
    while (next_ < grid_->size()) {
      // 128 bits, because the product of two numbers of 62 bits does not fit in one word.
      const auto product = static_cast<unsigned __int128>(next_++) * width_ + start_;
      const Configuration point =
          plain(at.space(), grid_->at(static_cast<std::uint64_t>(product % grid_->size())), at.n());
      if (keys_.insert(point.key()).second)
        return Proposal{point, at.best()};
    }
    return {};
  }

  std::optional<Coverage> coverage() const override {
    if (!grid_)
      return {};
    return Coverage{next_, grid_->size(), grid_->inWords()};
  }

private:
  /// Sets numbers without effect under these choices to their defaults, and limits others to what constraints
  /// allow, so that points which behave alike are measured once.
  static Configuration plain(const ProgramSpace &space, const Configuration &point, long n) {
    Configuration result = Configuration::defaults(space);
    for (std::size_t i = 0; i < space.sites.size(); ++i)
      result = result.withSelector(static_cast<int>(i), point.selectors()[i]);
    for (std::size_t i = 0; i < space.tunables.size(); ++i)
      if (result.mayChange(space, static_cast<int>(i), n))
        result = result.withValueAt(space, static_cast<int>(i), point.tunables()[i], n);
    return result;
  }

  const std::uint64_t most_;
  std::set<std::string> keys_;
  std::optional<Grid> grid_;
  std::uint64_t next_ = 0, width_ = 1, start_ = 0;
};

constexpr StrategyOption kExhaustiveOptions[] = {
    {"points", "of the grid, at most: it is as fine as that allows", 20000, 2, 1e12}};

} // namespace

const Strategy kExhaustive{"exhaustive",
                           "every point of a grid over the space, at the full size",
                           false,
                           true,
                           kExhaustiveOptions,
                           [](const StrategyValues &values) -> std::unique_ptr<Technique> {
                             return std::make_unique<Enumeration>(
                                 static_cast<std::uint64_t>(values.at("points")));
                           },
                           true};

} // namespace pbc::tuner
