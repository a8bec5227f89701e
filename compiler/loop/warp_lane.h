// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Carries out the loops of a kernel for devices as one item of a launch does, most often of its first warp, without data.
//
//   class Counting : WarpLane { void access(..) override { ++count; } };
//   Counting(shape, lane, 2).run(lowered);          each access that the lane comes to, in order
//
// Sizes that the kernel is not built for, and the limits of the launch, are so large that all items have points. What a body computes from data is 0 and decides nothing.
// Loops that are written out have all their iterations, others at most `turns`.
#pragma once
#include "compiler/loop/tree.h"
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pbc::loop {

inline constexpr int kLanes = 32; // of a warp

/// The numbers that are fixed when a kernel is built.
struct LaunchShape {
  int group[3] = {1, 1, 1}, cells[3] = {1, 1, 1};
  int rows = 1; // that an item with runs of points has at a time: a divisor of cells[1]
  std::map<std::string, long> sizes =
      {}; // of the program, that are numbers in the kernel (kernel/group_memory.h)
};

class WarpLane {
public:
  WarpLane(const LaunchShape &shape, int lane, long turns)
      : shape_(shape), lane_(lane), turnsOfLoop_(turns) {}
  virtual ~WarpLane() = default;
  void run(const NodePtr &);

protected:
  /// An access of so many cells at once to an element of a matrix, of a group's memory or of an array.
  virtual void access(const Expr &, bool isWrite, long cells) = 0;
  virtual void declare(const Array &) {}
  /// A value of the body that has a name from here on.
  virtual void declare(const Let::Variable &) {}
  /// In front of the accesses of an assignment.
  virtual void assign(const Assign &) {}
  /// Around a loop that is not written out and runs at least once, as often as the launch decides.
  virtual void beginLoop(const For &, long) {}
  virtual void endLoop() {}
  /// The open loop runs so often: it has turned out from what its body does to the variable of its condition.
  virtual void turnsAre(long) {}
  /// Of so many turns of such a loop, those from which on it is carried out here, one after the other; the first of them if it is not known how
  /// often it runs.
  virtual std::vector<long> firstTurns(long) const { return {0}; }
  /// What follows is carried out from the turn at this place of firstTurns() on.
  virtual void beginTurns(std::size_t) {}
  /// Whether a loop that is not written out is carried out from that turn on even if it does not have it.
  virtual bool ignoresLimits() const { return false; }
  /// Whether a loop that is to be written out is taken for one that is not.
  virtual bool isTakenAsLoop(const For &) const { return false; }
  /// Whether all of so many turns are carried out one after the other, as if the loop were written out.
  virtual bool goesThroughAll(const For &, long) const { return false; }
  virtual void barrier(const Barrier &) {}
  virtual void shuffle(const Shuffle &) {}
  virtual void blockOfPoints(const BlockOfPoints &) {}
  /// A size, or a limit of the launch.
  virtual long ofLaunch(const Name &) const;
  /// Whether the loop has no access that counts, so that it is passed over.
  virtual bool isIdle(const NodePtr &) { return false; }
  long valueOf(const Expr &) const;
  /// The name has this value from now on.
  void bind(const std::string &name, long value) { values_[name] = value; }
  /// Of the loops around that beginLoop was called for, the innermost one that changes the value of an index: 1 for the outermost one, 0 for none.
  int changedIn(const Expr &) const;

  const LaunchShape &shape_;
  const int lane_;                   // of the group
  long group_[3] = {0, 0, 0};        // which it is, of the launch
  long low_ = 0;                     // where the launch begins along each axis
  std::vector<long> turns_, copies_; // of the loops around that are not and that are written out

private:
  long number(const Parallel &) const;
  void loop(const For &);
  void runTurns(const For &, long step, long most);
  static std::optional<std::pair<Name, Expr>> comparedBy(const For &);
  /// None: not the loop itself changes what its condition compares.
  std::optional<long> turnsOf(const For &);
  void reads(const Expr &, long cells);
  long ofName(const Name &) const;
  long ofMachine(const std::string &name) const;
  long ofArithmetic(const Arithmetic &) const;

  const long turnsOfLoop_;
  std::unordered_map<std::string, long> values_;
  std::unordered_map<std::string, int> changedIn_; // names, by the loops that change them
  int open_ = 0;                                   // loops
};

} // namespace pbc::loop
