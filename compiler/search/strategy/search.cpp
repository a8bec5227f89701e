// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/strategy/search.h"
#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <map>
#include <random>
#include <utility>

namespace pbc::search {
namespace {

using Clock = std::chrono::steady_clock;

constexpr long kStepsOfDive = 400;

class Search {
public:
  Search(Model &model, const SearchOptions &options)
      : model_(model), options_(options),
        strategy_(options.strategy ? *options.strategy : strategies().front()) {
    result_.bestSeconds = options.incumbent;
    result_.statistics.cutBy.assign(model.limitNames().size(), 0);
    for (std::size_t root = 0; root < model.roots(); ++root)
      states_.push_back(std::make_unique<State>(model.problem(root)));
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
      State &state = *states_[region->root];
      state.take(region->domains);
      if (state.isComplete())
        measure(*region, state);
      else
        divide(*region, state);
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
      State &state = *states_[least->root];
      state.take(least->domains);
      if (model_.refute(least->root, state, options_.incumbent)) {
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
    State &state = *states_[region.root];
    state.take(region.domains);
    if (state.isComplete()) {
      measure(region, state);
      return true;
    }
    std::vector<Region> parts = partsOf(region, state, candidates(region.root, state).front());
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

  /// The undecided variables that are decided next: those of most weight, and of these the ones of the first decision of the table.
  std::vector<int> candidates(std::size_t root, const State &state) const {
    std::vector<int> found;
    double most = 0;
    int decision = 0;
    const auto &variables = state.problem().variables();
    for (int v = 0; v < int(variables.size()); ++v) {
      if (state.isDecided(v))
        continue;
      const int of = variables[std::size_t(v)].decision;
      const double weight = model_.weight(root, v);
      if (found.empty() || weight > most || (weight == most && of < decision)) {
        most = weight;
        decision = of;
        found.clear();
      }
      if (weight == most && of == decision)
        found.push_back(v);
    }
    return found;
  }

  int anyVariable(const State &state) {
    std::vector<int> found;
    for (int v = 0; v < int(state.problem().variables().size()); ++v)
      if (!state.isDecided(v))
        found.push_back(v);
    return found[std::uniform_int_distribution<std::size_t>(0, found.size() - 1)(random_)];
  }

  std::vector<Region> partsOf(const Region &region, State &state, int variable) {
    std::vector<Region> parts;
    for (Domain rest = state.domain(variable); rest != 0; rest &= rest - 1) {
      const State::Mark before = state.mark();
      if (state.decide(variable, unsigned(std::countr_zero(rest)))) {
        const RegionBound bound = model_.bound(region.root, state);
        Region part{region.root, state.domains(), region.bound, region.limit, region.depth + 1};
        if (bound.seconds > region.bound)
          part.bound = bound.seconds, part.limit = bound.limit;
        parts.push_back(std::move(part));
      } else {
        ++result_.statistics.empty;
      }
      state.undo(before);
    }
    return parts;
  }

  void divide(const Region &region, State &state) {
    if (options_.onRegion)
      options_.onRegion(region, false);
    ++result_.statistics.divided;
    ++at(region.depth).divided;
    const std::vector<int> variables =
        options_.isAnyOrder ? std::vector<int>{anyVariable(state)} : candidates(region.root, state);
    std::vector<Region> parts = partsOf(region, state, variables.front());
    if (region.depth < options_.strongBranching)
      for (std::size_t v = 1; v < variables.size(); ++v) {
        std::vector<Region> others = partsOf(region, state, variables[v]);
        if (lift(others) > lift(parts))
          parts = std::move(others);
      }
    pushUncut(std::move(parts));
  }

  /// How much higher the bounds of the parts are than they could be, in the mean.
  static double lift(const std::vector<Region> &parts) {
    if (parts.empty())
      return HUGE_VAL; // the whole region is empty
    double sum = 0;
    for (const Region &part : parts)
      sum += part.bound;
    return sum / double(parts.size());
  }

  void measure(const Region &region, State &state) {
    auto [known, isNew] = measured_.try_emplace({region.root, region.domains});
    if (isNew)
      known->second = model_.measure(
          region.root, state, result_.bestSeconds > 0 && !options_.measuresAll ? best() * options_.slack : 0);
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
    if (time.seconds < region.bound && model_.refute(region.root, state, time.seconds)) {
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
  std::vector<std::unique_ptr<State>> states_;
  std::map<std::pair<std::size_t, std::vector<Domain>>, LeafTime> measured_;
  std::mt19937_64 random_{options_.seed};
  SearchResult result_;
  Clock::time_point begun_ = Clock::now();
  double lastProgress_ = 0;
  long steps_ = 0;
  bool isBetter_ = false;
};

} // namespace

SearchResult search(Model &model, const SearchOptions &options) { return Search(model, options).run(); }

} // namespace pbc::search
