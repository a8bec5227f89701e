// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/traffic.h"
#include "compiler/kernel/footprint.h"
#include "compiler/loop/walk.h"
#include <algorithm>
#include <map>
#include <set>

namespace pbc::loop {
namespace {

constexpr long kMostTurns = 160;
constexpr long kInside = 1 << 12; // so far from the first cells that all cells around a point are there

/// Whether loops have accesses to matrices; those to memory of groups and items are not counted.
class Idle {
public:
  explicit Idle(const std::vector<Matrix> &matrices) : matrices_(matrices) {}

  bool isIdle(const NodePtr &n) {
    const auto [at, isNew] = known_.try_emplace(n.get(), true);
    if (isNew) {
      Find find(matrices_);
      find.node(n);
      at->second = !find.isFound;
    }
    return at->second;
  }

private:
  struct Find : Visitor {
    const std::vector<Matrix> &matrices;
    bool isFound = false;
    explicit Find(const std::vector<Matrix> &matrices) : matrices(matrices) {}
    void expr(const Expr &e) override {
      const Element *element = as<Element>(e);
      isFound |= element && matrices[static_cast<std::size_t>(element->buffer)].ofGroup.empty();
      Visitor::expr(e);
    }
  };
  const std::vector<Matrix> &matrices_;
  std::map<const Node *, bool> known_;
};

class Counting : public WarpLane {
public:
  Counting(const std::vector<Matrix> &matrices, const LaunchShape &shape, int lane, Idle &idle)
      : WarpLane(shape, lane, kMostTurns), matrices_(matrices), idle_(idle) {
    low_ = kInside;
  }

  long loaded = 0, stored = 0;
  bool isLong = false;

protected:
  bool isIdle(const NodePtr &loop) override { return idle_.isIdle(loop); }

  void access(const Expr &e, bool isWrite, long cells) override {
    isLong |= !turns_.empty() && turns_.back() + 1 >= kMostTurns;
    const Element *element = as<Element>(e);
    if (!element || (element->indices.empty() && lane_ > 0)) // a warp loads a scalar once
      return;
    const Matrix &memory = matrices_[static_cast<std::size_t>(element->buffer)];
    std::vector<long> cell{element->buffer, isWrite};
    for (const Expr &index : element->indices)
      cell.push_back(valueOf(index));
    if (turns_ != turnsOfSeen_) {
      seen_.clear();
      turnsOfSeen_ = turns_;
    }
    if (memory.ofGroup.empty() && seen_.insert(std::move(cell)).second)
      (isWrite ? stored : loaded) += cells * static_cast<long>(kernel::bytesOf(memory.element));
  }

private:
  const std::vector<Matrix> &matrices_;
  Idle &idle_;
  // What code without loops loads again is in a register.
  std::set<std::vector<long>> seen_;
  std::vector<long> turnsOfSeen_;
};

} // namespace

std::optional<Traffic> trafficOf(const std::vector<Matrix> &matrices, const NodePtr &lowered,
                                 const LaunchShape &shape) {
  long loaded = 0, stored = 0;
  // What the items of a group copy together is not dealt out to warps evenly.
  const bool hasCopies = std::any_of(matrices.begin(), matrices.end(),
                                     [](const Matrix &m) { return !m.ofGroup.empty() && !m.isOfItem; });
  const int items = shape.group[0] * shape.group[1] * shape.group[2];
  const int lanes = hasCopies ? items : std::min(kLanes, items);
  Idle idle(matrices);
  for (int lane = 0; lane < lanes; ++lane) {
    Counting one(matrices, shape, lane, idle);
    one.run(lowered);
    if (one.isLong)
      return std::nullopt;
    loaded += one.loaded;
    stored += one.stored;
  }
  if (stored == 0)
    return std::nullopt; // its points are in rounds that a launch decides
  const double points = static_cast<double>(lanes) * shape.cells[0] * shape.cells[1] * shape.cells[2];
  return Traffic{static_cast<double>(loaded) / points, static_cast<double>(stored) / points};
}

} // namespace pbc::loop
