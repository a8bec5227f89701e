// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The values that a thread computes: the part of ThreadLane that makes instructions.
#include "compiler/emulate/processor/selection.h"
#include "compiler/emulate/processor/thread_lane.h"
#include "compiler/kernel/footprint.h"
#include <algorithm>

namespace pbc::emulate {
namespace {

using body::Scalar;
using loop::Expr;
using Op = loop::Operation::Op;

constexpr double kOfMoving = 2; // only half of the ports move numbers within vectors

long roomFor(Scalar type, long width) {
  return std::max(1L, width / static_cast<long>(kernel::bytesOf(type)));
}

const loop::Operation *productIn(const Expr &e) {
  if (const loop::Grouped *g = loop::as<loop::Grouped>(e))
    return productIn(g->operand);
  const loop::Operation *o = loop::as<loop::Operation>(e);
  return o && o->op == Op::Multiply && isReal(o->type) ? o : nullptr;
}

} // namespace

void ThreadLane::assign(const loop::Assign &a) {
  if (loop::as<loop::Name>(a.target) || loop::as<loop::KeptValue>(a.target) ||
      loop::as<loop::KeptValue>(a.value))
    return;
  isFor(served_.of(a));
  int value = valueIn(a.value);
  if (const loop::Local *local = loop::as<loop::Local>(a.target)) {
    if (!open_.empty() && open_.back().names.contains(local->name))
      open_.back().sums.try_emplace(localOf(a.target), local->type);
    if (a.op)
      value = combined(a, value, {});
    assignTo(localOf(a.target), value);
    if (a.op && areInMemory_ && loop::as<loop::Local>(a.target)->isByLane)
      emit(CpuUnit::Stores, Scalar::F64, Kind::Computing, {value}, numbers());
    return;
  }
  const Where where = reach(a.target);
  if (a.op)
    value = combined(a, value, where);
  stored(where, value);
}

void ThreadLane::declare(const loop::Let::Variable &v) {
  isFor(served_.of(v));
  assignTo({v.name, {}}, valueIn(v.value));
}

void ThreadLane::isFor(int statement) {
  const auto at = static_cast<std::size_t>(statement);
  origin_ = statement >= 0 && at < question_.origins.size() ? question_.origins[at] : source::Origin{};
}

/// One instruction for each vector of so many values, which are one or `apart` from each other.
int ThreadLane::emit(CpuUnit unit, Scalar type, Kind kind, std::vector<int> reads, long numbers, long apart) {
  const long room = roomFor(type, width());
  const bool isOneByOne = apart != 1;
  if (isOneByOne && core_.hasGathers && !block_)
    return emitApart(unit, type, kind, std::move(reads), numbers);
  const int count = static_cast<int>(isOneByOne ? numbers : (numbers + room - 1) / room);
  const long each = isOneByOne ? 1 : std::min(numbers, room);
  const bool usesPorts = unit == CpuUnit::Add || unit == CpuUnit::Multiply || unit == CpuUnit::Fma;
  Instruction made;
  made.resource = placeOf(unit);
  made.count = count;
  made.transactions = usesPorts ? count : count * core_.admissions(unit, type, each);
  made.reads = std::move(reads);
  made.writes = {ran_.trace.registers++};
  made.region = regionOf(kind);
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
int ThreadLane::emitApart(CpuUnit unit, Scalar type, Kind kind, std::vector<int> reads, long numbers) {
  const long room = roomFor(type, width());
  Instruction made;
  made.resource = placeOf(unit == CpuUnit::Stores ? CpuUnit::Scatters : CpuUnit::Gathers);
  made.count = static_cast<int>((numbers + room - 1) / room);
  made.transactions = static_cast<int>(numbers);
  made.entries =
      static_cast<int>(numbers / made.count) + 1; // a load for each cell, and what puts them together
  made.reads = std::move(reads);
  made.writes = {ran_.trace.registers++};
  made.region = regionOf(kind);
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
      made.push_back(emit(s.unit, type, Kind::Computing, reads, numbers()));
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
    made.region = regionOf(Kind::Computing);
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
        return emit(CpuUnit::Fma, o.type, Kind::Computing, std::move(reads), numbers());
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
    before = emit(CpuUnit::Loads, Scalar::F64, Kind::Computing, {before}, numbers());
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

} // namespace pbc::emulate
