// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The loops of a kernel as spaces of implementations on a GPU.
//
//   kernel MM, C[x, y] += A[i, y] * B[x, i]
//   => three nests as in section 6:  begin in y x;  load A, load B, multiply in y x i;  store C in y x
//      one space for each way to cut y and x into up to three levels and i into two, whose sizes are decisions
//   kernel Scale, C[x] = 3 A[x]
//   => one nest: the body loads, computes and stores in x, cut into up to three levels
//
// Each level may be a loop, written out, a vector, threads or blocks; loops of different nests may become one; what loads pass on and sums lie
// in registers, local memory or the device's memory; loads have caches. Levels of one loop keep their order. What is inside of the
// innermost loop of the nest is one instruction. Source: lower-bound-search.md, sections 2 and 6.
#pragma once
#include "compiler/search/gpu/gpu_model.h"
#include "compiler/search/nest/nest_space.h"

namespace pbc::search {

struct GpuNestOptions {
  SizeValues values;
  std::vector<long> tileSizes = {2, 4, 8, 16, 32, 64};
  int mostLevels = 2; // tiles in tiles of one loop
  bool copiesInputs = true;
  MachineLimits limits; // gpuLimitsOf()
};

struct GpuNestSpace {
  GpuSpace gpu;
  struct Loop {
    std::string label;
    bool isOfSum = false;
    long extent = 1;         // iterations
    std::vector<int> levels; // objects of the main part, outermost first
  };
  std::vector<Loop> loops; // outermost first
  struct Load {
    std::string matrix;
    int object, communication;
  };
  std::vector<Load> loads;
  std::vector<int> sums; // communications
  script::Script begin;  // steps in front of all others
  std::string text;      // "in_place(s); fission(y, x); y in 3 levels, x in 3 levels, i in 2 levels"
};

struct GpuNestSpaces {
  std::vector<GpuNestSpace> spaces;
  std::string why; // if there are none: a sentence
};

GpuNestSpaces gpuNestSpaces(const kernel::Scheduled &lifted, const GpuNestOptions &);

} // namespace pbc::search
