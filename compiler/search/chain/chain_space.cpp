// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/chain/chain_space.h"
#include "compiler/kernel/loops.h"
#include "compiler/search/nest/cuts.h"
#include "compiler/search/nest/nest_steps.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace pbc::search {
namespace {

using kernel::Scheduled;
using script::Script;

constexpr unsigned long kChainBudget = 8 * kernel::kStepBudget;
/// Dimensions of all nests together: a space of more is not divided in any time.
constexpr std::size_t kMostDimensions = 20;

/// The structure of nests whose loops are cut into so many levels, by class.
class ChainMaker {
public:
  ChainMaker(const ChainFacts &facts, const NestOptions &options, const std::vector<int> &cuts)
      : facts_(facts), options_(options), cuts_(cuts) {}

  ChainSpace make(Script begin, const Scheduled &kernel) {
    made_.begin = std::move(begin);
    made_.kernel = kernel;
    structure_.name = kernel.name;
    structure_.limits.vectorsAreLoops = structure_.limits.hasOneMemory = true;
    structure_.limits.fusesOtherLengths = true;
    structure_.limits.unrolled = options_.unrolled;
    addTiles();
    for (std::size_t n = 0; n < facts_.nests.size(); ++n)
      addNest(n);
    for (std::size_t n = 1; n < made_.nests.size(); ++n)
      for (std::size_t before = 0; before < n; ++before)
        structure_.edges.push_back({made_.nests[before].body, made_.nests[n].body});
    for (const ChainFacts::Shared &shared : facts_.shared)
      addShared(shared);
    addStore();
    made_.space = std::make_shared<const Space>(std::move(structure_));
    for (NestSpace &nest : made_.nests)
      nest.space = made_.space;
    return std::move(made_);
  }

private:
  /// The sizes of inner levels, which loops that are alike have together.
  void addTiles() {
    tiles_.resize(cuts_.size());
    for (std::size_t number = 0; number < cuts_.size(); ++number) {
      long least = 0;
      std::string label;
      for (std::size_t n = 0; n < facts_.nests.size(); ++n)
        for (std::size_t l = 0; l < facts_.nests[n].loops.size(); ++l)
          if (facts_.classes[n][l] == int(number)) {
            const NestFacts::Loop &loop = facts_.nests[n].loops[l];
            least = least == 0 ? loop.extent : std::min(least, loop.extent);
            label = label.empty() ? loop.label : label;
          }
      for (int level = 1; level <= cuts_[number]; ++level) {
        Size size{fmt::format("{}_{}", label, level), {}};
        for (const long tile : options_.tileSizes)
          if (tile < least)
            size.values.push_back(tile);
        tiles_[number].push_back(structure_.addSize(std::move(size)));
      }
    }
  }

  void addNest(std::size_t n) {
    const NestFacts &facts = facts_.nests[n];
    NestSpace nest;
    nest.kernel = facts.kernel;
    nest.work = std::make_shared<const NestWork>(workOf(facts, options_.values));
    Instruction body{fmt::format("nest {}", n + 1)};
    for (std::size_t l = 0; l < facts.loops.size(); ++l) {
      nest.loops.push_back(loopOf(facts.loops[l], std::size_t(facts_.classes[n][l])));
      body.dimensions.insert(body.dimensions.end(), nest.loops.back().dimensions.begin(),
                             nest.loops.back().dimensions.end());
    }
    body.hasEffects = true;
    body.isVectorisable = facts.loopsInBody.empty();
    if (!facts.isPermutable)
      structure_.nested.push_back(body.dimensions);
    nest.body = structure_.addInstruction(body);
    made_.nests.push_back(std::move(nest));
  }

  NestLoop loopOf(const NestFacts::Loop &loop, std::size_t number) {
    NestLoop made{loop.label, loop.extent, loop.first, loop.isParallel, loop.isOfSum, loop.isFixed, {}};
    for (int level = 0; level <= cuts_[number]; ++level) {
      const std::string name = cuts_[number] == 0 ? loop.label : fmt::format("{}_{}", loop.label, level);
      const int size = level == 0 ? structure_.addSize({name, {loop.extent}, false})
                                  : tiles_[number][std::size_t(level - 1)];
      KindSet kinds = Kind::For | Kind::Unroll;
      if (loop.isParallel)
        kinds = kinds | Kind::Vector;
      made.dimensions.push_back(
          structure_.addDimension({name, size, kinds, loop.isParallel, familyOf(number, level)}));
    }
    if (cuts_[number] > 0)
      structure_.sizeProducts.push_back({tiles_[number], loop.extent, loop.first});
    structure_.nested.push_back(made.dimensions);
    return made;
  }

  /// Where iterations use what others make, only the outermost levels become one: tiles behind tiles.
  int familyOf(std::size_t number, int level) {
    if (level > 0 && isShifted(int(number)))
      return facts_.numberOfClasses * (options_.mostLevels + 1) + families_++;
    return int(number) * (options_.mostLevels + 1) + level;
  }
  bool isShifted(int number) const {
    return std::ranges::any_of(facts_.links, [&](const ChainFacts::Link &link) {
      const auto at = link.byClass.find(number);
      return at != link.byClass.end() && !at->second.isAligned;
    });
  }

  /// The nest's loop of the class; null: it has none.
  const NestLoop *loopOfClass(std::size_t nest, int number) const {
    for (std::size_t l = 0; l < facts_.classes[nest].size(); ++l)
      if (facts_.classes[nest][l] == number)
        return &made_.nests[nest].loops[l];
    return nullptr;
  }

  void addShared(const ChainFacts::Shared &shared) {
    Communication made{shared.matrix, {}};
    made.elementBytes = shared.bytesOfCell;
    bool isOfOneCell = true; // wherever all loops are one
    for (int number = 0; number < facts_.numberOfClasses; ++number) {
      const bool isEverywhere = std::all_of(shared.nests.begin(), shared.nests.end(),
                                            [&](std::size_t n) { return loopOfClass(n, number) != nullptr; });
      std::vector<std::size_t> outermost;
      for (const ChainFacts::Link &link : facts_.links) {
        if (!isOf(link, shared) || !link.byClass.contains(number))
          continue;
        const std::vector<int> &source = loopOfClass(link.first, number)->dimensions,
                               &target = loopOfClass(link.second, number)->dimensions;
        const bool isAligned = link.byClass.at(number).isAligned;
        isOfOneCell = isOfOneCell && isAligned;
        outermost.push_back(made.pairs.size());
        for (std::size_t level = 0; level < source.size(); ++level) {
          if (!isAligned)
            made.shifted.push_back(made.pairs.size());
          made.pairs.push_back({source[level], target[level]});
        }
      }
      if (isEverywhere && !outermost.empty())
        made.holders.push_back(std::move(outermost));
    }
    const auto isHeld = [&](std::size_t n) { return made.holders.size() == facts_.nests[n].loops.size(); };
    made.places = Place::Global;
    if (shared.isTemporary && !made.holders.empty())
      made.places = made.places | Place::Shared;
    if (shared.isTemporary && !made.holders.empty() && isOfOneCell &&
        std::ranges::all_of(shared.nests, isHeld))
      made.places = made.places | Place::Register;
    structure_.communications.push_back(std::move(made));
  }

  /// Of the last nest that may store its matrix past the caches; nobody else uses it.
  void addStore() {
    for (std::size_t n = facts_.nests.size(); n-- > 0;) {
      NestSpace &nest = made_.nests[n];
      const NestWork::Array *array = storedPastCaches(facts_.nests[n], *nest.work, options_);
      if (array == nullptr || std::ranges::count(facts_.shared, array->name, &ChainFacts::Shared::matrix) > 0)
        continue;
      structure_.accesses.push_back(
          {nest.body, Cache::First | Cache::None, nest.loops[*array->storedAlong].dimensions});
      nest.stored = array->name;
      made_.storing = n;
      return;
    }
  }

  static bool isOf(const ChainFacts::Link &link, const ChainFacts::Shared &shared) {
    return std::ranges::count(shared.nests, link.first) > 0 &&
           std::ranges::count(shared.nests, link.second) > 0;
  }

  const ChainFacts &facts_;
  const NestOptions &options_;
  const std::vector<int> &cuts_;
  std::vector<std::vector<int>> tiles_; // by class: the sizes of its inner levels
  int families_ = 0;                    // of dimensions that stay alone
  Structure structure_;
  ChainSpace made_;
};

/// With the loops as they are; and with those of the bodies written out, as far as that can be.
std::vector<Script> chainBeginnings(const Scheduled &kernel, const ChainFacts &facts) {
  std::vector<Script> all = {{}};
  std::vector<std::string> inBodies;
  for (const NestFacts &nest : facts.nests)
    for (const std::string &label : nest.loopsInBody)
      if (afterSteps({script::step("unroll", {label})}, kernel))
        inBodies.push_back(label);
  if (!inBodies.empty())
    if (Script steps = {script::step("unroll", inBodies)}; afterSteps(steps, kernel))
      all.push_back(std::move(steps));
  return all;
}

/// Into how many levels the loops of each class can be cut.
std::vector<int> mostCuts(const ChainFacts &facts, const NestOptions &options) {
  std::vector<std::optional<int>> most(std::size_t(facts.numberOfClasses));
  for (std::size_t n = 0; n < facts.nests.size(); ++n)
    for (std::size_t l = 0; l < facts.nests[n].loops.size(); ++l) {
      std::optional<int> &levels = most[std::size_t(facts.classes[n][l])];
      const int own = facts.nests[n].isPermutable ? mostLevels(facts.nests[n].loops[l], options) : 0;
      levels = std::min(levels.value_or(own), own);
    }
  std::vector<int> cuts;
  for (const std::optional<int> &levels : most)
    cuts.push_back(levels.value_or(0)); // a class without loops has been merged into another one
  return cuts;
}

std::size_t dimensionsOf(const ChainFacts &facts, const std::vector<int> &cuts) {
  std::size_t count = 0;
  for (const std::vector<int> &ofNest : facts.classes)
    for (const int number : ofNest)
      count += 1 + std::size_t(cuts[std::size_t(number)]);
  return count;
}

void addTo(std::vector<NestWork::Array> &all, const NestWork::Array &array) {
  const auto known = std::ranges::find_if(all, [&](const auto &a) { return a.name == array.name; });
  if (known == all.end()) {
    all.push_back(array);
    return;
  }
  known->cells = std::max(known->cells, array.cells);
  known->isRead = known->isRead || array.isRead;
  known->isWritten = known->isWritten || array.isWritten;
  known->alongRows.reset();
  known->storedAlong.reset();
}

} // namespace

NestWork together(std::span<const NestSpace> nests) {
  NestWork all;
  for (const NestSpace &nest : nests) {
    for (std::size_t n = 0; n < kNumbers; ++n) {
      all.operations[n].additions += nest.work->operations[n].additions;
      all.operations[n].multiplications += nest.work->operations[n].multiplications;
      all.operations[n].divisions += nest.work->operations[n].divisions;
      all.operations[n].roots += nest.work->operations[n].roots;
    }
    for (const NestWork::Array &array : nest.work->arrays)
      addTo(all.arrays, array);
    all.chains.insert(all.chains.end(), nest.work->chains.begin(), nest.work->chains.end());
    all.points += nest.work->points;
  }
  return all;
}

std::string ChainSpace::text() const {
  std::vector<std::string> parts;
  for (const NestSpace &nest : nests)
    parts.push_back(nest.text());
  const std::string steps = script::line(begin);
  return fmt::format("{}{}{}", steps, steps.empty() ? "" : " ", fmt::join(parts, "; "));
}

ChainSpaces chainSpaces(const Scheduled &lifted, const NestOptions &options) {
  ChainSpaces made;
  const bool isDone = poly::withBudget(lifted.context.ctx(), kChainBudget, [&] {
    const Scheduled kernel = kernel::withLabels(lifted);
    ChainFactsOutcome first = chainFacts(kernel, options.values);
    if (!first.facts) {
      made.why = first.why;
      return;
    }
    for (const Script &begin : chainBeginnings(kernel, *first.facts)) {
      const Scheduled begun = *afterSteps(begin, kernel);
      ChainFactsOutcome found = chainFacts(begun, options.values);
      if (!found.facts)
        continue;
      const auto facts = std::make_shared<const ChainFacts>(std::move(*found.facts));
      eachCut(mostCuts(*facts, options), [&](const std::vector<int> &cuts) {
        if (dimensionsOf(*facts, cuts) > kMostDimensions)
          return;
        made.spaces.push_back(ChainMaker(*facts, options, cuts).make(begin, begun));
        made.spaces.back().of = facts;
      });
    }
  });
  if (!isDone) {
    made.spaces.clear();
    made.why = "finding its loops takes too long";
  } else if (made.spaces.empty() && made.why.empty()) {
    made.why = "its nests have too many loops";
  }
  return made;
}

} // namespace pbc::search
