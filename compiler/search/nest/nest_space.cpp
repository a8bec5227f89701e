// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/nest/nest_space.h"
#include "compiler/kernel/buffer_names.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/loops.h"
#include "compiler/poly/at_values.h"
#include "compiler/search/nest/cuts.h"
#include "compiler/search/nest/nest_facts.h"
#include "compiler/search/nest/nest_steps.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <utility>

namespace pbc::search {
namespace {

using kernel::Scheduled;
using script::Script;

/// The kernel's operations of isl for finding facts, as many as a script may take.
constexpr unsigned long kFactsBudget = 4 * kernel::kStepBudget;

std::vector<std::string> outerLoops(const Scheduled &kernel) {
  std::vector<std::string> labels;
  const std::vector<kernel::LoopNode> all = kernel::loopsOf(kernel.schedule.tree);
  if (!all.empty())
    for (const kernel::LoopNode &loop : kernel::nestFrom(all.front()))
      labels.push_back(loop.label);
  return labels;
}

/// The structure of a nest whose loops are cut into so many levels.
class Maker {
public:
  Maker(const NestFacts &facts, const NestWork &work, const NestOptions &options,
        const std::vector<int> &cuts)
      : facts_(facts), work_(work), options_(options), cuts_(cuts) {}

  NestSpace make(Script begin) {
    made_.begin = std::move(begin);
    made_.kernel = facts_.kernel;
    structure_.name = facts_.kernel.name;
    structure_.limits.vectorsAreLoops = structure_.limits.hasOneMemory = true;
    structure_.limits.unrolled = options_.unrolled;
    structure_.limits.copyBytes = kernel::kMostScratchBytes;
    for (std::size_t l = 0; l < facts_.loops.size(); ++l)
      addLoop(facts_.loops[l], cuts_[l]);
    Instruction body{"body"};
    for (const NestLoop &loop : made_.loops)
      body.dimensions.insert(body.dimensions.end(), loop.dimensions.begin(), loop.dimensions.end());
    body.hasEffects = true;
    body.isVectorisable = facts_.loopsInBody.empty();
    made_.body = structure_.addInstruction(body);
    if (!facts_.isPermutable)
      structure_.nested = {body.dimensions};
    if (options_.copiesInputs)
      for (const NestFacts::Reused &reused : facts_.reused)
        addCopy(reused);
    if (!facts_.sum.empty())
      addSum();
    else
      addStore();
    made_.space = std::make_shared<const Space>(std::move(structure_));
    return std::move(made_);
  }

private:
  void addLoop(const NestFacts::Loop &loop, int cuts) {
    NestLoop made{loop.label, loop.extent, loop.first, loop.isParallel, loop.isOfSum, loop.isFixed, {}};
    std::vector<int> tiles;
    for (int level = 0; level <= cuts; ++level) {
      Size size{cuts == 0 ? loop.label : fmt::format("{}_{}", loop.label, level), {}};
      if (level == 0) {
        size.values = {loop.extent};
        size.isConstant = false;
      } else {
        for (const long tile : options_.tileSizes)
          if (tile < loop.extent)
            size.values.push_back(tile);
      }
      const std::string name = size.name;
      const int sizeIndex = structure_.addSize(std::move(size));
      if (level > 0)
        tiles.push_back(sizeIndex);
      KindSet kinds = Kind::For | Kind::Unroll;
      if (loop.isParallel)
        kinds = kinds | Kind::Vector;
      made.dimensions.push_back(structure_.addDimension({name, sizeIndex, kinds, loop.isParallel}));
    }
    if (!tiles.empty())
      structure_.sizeProducts.push_back({tiles, loop.extent, loop.first});
    structure_.nested.push_back(made.dimensions);
    made_.loops.push_back(std::move(made));
  }

  /// Along uncut loops, and from tile to tile, what the matrix has is too much for a copy.
  void addCopy(const NestFacts::Reused &reused) {
    Instruction copy{fmt::format("copy of {}", reused.matrix)};
    for (const std::size_t loop : reused.movesAlong)
      copy.dimensions.push_back(made_.loops[loop].dimensions.front());
    copy.isCopy = true;
    copy.bytesOfCell = reused.bytesOfCell;
    for (const NestFacts::Reused::Coordinate &coordinate : reused.coordinates) {
      CopyExtent extent{coordinate.cells, {}};
      for (std::size_t l = 0; l < made_.loops.size(); ++l)
        if (coordinate.byLoop[l] != 0)
          extent.loops.push_back({std::abs(coordinate.byLoop[l]), made_.loops[l].dimensions});
      copy.copied.push_back(std::move(extent));
    }
    const int object = structure_.addInstruction(copy);
    structure_.edges.push_back({object, made_.body});
    made_.copies.push_back({reused.matrix, object});
  }

  void addSum() {
    Communication sum{facts_.sum, {}};
    sum.places = Place::Register | Place::Global;
    for (std::size_t l = 0; l < made_.loops.size(); ++l) {
      const std::vector<int> &levels = made_.loops[l].dimensions;
      if (facts_.loops[l].isOfSum)
        sum.sumDimensions.push_back(levels.back());
      else
        sum.cellDimensions.insert(sum.cellDimensions.end(), levels.begin(), levels.end());
    }
    structure_.communications.push_back(std::move(sum));
    made_.sum = facts_.sum;
  }

  void addStore() {
    const NestWork::Array *array = storedPastCaches(facts_, work_, options_);
    if (array == nullptr)
      return;
    const std::vector<int> &levels = made_.loops[*array->storedAlong].dimensions;
    structure_.accesses.push_back({made_.body, Cache::First | Cache::None, levels});
    made_.stored = array->name;
  }

  const NestFacts &facts_;
  const NestWork &work_;
  const NestOptions &options_;
  const std::vector<int> &cuts_;
  Structure structure_;
  NestSpace made_;
};

class ScriptMaker {
public:
  ScriptMaker(const NestSpace &nest, const State &leaf)
      : nest_(nest), leaf_(leaf), order_(inOrder(nest, leaf)) {
    for (const NestLoop &loop : nest.loops)
      for (std::size_t level = 0; level < loop.dimensions.size(); ++level)
        labels_[loop.dimensions[level]] = labelOf(loop, level);
  }

  Script make() {
    steps_ = nest_.begin;
    for (script::Step &tile : tileSteps(nest_, leaf_))
      steps_.push_back(std::move(tile));
    reorder();
    copy();
    keep();
    realise();
    return std::move(steps_);
  }

private:
  const std::string &label(int dimension) const { return labels_.at(dimension); }

  void reorder() {
    if (order_.size() < 2)
      return;
    std::vector<std::string> labels;
    for (const int d : order_)
      labels.push_back(label(d));
    steps_.push_back(script::step("order", labels));
  }

  /// The innermost dimension around the object; -1: it is in none.
  int around(int object) const {
    int found = -1;
    for (const int d : order_)
      if (nest_.space->order(leaf_, object, d) == OrderSet(Order::Inside))
        found = d;
    return found;
  }

  void copy() {
    for (const NestSpace::Copy &copy : nest_.copies) {
      const int at = around(copy.object);
      if (at == order_.back())
        continue;
      script::Step stage = script::step("stage", {copy.matrix});
      if (at >= 0)
        script::with(stage, "at", script::name(label(at)));
      steps_.push_back(std::move(stage));
    }
  }

  bool isConstantSize(int dimension) const {
    const Structure &structure = nest_.space->structure();
    return structure.sizes[std::size_t(structure.dimension(dimension).size)].isConstant;
  }
  bool isWrittenOut(int dimension) const { return kindOf(nest_, leaf_, dimension) != Kind::For; }

  void keep() {
    if (nest_.sum.empty() ||
        PlaceSet::ofBits(leaf_.domain(nest_.space->place(0))) != PlaceSet(Place::Register))
      return;
    // Around the outermost dimensions inside of which there is nothing but sums and what is written out.
    std::size_t first = order_.size();
    const auto &cells = nest_.space->structure().communications.front().cellDimensions;
    while (first > 0 && (isWrittenOut(order_[first - 1]) ||
                         std::find(cells.begin(), cells.end(), order_[first - 1]) == cells.end()))
      --first;
    script::Step keep = script::step("keep", {nest_.sum});
    if (first > 0)
      script::with(keep, "at", script::name(label(order_[first - 1])));
    steps_.push_back(std::move(keep));
  }

  void realise() {
    std::vector<std::string> rolled, unrolled, vectors, separated;
    std::string at;
    for (const int d : order_) {
      switch (kindOf(nest_, leaf_, d)) {
      case Kind::For:
        rolled.push_back(label(d));
        at = label(d);
        continue;
      case Kind::Unroll:
        unrolled.push_back(label(d));
        break;
      default:
        vectors.push_back(label(d));
      }
      if (isConstantSize(d))
        separated.push_back(label(d));
    }
    const bool hasAnyEdges = std::any_of(order_.begin(), order_.end(), [&](int d) {
      return isWrittenOut(d) && isConstantSize(d) && hasEdges(nest_, leaf_, d);
    });
    if (!unrolled.empty() && !at.empty() && hasAnyEdges) {
      script::Step separate = script::step("separate", separated);
      script::with(separate, "at", script::name(at));
      steps_.push_back(std::move(separate));
      for (const std::string &label : unrolled)
        rolled.push_back(label + "_edge");
      if (!vectors.empty())
        vectors.push_back(vectors.front() + "_edge");
    }
    if (!unrolled.empty())
      steps_.push_back(script::step("unroll", unrolled));
    if (!vectors.empty())
      steps_.push_back(script::step("vector", vectors));
    if (!nest_.stored.empty() &&
        CacheSet::ofBits(leaf_.domain(nest_.space->cache(0))) == CacheSet(Cache::None)) {
      script::Step stream = script::step("stream", {nest_.stored});
      steps_.push_back(script::with(stream, "when", script::name("always")));
    }
    // A loop is a loop: the compiler of C++ must make neither vectors nor copies of it.
    if (!rolled.empty())
      steps_.push_back(script::step("rolled", rolled));
  }

  const NestSpace &nest_;
  const State &leaf_;
  std::vector<int> order_;
  std::map<int, std::string> labels_;
  Script steps_;
};

/// Each way to begin, with each loop of the nest shared out.
std::vector<Script> sharedOut(const std::vector<Script> &beginnings, const Scheduled &kernel) {
  std::vector<Script> all;
  for (const std::string &loop : outerLoops(kernel))
    for (const Script &begin : beginnings) {
      Script steps = {script::step("tasks", {loop})};
      steps.insert(steps.end(), begin.begin(), begin.end());
      all.push_back(std::move(steps));
    }
  return all;
}

/// Adds the limits of the first core's part, and those of all parts. False: there are too few iterations, or parts do not run in any order.
bool addPart(const Scheduled &kernel, int cores, SizeValues &ofPart, SizeValues &ofAll) {
  if (kernel.schedule.taskOrder != kernel::TaskOrder::Any || kernel.schedule.taskDimensions.size() != 1)
    return false;
  const kernel::TaskDimension &task = kernel.schedule.taskDimensions.front();
  const long low = poly::atValues(task.low, ofPart), high = poly::atValues(task.high, ofPart);
  const long own = (high - low + task.grain - 1) / task.grain / cores * task.grain;
  ofPart[lowLimit(0)] = ofAll[lowLimit(0)] = low;
  ofPart[highLimit(0)] = low + own;
  ofAll[highLimit(0)] = high;
  return own > 0;
}

} // namespace

std::optional<Scheduled> afterSteps(const Script &steps, const Scheduled &kernel) {
  kernel::ScriptOutcome made = kernel::run(steps, kernel, kernel::Mode::Strict);
  if (!made.failed.empty())
    return std::nullopt;
  return std::move(made.kernel);
}

std::vector<Script> nestBeginnings(const Scheduled &kernel) {
  std::vector<Script> all = {{}};
  for (const kernel::Buffer &buffer : kernel.buffers) {
    if (buffer.role != kernel::Buffer::Role::Local)
      continue;
    Script steps = {script::step("in_place", {kernel::programName(kernel, buffer)})};
    if (const std::vector<std::string> outer = outerLoops(kernel); !outer.empty())
      steps.push_back(script::step("fission", outer));
    if (afterSteps(steps, kernel))
      all.push_back(std::move(steps));
  }
  const std::vector<std::string> nest = outerLoops(kernel);
  std::vector<std::string> inBodies;
  for (const std::string &label : kernel::labelsOf(kernel.schedule.tree))
    if (std::find(nest.begin(), nest.end(), label) == nest.end())
      inBodies.push_back(label);
  if (!inBodies.empty())
    if (Script steps = {script::step("unroll", inBodies)}; afterSteps(steps, kernel))
      all.push_back(std::move(steps));
  for (const kernel::LoopNode &loop : kernel::loopsOf(kernel.schedule.tree))
    for (const long count : {4L, 8L, 16L, 32L})
      if (Script steps = {script::step("partial_sums", {loop.label}, {count})}; afterSteps(steps, kernel))
        all.push_back(std::move(steps));
  return all;
}

std::string NestSpace::text() const {
  std::string out = script::line(begin);
  for (const NestLoop &loop : loops)
    out += fmt::format("{}{} in {} level{}",
                       out.empty()         ? ""
                       : out.back() == ';' ? " "
                                           : ", ",
                       loop.label, loop.dimensions.size(), loop.dimensions.size() == 1 ? "" : "s");
  return out;
}

NestSpaces nestSpaces(const Scheduled &lifted, const NestOptions &options) {
  NestSpaces made;
  const bool isDone = poly::withBudget(lifted.context.ctx(), kFactsBudget, [&] {
    const Scheduled kernel = kernel::withLabels(lifted);
    std::vector<Script> beginnings = nestBeginnings(kernel);
    if (options.cores > 1) {
      beginnings = sharedOut(beginnings, kernel);
      made.why = "no loop of it can be shared out among so many cores";
    }
    for (const Script &begin : beginnings) {
      const std::optional<Scheduled> begun = afterSteps(begin, kernel);
      if (!begun)
        continue;
      SizeValues ofPart = options.values, ofAll = options.values;
      if (options.cores > 1 && !addPart(*begun, options.cores, ofPart, ofAll))
        continue;
      const NestFactsOutcome facts = nestFacts(*begun, ofPart);
      if (!facts.facts) {
        if (made.why.empty())
          made.why = facts.why;
        continue;
      }
      std::vector<int> most;
      for (const NestFacts::Loop &loop : facts.facts->loops) {
        most.push_back(facts.facts->isPermutable ? mostLevels(loop, options) : 0);
      }
      const auto work = std::make_shared<const NestWork>(workOf(*facts.facts, ofPart));
      std::shared_ptr<const NestWork> workOfAll;
      if (options.cores > 1)
        workOfAll = std::make_shared<const NestWork>(workOf(*nestFacts(*begun, ofAll).facts, ofAll));
      eachCut(most, [&](const std::vector<int> &cuts) {
        made.spaces.push_back(Maker(*facts.facts, *work, options, cuts).make(begin));
        made.spaces.back().work = work;
        made.spaces.back().workOfAll = workOfAll;
      });
    }
  });
  if (!isDone) {
    made.spaces.clear();
    made.why = "finding its loops takes too long";
  }
  return made;
}

Script scriptOf(const NestSpace &nest, const State &leaf) { return ScriptMaker(nest, leaf).make(); }

long iterationsOf(const NestSpace &nest, const State &leaf, int dimension) {
  for (const NestLoop &loop : nest.loops) {
    if (loop.dimensions.front() != dimension)
      continue;
    long points = 1;
    for (std::size_t level = 1; level < loop.dimensions.size(); ++level)
      points *= sizeOf(nest, leaf, loop.dimensions[level]);
    return (loop.extent + points - 1) / points;
  }
  return sizeOf(nest, leaf, dimension);
}

} // namespace pbc::search
