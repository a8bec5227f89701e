// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/gpu/model_device.h"
#include "compiler/search/gpu/loop_tree.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <utility>

namespace pbc::search {
namespace {

constexpr double kSectorBytes = 32, kBanks = 32, kOtherRegisters = 16;
constexpr double kLoopInstructions = 2; // to count an iteration and to go on

/// One run of a leaf.
class Run {
public:
  Run(const Space &space, const GpuWork &work, const GpuRates &rates, const State &leaf)
      : space_(space), structure_(space.structure()), work_(work), rates_(rates), leaf_(leaf),
        tree_(loopTree(space, leaf)), of_(structure_.objects.size()) {
    std::vector<const LoopTree *> path;
    visit(tree_, path);
  }

  LeafTime time() {
    const double warps = std::ceil(threads_ / double(rates_.lanes)) * double(rates_.lanes);
    double groups = std::min(double(rates_.groupsPerUnit), std::floor(double(rates_.threadsPerUnit) / warps));
    const double local = localBytes();
    if (local > 0)
      groups = std::min(groups, std::floor(double(rates_.localBytesPerUnit) / local));
    groups = std::min(groups, std::floor(double(rates_.registersPerUnit) / (warps * registers())));
    if (groups < 1 || threads_ > double(rates_.threadsPerGroup))
      return {false, 0, "a group does not fit into a unit"};
    addUses();
    const double units = double(rates_.units);
    const double together = std::min(groups, std::ceil(groups_ / units));
    const double waves = std::ceil(groups_ / (units * groups));
    double shared = 0, device = 0;
    for (std::size_t r = 0; r < kGpuResources; ++r) {
      const double unitRate = rates_.perSecond[r][std::size_t(GpuLevel::Unit)],
                   deviceRate = rates_.perSecond[r][std::size_t(GpuLevel::Device)];
      if (unitRate > 0)
        shared = std::max(shared, together * use_[r] / unitRate);
      if (deviceRate > 0)
        device = std::max(device, groups_ * use_[r] / deviceRate);
    }
    clock_ = 0;
    ready_.assign(structure_.objects.size(), 0);
    go(tree_);
    // Latency and throughput hide each other only as long as one of them is much shorter.
    const double longer = std::max(shared, clock_), shorter = std::min(shared, clock_);
    const double wave = longer + std::max(0.0, shorter - longer / 2) / 2;
    return {true, std::max({waves * wave, device, memorySeconds(),
                            work_.hostBytes > 0 && rates_.hostBytesPerSecond > 0
                                ? work_.hostBytes / rates_.hostBytesPerSecond
                                : 0})};
  }

private:
  struct OfInstruction {
    std::vector<const LoopTree *> around; // outermost first
    double threads = 1;                   // of the group that carry it out
    double executions = 1;                // by each of these
  };

  double iterations(const LoopTree &loop) const { return lengthOf(loop.object); }

  double lengthOf(int dimension) const {
    for (const GpuWork::Loop &loop : work_.loops)
      if (loop.levels.front() == dimension) {
        double points = 1;
        for (std::size_t level = 1; level < loop.levels.size(); ++level)
          points *= lengthOf(loop.levels[level]);
        return std::ceil(double(loop.extent) / points);
      }
    const int size = structure_.dimension(dimension).size;
    return double(structure_.sizes[std::size_t(size)]
                      .values[std::size_t(std::countr_zero(leaf_.domain(space_.size(size))))]);
  }

  void visit(const LoopTree &at, std::vector<const LoopTree *> &path) {
    if (at.object >= 0 && !structure_.isDimension(at.object)) {
      OfInstruction &made = of_[std::size_t(at.object)];
      made.around = path;
      for (const LoopTree *loop : path) {
        if (loop->kind == Kind::Thread)
          made.threads *= iterations(*loop);
        else if (loop->kind == Kind::For || loop->kind == Kind::Unroll)
          made.executions *= iterations(*loop);
      }
      threads_ = std::max(threads_, made.threads);
      return;
    }
    if (at.object >= 0 && at.kind == Kind::Block)
      groups_ *= iterations(at);
    if (at.object >= 0)
      path.push_back(&at);
    for (const LoopTree &inside : at.inside)
      visit(inside, path);
    if (at.object >= 0)
      path.pop_back();
  }

  static bool has(const LoopTree &loop, int dimension) {
    return std::find(loop.dimensions.begin(), loop.dimensions.end(), dimension) != loop.dimensions.end();
  }
  Place placeOf(std::size_t communication) const {
    return Place(std::countr_zero(leaf_.domain(space_.place(int(communication)))));
  }
  Cache cacheOf(std::size_t access) const {
    return Cache(std::countr_zero(leaf_.domain(space_.cache(int(access)))));
  }

  double localBytes() const {
    double bytes = 0;
    for (std::size_t c = 0; c < structure_.communications.size(); ++c)
      if (placeOf(c) == Place::Shared)
        bytes += cellsOf(c) * double(structure_.communications[c].elementBytes);
    return bytes;
  }
  double cellsOf(std::size_t c) const {
    double cells = 1;
    for (const auto &[source, target] : structure_.communications[c].pairs)
      if (space_.order(leaf_, source, target) != OrderSet(Order::Fused))
        cells *= lengthOf(source);
    return cells;
  }
  double registers() const {
    double registers = kOtherRegisters;
    for (std::size_t c = 0; c < structure_.communications.size(); ++c) {
      if (placeOf(c) != Place::Register)
        continue;
      double copies = double(structure_.communications[c].elementBytes) / 4;
      if (work_.passed[c].isSum)
        for (const auto &pair : structure_.communications[c].pairs)
          if (leaf_.domain(space_.kind(pair.target)) == KindSet(Kind::Unroll).bits())
            copies *= lengthOf(pair.target);
      registers += copies;
    }
    return registers;
  }

  double lanesOf(const OfInstruction &of) const {
    return std::ceil(of.threads / double(rates_.lanes)) * double(rates_.lanes);
  }
  void add(GpuResource r, double amount) { use_[std::size_t(r)] += amount; }

  /// Of one group.
  void addUses() {
    for (const int i : space_.instructions()) {
      const OfInstruction &of = of_[std::size_t(i)];
      const auto n = std::size_t(structure_.objects[std::size_t(i)].index);
      const double lanes = lanesOf(of) * of.executions;
      add(GpuResource::Issue, lanes);
      add(GpuResource::Float, lanes * work_.operations[n].count[std::size_t(Number::Float)]);
      add(GpuResource::Double, lanes * work_.operations[n].count[std::size_t(Number::Double)]);
    }
    for (std::size_t a = 0; a < structure_.accesses.size(); ++a)
      addAccess(a);
    for (std::size_t c = 0; c < work_.passed.size(); ++c)
      addPassed(c);
    addLoops(tree_, 1);
  }

  /// Each loop of a thread counts its iterations.
  void addLoops(const LoopTree &at, double times) {
    if (at.object >= 0 && structure_.isDimension(at.object)) {
      if (at.kind == Kind::Thread || at.kind == Kind::For)
        times *= iterations(at);
      if (at.kind == Kind::For)
        add(GpuResource::Issue, times * kLoopInstructions);
    }
    for (const LoopTree &inside : at.inside)
      addLoops(inside, times);
  }

  double vectorOf(const OfInstruction &of) const {
    return !of.around.empty() && of.around.back()->kind == Kind::Vector ? iterations(*of.around.back()) : 1;
  }

  double strideOf(const GpuWork::Access &access, const LoopTree &loop) const {
    double bytes = 0;
    for (const GpuWork::Stride &stride : access.strides)
      if (has(loop, stride.dimension)) {
        double one = double(stride.bytes);
        for (const int level : stride.times)
          one *= lengthOf(level);
        bytes += one;
      }
    return bytes;
  }

  /// Sectors that the first lanes touch in one execution.
  double sectorsOfWarp(const GpuWork::Access &access, const OfInstruction &of) const {
    const double vector = vectorOf(of), lanes = std::min(double(rates_.lanes), of.threads);
    std::set<long> sectors;
    for (double lane = 0; lane < lanes; ++lane) {
      double rest = lane, address = 0;
      for (std::size_t at = of.around.size(); at-- > 0;) {
        const LoopTree &loop = *of.around[at];
        if (loop.kind != Kind::Thread)
          continue;
        address += std::fmod(rest, iterations(loop)) * strideOf(access, loop);
        rest = std::floor(rest / iterations(loop));
      }
      for (double element = 0; element < vector; ++element)
        sectors.insert(std::lround(std::floor(
            (address + (vector > 1 ? element * strideOf(access, *of.around.back()) : 0)) / kSectorBytes)));
    }
    return double(sectors.size());
  }

  void addAccess(std::size_t a) {
    const GpuWork::Access &access = work_.accesses[a];
    const OfInstruction &of = of_[std::size_t(structure_.accesses[a].instruction)];
    const double bytes = double(work_.arrays[std::size_t(access.array)].bytes);
    add(GpuResource::Words, lanesOf(of) * of.executions * vectorOf(of) * bytes / 4);
    const double warps = lanesOf(of) / double(rates_.lanes) * of.executions;
    const double all = warps * sectorsOfWarp(access, of) * kSectorBytes;
    double distinct = bytes;
    for (const LoopTree *loop : of.around)
      if (loop->kind != Kind::Block && (strideOf(access, *loop) != 0 || !access.hasOwnCells))
        distinct *= iterations(*loop);
    const Cache cache = cacheOf(a);
    const bool isCached = !access.isWrite && (cache == Cache::First || cache == Cache::ReadOnly);
    // The first cache keeps what a group uses if it is small, and else loses some of it before it is used again.
    const double cached = distinct <= rates_.firstCacheBytes ? distinct : std::max(distinct, all / 4);
    add(GpuResource::SecondCache, isCached ? std::min(std::max(all, distinct), cached) : all);
    if (access.isWrite || cache == Cache::None)
      memoryBytes_ += groups_ * all;
  }

  /// How many lanes of a warp want different words of one bank.
  double conflicts(std::size_t c, const OfInstruction &of, bool isTarget) const {
    const LoopTree *lane = nullptr;
    for (const LoopTree *loop : of.around)
      if (loop->kind == Kind::Thread)
        lane = loop;
    double apart = 1;
    const auto &pairs = structure_.communications[c].pairs;
    for (std::size_t p = pairs.size(); lane && p-- > 0;) {
      if (has(*lane, isTarget ? pairs[p].target : pairs[p].source))
        return std::min({apart, kBanks, iterations(*lane)});
      if (space_.order(leaf_, pairs[p].source, pairs[p].target) != OrderSet(Order::Fused))
        apart *= lengthOf(pairs[p].source);
    }
    return 1;
  }

  void addPassed(std::size_t c) {
    if (placeOf(c) == Place::Register)
      return;
    const GpuWork::Passing &passed = work_.passed[c];
    for (const int side : {passed.source, passed.target}) {
      const OfInstruction &of = of_[std::size_t(side)];
      double executions = 1;
      for (const LoopTree *loop : of.around) {
        const auto &pairs = structure_.communications[c].pairs;
        const bool moves = std::any_of(pairs.begin(), pairs.end(), [&](const Communication::Pair &pair) {
          return has(*loop, pair.source) || has(*loop, pair.target);
        });
        if (loop->kind == Kind::For || (loop->kind == Kind::Unroll && moves))
          executions *= iterations(*loop);
      }
      const double words =
          lanesOf(of) * executions * vectorOf(of) * double(structure_.communications[c].elementBytes) / 4;
      add(GpuResource::Issue, lanesOf(of) * executions);
      add(GpuResource::Words,
          words * (placeOf(c) == Place::Shared ? conflicts(c, of, side == passed.target) : 1));
      if (placeOf(c) == Place::Global)
        add(GpuResource::SecondCache, words * 4);
    }
  }

  double memorySeconds() const {
    const double rate = rates_.of(GpuResource::Memory, GpuLevel::Device);
    const double bytes = std::max(work_.bytes(), memoryBytes_) - rates_.secondCacheBytes;
    return rate > 0 && bytes > 0 ? bytes / rate : 0;
  }

  // One thread, from its first instruction on.

  void go(const LoopTree &at) {
    if (at.object < 0 || structure_.isDimension(at.object))
      goThrough(at);
    else
      issue(at.object);
  }

  void once(const LoopTree &at) {
    for (const LoopTree &inside : at.inside)
      go(inside);
  }

  void goThrough(const LoopTree &at) {
    const double n = at.object < 0 ? 1 : iterations(at);
    const bool isParallel = std::all_of(at.dimensions.begin(), at.dimensions.end(),
                                        [&](int d) { return structure_.dimension(d).isParallel; });
    if (at.object < 0 || at.kind == Kind::Thread || at.kind == Kind::Block || at.kind == Kind::Vector) {
      once(at);
      return;
    }
    if (at.kind == Kind::Unroll && isParallel) {
      // Copies need not wait for each other: they only have to be issued.
      const double before = issued_;
      once(at);
      const double more = (n - 1) * (issued_ - before);
      issued_ += more;
      clock_ += more;
      return;
    }
    // After some iterations, all others take as long.
    double last = 0, lastIssued = 0;
    for (double i = 0; i < std::min(n, 3.0); ++i) {
      const double before = clock_, issuedBefore = issued_;
      if (at.kind == Kind::For)
        clock_ += kLoopInstructions * slot(), issued_ += kLoopInstructions * slot();
      once(at);
      last = clock_ - before;
      lastIssued = issued_ - issuedBefore;
    }
    issued_ += std::max(0.0, n - 3) * lastIssued;
    const double rest = std::max(0.0, n - 3) * last;
    clock_ += rest;
    for (double &ready : ready_)
      ready += rest;
  }

  double slot() const {
    const double rate = rates_.of(GpuResource::Issue, GpuLevel::Thread);
    return rate > 0 ? 1 / rate : 0;
  }

  void issue(int i) {
    const auto n = std::size_t(structure_.objects[std::size_t(i)].index);
    for (const Structure::Edge &edge : structure_.edges)
      if (edge.after == i)
        clock_ = std::max(clock_, ready_[std::size_t(edge.before)] + passing(edge.before, i));
    const bool isSum = std::any_of(work_.passed.begin(), work_.passed.end(),
                                   [&](const GpuWork::Passing &p) { return p.isSum && p.target == i; });
    if (isSum)
      clock_ = std::max(clock_, ready_[std::size_t(i)]);
    ready_[std::size_t(i)] = clock_ + latencyOf(i);
    double seconds = slot();
    auto keep = [&](GpuResource r, double amount) {
      const double rate = rates_.of(r, GpuLevel::Thread);
      if (rate > 0)
        seconds = std::max(seconds, amount / rate);
    };
    keep(GpuResource::Float, work_.operations[n].count[std::size_t(Number::Float)]);
    keep(GpuResource::Double, work_.operations[n].count[std::size_t(Number::Double)]);
    double words = 0, more = 0;
    for (std::size_t a = 0; a < structure_.accesses.size(); ++a)
      if (structure_.accesses[a].instruction == i)
        words += vectorOf(of_[std::size_t(i)]) *
                 double(work_.arrays[std::size_t(work_.accesses[a].array)].bytes) / 4;
    for (std::size_t c = 0; c < work_.passed.size(); ++c)
      if (placeOf(c) != Place::Register && (work_.passed[c].source == i || work_.passed[c].target == i)) {
        ++more;
        words += vectorOf(of_[std::size_t(i)]) * double(structure_.communications[c].elementBytes) / 4;
      }
    keep(GpuResource::Words, words);
    seconds = std::max(seconds, slot() * (1 + more));
    clock_ += seconds;
    issued_ += seconds;
  }

  double latencyOf(int i) const {
    const auto &operations = work_.operations[std::size_t(structure_.objects[std::size_t(i)].index)].count;
    double seconds = 0;
    for (std::size_t n = 0; n < kNumbers; ++n)
      if (operations[n] > 0)
        seconds = std::max(seconds, rates_.arithmetic[n]);
    for (std::size_t a = 0; a < structure_.accesses.size(); ++a)
      if (structure_.accesses[a].instruction == i && !work_.accesses[a].isWrite) {
        const Cache cache = cacheOf(a);
        const bool isNear = cache == Cache::First || cache == Cache::ReadOnly;
        // A part of what the first cache is asked for comes from the second one.
        seconds =
            std::max(seconds, isNear ? (3 * rates_.firstCache + rates_.secondCache) / 4 : rates_.secondCache);
      }
    return seconds;
  }

  double passing(int before, int after) const {
    double seconds = 0;
    for (std::size_t c = 0; c < work_.passed.size(); ++c) {
      if (work_.passed[c].source != before || work_.passed[c].target != after)
        continue;
      if (placeOf(c) == Place::Global)
        seconds += rates_.secondCache;
      if (placeOf(c) == Place::Shared)
        seconds += rates_.local + rates_.barrier;
    }
    return seconds;
  }

  const Space &space_;
  const Structure &structure_;
  const GpuWork &work_;
  const GpuRates &rates_;
  const State &leaf_;
  LoopTree tree_;
  std::vector<OfInstruction> of_; // by object
  double threads_ = 1, groups_ = 1;
  GpuUse use_{};
  double memoryBytes_ = 0;
  double clock_ = 0, issued_ = 0;
  std::vector<double> ready_; // by object: when its last result is there
};

} // namespace

LeafTime ModelDevice::time(const State &leaf) const { return Run(space_, work_, rates_, leaf).time(); }

} // namespace pbc::search
