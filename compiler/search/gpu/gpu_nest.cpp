// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/gpu/gpu_nest.h"
#include "compiler/kernel/along.h"
#include "compiler/kernel/buffer_names.h"
#include "compiler/kernel/footprint.h"
#include "compiler/search/nest/cuts.h"
#include "compiler/search/nest/nest_facts.h"
#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace pbc::search {
namespace {

using kernel::Access;
using kernel::Buffer;
using kernel::Statement;

constexpr unsigned long kGpuFactsBudget = 4 * kernel::kStepBudget;

/// How far a cell moves in bytes with each loop of the nest.
struct Moves {
  std::vector<long> bytes; // by loop
  bool hasOwnCells = true;
};

class GpuMaker {
public:
  GpuMaker(const NestFacts &facts, const NestWork &work, const GpuNestOptions &options,
           const std::vector<int> &cuts)
      : facts_(facts), nestWork_(work), options_(options), cuts_(cuts) {}

  GpuNestSpace make() {
    structure_.name = facts_.kernel.name;
    structure_.limits = options_.limits;
    addArrays();
    for (std::size_t l = 0; l < facts_.loops.size(); ++l)
      addSizes(l);
    isSum_ = !facts_.sum.empty();
    const std::vector<std::size_t> cellLoops =
        loopsThat([](const NestFacts::Loop &loop) { return !loop.isOfSum; });
    std::vector<std::vector<int>> begins;
    int begin = -1;
    if (isSum_) {
      begins = levelsOf(cellLoops, " of begin");
      begin = addInstruction("begin", begins, false);
      structure_.instructions.back().isInitialisation = true;
    }
    std::vector<std::size_t> all = cellLoops;
    const std::vector<std::size_t> sumLoops =
        loopsThat([](const NestFacts::Loop &loop) { return loop.isOfSum; });
    all.insert(all.end(), sumLoops.begin(), sumLoops.end());
    std::sort(all.begin(), all.end());
    levels_ = levelsOf(all, "");
    if (options_.copiesInputs)
      for (const NestFacts::Reused &reused : facts_.reused)
        addLoad(reused);
    body_ = addInstruction("body", levels_, true);
    addOperations();
    for (const auto &[load, name] : loads_)
      structure_.edges.push_back({load, body_});
    addBodyAccesses();
    if (isSum_) {
      structure_.edges.push_back({begin, body_});
      const std::vector<std::vector<int>> ends = levelsOf(cellLoops, " of end");
      const int end = addInstruction("end", ends, true);
      structure_.instructions.back().isVectorisable = true;
      structure_.edges.push_back({body_, end});
      pass("sum of " + facts_.sum, begins, levels_, cellLoops, begin, body_, true);
      pass("total of " + facts_.sum, levels_, ends, cellLoops, body_, end, false);
      addAccess(end, facts_.sum, true, ends);
    } else {
      structure_.instructions[std::size_t(structure_.objects[std::size_t(body_)].index)].hasEffects = true;
    }
    for (std::size_t load = 0; load < loads_.size(); ++load)
      passLoad(load);
    work_.isProductOfMatrices = nestWork_.isProductOfMatrices;
    work_.points = nestWork_.points;
    for (std::size_t l = 0; l < facts_.loops.size(); ++l)
      made_.loops.push_back(
          {facts_.loops[l].label, facts_.loops[l].isOfSum, facts_.loops[l].extent, levels_[l]});
    made_.gpu = {std::make_unique<Space>(std::move(structure_)), std::move(work_)};
    return std::move(made_);
  }

private:
  template <class Is>
  std::vector<std::size_t> loopsThat(const Is &is) const {
    std::vector<std::size_t> found;
    for (std::size_t l = 0; l < facts_.loops.size(); ++l)
      if (is(facts_.loops[l]))
        found.push_back(l);
    return found;
  }

  void addArrays() {
    for (const NestWork::Array &array : nestWork_.arrays)
      work_.arrays.push_back({array.name, array.cells, array.bytes, array.isWritten});
  }

  void addSizes(std::size_t l) {
    const NestFacts::Loop &loop = facts_.loops[l];
    std::vector<int> sizes, tiles;
    for (int level = 0; level <= cuts_[l]; ++level) {
      Size size{cuts_[l] == 0 ? loop.label : fmt::format("{}_{}", loop.label, level), {}};
      if (level == 0) {
        size.values = {loop.extent};
        size.isConstant = false;
      } else {
        for (const long tile : options_.tileSizes)
          if (tile < loop.extent)
            size.values.push_back(tile);
      }
      sizes.push_back(structure_.addSize(std::move(size)));
      if (level > 0)
        tiles.push_back(sizes.back());
    }
    if (tiles.size() > 1)
      structure_.sizeProducts.push_back({tiles, loop.extent});
    sizes_.push_back(std::move(sizes));
  }

  /// Dimensions for all levels of these loops, for a nest.
  std::vector<std::vector<int>> levelsOf(const std::vector<std::size_t> &loops, const std::string &suffix) {
    std::vector<std::vector<int>> made(facts_.loops.size());
    for (const std::size_t l : loops) {
      const NestFacts::Loop &loop = facts_.loops[l];
      for (std::size_t level = 0; level < sizes_[l].size(); ++level) {
        const int size = sizes_[l][level];
        // From tile to tile, and along whole loops, there are too many iterations for anything else.
        const KindSet kinds = level == 0 ? Kind::For | Kind::Block : KindSet::all();
        made[l].push_back(structure_.addDimension(
            {structure_.sizes[std::size_t(size)].name + suffix, size, kinds, loop.isParallel}));
      }
      structure_.nested.push_back(made[l]);
      work_.loops.push_back({loop.extent, made[l]});
    }
    return made;
  }

  int addInstruction(const std::string &name, const std::vector<std::vector<int>> &levels, bool hasEffects) {
    Instruction made{name};
    for (const std::vector<int> &loop : levels)
      made.dimensions.insert(made.dimensions.end(), loop.begin(), loop.end());
    made.hasEffects = hasEffects;
    work_.operations.emplace_back();
    return structure_.addInstruction(std::move(made));
  }

  /// A load of an input, in a nest inside of the loops from tile to tile.
  void addLoad(const NestFacts::Reused &reused) {
    std::vector<std::vector<int>> levels(facts_.loops.size());
    for (const std::size_t l : reused.movesAlong) {
      levels[l].push_back(levels_[l].front());
      for (std::size_t level = 1; level < sizes_[l].size(); ++level) {
        const int size = sizes_[l][level];
        levels[l].push_back(structure_.addDimension(
            {fmt::format("{} of {}", structure_.sizes[std::size_t(size)].name, reused.matrix), size,
             KindSet::all(), facts_.loops[l].isParallel || facts_.loops[l].isOfSum}));
      }
      structure_.nested.push_back(levels[l]);
    }
    const int load = addInstruction("load " + reused.matrix, levels, false);
    structure_.instructions.back().isVectorisable = true;
    addAccess(load, reused.matrix, false, levels);
    loads_.emplace_back(load, reused.matrix);
    loadLevels_.push_back(std::move(levels));
  }

  void passLoad(std::size_t load) {
    Communication made{"cells of " + loads_[load].second, {}};
    for (std::size_t l = 0; l < levels_.size(); ++l)
      for (std::size_t level = 1; level < loadLevels_[load][l].size(); ++level)
        made.pairs.push_back({loadLevels_[load][l][level], levels_[l][level]});
    made.elementBytes = bytesOf(loads_[load].second);
    structure_.communications.push_back(std::move(made));
    work_.passed.push_back({loads_[load].first, body_});
    made_.loads.push_back(
        {loads_[load].second, loads_[load].first, int(structure_.communications.size()) - 1});
  }

  void pass(const std::string &name, const std::vector<std::vector<int>> &from,
            const std::vector<std::vector<int>> &to, const std::vector<std::size_t> &loops, int source,
            int target, bool isSum) {
    Communication made{name, {}};
    for (const std::size_t l : loops)
      for (std::size_t level = 0; level < from[l].size(); ++level)
        made.pairs.push_back({from[l][level], to[l][level]});
    made.elementBytes = bytesOf(facts_.sum);
    structure_.communications.push_back(std::move(made));
    work_.passed.push_back({source, target, isSum});
    made_.sums.push_back(int(structure_.communications.size()) - 1);
  }

  long bytesOf(const std::string &matrix) const {
    const auto array = std::find_if(work_.arrays.begin(), work_.arrays.end(),
                                    [&](const GpuWork::Array &a) { return a.name == matrix; });
    return array == work_.arrays.end() ? 4 : array->bytes;
  }

  /// In one execution of the body.
  void addOperations() {
    for (std::size_t n = 0; n < kNumbers; ++n) {
      const NestWork::Operations &of = nestWork_.operations[n];
      // A multiplication and an addition may be one.
      work_.operations.back().count[n] =
          std::max({of.additions, of.multiplications, of.divisions, of.roots}) /
          std::max(1.0, nestWork_.points);
    }
  }

  void addBodyAccesses() {
    for (std::size_t array = 0; array < work_.arrays.size(); ++array) {
      const std::string &name = work_.arrays[array].name;
      const bool isLoaded =
          std::any_of(loads_.begin(), loads_.end(), [&](const auto &load) { return load.second == name; });
      if (!isLoaded && name != facts_.sum)
        addAccess(body_, name, work_.arrays[array].isWritten, levels_);
    }
  }

  void addAccess(int instruction, const std::string &matrix, bool isWrite,
                 const std::vector<std::vector<int>> &levels) {
    const auto array = std::find_if(work_.arrays.begin(), work_.arrays.end(),
                                    [&](const GpuWork::Array &a) { return a.name == matrix; });
    const std::optional<Moves> moves = movesOf(matrix, isWrite);
    if (array == work_.arrays.end() || !moves)
      return;
    // What is written goes to the second cache; of what the kernel writes, caches of units have old values.
    const CacheSet caches = isWrite || array->isWritten ? Cache::Second | Cache::None
                                                        : Cache::First | Cache::Second | Cache::ReadOnly;
    structure_.accesses.push_back({instruction, caches});
    GpuWork::Access made{int(array - work_.arrays.begin()), isWrite, {}, moves->hasOwnCells};
    for (std::size_t l = 0; l < levels.size(); ++l)
      for (std::size_t level = 0; level < levels[l].size(); ++level)
        if (moves->bytes[l] != 0)
          made.strides.push_back(
              {levels[l][level], moves->bytes[l], {levels[l].begin() + long(level) + 1, levels[l].end()}});
    work_.accesses.push_back(std::move(made));
  }

  /// Of the first access to the matrix; nothing if no statement certainly has one.
  std::optional<Moves> movesOf(const std::string &matrix, bool isWrite) const {
    for (const int s : facts_.statements) {
      const Statement &statement = facts_.kernel.statements[std::size_t(s)];
      if (statement.isOpaque)
        continue;
      for (const Access &access : statement.accesses) {
        const Buffer &buffer = facts_.kernel.buffers[std::size_t(access.buffer)];
        if (access.isWrite == isWrite && kernel::isMatrix(buffer) &&
            kernel::programName(facts_.kernel, buffer) == matrix)
          return movesOf(access, buffer, s);
      }
    }
    return std::nullopt;
  }

  Moves movesOf(const Access &access, const Buffer &buffer, int s) const {
    Moves made;
    std::vector<int> loopsOfCoordinate(std::size_t(buffer.rank), 0);
    for (const NestFacts::Loop &loop : facts_.loops) {
      long bytes = 0, row = long(kernel::bytesOf(buffer.element));
      int coordinates = 0;
      for (int c = 0; c < buffer.rank; ++c) {
        const int d = loop.dimension[std::size_t(s)];
        const long steps = d < 0 ? 0 : kernel::coefficient(access, c, d);
        bytes += steps * row;
        coordinates += steps != 0 ? 1 : 0;
        loopsOfCoordinate[std::size_t(c)] += steps != 0 ? 1 : 0;
        row *= lengthOf(access, c, s);
      }
      made.bytes.push_back(std::abs(bytes));
      made.hasOwnCells = made.hasOwnCells && coordinates < 2;
    }
    made.hasOwnCells = made.hasOwnCells && std::all_of(loopsOfCoordinate.begin(), loopsOfCoordinate.end(),
                                                       [](int loops) { return loops < 2; });
    return made;
  }

  /// Values of a coordinate, as far as the nest's loops move it.
  long lengthOf(const Access &access, int c, int s) const {
    long length = 1;
    for (const NestFacts::Loop &loop : facts_.loops) {
      const int d = loop.dimension[std::size_t(s)];
      if (d >= 0 && kernel::coefficient(access, c, d) != 0)
        length = std::max(length, loop.extent);
    }
    return length;
  }

  const NestFacts &facts_;
  const NestWork &nestWork_;
  const GpuNestOptions &options_;
  const std::vector<int> &cuts_;
  GpuNestSpace made_;
  Structure structure_;
  GpuWork work_;
  std::vector<std::vector<int>> sizes_;  // by loop and level
  std::vector<std::vector<int>> levels_; // of the main nest, by loop
  std::vector<std::pair<int, std::string>> loads_;
  std::vector<std::vector<std::vector<int>>> loadLevels_; // by load, loop and level
  int body_ = -1;
  bool isSum_ = false;
};

std::string textOf(const script::Script &begin, const NestFacts &facts, const std::vector<int> &cuts) {
  std::string text = script::line(begin);
  for (std::size_t l = 0; l < cuts.size(); ++l)
    text += fmt::format("{}{} in {} level{}",
                        text.empty()         ? ""
                        : text.back() == ';' ? " "
                                             : ", ",
                        facts.loops[l].label, cuts[l] + 1, cuts[l] == 0 ? "" : "s");
  return text;
}

bool hasStep(const script::Script &steps, const char *name) {
  return std::any_of(steps.begin(), steps.end(),
                     [&](const script::Step &step) { return step.transformation == name; });
}

} // namespace

GpuNestSpaces gpuNestSpaces(const kernel::Scheduled &lifted, const GpuNestOptions &options) {
  GpuNestSpaces made;
  const bool isDone = poly::withBudget(lifted.context.ctx(), kGpuFactsBudget, [&] {
    const kernel::Scheduled kernel = kernel::withLabels(lifted);
    for (const script::Script &begin : nestBeginnings(kernel)) {
      // Items have their own sums, and loops of bodies are theirs.
      if (hasStep(begin, "partial_sums") || hasStep(begin, "unroll"))
        continue;
      const std::optional<kernel::Scheduled> begun = afterSteps(begin, kernel);
      if (!begun)
        continue;
      const NestFactsOutcome outcome = nestFacts(*begun, options.values);
      if (!outcome.facts) {
        if (made.why.empty())
          made.why = outcome.why;
        continue;
      }
      const NestFacts &facts = *outcome.facts;
      const NestWork work = workOf(facts, options.values);
      std::vector<int> most;
      for (const NestFacts::Loop &loop : facts.loops) {
        int levels = !facts.isPermutable ? 0
                     : loop.isOfSum      ? std::min(1, options.mostLevels)
                                         : options.mostLevels;
        while (levels > 0 &&
               (options.tileSizes.empty() || loop.extent <= (options.tileSizes.front() << (levels - 1))))
          --levels;
        most.push_back(levels);
      }
      eachCut(most, [&](const std::vector<int> &cuts) {
        made.spaces.push_back(GpuMaker(facts, work, options, cuts).make());
        made.spaces.back().begin = begin;
        made.spaces.back().text = textOf(begin, facts, cuts);
      });
    }
  });
  if (!isDone) {
    made.spaces.clear();
    made.why = "finding its loops takes too long";
  }
  return made;
}

} // namespace pbc::search
