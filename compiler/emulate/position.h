// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where a thread is in its trace: the next instruction, and the round of each loop.
//
//   { a, b } 2 times, c      =>   a b a b c
#pragma once
#include "compiler/emulate/trace.h"
#include <algorithm>
#include <cstddef>

namespace pbc::emulate {

/// The loops that end behind each instruction, inner ones first; shared by all threads.
class LoopEnds {
public:
  explicit LoopEnds(const Trace &trace) : trace_(trace), at_(trace.instructions.size()) {
    for (std::size_t k = trace.loops.size(); k-- > 0;)
      at_[static_cast<std::size_t>(trace.loops[k].end - 1)].push_back(k);
    for (std::vector<std::size_t> &ends :
         at_) // of two loops with the same end, the later one in the list is the inner one
      std::stable_sort(ends.begin(), ends.end(), [&](std::size_t a, std::size_t b) {
        return trace.loops[a].first > trace.loops[b].first;
      });
  }
  const std::vector<std::size_t> &behind(int instruction) const {
    return at_[static_cast<std::size_t>(instruction)];
  }
  const Trace &trace() const { return trace_; }

private:
  const Trace &trace_;
  std::vector<std::vector<std::size_t>> at_;
};

class Position {
public:
  explicit Position(const Trace &trace)
      : rounds_(trace.loops.size(), 0), end_(static_cast<int>(trace.instructions.size())) {}

  int instruction() const { return at_; }
  bool isAtEnd() const { return at_ == end_; }

  void advance(const LoopEnds &ends) {
    const std::vector<std::size_t> &behind = ends.behind(at_++);
    for (const std::size_t k : behind) {
      const Repeat &loop = ends.trace().loops[k];
      if (++rounds_[k] < loop.times) {
        at_ = loop.first;
        return;
      }
      rounds_[k] = 0;
    }
  }

private:
  std::vector<long> rounds_; // by loop
  int at_ = 0, end_;
};

} // namespace pbc::emulate
