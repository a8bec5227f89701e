// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/device/warp_trace.h"
#include "compiler/emulate/device/selection.h"
#include "compiler/emulate/hoist.h"
#include "compiler/emulate/list_schedule.h"
#include "compiler/emulate/unroll.h"
#include "compiler/kernel/footprint.h"
#include "compiler/loop/walk.h"
#include <algorithm>
#include <set>
#include <utility>

namespace pbc::emulate {
namespace {

using loop::Expr;
using Op = loop::Operation::Op;

constexpr long kWidest = 16; // bytes that an instruction loads
constexpr int kBanks = 32, kWord = 4;
constexpr int kMostTogether = 16; // independent instructions that stand as one
constexpr long kStep = 1;         // a loop that is not written out is carried out once
constexpr long kFewTurns = 8;     // or all of its turns, if there are not more, in a trace that is not long
constexpr std::size_t kMostInstructions = 4000;

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

class Lane : public loop::WarpLane {
public:
  Lane(const WarpQuestion &question, int lane) : WarpLane(question.shape, lane, kStep), question_(question) {
    low_ = kCellsInside;
    for (const Region r : {Region::Copies, Region::Loads, Region::Computing, Region::Stores})
      trace_.regions.push_back(nameOf(r));
    trace_.regions.erase(trace_.regions.begin()); // the one that a trace has at first
    costs_ = indexCosts(axesOf(question.lowered));
    const int atItem = indices(costs_.ofItem, -1);
    for (std::size_t k = 0; k < question.matrices.size(); ++k)
      if (question.matrices[k].ofGroup.empty() && !question.matrices[k].isOfItem)
        bases_[static_cast<int>(k)] = indices(costs_.ofMatrix, atItem);
  }

  const std::vector<Address> &addresses() const { return addresses_; }
  const std::vector<int> &accesses() const { return accesses_; }
  const std::vector<Key> &keys() const { return keys_; }
  bool isStore(int instruction) const { return stores_.contains(instruction); }
  const std::map<int, int> &hoisted() const { return hoisted_; }
  Trace take() { return std::move(trace_); }

protected:
  void access(const Expr &, bool, long) override {}
  void declare(const loop::Array &array) override { ofGroup_[array.name] = &array; }
  void declare(const loop::Let::Variable &v) override {
    region_ = Region::Loads;
    assignTo({v.name, {}}, valueIn(v.value));
  }

  long ofLaunch(const loop::Name &n) const override {
    if (const auto at = question_.sizes.find(n.name); at != question_.sizes.end())
      return at->second;
    return n.kind == loop::Name::Kind::Value && question_.otherSizes ? *question_.otherSizes
                                                                     : WarpLane::ofLaunch(n);
  }

  void barrier(const loop::Barrier &b) override {
    std::vector<int> reads = std::exchange(stored_, {});
    if (b.endsCopies)
      for (const int copy : std::exchange(copied_, {}))
        reads.push_back(copy);
    trace_.instructions.push_back({.reads = std::move(reads), .isBarrier = true});
    changed();
  }

  void shuffle(const loop::Shuffle &s) override {
    const int value = valueIn(s.value);
    assignTo({s.name, {}}, emit(GpuUnit::Shuffle, Region::Computing,
                                value < 0 ? std::vector<int>{} : std::vector<int>{value}));
  }

  /// Turns that begin or end something differ from those in the middle.
  bool goesThroughAll(const loop::For &, long turns) const override {
    return turns <= kFewTurns && trace_.instructions.size() < kMostInstructions;
  }

  void beginLoop(const loop::For &loop, long turns) override {
    open_.push_back({static_cast<int>(trace_.instructions.size()), static_cast<int>(trace_.loops.size()),
                     writesMemory(loop.body)});
    trace_.loops.push_back({0, 0, turns});
    outside_.push_back(loaded_); // stays in registers
    aliases_.clear();
    apart_ = trace_.instructions.size();
  }

  void turnsAre(long turns) override {
    trace_.loops[static_cast<std::size_t>(open_.back().loop)].times = turns;
  }

  /// One from the middle: the first ones may only prepare something, and conditions hold for some only.
  long firstTurn(long turns) const override { return turns / 2; }

  void endLoop() override {
    emit(GpuUnit::Integer, Region::Computing, {}); // the counter, and the branch
    const auto [first, loop, writes] = open_.back();
    open_.pop_back();
    trace_.loops[static_cast<std::size_t>(loop)].first = first;
    trace_.loops[static_cast<std::size_t>(loop)].end = static_cast<int>(trace_.instructions.size());
    loaded_ = std::move(outside_.back());
    outside_.pop_back();
    aliases_.clear();
    apart_ = trace_.instructions.size();
  }

  void assign(const loop::Assign &a) override {
    const loop::Element *to = loop::as<loop::Element>(a.target);
    const loop::Local *local = loop::as<loop::Local>(a.target);
    if (!to && !local)
      return; // an index
    const bool isShared = (to && isOfGroup(*to)) || (local && ofGroup_.contains(local->name));
    region_ = isShared ? Region::Copies : to && !isOfItem(*to) ? Region::Stores : Region::Computing;
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
    const int stored = store(a.target, a.together, isShared ? Region::Copies : Region::Stores, reads);
    if (isShared)
      stored_.push_back(stored);
    changed();
  }

private:
  const loop::Matrix &matrixOf(const loop::Element &e) const {
    return question_.matrices[static_cast<std::size_t>(e.buffer)];
  }
  bool isOfGroup(const loop::Element &e) const {
    return !matrixOf(e).ofGroup.empty() && !matrixOf(e).isOfItem;
  }
  bool isOfItem(const loop::Element &e) const { return matrixOf(e).isOfItem; }

  int newRegister() { return trace_.registers++; }

  /// Memory was written, perhaps by others: nothing of it is in registers any more.
  void changed() {
    loaded_.clear();
    for (std::map<Place, int> &outside : outside_)
      outside.clear();
  }

  /// The place keeps its register from one round of a loop to the next. A value that was there before is not moved.
  void assignTo(const Place &place, int value) {
    aliases_.erase(place);
    const int own = registerOf(place);
    Instruction *last = trace_.instructions.empty() ? nullptr : &trace_.instructions.back();
    if (last && value >= 0 &&
        std::find(last->writes.begin(), last->writes.end(), value) != last->writes.end())
      last->writes.push_back(own);
    else if (value >= 0 && value != own)
      aliases_[place] = value;
  }

  /// The last instruction, if one more of its kind belongs to it.
  Instruction *joinable(GpuUnit unit, Region region, const std::vector<int> &reads) {
    if (trace_.instructions.size() <= apart_)
      return nullptr;
    Instruction &last = trace_.instructions.back();
    const bool waits = std::any_of(reads.begin(), reads.end(), [&](int r) {
      return std::find(last.writes.begin(), last.writes.end(), r) != last.writes.end();
    });
    const bool isSame =
        !last.isBarrier && last.resource == placeOf(unit) && last.region == static_cast<int>(region);
    return isSame && !waits && last.count < kMostTogether ? &last : nullptr;
  }

  int emit(GpuUnit unit, Region region, std::vector<int> reads) {
    const int result = newRegister();
    if (Instruction *last = joinable(unit, region, reads)) {
      ++last->count;
      ++last->transactions;
      last->reads.insert(last->reads.end(), reads.begin(), reads.end());
      last->writes.push_back(result);
    } else {
      trace_.instructions.push_back({placeOf(unit), 1, std::move(reads), {result}, static_cast<int>(region)});
    }
    return result;
  }

  Place placeOf(const Expr &e) const {
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
  static int placeOf(GpuUnit unit) { return emulate::placeOf(unit); }

  /// The register with the expression's value; -1: a number that costs nothing.
  int valueIn(const Expr &e) {
    if (const loop::Grouped *g = loop::as<loop::Grouped>(e))
      return valueIn(g->operand);
    if (const loop::Local *local = loop::as<loop::Local>(e))
      return ofGroup_.contains(local->name) ? loaded(e, 1) : registerOf(placeOf(e));
    if (const loop::Element *element = loop::as<loop::Element>(e))
      return isOfItem(*element) ? registerOf(placeOf(e)) : loaded(e, 1);
    if (const loop::Operation *o = loop::as<loop::Operation>(e))
      return operation(*o);
    if (const loop::Function *f = loop::as<loop::Function>(e))
      return chained(selected(*f), valuesIn(f->operands));
    if (const loop::Cast *c = loop::as<loop::Cast>(e))
      return chained(selected(*c), valuesIn({c->operand}));
    if (const loop::Name *n = loop::as<loop::Name>(e)) {
      const Place place{n->name, {}};
      return registers_.contains(place) ? registerOf(place) : -1;
    }
    return -1;
  }

  std::vector<int> valuesIn(const std::vector<Expr> &all) {
    std::vector<int> values;
    for (const Expr &e : all)
      if (const int value = valueIn(e); value >= 0)
        values.push_back(value);
    return values;
  }

  /// A place that nothing was written to yet has a register, too.
  int registerOf(const Place &place) {
    if (const auto copy = aliases_.find(place); copy != aliases_.end())
      return copy->second;
    const auto [at, isNew] = registers_.try_emplace(place, trace_.registers);
    trace_.registers += isNew ? 1 : 0;
    return at->second;
  }

  /// Neighbouring cells from memory, by one instruction.
  int several(const Expr &e, long cells) {
    if (loop::as<loop::Element>(e) && !isOfItem(*loop::as<loop::Element>(e)))
      return loaded(e, cells);
    Place place = placeOf(e);
    std::vector<int> all;
    for (long k = 0; k < cells; ++k, place.second.empty() ? 0 : ++place.second.back())
      all.push_back(registerOf(place));
    return all.empty() ? -1 : all.back();
  }

  int chained(const std::vector<Selected> &instructions, std::vector<int> reads) {
    for (const Selected &s : instructions)
      for (int k = 0; k < s.count; ++k)
        reads = {emit(s.unit, Region::Computing, reads)};
    return reads.empty() ? -1 : reads.front();
  }

  static bool isFused(const loop::Operation &o) {
    return (o.op == Op::Add || o.op == Op::Subtract) &&
           (o.type == loop::Scalar::F32 || o.type == loop::Scalar::F64);
  }

  static const loop::Operation *productIn(const Expr &e) {
    if (const loop::Grouped *g = loop::as<loop::Grouped>(e))
      return productIn(g->operand);
    const loop::Operation *o = loop::as<loop::Operation>(e);
    return o && o->op == Op::Multiply ? o : nullptr;
  }

  int operation(const loop::Operation &o) {
    if (isFused(o))
      for (std::size_t k = 0; k < 2; ++k)
        if (const loop::Operation *product = productIn(o.operands[k])) {
          std::vector<int> reads = valuesIn(product->operands);
          if (const int other = valueIn(o.operands[1 - k]); other >= 0)
            reads.push_back(other);
          return emit(unitOf(o.type), Region::Computing, std::move(reads));
        }
    return chained(selected(o), valuesIn(o.operands));
  }

  /// Of `target op= value`, whose value was computed already.
  int combined(Op op, const Expr &target, const Expr &from, int value) {
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
    return emit(unitOf(local ? local->type : matrixOf(*element).element), Region::Computing,
                std::move(reads));
  }

  struct Where {
    std::string memory;
    bool isShared;
    long cell, bytesOfCell;
  };

  Where whereIs(const Expr &e) const {
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

  /// The register of a cell of a matrix or of the group's memory.
  int loaded(const Expr &e, long cells) {
    const Where w = whereIs(e);
    const long together = w.isShared ? std::max(1L, kWidest / w.bytesOfCell) : cells;
    const Place chunk{w.memory, {together, w.cell / together}};
    const auto [at, isNew] = loaded_.try_emplace(chunk, -1);
    if (isNew) {
      const std::size_t level = hoistLevel(e);
      if (level < open_.size())
        apart_ = trace_.instructions.size();
      const Region region = region_ == Region::Copies ? Region::Copies : Region::Loads;
      at->second = accessOf(e, w, w.isShared ? kWidest : cells * w.bytesOfCell, region, {});
      if (level < open_.size()) {
        hoisted_[accesses_.back()] = open_[level].loop;
        apart_ = trace_.instructions.size();
        for (std::size_t outside = level; outside < open_.size(); ++outside)
          outside_[outside].emplace(chunk, at->second);
      }
    }
    return at->second;
  }

  /// How many loops stay around a load: those that change its address, or write to memory.
  std::size_t hoistLevel(const Expr &e) const {
    const auto changes = static_cast<std::size_t>(changedIn(indicesOf(e)));
    std::size_t level = open_.size();
    while (level > changes && !open_[level - 1].writesMemory)
      --level;
    return level;
  }

  /// One expression that mentions all indices.
  static Expr indicesOf(const Expr &e) {
    const loop::Local *local = loop::as<loop::Local>(e);
    Expr sum = loop::integer(0);
    for (const Expr &index : local ? local->indices : loop::as<loop::Element>(e)->indices)
      sum = loop::add(sum, index);
    return sum;
  }

  /// Whether a load in it may have another value in the next turn, though its address is the same.
  bool writesMemory(const loop::NodePtr &body) const {
    struct Find : loop::Visitor {
      const Lane &lane;
      bool isFound = false;
      explicit Find(const Lane &lane) : lane(lane) {}
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

  int store(const Expr &e, long cells, Region region, std::vector<int> reads) {
    const Where w = whereIs(e);
    const int result = accessOf(e, w, cells * w.bytesOfCell, region, std::move(reads));
    stores_.insert(accesses_.back());
    return result;
  }

  /// So many instructions for indices, on the result of others; their register.
  int indices(int count, int after) {
    int last = after;
    apart_ = trace_.instructions.size();
    for (int k = 0; k < count; ++k)
      last =
          emit(GpuUnit::Integer, Region::Computing, after < 0 ? std::vector<int>{} : std::vector<int>{after});
    apart_ = trace_.instructions.size();
    return last;
  }

  /// The register of the address of an access to the device's memory.
  int addressOf(const Expr &e, Region region) {
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
    if (region == Region::Copies)
      return indices(costs_.ofCopy, matrix);
    return isNewRow && !isFirst ? indices(costs_.ofRow, matrix) : matrix;
  }

  int accessOf(const Expr &e, const Where &w, long bytes, Region region, std::vector<int> reads) {
    if (!w.isShared && loop::as<loop::Element>(e))
      reads.push_back(addressOf(e, region));

    const int result = emit(w.isShared ? GpuUnit::Shared : GpuUnit::Dram, region, std::move(reads));
    accesses_.push_back(static_cast<int>(trace_.instructions.size()) - 1);
    Key key{e.get(), turns_, copies_};
    key.before = met_[key]++;
    keys_.push_back(std::move(key));
    const long first = w.cell * w.bytesOfCell;
    addresses_.push_back(
        {w.isShared, w.isShared && bytes == kWidest ? first / kWidest * kWidest : first, bytes});
    return result;
  }

  static int axesOf(const loop::NodePtr &lowered) {
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

  const WarpQuestion &question_;
  Trace trace_;
  IndexCosts costs_;
  std::map<int, int> bases_;                         // registers of matrices' addresses
  std::set<int> reached_;                            // matrices
  std::set<std::pair<int, std::vector<long>>> rows_; // of matrices that were accessed
  Region region_ = Region::Computing;
  std::map<std::string, const loop::Array *> ofGroup_;
  std::map<Place, int> registers_; // of the item's variables and arrays
  std::map<Place, int> aliases_;   // registers of other places, or of loads, that they have the values of
  std::map<Place, int> loaded_;    // of what was loaded since the last barrier
  std::vector<std::map<Place, int>> outside_; // the same at the begin of each open loop
  struct Open {
    int first, loop; // instruction; place in the trace
    bool writesMemory;
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

/// How many admissions an access of all lanes takes.
int transactionsOf(const std::vector<Address> &lanes) {
  std::set<long> sectors;
  std::map<long, std::set<long>> wordsOfBank;
  for (const Address &a : lanes)
    if (a.isShared)
      for (long byte = a.byte; byte < a.byte + a.bytes; byte += kWord)
        wordsOfBank[byte / kWord % kBanks].insert(byte / kWord);
    else
      for (long sector = a.byte / kSectorBytes; sector * kSectorBytes < a.byte + a.bytes; ++sector)
        sectors.insert(sector);
  std::size_t most = sectors.size();
  for (const auto &[bank, words] : wordsOfBank)
    most = std::max(most, words.size());
  return std::max(1, static_cast<int>(most));
}

double linesIn(const std::vector<Address> &lanes) {
  constexpr long kLine = 128;
  std::set<long> lines;
  for (const Address &a : lanes)
    for (long line = a.byte / kLine; line * kLine < a.byte + a.bytes; ++line)
      lines.insert(line);
  return static_cast<double>(lines.size());
}

/// Without loops that have nothing in them.
void removeEmptyLoops(Trace &trace) {
  std::erase_if(trace.loops, [](const Repeat &loop) { return loop.first >= loop.end; });
}

} // namespace

const char *nameOf(Region region) {
  switch (region) {
  case Region::Copies:
    return "copies for the group";
  case Region::Loads:
    return "loads";
  case Region::Computing:
    return "computing";
  case Region::Stores:
    return "stores";
  }
  return "";
}

namespace {

/// Of a warp; `byAccess`: the addresses of all lanes.
Work workOf(const Trace &trace, const Lane &lane, const std::vector<std::vector<Address>> &byAccess) {
  Work work;
  for (const Repeat &loop : trace.loops)
    work.turns.push_back(loop.times);
  for (std::size_t k = 0; k < byAccess.size(); ++k) {
    const int at = lane.accesses()[k];
    const Address &address = lane.addresses()[k];
    Accesses &to = address.isShared ? (lane.isStore(at) ? work.groupStored : work.groupLoaded)
                                    : (lane.isStore(at) ? work.stored : work.loaded);
    const double times = lane.hoisted().contains(at) ? 1 : trace.timesOf(at);
    to.bytes += times * static_cast<double>(address.bytes);
    to.transactions += times * transactionsOf(byAccess[k]);
  }
  for (std::size_t k = 0; k < trace.instructions.size(); ++k) {
    const Instruction &i = trace.instructions[k];
    double *to = i.isBarrier                               ? nullptr
                 : i.resource == placeOf(GpuUnit::F32)     ? &work.f32
                 : i.resource == placeOf(GpuUnit::F64)     ? &work.f64
                 : i.resource == placeOf(GpuUnit::Special) ? &work.special
                                                           : nullptr;
    if (to)
      *to += trace.timesOf(static_cast<int>(k)) * i.count;
  }
  return work;
}

} // namespace

WarpTrace warpTrace(const WarpQuestion &question) {
  Lane first(question, 0);
  first.run(question.lowered);
  const std::vector<int> accesses = first.accesses();
  std::vector<std::vector<Address>> byAccess(accesses.size());
  std::map<Key, std::size_t> placeOf;
  for (std::size_t k = 0; k < accesses.size(); ++k)
    placeOf[first.keys()[k]] = k;
  const auto note = [&](const Lane &lane) { // lanes may differ in what they access besides
    for (std::size_t k = 0; k < lane.keys().size(); ++k)
      if (const auto at = placeOf.find(lane.keys()[k]); at != placeOf.end())
        byAccess[at->second].push_back(lane.addresses()[k]);
  };
  note(first);
  const int items = question.shape.group[0] * question.shape.group[1] * question.shape.group[2];
  for (int lane = 1; lane < std::min(loop::kLanes, items); ++lane) {
    Lane other(question, lane);
    other.run(question.lowered);
    note(other);
  }
  Trace trace = first.take();
  Reuse reuse;
  if (!question.hits)
    reuse =
        reuseOf({question.matrices, question.lowered, question.shape, question.sizes, question.otherSizes});
  std::map<int, InCaches> inCaches; // transactions, by instruction
  std::map<int, double> linesOf;    // of 128 bytes
  for (std::size_t k = 0; k < accesses.size(); ++k) {
    const int transactions = transactionsOf(byAccess[k]);
    trace.instructions[static_cast<std::size_t>(accesses[k])].transactions +=
        transactions - 1; // each was counted once already
    if (first.addresses()[k].isShared)
      continue;
    InCaches &of = inCaches[accesses[k]];
    linesOf[accesses[k]] += linesIn(byAccess[k]);
    const Key &key = first.keys()[k];
    if (question.hits)
      of.second += *question.hits * transactions;
    else if (const auto at = reuse.loads.find({key.expression, key.turns, key.copies});
             at != reuse.loads.end() && !first.isStore(accesses[k])) {
      of.first += at->second.first * transactions;
      of.second += at->second.second * transactions;
    }
  }
  for (const auto &[at, of] : inCaches) {
    Instruction &i = trace.instructions[static_cast<std::size_t>(at)];
    const double lines = linesOf[at];
    const bool isApart = 2 * lines > i.transactions; // a whole line has four sectors
    const Share inFirst{emulate::placeOf(isApart ? GpuUnit::Lines : GpuUnit::L1), of.first / i.transactions,
                        isApart ? lines / i.transactions : 1};
    if (of.first > 0 || of.second > 0)
      i.nearer = {inFirst, Share{emulate::placeOf(GpuUnit::L2), of.second / i.transactions}};
  }
  Work work = workOf(trace, first, byAccess);
  const std::vector<int> places = hoist(trace, first.hoisted());
  removeEmptyLoops(trace);
  std::vector<bool> isLoad(trace.instructions.size(), false), isStore(trace.instructions.size(), false);
  for (const int k : accesses) {
    const auto at = static_cast<std::size_t>(places[static_cast<std::size_t>(k)]);
    (first.isStore(k) ? isStore : isLoad)[at] = true;
  }
  const Unrolled unrolled = emulate::unrolled(trace);
  const auto ofUnrolled = [&](const std::vector<bool> &flags) {
    std::vector<bool> all;
    for (const int origin : unrolled.origins)
      all.push_back(flags[static_cast<std::size_t>(origin)]);
    return all;
  };
  return {withEarlyLoads(unrolled.trace, ofUnrolled(isLoad), ofUnrolled(isStore)), std::move(work),
          reuse.all};
}

} // namespace pbc::emulate
