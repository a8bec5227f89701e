// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/unroll.h"
#include <algorithm>
#include <cstddef>
#include <map>
#include <set>

namespace pbc::emulate {
namespace {

class Unroller {
public:
  Unroller(const Trace &from, const Unrolling &how) : from_(from), how_(how) {
    made_.trace.registers = from.registers;
    made_.trace.regions = from.regions;
    made_.trace.loops = from.loops;
  }

  Unrolled all() {
    const auto count = static_cast<int>(from_.instructions.size());
    std::vector<int> places(static_cast<std::size_t>(count) + 1, 0);
    for (int k = 0; k < count;) {
      places[static_cast<std::size_t>(k)] = static_cast<int>(made_.trace.instructions.size());
      const std::size_t loop = loopAt(k);
      if (loop == from_.loops.size()) {
        put(k++, {});
        continue;
      }
      Repeat &to = made_.trace.loops[loop];
      const int end = from_.loops[loop].end;
      to.times /= copiesOf(end - k);
      copyBody(k, end);
      for (int inside = k + 1; inside < end; ++inside) // no loop begins or ends there
        places[static_cast<std::size_t>(inside)] = places[static_cast<std::size_t>(k)];
      k = end;
    }
    places.back() = static_cast<int>(made_.trace.instructions.size());
    for (std::size_t l = 0; l < from_.loops.size(); ++l) {
      made_.trace.loops[l].first = places[static_cast<std::size_t>(from_.loops[l].first)];
      made_.trace.loops[l].end = places[static_cast<std::size_t>(from_.loops[l].end)];
    }
    return std::move(made_);
  }

private:
  /// The loop that begins here and is to be written out, or the number of all.
  std::size_t loopAt(int instruction) const {
    for (std::size_t l = 0; l < from_.loops.size(); ++l)
      if (from_.loops[l].first == instruction && isShort(l))
        return l;
    return from_.loops.size();
  }

  bool isShort(std::size_t l) const {
    const Repeat &loop = from_.loops[l];
    const int length = loop.end - loop.first;
    if (loop.times < copiesOf(length) || length < 2 || length > how_.longest)
      return false;
    for (std::size_t other = 0; other < from_.loops.size(); ++other)
      if (other != l && loop.first <= from_.loops[other].first && from_.loops[other].end <= loop.end)
        return false;
    return std::none_of(from_.instructions.begin() + loop.first, from_.instructions.begin() + loop.end,
                        [](const Instruction &i) { return i.isBarrier; });
  }

  long copiesOf(int instructions) const {
    return instructions <= how_.shortest ? how_.ofShortest : how_.ofOthers;
  }

  void copyBody(int first, int end) {
    const long copies = copiesOf(end - first);
    std::set<int> read, own; // `own`: written before they are read
    for (int k = first; k < end; ++k) {
      const Instruction &i = from_.instructions[static_cast<std::size_t>(k)];
      read.insert(i.reads.begin(), i.reads.end());
      for (const int r : i.writes)
        if (!read.contains(r))
          own.insert(r);
    }
    for (long copy = 1; copy <= copies; ++copy) {
      std::map<int, int> renamed;
      if (copy < copies)
        for (const int r : own)
          renamed[r] = made_.trace.registers++;
      for (int k = first; k < end - (copy < copies ? 1 : 0); ++k)
        put(k, renamed);
    }
  }

  void put(int k, const std::map<int, int> &renamed) {
    Instruction i = from_.instructions[static_cast<std::size_t>(k)];
    for (std::vector<int> *all : {&i.reads, &i.writes})
      for (int &r : *all)
        if (const auto at = renamed.find(r); at != renamed.end())
          r = at->second;
    made_.trace.instructions.push_back(std::move(i));
    made_.origins.push_back(k);
  }

  const Trace &from_;
  const Unrolling how_;
  Unrolled made_;
};

} // namespace

Unrolled unrolled(const Trace &trace, const Unrolling &how) { return Unroller(trace, how).all(); }

} // namespace pbc::emulate
