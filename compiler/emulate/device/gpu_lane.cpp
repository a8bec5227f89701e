// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/device/gpu_lane.h"
#include "compiler/kernel/footprint.h"
#include "compiler/loop/walk.h"
#include <algorithm>
#include <fmt/format.h>

namespace pbc::emulate {
namespace {

using loop::Expr;
using Op = loop::Operation::Op;

constexpr long kWidest = 16;      // bytes that an instruction loads
constexpr int kMostTogether = 16; // independent instructions that stand as one
constexpr long kStep = 1;         // a loop that is not written out is carried out once
constexpr long kFewTurns = 8;     // or all of its turns, if there are not more, in a trace that is not long
constexpr std::size_t kMostInstructions = 4000;

} // namespace

GpuLane::GpuLane(const WarpQuestion &question, int lane, const loop::ServedStatements &served)
    : WarpLane(question.shape, lane, kStep), question_(question), served_(served) {
  low_ = kCellsInside;
  costs_ = indexCosts(axesOf(question.lowered));
  const int atItem = indices(costs_.ofItem, -1);
  for (std::size_t k = 0; k < question.matrices.size(); ++k)
    if (question.matrices[k].ofGroup.empty() && !question.matrices[k].isOfItem)
      bases_[static_cast<int>(k)] = indices(costs_.ofMatrix, atItem);
}

void GpuLane::declare(const loop::Let::Variable &v) {
  isFor(served_.of(v));
  kind_ = Kind::Loads;
  assignTo({v.name, {}}, valueIn(v.value));
}

long GpuLane::ofLaunch(const loop::Name &n) const {
  if (const auto at = question_.sizes.find(n.name); at != question_.sizes.end())
    return at->second;
  return n.kind == loop::Name::Kind::Value && question_.otherSizes ? *question_.otherSizes
                                                                   : WarpLane::ofLaunch(n);
}

void GpuLane::barrier(const loop::Barrier &b) {
  std::vector<int> reads = std::exchange(stored_, {});
  if (b.endsCopies)
    for (const int copy : std::exchange(copied_, {}))
      reads.push_back(copy);
  trace_.instructions.push_back({.reads = std::move(reads), .isBarrier = true});
  changed();
}

void GpuLane::shuffle(const loop::Shuffle &s) {
  isFor(served_.of(s));
  const int value = valueIn(s.value);
  assignTo({s.name, {}},
           emit(GpuUnit::Shuffle, Kind::Computing, value < 0 ? std::vector<int>{} : std::vector<int>{value}));
}

bool GpuLane::goesThroughAll(const loop::For &, long turns) const {
  return turns <= kFewTurns && trace_.instructions.size() < kMostInstructions;
}

void GpuLane::beginLoop(const loop::For &loop, long turns) {
  open_.push_back({static_cast<int>(trace_.instructions.size()), static_cast<int>(trace_.loops.size()),
                   writesMemory(loop.body), served_.of(loop)});
  trace_.loops.push_back({0, 0, turns});
  outside_.push_back(loaded_); // stays in registers
  computedOutside_.push_back(computed_);
  aliases_.clear();
  apart_ = trace_.instructions.size();
}

void GpuLane::turnsAre(long turns) {
  trace_.loops[static_cast<std::size_t>(open_.back().loop)].times = turns;
}

void GpuLane::endLoop() {
  const auto [first, loop, writes, statement] = open_.back();
  isFor(statement);
  emit(GpuUnit::Integer, Kind::Computing, {}); // the counter, and the branch
  open_.pop_back();
  trace_.loops[static_cast<std::size_t>(loop)].first = first;
  trace_.loops[static_cast<std::size_t>(loop)].end = static_cast<int>(trace_.instructions.size());
  loaded_ = std::move(outside_.back());
  outside_.pop_back();
  computed_ = std::move(computedOutside_.back());
  computedOutside_.pop_back();
  aliases_.clear();
  apart_ = trace_.instructions.size();
}

void GpuLane::assign(const loop::Assign &a) {
  const loop::Element *to = loop::as<loop::Element>(a.target);
  const loop::Local *local = loop::as<loop::Local>(a.target);
  if (!to && !local)
    return; // an index
  isFor(served_.of(a));
  const bool isShared = (to && isOfGroup(*to)) || (local && ofGroup_.contains(local->name));
  kind_ = isShared ? Kind::Copies : to && !isOfItem(*to) ? Kind::Stores : Kind::Computing;
  int value = a.together > 1 ? several(a.value, a.together) : valueIn(a.value);
  if (a.op)
    value = combined(*a.op, a.target, a.value, value);
  if (!isShared && (local || isOfItem(*to))) {
    Place place = placeOf(a.target);
    for (long k = 0; k < a.together; ++k) {
      assignTo(place, value);
      if (!place.second.empty())
        ++place.second.back();
    }
    return;
  }
  if (a.isBackground && value >= 0) {
    copied_.push_back(value);
    return;
  }
  const std::vector<int> reads = value < 0 ? std::vector<int>{} : std::vector<int>{value};
  const int stored = store(a.target, a.together, isShared ? Kind::Copies : Kind::Stores, reads);
  if (isShared)
    stored_.push_back(stored);
  changed();
}

const loop::Matrix &GpuLane::matrixOf(const loop::Element &e) const {
  return question_.matrices[static_cast<std::size_t>(e.buffer)];
}

bool GpuLane::isOfGroup(const loop::Element &e) const {
  return !matrixOf(e).ofGroup.empty() && !matrixOf(e).isOfItem;
}

void GpuLane::changed() {
  loaded_.clear();
  for (std::map<Place, int> &outside : outside_)
    outside.clear();
}

void GpuLane::assignTo(const Place &place, int value) {
  aliases_.erase(place);
  const int own = registerOf(place);
  Instruction *last = trace_.instructions.empty() ? nullptr : &trace_.instructions.back();
  if (last && value >= 0 && std::find(last->writes.begin(), last->writes.end(), value) != last->writes.end())
    last->writes.push_back(own);
  else if (value >= 0 && value != own)
    aliases_[place] = value;
}

void GpuLane::isFor(int statement) {
  const auto at = static_cast<std::size_t>(statement);
  origin_ = statement >= 0 && at < question_.origins.size() ? question_.origins[at] : source::Origin{};
}

Instruction *GpuLane::joinable(GpuUnit unit, Kind kind, const std::vector<int> &reads) {
  if (trace_.instructions.size() <= apart_)
    return nullptr;
  Instruction &last = trace_.instructions.back();
  const bool waits = std::any_of(reads.begin(), reads.end(), [&](int r) {
    return std::find(last.writes.begin(), last.writes.end(), r) != last.writes.end();
  });
  const bool isSame = !last.isBarrier && last.resource == placeOf(unit) && last.region == regionOf(kind);
  return isSame && !waits && last.count < kMostTogether ? &last : nullptr;
}

int GpuLane::emit(GpuUnit unit, Kind kind, std::vector<int> reads) {
  const int result = newRegister();
  if (Instruction *last = joinable(unit, kind, reads)) {
    ++last->count;
    ++last->transactions;
    last->reads.insert(last->reads.end(), reads.begin(), reads.end());
    last->writes.push_back(result);
  } else {
    trace_.instructions.push_back({placeOf(unit), 1, std::move(reads), {result}, regionOf(kind)});
  }
  return result;
}

Place GpuLane::placeOf(const Expr &e) const {
  Place place;
  const auto put = [&](const std::string &name, const std::vector<Expr> &indices) {
    place.first = name;
    for (const Expr &index : indices)
      place.second.push_back(valueOf(index));
  };
  if (const loop::Local *local = loop::as<loop::Local>(e))
    put(local->name, local->indices);
  else if (const loop::Element *element = loop::as<loop::Element>(e))
    put(matrixOf(*element).name, element->indices);
  return place;
}

int GpuLane::valueIn(const Expr &e) {
  if (const loop::Grouped *g = loop::as<loop::Grouped>(e))
    return valueIn(g->operand);
  if (const loop::Local *local = loop::as<loop::Local>(e))
    return ofGroup_.contains(local->name) ? loaded(e, 1) : registerOf(placeOf(e));
  if (const loop::Element *element = loop::as<loop::Element>(e))
    return isOfItem(*element) ? registerOf(placeOf(e)) : loaded(e, 1);
  if (loop::as<loop::Operation>(e) || loop::as<loop::Cast>(e)) {
    std::string key;
    if (!isOfIndices(e, key))
      return computed(e);
    const auto [at, isNew] = computed_.try_emplace(std::move(key), -1);
    if (isNew)
      at->second = computed(e);
    return at->second;
  }
  if (const loop::Function *f = loop::as<loop::Function>(e))
    return chained(selected(*f), valuesIn(f->operands));
  if (const loop::Name *n = loop::as<loop::Name>(e)) {
    const Place place{n->name, {}};
    return registers_.contains(place) ? registerOf(place) : -1;
  }
  return -1;
}

int GpuLane::computed(const Expr &e) {
  if (const loop::Cast *c = loop::as<loop::Cast>(e))
    return chained(selected(*c), valuesIn({c->operand}));
  return operation(*loop::as<loop::Operation>(e));
}

bool GpuLane::isOfIndices(const Expr &e, std::string &key) const {
  const auto all = [&](const std::vector<Expr> &operands) {
    key += '(';
    const bool isOne = std::all_of(operands.begin(), operands.end(),
                                   [&](const Expr &operand) { return isOfIndices(operand, key); });
    key += ')';
    return isOne;
  };
  if (const loop::Grouped *g = loop::as<loop::Grouped>(e))
    return isOfIndices(g->operand, key);
  if (const loop::Name *n = loop::as<loop::Name>(e)) {
    key += fmt::format("{}={} ", n->name, valueOf(e));
    return !registers_.contains({n->name, {}});
  }
  if (const loop::Literal *l = loop::as<loop::Literal>(e)) {
    key += l->text + ' ';
    return true;
  }
  if (const loop::Integer *i = loop::as<loop::Integer>(e)) {
    key += fmt::format("{} ", i->value);
    return true;
  }
  if (const loop::Arithmetic *a = loop::as<loop::Arithmetic>(e)) {
    key += fmt::format("a{}", static_cast<int>(a->op));
    return all(a->operands);
  }
  if (const loop::Operation *o = loop::as<loop::Operation>(e)) {
    key += fmt::format("o{}:{}", static_cast<int>(o->op), static_cast<int>(o->type));
    return all(o->operands);
  }
  if (const loop::Cast *c = loop::as<loop::Cast>(e)) {
    key += fmt::format("c{}", static_cast<int>(c->type));
    return all({c->operand});
  }
  return false;
}

std::vector<int> GpuLane::valuesIn(const std::vector<Expr> &all) {
  std::vector<int> values;
  for (const Expr &e : all)
    if (const int value = valueIn(e); value >= 0)
      values.push_back(value);
  return values;
}

int GpuLane::registerOf(const Place &place) {
  if (const auto copy = aliases_.find(place); copy != aliases_.end())
    return copy->second;
  const auto [at, isNew] = registers_.try_emplace(place, trace_.registers);
  trace_.registers += isNew ? 1 : 0;
  return at->second;
}

int GpuLane::several(const Expr &e, long cells) {
  if (loop::as<loop::Element>(e) && !isOfItem(*loop::as<loop::Element>(e)))
    return loaded(e, cells);
  Place place = placeOf(e);
  std::vector<int> all;
  for (long k = 0; k < cells; ++k, place.second.empty() ? 0 : ++place.second.back())
    all.push_back(registerOf(place));
  return all.empty() ? -1 : all.back();
}

int GpuLane::chained(const std::vector<Selected> &instructions, std::vector<int> reads) {
  for (const Selected &s : instructions)
    for (int k = 0; k < s.count; ++k)
      reads = {emit(s.unit, Kind::Computing, reads)};
  return reads.empty() ? -1 : reads.front();
}

bool GpuLane::isFused(const loop::Operation &o) {
  return (o.op == Op::Add || o.op == Op::Subtract) &&
         (o.type == loop::Scalar::F32 || o.type == loop::Scalar::F64);
}

const loop::Operation *GpuLane::productIn(const Expr &e) {
  if (const loop::Grouped *g = loop::as<loop::Grouped>(e))
    return productIn(g->operand);
  const loop::Operation *o = loop::as<loop::Operation>(e);
  return o && o->op == Op::Multiply ? o : nullptr;
}

int GpuLane::operation(const loop::Operation &o) {
  if (isFused(o))
    for (std::size_t k = 0; k < 2; ++k)
      if (const loop::Operation *product = productIn(o.operands[k])) {
        std::vector<int> reads = valuesIn(product->operands);
        if (const int other = valueIn(o.operands[1 - k]); other >= 0)
          reads.push_back(other);
        return emit(unitOf(o.type), Kind::Computing, std::move(reads));
      }
  return chained(selected(o), valuesIn(o.operands));
}

int GpuLane::combined(Op op, const Expr &target, const Expr &from, int value) {
  std::vector<int> reads;
  if (const int before = valueIn(target); before >= 0)
    reads.push_back(before);
  const loop::Operation *product = op == Op::Add || op == Op::Subtract ? productIn(from) : nullptr;
  if (product && value >= 0 && !trace_.instructions.empty() &&
      trace_.instructions.back().writes.back() == value) { // the product is part of it
    Instruction &last = trace_.instructions.back();
    last.reads.insert(last.reads.end(), reads.begin(), reads.end());
    return value;
  }
  if (value >= 0)
    reads.push_back(value);
  const loop::Local *local = loop::as<loop::Local>(target);
  const loop::Element *element = loop::as<loop::Element>(target);
  return emit(unitOf(local ? local->type : matrixOf(*element).element), Kind::Computing, std::move(reads));
}

GpuLane::Where GpuLane::whereIs(const Expr &e) const {
  long place = 0, stride = 1;
  if (const loop::Local *local = loop::as<loop::Local>(e)) {
    const loop::Array &array = *ofGroup_.at(local->name);
    for (std::size_t d = 0; d < local->indices.size(); ++d)
      place = place * valueOf(array.extents[d]) + valueOf(local->indices[d]);
    return {local->name, true, place, static_cast<long>(kernel::bytesOf(local->type))};
  }
  const loop::Element &element = *loop::as<loop::Element>(e);
  const loop::Matrix &m = matrixOf(element);
  for (std::size_t d = 0; d < element.indices.size(); ++d) {
    place += valueOf(element.indices[d]) * (isOfGroup(element) ? valueOf(groupStride(m, d)) : stride);
    stride *= kRowOfCells;
  }
  return {m.name, isOfGroup(element), place, static_cast<long>(kernel::bytesOf(m.element))};
}

int GpuLane::loaded(const Expr &e, long cells) {
  const Where w = whereIs(e);
  const long together = w.isShared ? std::max(1L, kWidest / w.bytesOfCell) : cells;
  const Place chunk{w.memory, {together, w.cell / together}};
  const auto [at, isNew] = loaded_.try_emplace(chunk, -1);
  if (isNew) {
    const std::size_t level = hoistLevel(e);
    if (level < open_.size())
      apart_ = trace_.instructions.size();
    const Kind kind = kind_ == Kind::Copies ? Kind::Copies : Kind::Loads;
    at->second = accessOf(e, w, w.isShared ? kWidest : cells * w.bytesOfCell, kind, {});
    if (level < open_.size()) {
      hoisted_[accesses_.back()] = open_[level].loop;
      apart_ = trace_.instructions.size();
      for (std::size_t outside = level; outside < open_.size(); ++outside)
        outside_[outside].emplace(chunk, at->second);
    }
  }
  return at->second;
}

std::size_t GpuLane::hoistLevel(const Expr &e) const {
  const auto changes = static_cast<std::size_t>(changedIn(indicesOf(e)));
  std::size_t level = open_.size();
  while (level > changes && !open_[level - 1].writesMemory)
    --level;
  return level;
}

Expr GpuLane::indicesOf(const Expr &e) {
  const loop::Local *local = loop::as<loop::Local>(e);
  Expr sum = loop::integer(0);
  for (const Expr &index : local ? local->indices : loop::as<loop::Element>(e)->indices)
    sum = loop::add(sum, index);
  return sum;
}

bool GpuLane::writesMemory(const loop::NodePtr &body) const {
  struct Find : loop::Visitor {
    const GpuLane &lane;
    bool isFound = false;
    explicit Find(const GpuLane &lane) : lane(lane) {}
    void node(const loop::NodePtr &one) override {
      const loop::Assign *a = loop::as<loop::Assign>(one);
      const loop::Element *to = a ? loop::as<loop::Element>(a->target) : nullptr;
      const loop::Local *local = a ? loop::as<loop::Local>(a->target) : nullptr;
      isFound |= loop::as<loop::Barrier>(one) || (to && !lane.isOfItem(*to)) ||
                 (local && lane.ofGroup_.contains(local->name));
      Visitor::node(one);
    }
  } find(*this);
  find.node(body);
  return find.isFound;
}

int GpuLane::store(const Expr &e, long cells, Kind kind, std::vector<int> reads) {
  const Where w = whereIs(e);
  const int result = accessOf(e, w, cells * w.bytesOfCell, kind, std::move(reads));
  stores_.insert(accesses_.back());
  return result;
}

int GpuLane::indices(int count, int after) {
  int last = after;
  apart_ = trace_.instructions.size();
  for (int k = 0; k < count; ++k)
    last = emit(GpuUnit::Integer, Kind::Computing, after < 0 ? std::vector<int>{} : std::vector<int>{after});
  apart_ = trace_.instructions.size();
  return last;
}

int GpuLane::addressOf(const Expr &e, Kind kind) {
  const loop::Element &element = *loop::as<loop::Element>(e);
  const auto base = bases_.find(element.buffer);
  const int matrix = base == bases_.end() ? 0 : base->second;
  std::vector<long> row;
  for (std::size_t d = 1; d < element.indices.size(); ++d)
    row.push_back(valueOf(element.indices[d]));
  const bool isFirst = reached_.insert(element.buffer).second,
             isNewRow = rows_.emplace(element.buffer, std::move(row)).second;
  if (!open_.empty())
    return matrix;
  if (kind == Kind::Copies)
    return indices(costs_.ofCopy, matrix);
  return isNewRow && !isFirst ? indices(costs_.ofRow, matrix) : matrix;
}

int GpuLane::accessOf(const Expr &e, const Where &w, long bytes, Kind kind, std::vector<int> reads) {
  if (!w.isShared && loop::as<loop::Element>(e))
    reads.push_back(addressOf(e, kind));

  const int result = emit(w.isShared ? GpuUnit::Shared : GpuUnit::Dram, kind, std::move(reads));
  accesses_.push_back(static_cast<int>(trace_.instructions.size()) - 1);
  Key key{e.get(), turns_, copies_};
  key.before = met_[key]++;
  keys_.push_back(std::move(key));
  const long first = w.cell * w.bytesOfCell;
  addresses_.push_back(
      {w.isShared, w.isShared && bytes == kWidest ? first / kWidest * kWidest : first, bytes});
  return result;
}

int GpuLane::axesOf(const loop::NodePtr &lowered) {
  struct Axes : loop::Visitor {
    int count = 1;
    void node(const loop::NodePtr &n) override {
      if (const loop::Parallel *p = loop::as<loop::Parallel>(n);
          p && p->over != loop::Parallel::Over::InGroup)
        count = std::max(count, p->axis + 1);
      Visitor::node(n);
    }
  } axes;
  axes.node(lowered);
  return axes.count;
}

} // namespace pbc::emulate
