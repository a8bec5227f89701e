// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A trace in the form in which an emulator goes through it: plain numbers next to each other, and what follows from the trace alone.
//
//   { load r0; r1 = f(r0, r7) } 100 times, r7 is written nowhere
//     =>  steps { reads {}, writes { 0 } }, { reads { 0 }, writes {}, ends loop 0 }; 1 register, as no other one is read and written
//
// Invariant: step k is the trace's instruction k. The loops that end behind a step are in the order in which they go on, inner ones first.
#pragma once
#include "compiler/emulate/costs.h"
#include <span>
#include <vector>

namespace pbc::emulate {

struct Program {
  struct Part {
    int first = 0, end = 0; // of a list below
  };
  struct Step {
    int resource = 0;
    int nearer[kMostNearer] = {-1, -1}; // resources that serve a part
    double rates[kMostNearer] = {};     // of what the ones before do not serve
    int count = 1, transactions = 1;
    bool isBarrier = false;
    Part reads = {}, writes = {}, ends = {};
  };

  explicit Program(const Trace &);

  const Trace &trace;
  std::vector<Step> steps;
  std::vector<int> registers; // of all reads and writes
  std::vector<int> loopEnds;
  int registerCount = 0;
  double nearerAccesses[kMostNearer] = {}; // of one thread

  std::span<const int> of(const Part &part, const std::vector<int> &list) const {
    return std::span(list).subspan(static_cast<std::size_t>(part.first),
                                   static_cast<std::size_t>(part.end - part.first));
  }
};

/// How long each step keeps its resource, and how long it takes until its result is there.
struct StepCost {
  Time admission = 0, result = 0;
  int transactions = 1;
};
/// By step; `place`: of the nearer resource that serves it, -1: its own resource does.
std::vector<StepCost> stepCosts(const Program &, const Costs &, int place);

} // namespace pbc::emulate
