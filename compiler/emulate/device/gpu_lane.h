// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One lane of a warp that carries out a kernel's lowered loops without data. It makes the trace of what it does, and notes which addresses its
// accesses have; those of the other lanes say how many sectors and turns the same access of the warp takes (warp_trace.h).
//
//   GpuLane lane(question, 0);
//   lane.run(question.lowered);
//   lane.accesses()[k], lane.keys()[k], lane.addresses()[k]     the instruction of an access, what it is for all lanes, and where it is
//
// Invariant: these three lists have the same length. Source: bottleneck-analysis.md 8.
#pragma once
#include "compiler/emulate/device/selection.h"
#include "compiler/emulate/device/warp_trace.h"
#include "compiler/loop/served_statements.h"
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace pbc::emulate {

/// One access of a lane.
struct Address {
  bool isShared;
  long byte, bytes;
};

/// A place that has a value while a lane goes on: an array of an item, a cell of a matrix.
using Place = std::pair<std::string, std::vector<long>>;

/// What an access is for all lanes: the expression, the turns of the loops around it, and how often that was met before.
struct Key {
  const loop::Expression *expression;
  std::vector<long> turns, copies;
  int before = 0;
  auto operator<=>(const Key &) const = default;
};

class GpuLane : public loop::WarpLane {
public:
  GpuLane(const WarpQuestion &question, int lane, const loop::ServedStatements &served);

  const std::vector<Address> &addresses() const { return addresses_; }
  const std::vector<int> &accesses() const { return accesses_; }
  const std::vector<Key> &keys() const { return keys_; }
  bool isStore(int instruction) const { return stores_.contains(instruction); }
  const std::map<int, int> &hoisted() const { return hoisted_; }
  Trace take() { return std::move(trace_); }

protected:
  void access(const loop::Expr &, bool, long) override {}
  void declare(const loop::Array &array) override { ofGroup_[array.name] = &array; }
  void declare(const loop::Let::Variable &v) override;

  long ofLaunch(const loop::Name &n) const override;

  void barrier(const loop::Barrier &b) override;

  void shuffle(const loop::Shuffle &s) override;

  /// Turns that begin or end something differ from those in the middle.
  bool goesThroughAll(const loop::For &, long turns) const override;

  void beginLoop(const loop::For &loop, long turns) override;

  void turnsAre(long turns) override;

  /// One from the middle: the first ones may only prepare something, and conditions hold for some only.
  std::vector<long> firstTurns(long turns) const override { return {turns / 2}; }

  void endLoop() override;

  void assign(const loop::Assign &a) override;

private:
  using Kind = Region::Kind;

  /// What comes next is done for this statement of the kernel.
  void isFor(int statement);

  /// Of the line at which the lane is.
  int regionOf(Kind kind) { return emulate::placeOf({kind, origin_}, trace_.regions); }

  const loop::Matrix &matrixOf(const loop::Element &e) const;
  bool isOfGroup(const loop::Element &e) const;
  bool isOfItem(const loop::Element &e) const { return matrixOf(e).isOfItem; }

  int newRegister() { return trace_.registers++; }

  /// Memory was written, perhaps by others: nothing of it is in registers any more.
  void changed();

  /// The place keeps its register from one round of a loop to the next. A value that was there before is not moved.
  void assignTo(const Place &place, int value);

  /// The last instruction, if one more of its kind belongs to it.
  Instruction *joinable(GpuUnit unit, Kind kind, const std::vector<int> &reads);

  int emit(GpuUnit unit, Kind kind, std::vector<int> reads);

  Place placeOf(const loop::Expr &e) const;
  static int placeOf(GpuUnit unit) { return emulate::placeOf(unit); }

  /// The register with the expression's value; -1: a number that costs nothing.
  int valueIn(const loop::Expr &e);

  int computed(const loop::Expr &operationOrCast);

  /// Whether it is computed from indices, sizes and numbers alone, so that it has the same value wherever these have: `key` then says what it is,
  /// and of which values.
  bool isOfIndices(const loop::Expr &, std::string &key) const;

  std::vector<int> valuesIn(const std::vector<loop::Expr> &all);

  /// A place that nothing was written to yet has a register, too.
  int registerOf(const Place &place);

  /// Neighbouring cells from memory, by one instruction.
  int several(const loop::Expr &e, long cells);

  int chained(const std::vector<Selected> &instructions, std::vector<int> reads);

  static bool isFused(const loop::Operation &o);

  static const loop::Operation *productIn(const loop::Expr &e);

  int operation(const loop::Operation &o);

  /// Of `target op= value`, whose value was computed already.
  int combined(loop::Operation::Op op, const loop::Expr &target, const loop::Expr &from, int value);

  struct Where {
    std::string memory;
    bool isShared;
    long cell, bytesOfCell;
  };

  Where whereIs(const loop::Expr &e) const;

  /// The register of a cell of a matrix or of the group's memory.
  int loaded(const loop::Expr &e, long cells);

  /// How many loops stay around a load: those that change its address, or write to memory.
  std::size_t hoistLevel(const loop::Expr &e) const;

  /// One expression that mentions all indices.
  static loop::Expr indicesOf(const loop::Expr &e);

  /// Whether a load in it may have another value in the next turn, though its address is the same.
  bool writesMemory(const loop::NodePtr &body) const;

  int store(const loop::Expr &e, long cells, Kind kind, std::vector<int> reads);

  /// So many instructions for indices, on the result of others; their register.
  int indices(int count, int after);

  /// The register of the address of an access to the device's memory.
  int addressOf(const loop::Expr &e, Kind kind);

  int accessOf(const loop::Expr &e, const Where &w, long bytes, Kind kind, std::vector<int> reads);

  static int axesOf(const loop::NodePtr &lowered);

  const WarpQuestion &question_;
  const loop::ServedStatements &served_;
  Trace trace_;
  IndexCosts costs_;
  std::map<int, int> bases_;                         // registers of matrices' addresses
  std::set<int> reached_;                            // matrices
  std::set<std::pair<int, std::vector<long>>> rows_; // of matrices that were accessed
  source::Origin origin_;
  Kind kind_ = Kind::Computing;
  std::map<std::string, const loop::Array *> ofGroup_;
  std::map<Place, int> registers_; // of the item's variables and arrays
  std::map<Place, int> aliases_;   // registers of other places, or of loads, that they have the values of
  std::map<Place, int> loaded_;    // of what was loaded since the last barrier
  std::vector<std::map<Place, int>> outside_; // the same at the begin of each open loop
  std::map<std::string, int> computed_;       // registers of what is computed from indices alone
  std::vector<std::map<std::string, int>> computedOutside_; // the same at the begin of each open loop
  struct Open {
    int first, loop; // instruction; place in the trace
    bool writesMemory;
    int statement; // the first one of its body
  };
  std::vector<Open> open_;
  std::map<int, int> hoisted_; // instructions that stand in front of a loop, by its place
  std::vector<int> stored_,
      copied_; // registers of what the next barrier waits for: writes to the group's memory, background copies
  std::size_t apart_ = 0;          // instructions before this one are not joined with later ones
  std::vector<int> accesses_;      // instructions
  std::vector<Address> addresses_; // the same
  std::vector<Key> keys_;          // the same
  std::map<Key, int> met_;         // how often
  std::set<int> stores_;           // instructions
};

} // namespace pbc::emulate
