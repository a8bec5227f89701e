// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/strategy/reach.h"

#include "tuner/strategy/mutators.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pbc::tuner {
namespace {

constexpr int kMostMoves = 40;

class Ascent {
public:
  Ascent(const ProgramSpace &space, const Configuration &start, long n, const AccuracyOf &accuracyOf)
      : space_(space), n_(n), accuracyOf_(accuracyOf), best_{start, worst(), false} {}

  Reached run() {
    if (!take(best_.configuration))
      return best_;
    climb(true);
    if (!best_.met)
      climbFromEachAlternative();
    return best_;
  }

private:
  void climb(bool withChoices) {
    for (int move = 0; move < kMostMoves && !best_.met; ++move)
      if (!step(valueMoves()) && !(withChoices && step(choiceMoves())))
        break;
  }

  /// With the current values, another alternative may at first be no more accurate.
  void climbFromEachAlternative() {
    for (const Configuration &start : choiceMoves()) {
      Ascent other(space_, start, n_, accuracyOf_);
      if (!other.take(start))
        continue;
      other.climb(false);
      if (isBetter(other.best_.accuracy, best_.accuracy))
        best_ = other.best_;
      if (best_.met)
        return;
    }
  }

  double worst() const {
    return space_.goal->largerIsBetter ? -std::numeric_limits<double>::infinity()
                                       : std::numeric_limits<double>::infinity();
  }
  bool isBetter(double a, double b) const { return space_.goal->largerIsBetter ? a > b : a < b; }

  /// True if the candidate could be tried; it becomes the best if it is more accurate.
  bool take(const Configuration &candidate) {
    const auto accuracy = accuracyOf_(candidate);
    if (accuracy && isBetter(*accuracy, best_.accuracy))
      best_ = {candidate, *accuracy, space_.goal->isMetBy(*accuracy)};
    return accuracy.has_value();
  }

  bool step(const std::vector<Configuration> &moves) {
    const double before = best_.accuracy;
    for (const Configuration &move : moves) {
      take(move);
      if (best_.met)
        return true;
    }
    return isBetter(best_.accuracy, before);
  }

  /// The tunables that a call of this size reads; those for larger sizes follow them
  /// (Configuration::withValueAt).
  std::vector<int> knobs() const {
    std::vector<int> found;
    for (std::size_t i = 0; i < space_.tunables.size(); ++i) {
      const Tunable &t = space_.tunables[i];
      if (t.forAccuracy && space_.isOpenAt(t, n_))
        found.push_back(static_cast<int>(i));
    }
    // The entry for the size itself comes before those for smaller sizes, which only recursive calls read.
    std::stable_sort(found.begin(), found.end(),
                     [&](int a, int b) { return space_.tunables[a].sizeBin > space_.tunables[b].sizeBin; });
    return found;
  }

  bool isOfThisSize(int index) const { return space_.tunables[index].isSeenAt(n_); }

  Configuration changed(const Configuration &from, int index, double value) const {
    return from.withValueAt(space_, index, space_.tunables[index].clamp(value), n_);
  }

  double more(int index, double value) const {
    const Tunable &t = space_.tunables[index];
    return t.integer ? std::max(value * 2, value + 1) : value == 0 ? (t.maximum - t.minimum) / 16 : value * 2;
  }

  std::vector<Configuration> valueMoves() const {
    const Configuration &from = best_.configuration;
    std::vector<Configuration> moves;
    Configuration here = from, everywhere = from;
    for (const int k : knobs()) {
      const double value = from.tunables()[k];
      if (isOfThisSize(k))
        here = changed(here, k, more(k, value));
      everywhere = changed(everywhere, k, more(k, value));
    }
    moves.push_back(here);
    for (const int k : knobs()) {
      const Tunable &t = space_.tunables[k];
      const double value = from.tunables()[k];
      std::vector<double> values = {more(k, value), value / 2};
      if (t.integer)
        values.insert(values.end(), {value + 1, value - 1});
      if (t.maximum - t.minimum < 1e6)
        values.insert(values.end(), {t.minimum, t.maximum});
      for (const double v : values)
        if (isOfThisSize(k))
          moves.push_back(changed(from, k, v));
    }
    moves.push_back(everywhere);
    std::erase(moves, from);
    return moves;
  }

  std::vector<Configuration> choiceMoves() const {
    std::vector<Configuration> moves;
    for (std::size_t s = 0; s < space_.sites.size(); ++s)
      for (int use = 0;
           space_.sites[s].isOpen() && use < static_cast<int>(space_.sites[s].alternatives.size()); ++use)
        moves.push_back(best_.configuration.withSelector(
            static_cast<int>(s),
            best_.configuration.selectors()[s].withRangeForced(bandStart(n_), kNoLimit, use)));
    std::erase(moves, best_.configuration);
    return moves;
  }

  const ProgramSpace &space_;
  const long n_;
  const AccuracyOf &accuracyOf_;
  Reached best_;
};

} // namespace

Reached reach(const ProgramSpace &space, const Configuration &start, long n, const AccuracyOf &accuracyOf) {
  return Ascent(space, start, n, accuracyOf).run();
}

} // namespace pbc::tuner
