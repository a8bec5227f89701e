// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/gpu/gpu_view.h"
#include <algorithm>
#include <bit>
#include <cmath>

namespace pbc::search {
namespace {

constexpr std::size_t kMostUndecided = 6; // dimensions whose combinations are looked at
constexpr double kSector = 32;            // bytes that a cache passes on at once

bool contains(std::span<const int> all, int one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

} // namespace

GpuView::GpuView(const Space &space, const GpuWork &work, const State &state)
    : space_(space), work_(work), state_(state) {
  findLengths();
  around_.resize(space.structure().instructions.size());
  for (std::size_t n = 0; n < space.instructions().size(); ++n) {
    const int i = space.instructions()[n];
    // Its own dimensions first, which are certainly different loops; then those that certainly repeat it.
    std::vector<int> &found = around_[n];
    found = space.structure().instructions[n].dimensions;
    for (const bool repeats : {true, false})
      for (const int d : space.dimensions())
        if (repeats == ((kinds(d) & ~(Kind::For | Kind::Unroll)) == KindSet()) && isAround(d, i) &&
            std::none_of(found.begin(), found.end(), [&](int other) {
              return other == d || space.order(state, d, other).has(Order::Fused);
            }))
          found.push_back(d);
  }
  findGroups();
  findThreads();
  findCounts();
}

void GpuView::findLengths() {
  const Structure &s = space_.structure();
  dimensions_.resize(s.objects.size());
  for (const int d : space_.dimensions()) {
    const Dimension &dimension = s.dimension(d);
    const auto &values = s.sizes[std::size_t(dimension.size)].values;
    const Domain domain = state_.domain(space_.size(dimension.size));
    OfDimension &made = dimensions_[std::size_t(d)];
    made.least = double(values[std::size_t(std::countr_zero(domain))]);
    made.most = double(values[std::size_t(std::bit_width(domain) - 1)]);
    made.isDecided = isSingle(domain);
    made.kinds = space_.kinds(state_, d);
  }
  for (const GpuWork::Loop &loop : work_.loops) {
    double least = 1, most = 1;
    for (std::size_t level = 1; level < loop.levels.size(); ++level) {
      least *= dimensions_[std::size_t(loop.levels[level])].least;
      most *= dimensions_[std::size_t(loop.levels[level])].most;
    }
    OfDimension &outermost = dimensions_[std::size_t(loop.levels.front())];
    outermost.least = std::ceil(double(loop.extent) / most);
    outermost.most = std::ceil(double(loop.extent) / least);
    outermost.isDecided = least == most;
  }
}

double GpuView::product(std::span<const int> dimensions) const {
  double made = 1;
  for (const int d : dimensions)
    made *= least(d);
  // A loop whose levels are counted has its extent together, however it is cut.
  for (const GpuWork::Loop &loop : work_.loops) {
    if (!contains(dimensions, loop.levels.front()))
      continue;
    double leastCounted = 1, mostUncounted = 1;
    for (const int level : loop.levels) {
      const bool isCounted = contains(dimensions, level);
      leastCounted *= isCounted ? dimensions_[std::size_t(level)].least : 1;
      mostUncounted *= isCounted ? 1 : dimensions_[std::size_t(level)].most;
    }
    made *= std::max(leastCounted, double(loop.extent) / mostUncounted) / leastCounted;
  }
  return made;
}

template <class IsOne>
std::array<double, 3> GpuView::countsWithout(int instruction, const IsOne &isOne) const {
  const std::vector<int> &around = this->around(instruction);
  std::vector<int> counted(3 * around.size()); // of each level, as many as there are
  std::array<std::size_t, 3> numbers{};
  const auto count = [&](GpuLevel level, int d) {
    counted[std::size_t(level) * around.size() + numbers[std::size_t(level)]++] = d;
  };
  for (const int d : around) {
    const KindSet kinds = this->kinds(d);
    if (isOne(d, kinds))
      continue;
    count(GpuLevel::Device, d);
    if (kinds == KindSet(Kind::Block))
      continue;
    count(GpuLevel::Unit, d);
    if (!kinds.has(Kind::Thread))
      count(GpuLevel::Thread, d);
  }
  std::array<double, 3> made{};
  for (std::size_t level = 0; level < 3; ++level)
    made[level] = product({counted.data() + level * around.size(), numbers[level]});
  return made;
}

void GpuView::findCounts() {
  for (const int i : space_.instructions())
    for (const bool vectorsAreOne : {false, true})
      counts_.push_back(
          countsWithout(i, [&](int, KindSet kinds) { return vectorsAreOne && kinds.has(Kind::Vector); }));
}

std::array<double, 3> GpuView::countsOfValue(int communication, int instruction) const {
  const auto &pairs = space_.structure().communications[std::size_t(communication)].pairs;
  const auto moves = [&](int d) {
    return std::any_of(pairs.begin(), pairs.end(), [&](const Communication::Pair &pair) {
      return pair.target == d || pair.source == d ||
             space_.order(state_, d, pair.target) == OrderSet(Order::Fused) ||
             space_.order(state_, d, pair.source) == OrderSet(Order::Fused);
    });
  };
  return countsWithout(instruction, [&](int d, KindSet kinds) {
    return kinds.has(Kind::Vector) || (kinds.has(Kind::Unroll) && !moves(d));
  });
}

GpuUse GpuView::use(GpuLevel level, long lanes) const {
  const Structure &s = space_.structure();
  GpuUse made{};
  auto add = [&](GpuResource r, double amount) { made[std::size_t(r)] += amount; };
  const auto at = std::size_t(level);
  std::vector<double> filled(s.instructions.size(), 1);
  for (std::size_t n = 0; n < space_.instructions().size(); ++n) {
    const int i = space_.instructions()[n];
    filled[n] = level == GpuLevel::Thread ? 1 : 1 + waste(i, lanes);
    const double executions = counts(i, true)[at];
    add(GpuResource::Issue, executions * filled[n]);
    add(GpuResource::Float, executions * filled[n] * work_.operations[n].count[std::size_t(Number::Float)]);
    add(GpuResource::Double, executions * filled[n] * work_.operations[n].count[std::size_t(Number::Double)]);
  }
  for (std::size_t a = 0; a < s.accesses.size(); ++a) {
    const GpuWork::Access &access = work_.accesses[a];
    const int i = s.accesses[a].instruction;
    const double executions = counts(i, false)[at];
    const auto n = std::size_t(s.objects[std::size_t(i)].index);
    add(GpuResource::Words,
        executions * filled[n] * double(work_.arrays[std::size_t(access.array)].bytes) / 4);
    const CacheSet caches = this->caches(int(a));
    if (access.isWrite || (caches & (Cache::First | Cache::ReadOnly)) == CacheSet())
      add(GpuResource::SecondCache, executions * secondCacheBytes(int(a), lanes));
  }
  for (std::size_t c = 0; c < work_.passed.size(); ++c) {
    const PlaceSet places = this->places(int(c));
    if (places.has(Place::Register))
      continue;
    const GpuWork::Passing &passed = work_.passed[c];
    for (const int side : {passed.source, passed.target}) {
      const double executions = countsOfValue(int(c), side)[at];
      const auto n = std::size_t(s.objects[std::size_t(side)].index);
      add(GpuResource::Issue, executions * filled[n]);
      add(GpuResource::Words, executions * filled[n] * double(s.communications[c].elementBytes) / 4);
    }
  }
  return made;
}

double GpuView::waste(int instruction, long lanes) const {
  // Threads that may still be around it may fill the lanes.
  double threads = 1;
  std::vector<double> undecided;
  const std::vector<int> &certain = around(instruction);
  for (const int d : space_.dimensions()) {
    const KindSet kinds = this->kinds(d);
    if (!kinds.has(Kind::Thread) || !mayBeOneMoreAround(d, instruction))
      continue;
    const bool isCertain = contains(certain, d) && kinds == KindSet(Kind::Thread);
    if (!isCertain && isAround(d, instruction) && kinds == KindSet(Kind::Thread))
      continue; // of those that may be one loop, one is counted
    if (!dimensions_[std::size_t(d)].isDecided || undecided.size() >= kMostUndecided)
      return 0;
    if (isCertain)
      threads *= least(d);
    else
      undecided.push_back(least(d));
  }
  double best = HUGE_VAL;
  for (unsigned chosen = 0; chosen < 1u << undecided.size(); ++chosen) {
    double all = threads;
    for (std::size_t u = 0; u < undecided.size(); ++u)
      all *= chosen >> u & 1u ? undecided[u] : 1;
    best = std::min(best, std::ceil(all / double(lanes)) * double(lanes) / all - 1);
  }
  return best;
}

void GpuView::findGroups() {
  // Every block is around all instructions, so that it is one with a dimension of each instruction that has effects.
  const Structure &s = space_.structure();
  const std::vector<int> *candidates = &space_.dimensions();
  for (const Instruction &instruction : s.instructions)
    if (instruction.hasEffects &&
        (candidates == &space_.dimensions() || instruction.dimensions.size() < candidates->size()))
      candidates = &instruction.dimensions;
  std::vector<int> certain, open;
  for (const int d : *candidates) {
    const KindSet kinds = this->kinds(d);
    if (kinds == KindSet(Kind::Block)) {
      if (std::none_of(certain.begin(), certain.end(),
                       [&](int c) { return space_.order(state_, d, c).has(Order::Fused); }))
        certain.push_back(d);
    } else if (kinds.has(Kind::Block)) {
      open.push_back(d);
    }
  }
  for (const int d : certain)
    groups_ *= least(d);
  for (const int d : open)
    openBlocks_.push_back({dimensions_[std::size_t(d)].least, dimensions_[std::size_t(d)].most});
}

bool GpuView::isInSum(int dimension, int instruction) const {
  return std::any_of(around(instruction).begin(), around(instruction).end(), [&](int d) {
    return !space_.structure().dimension(d).isParallel && kinds(d) == KindSet(Kind::For) && least(d) > 1 &&
           isAround(d, dimension);
  });
}

void GpuView::findThreads() {
  const Structure &s = space_.structure();
  for (std::size_t n = 0; n < around_.size(); ++n) {
    double threads = 1;
    for (const int d : around_[n])
      if (kinds(d) == KindSet(Kind::Thread))
        threads *= least(d);
    threads_ = std::max(threads_, threads);
  }
  for (const int i : space_.instructions()) {
    double threads = 1;
    for (const int d : space_.dimensions())
      if (kinds(d).has(Kind::Thread) && mayBeOneMoreAround(d, i))
        threads *= dimensions_[std::size_t(d)].most;
    mostThreads_ = std::max(mostThreads_, threads);
  }
  for (std::size_t c = 0; c < s.communications.size(); ++c) {
    const Communication &communication = s.communications[c];
    const PlaceSet places = this->places(int(c));
    double cells = 1;
    if (places == PlaceSet(Place::Shared)) {
      for (const auto &[source, target] : communication.pairs)
        if (!space_.order(state_, source, target).has(Order::Fused))
          cells *= least(source);
      localBytes_ += cells * double(communication.elementBytes);
    }
    if (places == PlaceSet(Place::Register) && work_.passed[c].isSum) {
      for (const auto &[source, target] : communication.pairs)
        if (kinds(target) == KindSet(Kind::Unroll) && isInSum(target, work_.passed[c].target))
          cells *= least(target);
      registers_ = std::max(registers_, cells * double(communication.elementBytes) / 4);
    }
  }
}

double GpuView::secondCacheBytes(int access, long lanes) const {
  const GpuWork::Access &of = work_.accesses[std::size_t(access)];
  const auto bytes = double(work_.arrays[std::size_t(of.array)].bytes);
  const int instruction = space_.structure().accesses[std::size_t(access)].instruction;
  // How many executions of neighbouring lanes, or in one vector, may lie in one sector at most.
  double same = 1, near = 1;
  for (const int d : space_.dimensions()) {
    const KindSet kinds = this->kinds(d);
    if ((kinds & (Kind::Thread | Kind::Vector)) == KindSet() ||
        (!isAround(d, instruction) && !mayBeOneMoreAround(d, instruction)))
      continue;
    const bool isKnown = std::any_of(space_.dimensions().begin(), space_.dimensions().end(), [&](int other) {
      return other < d && space_.order(state_, other, d) == OrderSet(Order::Fused);
    });
    if (isKnown)
      continue;
    // A loop that need not be one with a loop of the access may leave its cell the same.
    const auto stride = std::find_if(of.strides.begin(), of.strides.end(), [&](const GpuWork::Stride &one) {
      return one.dimension == d || space_.order(state_, one.dimension, d) == OrderSet(Order::Fused);
    });
    if (stride == of.strides.end() || !of.hasOwnCells) {
      same *= dimensions_[std::size_t(d)].most;
      continue;
    }
    double apart = double(stride->bytes);
    for (const int level : stride->times)
      apart *= least(level);
    if (apart < kSector)
      near *= dimensions_[std::size_t(d)].most;
  }
  return kSector / (std::min(near, kSector / bytes) * std::min(same, double(lanes)));
}

} // namespace pbc::search
