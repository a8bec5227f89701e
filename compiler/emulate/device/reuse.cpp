// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/device/reuse.h"
#include "compiler/emulate/device/gpu_core.h"
#include "compiler/kernel/footprint.h"
#include "compiler/loop/walk.h"
#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <utility>

namespace pbc::emulate {
namespace {

using loop::Expr;
using loop::NodePtr;

constexpr long kAllTurns = 8;    // all of them are carried out, if there are not more
constexpr long kTurnsOfLoop = 8; // of the innermost loop, one after the other: a sector of floats
constexpr std::size_t kMostFollowed =
    2'000'000; // accesses of all lanes; with more, only the first warp is followed

/// Bytes, of a matrix.
struct Touched {
  int matrix;
  long byte, bytes;
};

/// Of each loop, whether it has loads from the device's memory, and whether a loop inside of it has.
class Loads {
public:
  explicit Loads(const std::vector<loop::Matrix> &matrices) : matrices_(matrices) {}

  bool hasLoads(const NodePtr &n) {
    const auto [at, isNew] = known_.try_emplace(n.get(), false);
    if (isNew) {
      Find find(matrices_);
      find.node(n);
      at->second = find.isFound;
    }
    return at->second;
  }

  bool isInnermost(const loop::For &f) {
    struct Inner : loop::Visitor {
      Loads &loads;
      bool isFound = false;
      explicit Inner(Loads &all) : loads(all) {}
      void node(const NodePtr &n) override {
        const loop::For *inner = loop::as<loop::For>(n);
        isFound |= inner && inner->hint.unrolling != loop::Hint::Unrolling::Fully && loads.hasLoads(n);
        Visitor::node(n);
      }
    } inner(*this);
    inner.node(f.body);
    return !inner.isFound;
  }

private:
  struct Find : loop::Visitor {
    const std::vector<loop::Matrix> &matrices;
    bool isFound = false;
    explicit Find(const std::vector<loop::Matrix> &all) : matrices(all) {}
    void expr(const Expr &e) override {
      const loop::Element *element = loop::as<loop::Element>(e);
      isFound |= element && matrices[static_cast<std::size_t>(element->buffer)].ofGroup.empty();
      Visitor::expr(e);
    }
  };
  const std::vector<loop::Matrix> &matrices_;
  std::map<const loop::Node *, bool> known_;
};

class Follower : public loop::WarpLane {
public:
  /// `offset`: turns of innermost loops that the one in the middle is followed by.
  Follower(const ReuseQuestion &question, Loads &loads, int lane, std::array<long, 3> group, long offset)
      : WarpLane(question.shape, lane, 1), question_(question), loads_(loads), offset_(offset) {
    low_ = kCellsInside;
    std::copy(group.begin(), group.end(), group_);
  }

  struct One {
    AccessKey key;
    Touched touched;
    bool isInnermost; // of a loop with several turns
  };
  std::vector<One> take() { return std::move(all_); }

protected:
  bool isIdle(const NodePtr &n) override { return !loads_.hasLoads(n); }
  bool goesThroughAll(const loop::For &, long turns) const override { return turns <= kAllTurns; }

  long ofLaunch(const loop::Name &n) const override {
    if (const auto at = question_.sizes.find(n.name); at != question_.sizes.end())
      return at->second;
    return n.kind == loop::Name::Kind::Value && question_.otherSizes ? *question_.otherSizes
                                                                     : WarpLane::ofLaunch(n);
  }

  void beginLoop(const loop::For &f, long turns) override {
    inside_.push_back(turns > kAllTurns && loads_.isInnermost(f));
  }
  void endLoop() override { inside_.pop_back(); }
  std::vector<long> firstTurns(long turns) const override {
    return {turns / 2 + (inside_.back() ? offset_ : 0)};
  }

  void access(const Expr &e, bool isWrite, long cells) override {
    const loop::Element *element = loop::as<loop::Element>(e);
    if (isWrite || !element)
      return;
    const loop::Matrix &m = question_.matrices[static_cast<std::size_t>(element->buffer)];
    if (!m.ofGroup.empty() || m.isOfItem)
      return;
    long place = 0, stride = 1;
    for (const Expr &index : element->indices) {
      place += valueOf(index) * stride;
      stride *= kRowOfCells;
    }
    const auto bytes = static_cast<long>(kernel::bytesOf(m.element));
    AccessKey key{e.get(), turns_, copies_};
    if (seen_.insert(key).second)
      all_.push_back({std::move(key),
                      {element->buffer, place * bytes, cells * bytes},
                      !inside_.empty() && inside_.back()});
  }

private:
  const ReuseQuestion &question_;
  Loads &loads_;
  const long offset_;
  std::vector<bool> inside_; // of open loops: whether they are innermost ones
  std::set<AccessKey> seen_; // what is met again is in a register
  std::vector<One> all_;
};

using Sector = std::pair<int, long>; // of a matrix

/// How far an access moves from one group to the next, along each axis.
using Moves = std::map<AccessKey, std::array<long, 3>>;

class Group {
public:
  Group(const ReuseQuestion &question) : question_(question), loads_(question.matrices) {
    const auto first = follow(0, {}, 0);
    for (std::size_t k = 0; k < first.size(); ++k)
      order_.push_back(first[k].key), isLooped_ |= first[k].isInnermost;
    for (std::size_t d = 0; d < 3; ++d) {
      std::array<long, 3> beside{};
      beside[d] = 1;
      std::map<AccessKey, long> there;
      for (const Follower::One &one : follow(0, beside, 0))
        there[one.key] = one.touched.byte;
      for (const Follower::One &one : first)
        if (const auto at = there.find(one.key); at != there.end()) {
          moves_[one.key][d] = at->second - one.touched.byte;
          hasAxis_[d] |= at->second != one.touched.byte;
        }
    }
    items_ = question.shape.group[0] * question.shape.group[1] * question.shape.group[2];
    const std::size_t turns = isLooped_ ? kTurnsOfLoop + 1 : 1;
    if (first.size() * static_cast<std::size_t>(items_) * turns > kMostFollowed)
      items_ = std::min(items_, loop::kLanes);
  }

  Reuse reuse() {
    std::set<Sector> before; // of the turn before
    std::map<AccessKey, std::array<double, 3>> counts;
    const long turns = isLooped_ ? kTurnsOfLoop : 0;
    for (long turn = isLooped_ ? -1 : 0; turn < std::max(1L, turns); ++turn)
      before = turnOf(turn, before, turn >= 0 ? &counts : nullptr);
    Reuse made;
    double all[3] = {};
    for (const auto &[key, count] : counts) {
      const double sum = count[0] + count[1] + count[2];
      if (sum > 0)
        made.loads[key] = {count[0] / sum, count[1] / sum};
      for (std::size_t k = 0; k < 3; ++k)
        all[k] += count[k];
    }
    if (const double sum = all[0] + all[1] + all[2]; sum > 0)
      made.all = {all[0] / sum, all[1] / sum};
    return made;
  }

private:
  std::vector<Follower::One> follow(int lane, std::array<long, 3> group, long offset) {
    Follower follower(question_, loads_, lane, group, offset);
    follower.run(question_.lowered);
    return follower.take();
  }

  static void sectorsOf(const Touched &t, std::set<Sector> &to) {
    for (long sector = t.byte / kSectorBytes; sector * kSectorBytes < t.byte + t.bytes; ++sector)
      to.insert({t.matrix, sector});
  }

  /// Goes through one turn; returns what is in the first cache at its end.
  std::set<Sector> turnOf(long offset, const std::set<Sector> &before,
                          std::map<AccessKey, std::array<double, 3>> *counts) {
    const int warps = (items_ + loop::kLanes - 1) / loop::kLanes;
    std::map<AccessKey, std::vector<std::set<Sector>>> ofWarps;
    std::map<AccessKey, bool> isInnermost;
    std::map<AccessKey, std::set<Sector>> ofAll;
    for (int lane = 0; lane < items_; ++lane)
      for (const Follower::One &one : follow(lane, {}, offset)) {
        std::vector<std::set<Sector>> &sectors = ofWarps[one.key];
        sectors.resize(static_cast<std::size_t>(warps));
        sectorsOf(one.touched, sectors[static_cast<std::size_t>(lane / loop::kLanes)]);
        sectorsOf(one.touched, ofAll[one.key]);
        isInnermost[one.key] = one.isInnermost;
      }
    std::set<Sector> now; // of this turn
    const std::set<Sector> earlier = ofEarlierGroups(ofAll);
    for (const AccessKey &key : order_) {
      const auto at = ofWarps.find(key);
      if (at == ofWarps.end())
        continue;
      for (const std::set<Sector> &warp : at->second)
        for (const Sector &sector : warp) {
          const bool isNear = now.contains(sector) || (isInnermost[key] && before.contains(sector));
          if (counts)
            ++(*counts)[key][isNear ? 0 : earlier.contains(sector) ? 1 : 2];
          now.insert(sector);
        }
    }
    return now;
  }

  /// Of this turn, of the groups beside this one that come before it in a launch.
  std::set<Sector> ofEarlierGroups(const std::map<AccessKey, std::set<Sector>> &own) const {
    std::set<Sector> all;
    for (const auto &[key, sectors] : own) {
      const auto moves = moves_.find(key);
      if (moves == moves_.end())
        continue;
      for (long z = -1; z <= 0; ++z)
        for (long y = -1; y <= (z < 0 ? 1 : 0); ++y)
          for (long x = -1; x <= (z < 0 || y < 0 ? 1 : -1); ++x) {
            if ((x && !hasAxis_[0]) || (y && !hasAxis_[1]) || (z && !hasAxis_[2]))
              continue; // no load tells groups along this axis apart: a launch may have none
            const auto &by = moves->second;
            const long shift = (x * by[0] + y * by[1] + z * by[2]) / kSectorBytes;
            for (const Sector &s : sectors)
              all.insert({s.first, s.second + shift});
          }
    }
    return all;
  }

  const ReuseQuestion &question_;
  Loads loads_;
  std::vector<AccessKey> order_;
  Moves moves_;
  bool hasAxis_[3] = {};
  int items_ = 1;
  bool isLooped_ = false;
};

} // namespace

Reuse reuseOf(const ReuseQuestion &question) { return Group(question).reuse(); }

} // namespace pbc::emulate
