// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/chain/chain_script.h"
#include "compiler/search/nest/nest_steps.h"
#include <algorithm>
#include <map>

namespace pbc::search {
namespace {

class ChainScriptMaker {
public:
  ChainScriptMaker(const ChainSpace &chain, const State &leaf) : chain_(chain), leaf_(leaf) {
    for (const NestSpace &nest : chain.nests) {
      order_.push_back(inOrder(nest, leaf));
      for (const NestLoop &loop : nest.loops)
        for (std::size_t level = 0; level < loop.dimensions.size(); ++level)
          labels_[loop.dimensions[level]] = labelOf(loop, level);
    }
    findOffsets();
  }

  script::Script make() {
    steps_ = chain_.begin;
    for (std::size_t n = 0; n < chain_.nests.size(); ++n) {
      for (script::Step &tile : tileSteps(chain_.nests[n], leaf_))
        steps_.push_back(std::move(tile));
      if (order_[n].size() > 1)
        steps_.push_back(script::step("order", labelsOf(order_[n])));
    }
    for (std::size_t depth = 0; depth < mostDepth(); ++depth)
      fuseAt(depth);
    contract();
    realise();
    return std::move(steps_);
  }

private:
  std::vector<std::string> labelsOf(const std::vector<int> &dimensions) const {
    std::vector<std::string> all;
    for (const int d : dimensions)
      all.push_back(labels_.at(d));
    return all;
  }

  std::size_t mostDepth() const {
    std::size_t most = 0;
    for (const std::vector<int> &order : order_)
      most = std::max(most, order.size());
    return most;
  }

  bool areOne(int a, int b) const { return chain_.space->order(leaf_, a, b) == OrderSet(Order::Fused); }
  /// Whether both nests have one loop at the depth, and around it.
  bool areOneAt(std::size_t a, std::size_t b, std::size_t depth) const {
    return depth < order_[a].size() && depth < order_[b].size() && areOne(order_[a][depth], order_[b][depth]);
  }

  std::size_t loopWith(std::size_t nest, int dimension) const {
    const std::vector<NestLoop> &loops = chain_.nests[nest].loops;
    return std::size_t(
        std::ranges::find_if(
            loops, [&](const NestLoop &loop) { return std::ranges::count(loop.dimensions, dimension) > 0; }) -
        loops.begin());
  }

  /// Points of one iteration of the outermost level of the loop.
  long pointsOf(std::size_t nest, std::size_t loop) const {
    long points = 1;
    const std::vector<int> &levels = chain_.nests[nest].loops[loop].dimensions;
    for (std::size_t level = 1; level < levels.size(); ++level)
      points *= sizeOf(chain_.nests[nest], leaf_, levels[level]);
    return points;
  }

  /// By how far each nest runs behind the first one that has become one loop with it, in whole steps of the outermost level.
  void findOffsets() {
    for (std::size_t n = 0; n < chain_.nests.size(); ++n)
      for (const ChainFacts::Link &link : chain_.of->links)
        for (const auto &[number, distance] : link.byClass) {
          if (link.second != n)
            continue;
          const std::size_t first = indexOf(link.first, number), second = indexOf(link.second, number);
          if (!areOne(chain_.nests[link.first].loops[first].dimensions.front(),
                      chain_.nests[link.second].loops[second].dimensions.front()))
            continue;
          const long points = pointsOf(n, second), whole = (distance.most + points - 1) / points * points;
          long &own = offsets_[{n, number}];
          own = std::max(own, offsets_[{link.first, number}] + whole);
        }
  }
  std::size_t indexOf(std::size_t nest, int number) const {
    return std::size_t(std::ranges::find(chain_.of->classes[nest], number) -
                       chain_.of->classes[nest].begin());
  }

  /// Adds nest after nest to the loop of the first one; the loop has that one's label.
  void fuseAt(std::size_t depth) {
    for (std::size_t first = 0; first < chain_.nests.size(); ++first) {
      if (depth >= order_[first].size() || isLater(first, depth))
        continue;
      const int d = order_[first][depth];
      const int number = chain_.of->classes[first][loopWith(first, d)];
      for (std::size_t n = first + 1; n < chain_.nests.size(); ++n) {
        if (!areOneAt(first, n, depth))
          continue;
        script::Step fuse = script::step("fuse", {labels_.at(d), labels_.at(order_[n][depth])});
        fuse.results = {labels_.at(d)};
        if (const long shift = offsets_[{n, number}] - offsets_[{first, number}]; shift != 0)
          script::with(fuse, "shift", script::number(shift));
        steps_.push_back(std::move(fuse));
        labels_[order_[n][depth]] = labels_.at(d);
      }
    }
  }
  /// Whether an earlier nest has the loop, too.
  bool isLater(std::size_t nest, std::size_t depth) const {
    for (std::size_t earlier = 0; earlier < nest; ++earlier)
      if (areOneAt(earlier, nest, depth))
        return true;
    return false;
  }

  /// In the innermost loop that all nests have which use the temporary.
  void contract() {
    for (std::size_t c = 0; c < chain_.of->shared.size(); ++c) {
      const ChainFacts::Shared &shared = chain_.of->shared[c];
      if (PlaceSet::ofBits(leaf_.domain(chain_.space->place(int(c)))) == PlaceSet(Place::Global))
        continue;
      const std::size_t first = shared.nests.front();
      std::size_t depth = 0;
      while (std::ranges::all_of(shared.nests,
                                 [&](std::size_t n) { return n == first || areOneAt(first, n, depth); }))
        ++depth;
      script::Step contract = script::step("contract", {shared.matrix});
      steps_.push_back(script::with(contract, "at", script::name(labels_.at(order_[first][depth - 1]))));
    }
  }

  bool isConstantSize(int dimension) const {
    const Structure &structure = chain_.space->structure();
    return structure.sizes[std::size_t(structure.dimension(dimension).size)].isConstant;
  }

  void realise() {
    std::vector<std::string> rolled, unrolled, vectors;
    for (std::size_t n = 0; n < chain_.nests.size(); ++n)
      realise(n, rolled, unrolled, vectors);
    if (!unrolled.empty())
      steps_.push_back(script::step("unroll", unrolled));
    if (!vectors.empty())
      steps_.push_back(script::step("vector", vectors));
    if (const std::string &stored = chain_.nests[chain_.storing].stored;
        !stored.empty() && CacheSet::ofBits(leaf_.domain(chain_.space->cache(0))) == CacheSet(Cache::None)) {
      script::Step stream = script::step("stream", {stored});
      steps_.push_back(script::with(stream, "when", script::name("always")));
    }
    // A loop is a loop: the compiler of C++ must make neither vectors nor copies of it.
    if (!rolled.empty())
      steps_.push_back(script::step("rolled", rolled));
  }

  /// The loops that no earlier nest has.
  void realise(std::size_t n, std::vector<std::string> &rolled, std::vector<std::string> &unrolled,
               std::vector<std::string> &vectors) {
    const NestSpace &nest = chain_.nests[n];
    std::vector<std::string> separated, ownUnrolled, ownVectors;
    std::string at;
    bool hasAnyEdges = false;
    for (std::size_t depth = 0; depth < order_[n].size(); ++depth) {
      const int d = order_[n][depth];
      const Kind kind = kindOf(nest, leaf_, d);
      if (kind == Kind::For)
        at = labels_.at(d);
      if (isLater(n, depth))
        continue;
      (kind == Kind::For ? rolled : kind == Kind::Unroll ? ownUnrolled : ownVectors).push_back(labels_.at(d));
      if (kind != Kind::For && isConstantSize(d)) {
        separated.push_back(labels_.at(d));
        hasAnyEdges = hasAnyEdges || hasEdgesAnywhere(n, depth);
      }
    }
    if (!ownUnrolled.empty() && !at.empty() && hasAnyEdges) {
      script::Step separate = script::step("separate", separated);
      steps_.push_back(script::with(separate, "at", script::name(at)));
      for (const std::string &label : ownUnrolled)
        rolled.push_back(label + "_edge");
      if (!ownVectors.empty())
        ownVectors.push_back(ownVectors.front() + "_edge");
    }
    unrolled.insert(unrolled.end(), ownUnrolled.begin(), ownUnrolled.end());
    vectors.insert(vectors.end(), ownVectors.begin(), ownVectors.end());
  }

  /// In any of the nests that have the loop.
  bool hasEdgesAnywhere(std::size_t n, std::size_t depth) const {
    for (std::size_t other = n; other < chain_.nests.size(); ++other)
      if ((other == n || areOneAt(n, other, depth)) &&
          hasEdges(chain_.nests[other], leaf_, order_[other][depth]))
        return true;
    return false;
  }

  const ChainSpace &chain_;
  const State &leaf_;
  std::vector<std::vector<int>> order_; // by nest: its dimensions, outermost first
  std::map<int, std::string> labels_;
  std::map<std::pair<std::size_t, int>, long> offsets_; // by nest and class
  script::Script steps_;
};

} // namespace

script::Script scriptOf(const ChainSpace &chain, const State &leaf) {
  return ChainScriptMaker(chain, leaf).make();
}

} // namespace pbc::search
