// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/processor/thread_lane.h"
#include "compiler/emulate/processor/line_sources.h"
#include "compiler/emulate/processor/selection.h"
#include "compiler/kernel/footprint.h"
#include "compiler/loop/walk.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

namespace pbc::emulate {
namespace {

using body::Scalar;
using loop::Expr;
using Block = loop::BlockOfPoints;
using Op = loop::Operation::Op;

constexpr long kOnce = 1; // a loop is carried out so often
constexpr int kNoLane = 0;
const loop::LaunchShape kNoLaunch;

long bytesOf(Scalar s) { return static_cast<long>(kernel::bytesOf(s)); }

/// Of a loop that may run in vectors: its limits are compared, its values set up, and it is jumped around or to its rest. Of another one, its
/// limits are compared.
constexpr long kSetUp = 8, kSetUpOfNumbers = 3;
constexpr double kJumps = 2, kJumpsOfNumbers = 1;
constexpr long kRepeated = 50,
               kMostRepeated = 8; // instructions of a round without vectors, as LLVM unrolls it

} // namespace

ThreadLane::ThreadLane(const ThreadQuestion &question, const ProcessorCore &core,
                       const loop::ServedStatements &served, const MeanTurns &means, const RunOf &how)
    : WarpLane(kNoLaunch, kNoLane, kOnce), question_(question), core_(core), served_(served), means_(means),
      how_(how) {}

Ran ThreadLane::take() {
  run(question_.lowered);
  return std::move(ran_);
}

long ThreadLane::ofLaunch(const loop::Name &n) const {
  const auto at = question_.names.find(n.name);
  return at != question_.names.end() ? at->second : WarpLane::ofLaunch(n);
}

// ---- loops

LoopCode ThreadLane::codeOf(const loop::For &f) const {
  return loopCode(f, question_.matrices,
                  {width(), core_.hasGathers, question_.reassociates, core_.vectorRegisters});
}

void ThreadLane::beginLoop(const loop::For &f, long turns) {
  constexpr double kSeldom = 0.5; // of a round of vectors
  LoopCode code = codeOf(f);
  const auto ofThis = static_cast<double>(turns);
  const LoopTurns *known = block_ ? nullptr : means_.of(f);
  const long inRound = code.lanes * code.vectors;
  LoopTurns mean = known ? *known : LoopTurns{ofThis, static_cast<double>(turns - turns % inRound)};
  if (block_ || mean.inVectors < kSeldom * static_cast<double>(inRound))
    code = {.isInnermost = code.isInnermost};
  const bool isVector = code.lanes > 1;
  if (!isVector)
    mean.inVectors = mean.all;
  const int statement = served_.of(f);
  isFor(statement);
  if (isVector && code.isStraight) {
    openStraight(turns, statement);
  } else {
    emitSetUp(isVector || code.isInnermost);
    const auto lanes = static_cast<double>(code.lanes);
    open(mean.inVectors / lanes, (turns / code.lanes - 1) / 2, !isVector, code.lanes, statement);
    open_.back().vectors = code.vectors;
    open_.back().rest = isVector ? mean.all - mean.inVectors : 0;
  }
  open_.back().isInnermost = code.isInnermost;
  open_.back().names = code.sums;
  open_.back().isRepeated = code.isInnermost && f.hint.unrolling != loop::Hint::Unrolling::Never;
  areInMemory_ =
      isVector && code.sums.empty() && turns * bytesOf(Scalar::F64) > width() * core_.vectorRegisters * 3 / 4;
  if (isVector && how_.isLaneOne)
    ++turn_;
}

/// Loops that have constant limits and few iterations, unless Clang puts their copies together into vectors.
bool ThreadLane::goesThroughAll(const loop::For &f, long turns) const {
  return !block_ && isWrittenOut(f, turns) && !isTakenAsLoop(f);
}

void ThreadLane::emitSetUp(bool isInnermost) {
  if (block_)
    return;
  emit(CpuUnit::Integers, Scalar::I64, Kind::Computing, {}, 1);
  Instruction &set = ran_.trace.instructions.back();
  set.count = static_cast<int>(isInnermost ? kSetUp : kSetUpOfNumbers);
  set.transactions *= set.count;
  set.needs.push_back({placeOf(CpuUnit::Branches),
                       (isInnermost ? kJumps : kJumpsOfNumbers) / static_cast<double>(set.count)});
}

void ThreadLane::endLoop() { close(); }

/// One whose copies Clang puts together into vectors.
bool ThreadLane::isTakenAsLoop(const loop::For &f) const { return !block_ && codeOf(f).isStraight; }

void ThreadLane::turnsAre(long turns) {
  ran_.trace.loops[static_cast<std::size_t>(open_.back().loop)].times = turns;
  ran_.exact[static_cast<std::size_t>(open_.back().loop)] = static_cast<double>(turns);
}

/// With an iteration in its middle. Iterations of a vector loop are counted one by one. `times`: on average, so that whole numbers are such
/// that the loops around and this one have about as many iterations together as on average.
void ThreadLane::open(double times, long middle, bool isCounted, long numbers, int statement) {
  const double drift = open_.empty() ? 1 : open_.back().drift;
  const long rounded = std::max(1L, std::lround(times * drift));
  const std::size_t loop = ran_.trace.loops.size();
  const bool isKnown = how_.first && loop < how_.first->turns.size();
  turn_ = isKnown ? how_.first->turns[loop] : std::max(0L, middle);
  ran_.turns.push_back(turn_);
  turn_ = (turn_ + (static_cast<int>(loop) == how_.shifted ? how_.by : 0)) * numbers;
  open_.push_back({static_cast<int>(ran_.trace.instructions.size()), static_cast<int>(loop), isCounted,
                   numbers, statement});
  open_.back().accesses = ran_.accesses.size();
  open_.back().drift = drift * times / static_cast<double>(rounded);
  ran_.trace.loops.push_back({0, 0, rounded});
  ran_.exact.push_back(times);
  loaded_.clear();
  stored_.clear();
  aliases_.clear(); // from the second iteration on, a place has what the first one has left in it
}

/// All iterations at once. It has a place among the loops, so that other runs may shift it.
void ThreadLane::openStraight(long numbers, int statement) {
  const std::size_t loop = ran_.trace.loops.size();
  turn_ = static_cast<int>(loop) == how_.shifted ? how_.by * numbers : 0;
  ran_.turns.push_back(0);
  Open made{static_cast<int>(ran_.trace.instructions.size()), static_cast<int>(loop), false, numbers,
            statement};
  made.drift = open_.empty() ? 1 : open_.back().drift;
  made.isStraight = true;
  open_.push_back(made);
  ran_.trace.loops.push_back({0, 0, 1});
  ran_.exact.push_back(1);
}

void ThreadLane::close() {
  const Open last = open_.back();
  if (last.isStraight) {
    open_.pop_back();
    ran_.trace.loops[static_cast<std::size_t>(last.loop)].first = last.first;
    ran_.trace.loops[static_cast<std::size_t>(last.loop)].end =
        static_cast<int>(ran_.trace.instructions.size());
    return;
  }
  isFor(last.statement);
  Repeat &loop = ran_.trace.loops[static_cast<std::size_t>(last.loop)];
  const auto length = static_cast<long>(ran_.trace.instructions.size()) - last.first;
  double jumps = 1.0 / static_cast<double>(last.vectors);
  if (last.isCounted) { // its variable, and the branch
    emit(CpuUnit::Integers, Scalar::I64, Kind::Computing, {}, 1);
    if (last.isRepeated && length > 0)
      jumps = 1.0 / static_cast<double>(std::bit_floor(static_cast<unsigned long>(
                        std::clamp(kRepeated / length, 1L, std::min(kMostRepeated, loop.times)))));
  }
  if (length > 0) {
    Instruction &end = ran_.trace.instructions.back();
    end.needs.push_back({placeOf(CpuUnit::Branches), jumps / end.count});
  }
  open_.pop_back();
  loop.first = last.first;
  loop.end = static_cast<int>(ran_.trace.instructions.size());
  const double rounds = static_cast<double>(loop.times) * jumps;
  addUp(last);
  if (std::lround(last.rest * last.drift) > 0)
    appendRest(last);
  if (length > 0 && core_.guessed > 0 && rounds > static_cast<double>(core_.guessed)) {
    emit(CpuUnit::Branches, Scalar::I64, Kind::Computing, {}, 1);
    ran_.trace.instructions.back().redirects = true;
  }
  loaded_.clear();
  stored_.clear();
  aliases_.clear();
}

/// The sums of a loop's vectors: half of them are added to the other half, until there is one number.
void ThreadLane::addUp(const Open &main) {
  for (const auto &[place, type] : main.sums)
    for (long left = main.numbers / 2; left > 0; left /= 2) {
      const int own = registerOf(place);
      emit(CpuUnit::Add, type, Kind::Computing, {own}, left);
      ran_.trace.instructions.back().writes = {own};
    }
}

/// The last iterations one by one: the same instructions for numbers alone.
void ThreadLane::appendRest(const Open &main) {
  Trace &trace = ran_.trace;
  const long loop = static_cast<long>(trace.loops.size());
  const auto first = static_cast<int>(trace.instructions.size());
  std::map<int, int> renamed;
  std::set<int> sums; // which these iterations go on with
  for (const auto &[place, type] : main.sums)
    sums.insert(registerOf(place));
  const int end = trace.loops[static_cast<std::size_t>(main.loop)].end;
  for (int k = main.first; k < end; ++k) {
    Instruction one = trace.instructions[static_cast<std::size_t>(k)];
    const Scalar type = types_[static_cast<std::size_t>(k)];
    auto unit = static_cast<CpuUnit>(one.resource);
    unit = unit == CpuUnit::Gathers ? CpuUnit::Loads : unit == CpuUnit::Scatters ? CpuUnit::Stores : unit;
    const bool usesPorts = unit == CpuUnit::Add || unit == CpuUnit::Multiply || unit == CpuUnit::Fma;
    one.resource = placeOf(unit);
    one.count = 1;
    one.transactions = usesPorts ? 1 : core_.admissions(unit, type, 1);
    one.needs.clear();
    if (usesPorts)
      one.needs.push_back(
          {placeOf(CpuUnit::Ports), static_cast<double>(core_.admissions(CpuUnit::Ports, type, 1))});
    for (int &read : one.reads)
      if (const auto at = renamed.find(read); at != renamed.end())
        read = at->second;
    for (int &written : one.writes)
      if (!sums.contains(written))
        written = renamed[written] = trace.registers++;
    trace.instructions.push_back(std::move(one));
    types_.push_back(type);
  }
  for (std::size_t a = main.accesses, end = ran_.accesses.size(); a < end; ++a) {
    Accessing one = ran_.accesses[a];
    one.instruction += first - main.first;
    one.bytes = ran_.reached[one.reached].bytesOfCell;
    one.cells = 1;
    one.isRest = true;
    if (const auto at = renamed.find(one.value); at != renamed.end())
      one.value = at->second;
    one.loops.back() = loop;
    ran_.accesses.push_back(std::move(one));
  }
  emit(CpuUnit::Integers, Scalar::I64, Kind::Computing, {}, 1);
  trace.instructions.back().needs.push_back({placeOf(CpuUnit::Branches), 1});
  trace.loops.push_back(
      {first, static_cast<int>(trace.instructions.size()), std::lround(main.rest * main.drift)});
  ran_.turns.push_back(0);
  ran_.exact.push_back(main.rest);
  ran_.exact[static_cast<std::size_t>(main.loop)] += main.rest / static_cast<double>(main.numbers);
  ran_.rests.push_back({main.loop, loop, main.numbers});
}

long ThreadLane::numbers() const {
  long product = 1;
  for (const Open &o : open_)
    product = std::max(product, o.numbers);
  return product;
}

/// Rows and vectors as runtime/abi/register_tile.h chooses them. Strips are copied, so that a block reads them side by side.
void ThreadLane::blockOfPoints(const Block &b) {
  const long lanes = std::max(1L, core_.vectorBytes / bytesOf(b.element));
  const long vectors = b.size.vectors ? b.size.vectors : core_.vectorRegisters >= 32 ? 3 : 2;
  const long fitting = core_.vectorRegisters * 3 / 4 / (vectors * std::max(1, b.scalars));
  const long rows = b.size.rows ? b.size.rows : std::clamp(fitting, 1L, b.depth ? 32L : 8L);
  block_ = &b;
  bind(Block::kRows, rows);
  bind(Block::kVectors, vectors);
  bind(Block::kWidth, lanes);
  bind(Block::kIsFirst, 1);
  bind(Block::kIsLast, 1);
  const int statement = served_.of(b);
  const long yBegin = valueOf(b.yBegin), yEnd = valueOf(b.yEnd);
  const long blocks = std::max(1L, (yEnd - yBegin + rows - 1) / rows);
  open(static_cast<double>(blocks), blocks / 2, true, 1, statement);
  row_ = turn_;
  bind(Block::kY, yBegin + row_ * rows);
  bind(b.y, yBegin + row_ * rows);
  const long xBegin = valueOf(b.xBegin), xEnd = valueOf(b.xEnd), columns = vectors * lanes;
  const long across = std::max(1L, (xEnd - xBegin + columns - 1) / columns);
  open(static_cast<double>(across), across / 2, true, 1, statement);
  column_ = turn_;
  open_.back().numbers = lanes;
  bind(Block::kX, xBegin + column_ * columns);
  bind(b.x, xBegin + column_ * columns);
  if (b.depth) {
    bind(Block::kFirstStep, valueOf(b.depth->begin));
    bind(Block::kPastStep, valueOf(b.depth->end));
  }
  run(b.cells);
  close();
  close();
  block_ = nullptr;
}

} // namespace pbc::emulate
