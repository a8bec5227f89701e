// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/device/machine_code.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace pbc::emulate {
namespace {

using Kind = CodeInstruction::Kind;

constexpr int kKinds = 7; // of work
using Amounts = std::array<double, kKinds>;

Amounts amountsOf(const Work &w) {
  return {w.loaded.bytes, w.stored.bytes, w.groupLoaded.bytes, w.groupStored.bytes, w.f32, w.f64, w.special};
}

/// Which of the amounts an instruction adds to, and how much.
std::pair<int, double> amountOf(const CodeInstruction &i) {
  switch (i.kind) {
  case Kind::Load:
  case Kind::Copy:
    return {0, i.bytes};
  case Kind::Store:
    return {1, i.bytes};
  case Kind::GroupLoad:
    return {2, i.bytes};
  case Kind::GroupStore:
    return {3, i.bytes};
  case Kind::Arithmetic:
    if (i.unit == GpuUnit::F32 || i.unit == GpuUnit::F64 || i.unit == GpuUnit::Special)
      return {i.unit == GpuUnit::F32 ? 4 : i.unit == GpuUnit::F64 ? 5 : 6, i.count};
    return {-1, 0};
  default:
    return {-1, 0};
  }
}

/// One way through the code.
struct Way {
  std::vector<std::size_t> instructions; // in the order in which a warp comes to them
  struct Loop {
    int branch, first, end; // the branch; places in `instructions`
  };
  std::vector<Loop> loops; // outer ones first
};

class Fit {
public:
  Fit(const Code &code, const Work &work) : code_(code), work_(work), expected_(amountsOf(work)) {
    for (std::size_t k = 0; k < code.instructions.size(); ++k)
      if (code.instructions[k].kind == Kind::Branch) {
        const bool isForward = code.instructions[k].target > static_cast<int>(k);
        if (isForward && code.instructions[k].isConditional)
          taken_[static_cast<int>(k)] = false;
        else if (!isForward)
          turns_[static_cast<int>(k)] = 1;
      }
    std::set<long> candidates{1};
    for (const long turns : work.turns)
      for (long part = 1; part <= kMostUnrolled && part <= turns; part *= 2)
        candidates.insert(turns / part);
    candidates_.assign(candidates.begin(), candidates.end());
  }

  void adjust() {
    double best = distance();
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      const double before = best;
      for (auto &[branch, turns] : turns_)
        for (const long other : candidates_)
          tryValue(turns, other, best);
      for (auto &[branch, isTaken] : taken_)
        tryValue(isTaken, !isTaken, best);
      if (best > before - kGain)
        break;
    }
  }

  Way way() const {
    Way made;
    const auto count = static_cast<int>(code_.instructions.size());
    std::vector<int> places(code_.instructions.size(), -1);
    for (int k = 0; k >= 0 && k < count;) {
      const CodeInstruction &i = code_.instructions[static_cast<std::size_t>(k)];
      if (places[static_cast<std::size_t>(k)] >= 0)
        break; // this way does not end: another one is better
      places[static_cast<std::size_t>(k)] = static_cast<int>(made.instructions.size());
      made.instructions.push_back(static_cast<std::size_t>(k));
      if (i.kind == Kind::Exit && !i.isConditional)
        break;
      if (i.kind != Kind::Branch) {
        ++k;
        continue;
      }
      const int back = i.target >= 0 && i.target < count ? places[static_cast<std::size_t>(i.target)] : -1;
      if (back >= 0) {
        made.loops.push_back({k, back, static_cast<int>(made.instructions.size())});
        ++k;
      } else {
        const auto choice = taken_.find(k);
        k = (choice == taken_.end() ? !i.isConditional : choice->second) ? i.target : k + 1;
      }
    }
    nest(made);
    return made;
  }

  long turnsOf(const Way::Loop &loop) const {
    const auto at = turns_.find(loop.branch);
    return at == turns_.end() ? 1 : at->second;
  }

  double greatestDifference() const {
    const Amounts found = amounts(way());
    double greatest = 0;
    for (std::size_t k = 0; k < kKinds; ++k)
      if (expected_[k] > 0)
        greatest = std::max(greatest, std::abs(std::log(found[k] / expected_[k] + kLittle)));
    return greatest;
  }

private:
  static constexpr long kMostUnrolled = 16;
  static constexpr int kSweeps = 6;
  static constexpr double kGain = 1e-6, kLittle = 0.01, kUnexpected = 0.2, kLength = 0.02;

  template <class Value>
  void tryValue(Value &value, Value other, double &best) {
    const Value before = std::exchange(value, other);
    if (const double now = distance(); now < best - kGain)
      best = now;
    else
      value = before;
  }

  /// Loops that cross others are none.
  static void nest(Way &way) {
    std::stable_sort(way.loops.begin(), way.loops.end(), [](const Way::Loop &a, const Way::Loop &b) {
      return a.first != b.first ? a.first < b.first : a.end > b.end;
    });
    std::vector<Way::Loop> kept;
    for (const Way::Loop &loop : way.loops)
      if (std::all_of(kept.begin(), kept.end(), [&](const Way::Loop &other) {
            return loop.first >= other.end || loop.end <= other.end;
          }))
        kept.push_back(loop);
    way.loops = std::move(kept);
  }

  std::vector<double> timesOf(const Way &way) const {
    std::vector<double> times(way.instructions.size(), 1);
    for (const Way::Loop &loop : way.loops)
      for (int k = loop.first; k < loop.end; ++k)
        times[static_cast<std::size_t>(k)] *= static_cast<double>(turnsOf(loop));
    return times;
  }

  Amounts amounts(const Way &way) const {
    Amounts found{};
    const std::vector<double> times = timesOf(way);
    for (std::size_t k = 0; k < times.size(); ++k)
      if (const auto [kind, amount] = amountOf(code_.instructions[way.instructions[k]]); kind >= 0)
        found[static_cast<std::size_t>(kind)] += times[k] * amount;
    return found;
  }

  double distance() const {
    const Way way = this->way();
    const Amounts found = amounts(way);
    double all = 0, length = 0;
    for (std::size_t k = 0; k < kKinds; ++k)
      all += expected_[k] > 0 ? std::abs(std::log(found[k] / expected_[k] + kLittle))
                              : kUnexpected * std::log1p(found[k]);
    for (const double times : timesOf(way))
      length += times;
    return all + kLength * std::log1p(length);
  }

  const Code &code_;
  const Work &work_;
  const Amounts expected_;
  std::map<int, bool> taken_; // forward branches
  std::map<int, long> turns_; // backward ones
  std::vector<long> candidates_;
};

class Writer {
public:
  Writer(const Code &code, const Work &work) : code_(code), work_(work) {
    trace_.registers = code.registers + kOwn;
  }

  Trace write(const Way &way, const Fit &fit) {
    std::vector<int> places;
    for (const std::size_t k : way.instructions) {
      places.push_back(static_cast<int>(trace_.instructions.size()));
      put(code_.instructions[k]);
    }
    places.push_back(static_cast<int>(trace_.instructions.size()));
    for (const Way::Loop &loop : way.loops)
      if (const Repeat made{places[static_cast<std::size_t>(loop.first)],
                            places[static_cast<std::size_t>(loop.end)], fit.turnsOf(loop)};
          made.first < made.end && made.times > 1)
        trace_.loops.push_back(made);
    return std::move(trace_);
  }

private:
  static constexpr int kOwn = 2; // registers for what barriers wait for
  int copied() const { return code_.registers; }
  int stored() const { return code_.registers + 1; }

  void add(GpuUnit unit, Region::Kind kind, int transactions, const CodeInstruction &i,
           std::vector<int> writes) {
    trace_.instructions.push_back({placeOf(unit), std::max(1, transactions), i.reads, std::move(writes),
                                   emulate::placeOf(Region{kind, i.origin}, trace_.regions)});
  }

  static int transactions(const Accesses &accesses, int bytes, double otherwise) {
    const double each = accesses.bytes > 0 ? accesses.transactions / accesses.bytes : otherwise;
    return static_cast<int>(std::lround(each * bytes));
  }

  void put(const CodeInstruction &i) {
    constexpr double kNeighbours = 1,
                     kBank =
                         0.25; // sectors and turns for each byte, where neighbours have neighbouring cells
    switch (i.kind) {
    case Kind::Arithmetic:
      for (int k = 0; k < i.count; ++k) {
        add(i.unit, Region::Kind::Computing, 1, i, i.writes);
        if (k > 0)
          trace_.instructions.back().reads = i.writes;
      }
      break;
    case Kind::Branch:
      add(GpuUnit::Integer, Region::Kind::Computing, 1, i, {});
      break;
    case Kind::Load:
      add(GpuUnit::Dram, Region::Kind::Loads, transactions(work_.loaded, i.bytes, kNeighbours), i, i.writes);
      break;
    case Kind::Copy:
      add(GpuUnit::Dram, Region::Kind::Copies, transactions(work_.loaded, i.bytes, kNeighbours), i,
          {copied()});
      break;
    case Kind::Store:
      add(GpuUnit::Dram, Region::Kind::Stores, transactions(work_.stored, i.bytes, kNeighbours), i, {});
      break;
    case Kind::GroupLoad:
      add(GpuUnit::Shared, Region::Kind::Loads, transactions(work_.groupLoaded, i.bytes, kBank), i, i.writes);
      break;
    case Kind::GroupStore:
      add(GpuUnit::Shared, Region::Kind::Copies, transactions(work_.groupStored, i.bytes, kBank), i,
          {stored()});
      break;
    case Kind::Shuffle:
      add(GpuUnit::Shuffle, Region::Kind::Computing, 1, i, i.writes);
      break;
    case Kind::CopyWait:
      waitsForCopies_ = true;
      break;
    case Kind::Barrier: {
      Instruction barrier{.reads = {stored()}, .isBarrier = true};
      if (std::exchange(waitsForCopies_, false))
        barrier.reads.push_back(copied());
      trace_.instructions.push_back(std::move(barrier));
      break;
    }
    case Kind::Exit:
    case Kind::Nothing:
      break;
    }
  }

  const Code &code_;
  const Work &work_;
  Trace trace_;
  bool waitsForCopies_ = false;
};

} // namespace

CodeTrace traceOf(const Code &code, const Work &work) {
  Fit fit(code, work);
  fit.adjust();
  return {Writer(code, work).write(fit.way(), fit), fit.greatestDifference()};
}

Code codeOf(const cubin::Function &f) {
  Code code;
  code.registers = cubin::kRegisters;
  for (const cubin::Instruction &from : f.instructions) {
    CodeInstruction i;
    cubin::Operands operands = cubin::operandsOf(from.word);
    i.reads = std::move(operands.reads);
    i.writes = std::move(operands.writes);
    i.bytes = from.bytes;
    i.line = from.line;
    switch (cubin::pipeOf(from.word)) {
    case cubin::Pipe::Integer:
      break;
    case cubin::Pipe::F32:
      i.unit = GpuUnit::F32;
      break;
    case cubin::Pipe::F64:
      i.unit = GpuUnit::F64;
      break;
    case cubin::Pipe::Special:
      i.unit = GpuUnit::Special;
      break;
    }
    switch (from.kind) {
    case cubin::Kind::Other:
    case cubin::Kind::MultiplyAdd:
      break;
    case cubin::Kind::GlobalLoad:
    case cubin::Kind::LocalLoad:
      i.kind = Kind::Load;
      break;
    case cubin::Kind::GlobalStore:
    case cubin::Kind::LocalStore:
      i.kind = Kind::Store;
      break;
    case cubin::Kind::GlobalCopy:
      i.kind = Kind::Copy;
      break;
    case cubin::Kind::SharedLoad:
      i.kind = Kind::GroupLoad;
      break;
    case cubin::Kind::SharedStore:
      i.kind = Kind::GroupStore;
      break;
    case cubin::Kind::Shuffle:
      i.kind = Kind::Shuffle;
      break;
    case cubin::Kind::Barrier:
      i.kind = Kind::Barrier;
      break;
    case cubin::Kind::CopyWait:
      i.kind = Kind::CopyWait;
      break;
    case cubin::Kind::Branch:
      i.kind = Kind::Branch;
      i.target = static_cast<int>(from.target / cubin::kInstructionBytes);
      i.isConditional = cubin::isPredicated(from.word);
      break;
    case cubin::Kind::Exit:
      i.kind = Kind::Exit;
      i.isConditional = cubin::isPredicated(from.word);
      break;
    case cubin::Kind::Padding:
      i.kind = Kind::Nothing;
      break;
    }
    code.instructions.push_back(std::move(i));
  }
  return code;
}

} // namespace pbc::emulate
