// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/processor/thread_lane.h"
#include "compiler/emulate/processor/clang_loops.h"
#include "compiler/emulate/processor/line_sources.h"
#include "compiler/emulate/processor/selection.h"
#include "compiler/kernel/footprint.h"
#include "compiler/loop/walk.h"
#include <algorithm>
#include <bit>
#include <cstdlib>

namespace pbc::emulate {
namespace {

using body::Scalar;
using loop::Expr;
using Block = loop::BlockOfPoints;
using Op = loop::Operation::Op;

constexpr long kOnce = 1; // a loop is carried out so often
constexpr int kNoLane = 0;
constexpr double kOfMoving = 2; // only half of the ports move numbers within vectors
const loop::LaunchShape kNoLaunch;

long bytesOf(Scalar s) { return static_cast<long>(kernel::bytesOf(s)); }

const loop::Operation *productIn(const Expr &e) {
  if (const loop::Grouped *g = loop::as<loop::Grouped>(e))
    return productIn(g->operand);
  const loop::Operation *o = loop::as<loop::Operation>(e);
  return o && o->op == Op::Multiply && isReal(o->type) ? o : nullptr;
}

/// Of a loop that may run in vectors: its limits are compared, its values set up, and it is jumped around or to its rest. Of another one, its
/// limits are compared.
constexpr long kSetUp = 8, kSetUpOfNumbers = 3;
constexpr double kJumps = 2, kJumpsOfNumbers = 1;
constexpr long kRepeated = 50,
               kMostRepeated = 8; // instructions of a round without vectors, as LLVM unrolls it

} // namespace

ThreadLane::ThreadLane(const ThreadQuestion &question, const ProcessorCore &core, const RunOf &how)
    : WarpLane(kNoLaunch, kNoLane, kOnce), question_(question), core_(core), how_(how) {
  ran_.trace.regions = {"loads", "computing", "stores"};
}

Ran ThreadLane::take() {
  run(question_.lowered);
  return std::move(ran_);
}

long ThreadLane::ofLaunch(const loop::Name &n) const {
  const auto at = question_.names.find(n.name);
  return at != question_.names.end() ? at->second : WarpLane::ofLaunch(n);
}

// ---- loops

void ThreadLane::beginLoop(const loop::For &f, long turns) {
  LoopCode code = loopCode(f, question_.matrices, width(), core_.hasGathers);
  if (block_ || turns < code.lanes * code.vectors)
    code.lanes = code.vectors = 1;
  const bool isVector = code.lanes > 1;
  const long inRound = code.lanes * code.vectors, main = turns / inRound * inRound;
  emitSetUp(isVector || code.isInnermost);
  open(main / code.lanes, !isVector, code.lanes);
  open_.back().vectors = code.vectors;
  open_.back().rest = isVector ? turns - main : 0;
  open_.back().isInnermost = code.isInnermost;
  areInMemory_ = isVector && turns * bytesOf(Scalar::F64) > width() * question_.vectorRegisters * 3 / 4;
  if (isVector && how_.isLaneOne)
    ++turn_;
}

/// Loops that have constant limits and few iterations.
bool ThreadLane::goesThroughAll(const loop::For &f, long turns) const {
  return !block_ && isWrittenOut(f, turns);
}

void ThreadLane::emitSetUp(bool isInnermost) {
  if (block_)
    return;
  emit(CpuUnit::Integers, Scalar::I64, Region::Computing, {}, 1);
  Instruction &set = ran_.trace.instructions.back();
  set.count = static_cast<int>(isInnermost ? kSetUp : kSetUpOfNumbers);
  set.transactions *= set.count;
  set.needs.push_back({placeOf(CpuUnit::Branches),
                       (isInnermost ? kJumps : kJumpsOfNumbers) / static_cast<double>(set.count)});
}

void ThreadLane::endLoop() { close(); }

/// One from the middle. Iterations of a vector loop are counted one by one.
long ThreadLane::firstTurn(long) const { return turn_; }

void ThreadLane::turnsAre(long turns) {
  ran_.trace.loops[static_cast<std::size_t>(open_.back().loop)].times = turns;
  ran_.exact[static_cast<std::size_t>(open_.back().loop)] = static_cast<double>(turns);
}

void ThreadLane::open(long times, bool isCounted, long numbers) {
  const std::size_t loop = ran_.trace.loops.size();
  const bool isKnown = how_.first && loop < how_.first->turns.size();
  turn_ = isKnown ? how_.first->turns[loop] : times / 2;
  ran_.turns.push_back(turn_);
  turn_ = (turn_ + (static_cast<int>(loop) == how_.shifted ? how_.by : 0)) * numbers;
  open_.push_back(
      {static_cast<int>(ran_.trace.instructions.size()), static_cast<int>(loop), isCounted, numbers});
  open_.back().accesses = ran_.accesses.size();
  ran_.trace.loops.push_back({0, 0, times});
  ran_.exact.push_back(static_cast<double>(times));
  loaded_.clear();
  aliases_.clear(); // from the second iteration on, a place has what the first one has left in it
}

void ThreadLane::close() {
  const Open last = open_.back();
  Repeat &loop = ran_.trace.loops[static_cast<std::size_t>(last.loop)];
  const auto length = static_cast<long>(ran_.trace.instructions.size()) - last.first;
  double jumps = 1.0 / static_cast<double>(last.vectors);
  if (last.isCounted) { // its variable, and the branch
    emit(CpuUnit::Integers, Scalar::I64, Region::Computing, {}, 1);
    if (last.isInnermost && length > 0)
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
  if (last.rest > 0)
    appendRest(last);
  if (length > 0 && core_.guessed > 0 && rounds > static_cast<double>(core_.guessed)) {
    emit(CpuUnit::Branches, Scalar::I64, Region::Computing, {}, 1);
    ran_.trace.instructions.back().redirects = true;
  }
  loaded_.clear();
  aliases_.clear();
}

/// The last iterations one by one: the same instructions for numbers alone.
void ThreadLane::appendRest(const Open &main) {
  Trace &trace = ran_.trace;
  const long loop = static_cast<long>(trace.loops.size());
  const auto first = static_cast<int>(trace.instructions.size());
  std::map<int, int> renamed;
  for (int k = main.first; k < first; ++k) {
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
  emit(CpuUnit::Integers, Scalar::I64, Region::Computing, {}, 1);
  trace.instructions.back().needs.push_back({placeOf(CpuUnit::Branches), 1});
  trace.loops.push_back({first, static_cast<int>(trace.instructions.size()), main.rest});
  ran_.turns.push_back(0);
  ran_.exact.push_back(static_cast<double>(main.rest));
  ran_.exact[static_cast<std::size_t>(main.loop)] +=
      static_cast<double>(main.rest) / static_cast<double>(main.numbers);
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
  const long vectors = b.size.vectors ? b.size.vectors : question_.vectorRegisters >= 32 ? 3 : 2;
  const long fitting = question_.vectorRegisters * 3 / 4 / (vectors * std::max(1, b.scalars));
  const long rows = b.size.rows ? b.size.rows : std::clamp(fitting, 1L, b.depth ? 32L : 8L);
  block_ = &b;
  bind(Block::kRows, rows);
  bind(Block::kVectors, vectors);
  bind(Block::kWidth, lanes);
  bind(Block::kIsFirst, 1);
  bind(Block::kIsLast, 1);
  const long yBegin = valueOf(b.yBegin), yEnd = valueOf(b.yEnd);
  open(std::max(1L, (yEnd - yBegin + rows - 1) / rows), true, 1);
  row_ = turn_;
  bind(Block::kY, yBegin + row_ * rows);
  bind(b.y, yBegin + row_ * rows);
  const long xBegin = valueOf(b.xBegin), xEnd = valueOf(b.xEnd), columns = vectors * lanes;
  open(std::max(1L, (xEnd - xBegin + columns - 1) / columns), true, 1);
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

// ---- instructions

void ThreadLane::assign(const loop::Assign &a) {
  if (loop::as<loop::Name>(a.target) || loop::as<loop::KeptValue>(a.target) ||
      loop::as<loop::KeptValue>(a.value))
    return;
  int value = valueIn(a.value);
  if (loop::as<loop::Local>(a.target)) {
    if (a.op)
      value = combined(a, value, {});
    assignTo(localOf(a.target), value);
    if (a.op && areInMemory_ && loop::as<loop::Local>(a.target)->isByLane)
      emit(CpuUnit::Stores, Scalar::F64, Region::Computing, {value}, numbers());
    return;
  }
  const Where where = reach(a.target);
  if (a.op)
    value = combined(a, value, where);
  stored(where, value);
}

void ThreadLane::declare(const loop::Let::Variable &v) { assignTo({v.name, {}}, valueIn(v.value)); }

/// One instruction for each vector of so many values, which are one or `apart` from each other.
int ThreadLane::emit(CpuUnit unit, Scalar type, Region region, std::vector<int> reads, long numbers,
                     long apart) {
  const long room = std::max(1L, width() / bytesOf(type));
  const bool isOneByOne = apart != 1;
  if (isOneByOne && core_.hasGathers && !block_)
    return emitApart(unit, type, region, std::move(reads), numbers);
  const int count = static_cast<int>(isOneByOne ? numbers : (numbers + room - 1) / room);
  const long each = isOneByOne ? 1 : std::min(numbers, room);
  const bool usesPorts = unit == CpuUnit::Add || unit == CpuUnit::Multiply || unit == CpuUnit::Fma;
  Instruction made;
  made.resource = placeOf(unit);
  made.count = count;
  made.transactions = usesPorts ? count : count * core_.admissions(unit, type, each);
  made.reads = std::move(reads);
  made.writes = {ran_.trace.registers++};
  made.region = static_cast<int>(region);
  if (isOneByOne && isReal(type)) // a number is put into a vector, or taken out of it, by one of the ports
    made.needs.push_back({placeOf(CpuUnit::Ports), kOfMoving * core_.admissions(CpuUnit::Ports, type, 1)});
  if (usesPorts)
    made.needs.push_back(
        {placeOf(CpuUnit::Ports), static_cast<double>(core_.admissions(CpuUnit::Ports, type, each))});
  ran_.trace.instructions.push_back(std::move(made));
  types_.push_back(type);
  return ran_.trace.instructions.back().writes.front();
}

/// One instruction for a vector of cells that are apart, and each of them a load or a store.
int ThreadLane::emitApart(CpuUnit unit, Scalar type, Region region, std::vector<int> reads, long numbers) {
  const long room = std::max(1L, width() / bytesOf(type));
  Instruction made;
  made.resource = placeOf(unit == CpuUnit::Stores ? CpuUnit::Scatters : CpuUnit::Gathers);
  made.count = static_cast<int>((numbers + room - 1) / room);
  made.transactions = static_cast<int>(numbers);
  made.reads = std::move(reads);
  made.writes = {ran_.trace.registers++};
  made.region = static_cast<int>(region);
  made.needs.push_back(
      {placeOf(unit), static_cast<double>(numbers * core_.admissions(unit, type, 1)) / made.count});
  ran_.trace.instructions.push_back(std::move(made));
  types_.push_back(type);
  return ran_.trace.instructions.back().writes.front();
}

int ThreadLane::chained(const CpuSelected &s, Scalar type, std::vector<int> reads) {
  for (int k = 0; k < s.steps; ++k) {
    std::vector<int> made;
    for (int t = 0; t < s.together; ++t)
      made.push_back(emit(s.unit, type, Region::Computing, reads, numbers()));
    reads = std::move(made);
  }
  return reads.empty() ? -1 : reads.front();
}

int ThreadLane::registerOf(const Place &place) {
  if (const auto copy = aliases_.find(place); copy != aliases_.end())
    return copy->second;
  const auto [at, isNew] = registers_.try_emplace(place, ran_.trace.registers);
  ran_.trace.registers += isNew ? 1 : 0;
  return at->second;
}

/// The place keeps its register from one iteration to the next. A value that was there before is not moved. A constant is moved, so that
/// nothing waits for what was in the register: on no unit, as processors do it while they rename registers.
void ThreadLane::assignTo(const Place &place, int value) {
  aliases_.erase(place);
  const int own = registerOf(place);
  if (value < 0) {
    Instruction made;
    made.resource = placeOf(CpuUnit::Add); // whose admissions take no time
    made.writes = {own};
    made.region = static_cast<int>(Region::Computing);
    ran_.trace.instructions.push_back(std::move(made));
    types_.push_back(Scalar::F64);
    return;
  }
  Instruction *last = ran_.trace.instructions.empty() ? nullptr : &ran_.trace.instructions.back();
  if (last && std::find(last->writes.begin(), last->writes.end(), value) != last->writes.end())
    last->writes.push_back(own);
  else if (value != own)
    aliases_[place] = value;
}

ThreadLane::Place ThreadLane::localOf(const Expr &e) const {
  const loop::Local &local = *loop::as<loop::Local>(e);
  Place place{local.name, {}};
  for (const Expr &index : local.indices)
    place.second.push_back(valueOf(index));
  return place;
}

/// The register with the expression's value; -1: a number that costs nothing.
int ThreadLane::valueIn(const Expr &e) {
  if (const loop::Grouped *g = loop::as<loop::Grouped>(e))
    return valueIn(g->operand);
  if (loop::as<loop::Local>(e))
    return registerOf(localOf(e));
  if (loop::as<loop::Element>(e) || loop::as<loop::CellVector>(e) || loop::as<loop::StripValue>(e))
    return loaded(reach(e));
  if (const loop::Spread *s = loop::as<loop::Spread>(e))
    return valueIn(s->operand);
  if (const loop::Name *n = loop::as<loop::Name>(e)) // of a value, or of a size
    return registers_.contains({n->name, {}}) ? registerOf({n->name, {}}) : -1;
  if (const loop::Operation *o = loop::as<loop::Operation>(e))
    return operation(*o);
  if (const loop::Function *f = loop::as<loop::Function>(e))
    return chained(cpuSelected(*f), f->type, valuesIn(f->operands));
  if (const loop::Cast *c = loop::as<loop::Cast>(e))
    return chained(cpuSelected(*c), c->type, valuesIn({c->operand}));
  return -1;
}

std::vector<int> ThreadLane::valuesIn(const std::vector<Expr> &all) {
  std::vector<int> values;
  for (const Expr &e : all)
    if (const int value = valueIn(e); value >= 0)
      values.push_back(value);
  return values;
}

int ThreadLane::operation(const loop::Operation &o) {
  if (o.op == Op::Plus)
    return valueIn(o.operands[0]);
  if (o.op == Op::Add || o.op == Op::Subtract)
    for (std::size_t k = 0; k < 2; ++k)
      if (const loop::Operation *product = productIn(o.operands[k])) {
        std::vector<int> reads = valuesIn(product->operands);
        if (const int other = valueIn(o.operands[1 - k]); other >= 0)
          reads.push_back(other);
        return emit(CpuUnit::Fma, o.type, Region::Computing, std::move(reads), numbers());
      }
  std::vector<int> reads = valuesIn(o.operands);
  return reads.empty() ? -1
                       : chained(cpuSelected(o), o.type, std::move(reads)); // without values it is constant
}

/// Of `target op= value`, whose value was computed already. A product that is added is one instruction with the sum.
int ThreadLane::combined(const loop::Assign &a, int value, const std::optional<Where> &where) {
  int before = where ? loaded(*where) : registerOf(localOf(a.target));
  const bool isInMemory = !where && areInMemory_ && loop::as<loop::Local>(a.target)->isByLane;
  if (isInMemory) // it is loaded from where it was stored just before
    before = emit(CpuUnit::Loads, Scalar::F64, Region::Computing, {before}, numbers());
  Instruction *last = ran_.trace.instructions.empty() ? nullptr : &ran_.trace.instructions.back();
  const bool isSum = a.op == Op::Add || a.op == Op::Subtract;
  if (isSum && !isInMemory && productIn(a.value) && last && last->resource == placeOf(CpuUnit::Multiply) &&
      value >= 0 && last->writes.back() == value) {
    last->resource = placeOf(CpuUnit::Fma);
    last->reads.push_back(before);
    return value;
  }
  std::vector<int> reads{before};
  if (value >= 0)
    reads.push_back(value);
  const Scalar type = where ? where->type : loop::as<loop::Local>(a.target)->type;
  return chained(cpuSelected(loop::Operation{*a.op, type, {}}), type, std::move(reads));
}

// ---- memory

ThreadLane::Where ThreadLane::reach(const Expr &e) {
  if (const loop::StripValue *strip = loop::as<loop::StripValue>(e))
    return reachStrip(*strip);
  const loop::CellVector *vector = loop::as<loop::CellVector>(e);
  const loop::Element &element = *loop::as<loop::Element>(vector ? vector->cell : e);
  const auto number = static_cast<std::size_t>(element.buffer);
  const loop::Matrix &m = question_.matrices[number];
  const std::vector<long> &extents = question_.extents[number];
  long cell = 0, stride = 1;
  for (std::size_t d = 0; d < element.indices.size(); ++d) {
    cell += valueOf(element.indices[d]) * stride;
    stride *= d < extents.size() ? extents[d] : 1;
  }
  std::optional<long> step;
  if (block_) {
    step = vector && vector->apart.parts.empty() ? 1 : 0;
    if (vector)
      for (const loop::Distance::Part &part : vector->apart.parts) {
        long apart = part.factor;
        for (int d = 0; d < part.dimension && d < static_cast<int>(extents.size()); ++d)
          apart *= extents[static_cast<std::size_t>(d)];
        *step += apart;
      }
  }
  return noted({element.buffer, cell * bytesOf(m.element), bytesOf(m.element)}, m.element, step);
}

/// A strip along x is copied into vectors of all steps, one along y into rows of all steps.
ThreadLane::Where ThreadLane::reachStrip(const loop::StripValue &value) {
  const Block::Strip &strip = block_->depth->strips[static_cast<std::size_t>(value.strip)];
  const auto of = [&](const char *name) { return valueOf(loop::index(name)); };
  const long first = of(Block::kFirstStep), steps = of(Block::kPastStep) - first,
             step = valueOf(value.step) - first;
  const long across = strip.isAlongX ? of(Block::kVectors) * of(Block::kWidth) : of(Block::kRows);
  const long place = ((strip.isAlongX ? column_ : row_) * steps + step) * across +
                     (strip.isAlongX ? of(Block::kVector) * of(Block::kWidth) : of(Block::kRow));
  return noted({static_cast<int>(question_.matrices.size()) + value.strip, place * bytesOf(block_->element),
                bytesOf(block_->element)},
               block_->element, strip.isAlongX ? 1 : 0);
}

ThreadLane::Where ThreadLane::noted(Reached reached, Scalar type, std::optional<long> step) {
  const std::size_t place = ran_.reached.size();
  ran_.reached.push_back(reached);
  if (!step)
    step = how_.steps && place < how_.steps->size() ? (*how_.steps)[place] : 1;
  return {place, type, *step};
}

int ThreadLane::loaded(const Where &w) {
  const Reached &r = ran_.reached[w.reached];
  const auto [at, isNew] = loaded_.try_emplace({r.matrix, r.byte}, -1);
  if (isNew)
    at->second = accessed(w, false, -1);
  return at->second;
}

void ThreadLane::stored(const Where &w, int value) {
  accessed(w, true, value);
  const Reached &r = ran_.reached[w.reached];
  std::erase_if(loaded_, [&](const auto &cell) { return cell.first.first == r.matrix; });
  loaded_[{r.matrix, r.byte}] = value;
}

int ThreadLane::accessed(const Where &w, bool isStore, int value) {
  const long together = w.step == 0 ? 1 : numbers(), apart = together == 1 ? 1 : std::labs(w.step);
  const Reached &r = ran_.reached[w.reached];
  std::vector<int> reads;
  if (value >= 0)
    reads.push_back(value);
  const int result = emit(isStore ? CpuUnit::Stores : CpuUnit::Loads, w.type,
                          isStore ? Region::Stores : Region::Loads, std::move(reads), together, apart);
  Accessing made{w.reached,
                 static_cast<int>(ran_.trace.instructions.size()) - 1,
                 isStore,
                 together * r.bytesOfCell,
                 1,
                 0,
                 isStore ? value : result};
  if (apart > 1) { // lines with some cells each
    made.apart = static_cast<double>(std::max(r.bytesOfCell * apart, kLineBytes));
    made.bytes = std::min(r.bytesOfCell * apart, kLineBytes);
    made.cells = static_cast<double>(together) *
                 std::min(1.0, static_cast<double>(apart * r.bytesOfCell) / kLineBytes);
  }
  for (const Open &o : open_)
    made.loops.push_back(o.loop);
  ran_.accesses.push_back(std::move(made));
  return result;
}

} // namespace pbc::emulate
