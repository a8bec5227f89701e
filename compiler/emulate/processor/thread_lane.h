// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One run through a kernel's lowered loops as a thread of a processor: the instructions, and where each access is (thread_trace.h puts
// several runs together).
//
//   for c < n {vectors}: B[c] = A[c - 1] * 0.5     =>  instructions { load; multiplication; store }, loop { n / 8 times },
//                                                     accesses { A: byte 8 * (c - 1); B: byte 8 * c }, c a vector in the middle
//
// Loops are in thread_lane.cpp, values in thread_lane_value.cpp, accesses in thread_lane_access.cpp. Each loop that is not written out is carried out once, with an iteration in its middle. Which cells the iterations of a vector have depends on
// the loop's variable in ways that only another run shows: RunOf::laneOne.
#pragma once
#include "compiler/emulate/processor/clang_loops.h"
#include "compiler/emulate/processor/mean_turns.h"
#include "compiler/emulate/processor/thread_trace.h"
#include "compiler/loop/served_statements.h"
#include "compiler/loop/warp_lane.h"
#include <utility>

namespace pbc::emulate {

/// An access as a run came to it.
struct Reached {
  int matrix = 0; // by the question's matrices; behind them, copies of strips
  long byte = 0, bytesOfCell = 8;
};

/// One of a run that takes time.
struct Accessing {
  std::size_t reached = 0; // its place in Ran::reached
  int instruction = 0;
  bool isStore = false;
  long bytes = 8;   // side by side
  double cells = 1; // apart from each other
  double apart = 0; // bytes, one from the next
  int value = -1;   // the register that is loaded or stored
  std::vector<long> loops = {};
  bool isRest =
      false; // one of the last iterations, too few for vectors: its lines are among those of the others
  bool isOverwritten = false; // a store to a cell that is stored again before anything may read it
};

/// Iterations that are too few for vectors, behind the loop that has the others.
struct Rest {
  long of = 0, loop = 0; // loops of the trace
  long lanes = 1;
};

struct Ran {
  Trace trace;
  std::vector<Reached> reached;
  std::vector<Accessing> accesses;
  std::vector<long> turns;   // of each loop, the one that was carried out
  std::vector<double> exact; // how often each loop runs for all of its iterations, without the rest behind it
  std::vector<Rest> rests;
};

/// Where a run begins in its loops.
struct RunOf {
  const Ran *first = nullptr; // in the same iterations as this one; null: in the middle
  int shifted = -1;           // but one earlier or later in this loop
  bool isLaneOne = false;     // but one iteration of each vector later
  const std::vector<long> *steps =
      nullptr; // of each access reached: the cells from one iteration of a vector to the next
  long by = 1; // 1: later, -1: earlier
};

class ThreadLane : public loop::WarpLane {
public:
  ThreadLane(const ThreadQuestion &, const ProcessorCore &, const loop::ServedStatements &, const MeanTurns &,
             const RunOf &);
  Ran take();

protected:
  void access(const loop::Expr &, bool, long) override {}
  long ofLaunch(const loop::Name &) const override;
  void beginLoop(const loop::For &, long turns) override;
  bool goesThroughAll(const loop::For &, long turns) const override;
  void endLoop() override;
  std::vector<long> firstTurns(long) const override { return {turn_}; }
  /// A run that is shifted finds out how far accesses move, also to a last tile that is shorter.
  bool ignoresLimits() const override { return how_.first != nullptr; }
  bool isTakenAsLoop(const loop::For &) const override;
  void turnsAre(long) override;
  void blockOfPoints(const loop::BlockOfPoints &) override;
  void assign(const loop::Assign &) override;
  using WarpLane::declare;
  void declare(const loop::Let::Variable &) override;

private:
  using Place = std::pair<std::string, std::vector<long>>; // a local variable of a point
  using Kind = Region::Kind;
  struct Open {
    int first, loop;
    bool isCounted;
    long numbers;            // iterations that run together
    int statement;           // the first one inside
    long vectors = 1;        // in a round of Clang's
    double rest = 0;         // iterations that are left for the end
    double drift = 1;        // how often it and those around it run, for how often their trace says
    bool isStraight = false; // all of its iterations run together, without a loop
    bool isInnermost = false;
    bool isRepeated = false;                 // by LLVM, several times without a jump
    std::size_t accesses = 0;                // when it began
    std::set<std::string> names = {};        // of sums in vectors, which are added when it has ended
    std::map<Place, body::Scalar> sums = {}; // the same, as they were come to
  };
  struct Where {
    std::size_t reached;
    body::Scalar type;
    long step;
  };

  /// What comes next is done for this statement of the kernel.
  void isFor(int statement);
  /// Of the line at which the lane is.
  int regionOf(Kind kind) { return emulate::placeOf({kind, origin_}, ran_.trace.regions); }

  void open(double times, long middle, bool isCounted, long numbers, int statement);
  void openStraight(long numbers, int statement);
  void close();
  void appendRest(const Open &);
  void emitSetUp(bool isInnermost);
  int emitApart(CpuUnit, body::Scalar, Kind, std::vector<int> reads, long numbers);
  long numbers() const;
  /// Bytes of a vector here.
  long width() const { return block_ ? core_.vectorBytes : core_.loopVectorBytes; }

  int emit(CpuUnit, body::Scalar, Kind, std::vector<int> reads, long numbers, long apart = 1);
  int chained(const struct CpuSelected &, body::Scalar, std::vector<int> reads);
  int registerOf(const Place &);
  void assignTo(const Place &, int value);
  Place localOf(const loop::Expr &) const;
  int valueIn(const loop::Expr &);
  std::vector<int> valuesIn(const std::vector<loop::Expr> &);
  int operation(const loop::Operation &);
  int combined(const loop::Assign &, int value, const std::optional<Where> &);
  void addUp(const Open &);
  LoopCode codeOf(const loop::For &) const;

  Where reach(const loop::Expr &);
  Where reachStrip(const loop::StripValue &);
  Where noted(Reached, body::Scalar, std::optional<long> step);
  int loaded(const Where &);
  void stored(const Where &, int value);
  int accessed(const Where &, bool isStore, int value);

  const ThreadQuestion &question_;
  const ProcessorCore &core_;
  const loop::ServedStatements &served_;
  const MeanTurns &means_;
  const RunOf how_;
  source::Origin origin_;
  const loop::BlockOfPoints *block_ = nullptr;
  long turn_ = 0, row_ = 0, column_ = 0;
  bool areInMemory_ = false; // values of lanes, which are more than fit into registers
  std::vector<Open> open_;
  std::map<Place, int> registers_, aliases_;
  std::map<std::pair<int, long>, int> loaded_;         // by matrix and byte, since the loop began
  std::map<std::pair<int, long>, std::size_t> stored_; // the same: places among the accesses
  std::vector<body::Scalar> types_;                    // of the trace's instructions
  Ran ran_;
};

} // namespace pbc::emulate
