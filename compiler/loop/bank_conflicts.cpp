// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/bank_conflicts.h"
#include "compiler/kernel/footprint.h"
#include <algorithm>
#include <map>
#include <set>

namespace pbc::loop {
namespace {

constexpr int kBanks = 32, kWord = 4, kWidest = 16; // bytes
constexpr int kTurns = 2;                           // of loops that are not written out

/// Where an access is carried out: which one, and in which iterations of the loops that are not written out.
struct Moment {
  const void *access;
  std::vector<long> turns;
  auto operator<=>(const Moment &) const = default;
};

/// Memory of a group: a copy of a part of a matrix, or an array that lowering has made.
struct Memory {
  std::string name;
  int bytesOfCell;
};

struct Asked {
  Memory memory;
  bool isWrite;
  long cells; // at once
  std::map<std::vector<long>, std::map<int, long>>
      places; // by iteration of the loops that are written out: lane -> cell
};

/// Notes what one lane asks of the group's memory.
class Lane : public WarpLane {
public:
  Lane(const std::vector<Matrix> &matrices, const LaunchShape &shape, int lane,
       std::map<Moment, Asked> &asked)
      : WarpLane(shape, lane, kTurns), matrices_(matrices), asked_(asked) {}

protected:
  void declare(const Array &array) override { arrays_[array.name] = &array; }

  void access(const Expr &e, bool isWrite, long cells) override {
    if (const Element *element = as<Element>(e)) {
      const Matrix &memory = matrices_[static_cast<std::size_t>(element->buffer)];
      if (memory.ofGroup.empty() || memory.isOfItem)
        return;
      long place = 0;
      for (std::size_t d = 0; d < element->indices.size(); ++d)
        place += valueOf(element->indices[d]) * valueOf(groupStride(memory, d));
      note(e, {memory.name, static_cast<int>(kernel::bytesOf(memory.element))}, isWrite, cells, place);
    } else if (const Local *local = as<Local>(e)) {
      const auto array = arrays_.find(local->name);
      if (array == arrays_.end())
        return;
      long place = 0;
      for (std::size_t d = 0; d < local->indices.size(); ++d)
        place = place * valueOf(array->second->extents[d]) + valueOf(local->indices[d]);
      note(e, {local->name, static_cast<int>(kernel::bytesOf(local->type))}, isWrite, isWrite ? cells : 1,
           place);
    }
  }

  void note(const Expr &e, const Memory &memory, bool isWrite, long cells, long place) {
    Moment moment{e.get(), turns_};
    moment.turns.push_back(isWrite);
    asked_.try_emplace(std::move(moment), Asked{memory, isWrite, cells, {}})
        .first->second.places[copies_][lane_] = place;
  }

private:
  const std::vector<Matrix> &matrices_;
  std::map<Moment, Asked> &asked_;
  std::map<std::string, const Array *> arrays_; // of the group
};

/// The turns that the memory takes for one access, in each part of the warp that is served at once.
int degreeOf(const std::map<int, long> &cells, int bytesOfCell, int bytesAtOnce) {
  const int lanesAtOnce = std::max(1, kLanes * kWord / std::max(kWord, bytesAtOnce));
  int worst = 1;
  for (int first = 0; first < kLanes; first += lanesAtOnce) {
    std::map<long, std::set<long>> wordsOfBank;
    for (auto at = cells.lower_bound(first); at != cells.end() && at->first < first + lanesAtOnce; ++at)
      for (int byte = 0; byte < bytesAtOnce; byte += kWord) {
        const long word = (at->second * bytesOfCell + byte) / kWord;
        wordsOfBank[word % kBanks].insert(word);
      }
    for (const auto &[bank, words] : wordsOfBank)
      worst = std::max(worst, static_cast<int>(words.size()));
  }
  return worst;
}

/// The neighbours of what each lane accesses, so many cells further.
std::map<int, long> behind(std::map<int, long> cells, long distance) {
  for (auto &[lane, cell] : cells)
    cell += distance;
  return cells;
}

int worstOf(const Asked &asked) {
  const int bytesOfCell = asked.memory.bytesOfCell;
  std::set<std::map<int, long>> left; // in the order of their cells
  for (const auto &[copy, places] : asked.places)
    left.insert(places);
  const long wide = std::max(1, kWidest / bytesOfCell);
  int worst = 0;
  while (!left.empty()) {
    const std::map<int, long> first = *left.begin();
    bool isWide = !asked.isWrite && std::all_of(first.begin(), first.end(),
                                                [&](const auto &one) { return one.second % wide == 0; });
    for (long k = 1; isWide && k < wide; ++k)
      isWide = left.contains(behind(first, k));
    for (long k = 0; k < (isWide ? wide : 1); ++k)
      left.erase(behind(first, k));
    const long cells = isWide ? wide : asked.cells;
    worst = std::max(worst, degreeOf(first, bytesOfCell, static_cast<int>(cells) * bytesOfCell));
  }
  return worst;
}

} // namespace

std::vector<BankUse> bankUses(const std::vector<Matrix> &matrices, const NodePtr &lowered,
                              const LaunchShape &shape) {
  std::map<Moment, Asked> asked;
  const int items = shape.group[0] * shape.group[1] * shape.group[2];
  for (int lane = 0; lane < std::min(kLanes, items); ++lane)
    Lane(matrices, shape, lane, asked).run(lowered);
  std::map<std::string, BankUse> all;
  for (const auto &[moment, one] : asked) {
    BankUse &use = all.try_emplace(one.memory.name, BankUse{one.memory.name}).first->second;
    int &degree = one.isWrite ? use.writes : use.reads;
    degree = std::max(degree, worstOf(one));
  }
  std::vector<BankUse> uses;
  for (const auto &[name, use] : all)
    uses.push_back(use);
  return uses;
}

} // namespace pbc::loop
