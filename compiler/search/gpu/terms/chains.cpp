// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/gpu/gpu_term.h"
#include <algorithm>
#include <cmath>

namespace pbc::search {
namespace {

/// The longest path through the instructions of one thread (section 5.5). A loop that is certainly one repeats what is certainly
/// inside of it, one iteration after the other, since a thread issues its instructions in their order; a sum's terms wait for each
/// other even if they are written out.
class LongestPath {
public:
  explicit LongestPath(const GpuInput &input)
      : input_(input), view_(input.view), structure_(view_.space().structure()),
        known_(structure_.objects.size(), -1) {}

  double longest() {
    double best = 0;
    for (const int i : view_.space().instructions())
      best = std::max(best, endingAt(i));
    return best;
  }

private:
  /// Until the last execution of the instruction has been issued.
  double endingAt(int i) {
    double &known = known_[std::size_t(i)];
    if (known >= 0)
      return known;
    double best = ofSum(i, {});
    for (std::size_t e = 0; e < structure_.edges.size(); ++e) {
      const auto &[before, after] = structure_.edges[e];
      if (after != i)
        continue;
      const std::vector<int> loops = loopsAround(before, after);
      best =
          std::max(best, endingAt(before) + view_.product(loops) * latency(before, after) + ofSum(i, loops));
    }
    return known = best;
  }

  std::vector<int> loopsAround(int a, int b) const {
    std::vector<int> found;
    for (const int d : view_.around(a))
      if (view_.kinds(d) == KindSet(Kind::For) && view_.isAround(d, b))
        found.push_back(d);
    return found;
  }

  /// Iterations of loops that are counted already repeat the sum's terms inside of them.
  double ofSum(int i, const std::vector<int> &counted) const {
    if (!isSum(i))
      return 0;
    std::vector<int> terms, all = counted;
    for (const int d : view_.around(i))
      if (!structure_.dimension(d).isParallel && !mayBeOneOf(d, counted))
        terms.push_back(d);
    for (const int d : view_.around(i))
      if (view_.kinds(d) == KindSet(Kind::For) && structure_.dimension(d).isParallel &&
          !mayBeOneOf(d, counted) &&
          std::all_of(terms.begin(), terms.end(), [&](int term) { return view_.isAround(d, term); }))
        all.push_back(d);
    return view_.product(all) * (view_.product(terms) - 1) * latencyOf(i);
  }

  bool mayBeOneOf(int d, const std::vector<int> &loops) const {
    return std::any_of(loops.begin(), loops.end(), [&](int loop) {
      return loop == d || view_.space().order(view_.state(), d, loop).has(Order::Fused);
    });
  }

  bool isSum(int i) const {
    const auto &passed = view_.work().passed;
    return std::any_of(passed.begin(), passed.end(),
                       [&](const GpuWork::Passing &p) { return p.isSum && p.target == i; });
  }

  /// From the operands of an instruction to its result.
  double latencyOf(int i) const {
    const auto &operations =
        view_.work().operations[std::size_t(structure_.objects[std::size_t(i)].index)].count;
    double seconds = 0;
    for (std::size_t n = 0; n < kNumbers; ++n)
      if (operations[n] > 0)
        seconds = std::max(seconds, input_.rates.arithmetic[n]);
    for (std::size_t a = 0; a < structure_.accesses.size(); ++a)
      if (structure_.accesses[a].instruction == i && !view_.work().accesses[a].isWrite)
        seconds = std::max(seconds, (view_.caches(int(a)) & (Cache::First | Cache::ReadOnly)) == CacheSet()
                                        ? input_.rates.secondCache
                                        : input_.rates.firstCache);
    return seconds;
  }

  double latency(int before, int after) const {
    double seconds = latencyOf(before);
    for (std::size_t c = 0; c < view_.work().passed.size(); ++c) {
      const GpuWork::Passing &passed = view_.work().passed[c];
      if (passed.source != before || passed.target != after)
        continue;
      const PlaceSet places = view_.places(int(c));
      if (places == PlaceSet(Place::Shared))
        seconds += input_.rates.local + (hasBarrier(c) ? input_.rates.barrier : 0);
      else if (places == PlaceSet(Place::Global))
        seconds += input_.rates.secondCache;
    }
    return seconds;
  }

  /// Threads of one nest wait for those of a nest before it.
  bool hasBarrier(std::size_t c) const {
    const auto &pairs = structure_.communications[c].pairs;
    return std::any_of(pairs.begin(), pairs.end(), [&](const Communication::Pair &pair) {
      return view_.kinds(pair.source) == KindSet(Kind::Thread) &&
             view_.kinds(pair.target) == KindSet(Kind::Thread) &&
             view_.space().order(view_.state(), pair.source, pair.target) == OrderSet(Order::Before);
    });
  }

  const GpuInput &input_;
  const GpuView &view_;
  const Structure &structure_;
  std::vector<double> known_;
};

GpuTermValue chains(const GpuInput &input) {
  const double seconds = LongestPath(input).longest();
  return {input.waves * seconds, seconds, 1, "seconds of instructions that wait for each other", input.waves};
}

} // namespace

GpuTerm gpuChainsTerm() {
  return {
      "chains",
      "(4), (5), (7), (9)",
      "Each instruction of a chain waits for the one before it, and a group ends with its slowest thread.",
      "dependence chain in a thread",
      "Loops that are written out, more groups in a unit, fewer barriers.",
      chains};
}

} // namespace pbc::search
