// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/core_state.h"
#include <algorithm>
#include <cmath>
#include <cstddef>

namespace pbc::emulate {
namespace {

constexpr double kSameRoute = 1e-9;      // sums of rates are not exact
constexpr double kSimilarRoutes = 0.002; // of the accesses that were sent

class Comparison {
public:
  Comparison(const CoreState &then, const CoreState &now, Time within)
      : then_(then), now_(now), within_(within) {}

  bool areAlike() const {
    return then_.step == now_.step && then_.isWaiting == now_.isWaiting && then_.last == now_.last &&
           timesAreAlike() && routesAreAlike();
  }

private:
  bool isAlike(Time before, Time after) const {
    if (before == kNever || after == kNever)
      return before == after;
    const Time a = std::max<Time>(0, before - then_.now), b = std::max<Time>(0, after - now_.now);
    return std::abs(a - b) <= within_;
  }
  bool areAlike(const std::vector<Time> &before, const std::vector<Time> &after) const {
    for (std::size_t k = 0; k < before.size(); ++k)
      if (!isAlike(before[k], after[k]))
        return false;
    return true;
  }

  bool timesAreAlike() const {
    for (std::size_t r = 0; r < then_.units.size(); ++r) {
      const CoreState::Unit &a = then_.units[r], &b = now_.units[r];
      if (!isAlike(a.admits, b.admits) || !isAlike(a.busyUntil, b.busyUntil) ||
          a.admitted.size() != b.admitted.size())
        return false;
      for (std::size_t k = 0; k < a.admitted.size(); ++k)
        if (!isAlike(a.admitted[k], b.admitted[k]))
          return false;
    }
    for (std::size_t b = 0; b < then_.arrivals.size(); ++b)
      if (then_.arrivals[b].count != now_.arrivals[b].count ||
          !isAlike(then_.arrivals[b].last, now_.arrivals[b].last))
        return false;
    return areAlike(then_.issues, now_.issues) && areAlike(then_.earliest, now_.earliest) &&
           areAlike(then_.latest, now_.latest) && areAlike(then_.ready, now_.ready);
  }

  bool routesAreAlike() const {
    for (std::size_t w = 0; w < then_.routes.size(); ++w) {
      const double most = within_ > 0 ? kSimilarRoutes * static_cast<double>(now_.routed[w / kMostNearer] -
                                                                             then_.routed[w / kMostNearer])
                                      : 0;
      if (std::abs(then_.routes[w] - now_.routes[w]) > std::max(most, kSameRoute))
        return false;
    }
    return true;
  }

  const CoreState &then_, &now_;
  const Time within_;
};

/// The outermost loop of which the warp is in another round, or none. `others`: whether there are further ones.
std::size_t movedLoop(const long *before, const long *after, std::size_t loops, bool &others) {
  std::size_t moved = loops;
  others = false;
  for (std::size_t k = 0; k < loops; ++k)
    if (before[k] != after[k]) {
      others = moved != loops;
      moved = others ? moved : k;
    }
  return moved;
}

} // namespace

long repetitions(const CoreState &then, const CoreState &now, const std::vector<Repeat> &loops, Time within) {
  if (now.now <= then.now || !Comparison(then, now, within).areAlike())
    return 0;
  long most = std::numeric_limits<long>::max();
  bool isMoved = false;
  for (std::size_t w = 0; w < now.step.size(); ++w) {
    const long *before = &then.rounds[w * loops.size()], *after = &now.rounds[w * loops.size()];
    bool others = false;
    const std::size_t k = movedLoop(before, after, loops.size(), others);
    if (k == loops.size())
      continue;
    const long by = after[k] - before[k];
    if (by < 0 || others)
      return 0;
    isMoved = true;
    most = std::min(most, (loops[k].times - 1 - after[k]) / by);
  }
  return isMoved ? most : 0;
}

void repeat(const CoreState &then, CoreState &now, const std::vector<Repeat> &loops, long times) {
  const Time by = (now.now - then.now) * times;
  for (std::size_t w = 0; w < now.step.size(); ++w) {
    bool others = false;
    long *after = &now.rounds[w * loops.size()];
    const long *before = &then.rounds[w * loops.size()];
    if (const std::size_t k = movedLoop(before, after, loops.size(), others); k < loops.size())
      after[k] += times * (after[k] - before[k]);
    now.carriedOut[w] += times * (now.carriedOut[w] - then.carriedOut[w]);
    now.routed[w] += times * (now.routed[w] - then.routed[w]);
  }
  for (std::size_t r = 0; r < now.uses.size(); ++r) {
    now.uses[r].admissions += static_cast<double>(times) * (now.uses[r].admissions - then.uses[r].admissions);
    now.uses[r].inFlight += times * (now.uses[r].inFlight - then.uses[r].inFlight);
  }
  shift(now, by);
}

void shift(CoreState &now, Time by) {
  const auto move = [&](Time &t) { t += t == kNever ? 0 : by; };
  for (std::vector<Time> *all : {&now.earliest, &now.latest, &now.ready, &now.issues})
    for (Time &t : *all)
      move(t);
  for (CoreState::Unit &unit : now.units) {
    move(unit.admits);
    move(unit.busyUntil);
    for (Time &t : unit.admitted)
      move(t);
  }
  for (CoreState::Arrivals &arrivals : now.arrivals)
    move(arrivals.last);
  move(now.now);
  move(now.end);
}

} // namespace pbc::emulate
