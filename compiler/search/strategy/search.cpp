// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/strategy/search.h"
#include "compiler/search/strategy/ahead.h"
#include "compiler/search/strategy/divider.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <random>
#include <utility>

namespace pbc::search {
namespace {

using Clock = std::chrono::steady_clock;

constexpr long kStepsOfDive = 400;
constexpr std::size_t kAheadOfThread = 4;

bool isComplete(const Region &region) {
  return std::all_of(region.domains.begin(), region.domains.end(), isSingle);
}

class Search {
public:
  Search(Model &model, const SearchOptions &options)
      : model_(model), options_(options),
        strategy_(options.strategy ? *options.strategy : strategies().front()), divider_(model, options),
        ahead_(model, options, options.isAnyOrder ? 0 : std::max(1, options.threads) - 1) {
    result_.bestSeconds = options.incumbent;
    result_.statistics.cutBy.assign(model.limitNames().size(), 0);
  }

  SearchResult run() {
    dive();
    begin();
    while (!mustEnd()) {
      std::optional<Region> region = frontier_->pop();
      if (!region) {
        result_.isComplete = true;
        break;
      }
      if (isCut(*region)) {
        cut(*region);
        // All others are at least as slow.
        if (strategy_.takesLeastFirst) {
          cutAll();
          result_.isComplete = true;
          break;
        }
        continue;
      }
      if (isComplete(*region))
        measure(*region);
      else
        divide(*region);
    }
    settle();
    return std::move(result_);
  }

private:
  double best() const { return result_.bestSeconds > 0 ? result_.bestSeconds : HUGE_VAL; }
  bool isCut(const Region &region) const { return !options_.measuresAll && region.bound >= best(); }

  void begin() {
    frontier_ = strategy_.make(options_.seed);
    std::vector<Region> roots = rootRegions();
    // What bounds all programs of all spaces bounds the incumbent, too, which does the same work.
    const auto least = std::min_element(roots.begin(), roots.end(),
                                        [](const Region &a, const Region &b) { return a.bound < b.bound; });
    if (options_.incumbent > 0 && least != roots.end() && least->bound > options_.incumbent) {
      if (refute(*least, options_.incumbent)) {
        ++result_.statistics.refuted;
        roots = rootRegions();
      }
    }
    pushUncut(std::move(roots));
  }

  /// Looks for first times. What it does not look at is still to be searched.
  void dive() {
    if (options_.dives == 0)
      return;
    std::vector<Region> roots = rootRegions();
    std::stable_sort(roots.begin(), roots.end(),
                     [](const Region &a, const Region &b) { return a.bound < b.bound; });
    std::mt19937_64 random(options_.seed);
    for (int dive = 0; dive < options_.dives && !roots.empty() && !isInterrupted(); ++dive) {
      long steps = kStepsOfDive;
      diveInto(roots[std::size_t(dive) % roots.size()], random, steps);
    }
  }

  /// False: there is no leaf in it, or no more steps are to be taken.
  bool diveInto(const Region &region, std::mt19937_64 &random, long &steps) {
    if (--steps < 0 || isCut(region))
      return steps < 0;
    if (isComplete(region)) {
      measure(region);
      return true;
    }
    Division made = divider_.dividedByFirst(region);
    result_.statistics.empty += made.empty;
    const std::vector<Region> parts = std::move(made.parts);
    // What has a small bound now may have a large one soon: so there is some chance in it.
    std::uniform_real_distribution<double> chance(1, 1.5);
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t part = 0; part < parts.size(); ++part)
      order.emplace_back(parts[part].bound * chance(random), part);
    std::sort(order.begin(), order.end());
    return std::any_of(order.begin(), order.end(),
                       [&](const auto &next) { return diveInto(parts[next.second], random, steps); });
  }

  bool isInterrupted() const { return options_.isInterrupted && options_.isInterrupted->load(); }

  std::vector<Region> rootRegions() {
    std::vector<Region> roots;
    for (std::size_t root = 0; root < model_.roots(); ++root) {
      State fresh(model_.problem(root));
      if (!fresh.propagate()) {
        ++result_.statistics.empty;
        continue;
      }
      const RegionBound bound = model_.bound(root, fresh);
      roots.push_back({root, fresh.domains(), bound.seconds, bound.limit, 0});
    }
    return roots;
  }

  void pushUncut(std::vector<Region> regions) {
    std::vector<Region> kept;
    for (Region &region : regions) {
      if (isCut(region))
        cut(region);
      else
        kept.push_back(std::move(region));
    }
    frontier_->push(std::move(kept));
  }

  DepthStatistics &at(int depth) {
    auto &depths = result_.statistics.depths;
    if (depths.size() <= std::size_t(depth))
      depths.resize(std::size_t(depth) + 1);
    return depths[std::size_t(depth)];
  }

  void cut(const Region &region) {
    if (options_.onRegion)
      options_.onRegion(region, true);
    ++result_.statistics.cut;
    ++at(region.depth).cut;
    if (region.limit >= 0)
      ++result_.statistics.cutBy[std::size_t(region.limit)];
  }

  void cutAll() {
    while (std::optional<Region> region = frontier_->pop())
      cut(*region);
  }

  int anyVariable(const Region &region) {
    const std::vector<int> found = divider_.open(region);
    return found[std::uniform_int_distribution<std::size_t>(0, found.size() - 1)(random_)];
  }

  void divide(const Region &region) {
    if (options_.onRegion)
      options_.onRegion(region, false);
    ++result_.statistics.divided;
    ++at(region.depth).divided;
    Division made =
        options_.isAnyOrder ? divider_.dividedBy(region, anyVariable(region)) : ahead_.take(region);
    result_.statistics.empty += made.empty;
    pushUncut(std::move(made.parts));
    if (ahead_.threads() > 0)
      for (Region *soon : frontier_->soon(kAheadOfThread * std::size_t(ahead_.threads())))
        if (!isComplete(*soon))
          ahead_.offer(*soon);
  }

  bool refute(const Region &region, double seconds) {
    const Ahead::Pause pause(ahead_);
    return model_.refute(region.root, divider_.state(region), seconds);
  }

  LeafTime timeOf(const Region &region) {
    const double most = result_.bestSeconds > 0 && !options_.measuresAll ? best() * options_.slack : 0;
    std::optional<Ahead::Pause> pause;
    if (model_.measuresAlone())
      pause.emplace(ahead_);
    return model_.measure(region.root, divider_.state(region), most);
  }

  void measure(const Region &region) {
    auto [known, isNew] = measured_.try_emplace({region.root, region.domains});
    if (isNew)
      known->second = timeOf(region);
    const LeafTime &time = known->second;
    if (!time.isMeasured) {
      ++result_.statistics.notMeasured;
      result_.refusal = time.why;
      return;
    }
    if (isNew) {
      ++result_.statistics.measured;
      result_.statistics.tightness.push_back(region.bound / time.seconds);
    }
    if (time.seconds < best()) {
      result_.best = Implementation{region.root, region.domains, time.seconds};
      result_.bestSeconds = time.seconds;
      isBetter_ = true;
    }
    if (time.seconds < region.bound && refute(region, time.seconds)) {
      ++result_.statistics.refuted;
      if (frontier_)
        begin();
    }
  }

  bool mustEnd() {
    if (isInterrupted())
      return true;
    const auto &statistics = result_.statistics;
    if (options_.mostMeasured > 0 && statistics.measured >= options_.mostMeasured)
      return true;
    // A step may be a measurement, so the time is looked at in each of them.
    const double elapsed = std::chrono::duration<double>(Clock::now() - begun_).count();
    if (options_.seconds > 0 && elapsed > options_.seconds)
      return true;
    const bool isTimeToLook = ++steps_ % 64 == 0 || isBetter_;
    if (!isTimeToLook)
      return false;
    settleBound();
    if (!options_.measuresAll && best() <= options_.enough * result_.bound)
      return true;
    if (options_.progress && (isBetter_ || elapsed > lastProgress_ + 1)) {
      lastProgress_ = elapsed;
      isBetter_ = false;
      return !options_.progress(result_);
    }
    isBetter_ = false;
    return false;
  }

  /// The least of what is left and of what is best. It never falls, but when a bound was refuted.
  void settleBound() { result_.bound = std::min(best(), frontier_->least().value_or(best())); }

  void settle() {
    settleBound();
    result_.isComplete = result_.isComplete || best() <= result_.bound;
    if (result_.isComplete && !options_.measuresAll)
      cutAll(); // nothing that is left can be better
    if (result_.bestSeconds == 0)
      result_.bound = result_.isComplete ? 0 : result_.bound;
  }

  Model &model_;
  const SearchOptions &options_;
  const Strategy &strategy_;
  std::unique_ptr<Frontier> frontier_;
  Divider divider_;
  std::map<std::pair<std::size_t, std::vector<Domain>>, LeafTime> measured_;
  std::mt19937_64 random_{options_.seed};
  SearchResult result_;
  Clock::time_point begun_ = Clock::now();
  double lastProgress_ = 0;
  long steps_ = 0;
  bool isBetter_ = false;
  Ahead ahead_; // ends before what its threads use
};

} // namespace

SearchResult search(Model &model, const SearchOptions &options) { return Search(model, options).run(); }

} // namespace pbc::search
