// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cuFFT: its functions, and plans that were made; internal to the folder.
#pragma once
#include "runtime/device/library/open_library.h"
#include <array>
#include <map>

namespace pb::device {

using FftPlan = int;
constexpr int kFftComplex = 0x29, kFftDoubleComplex = 0x69, kFftForward = -1;

#define PB_FFT_FUNCTIONS(EACH)                                                                               \
  EACH(planMany, "cufftPlanMany", (FftPlan *, int, int *, int *, int, int, int *, int, int, int, int))       \
  EACH(setStream, "cufftSetStream", (FftPlan, void *))                                                       \
  EACH(destroy, "cufftDestroy", (FftPlan))                                                                   \
  EACH(Z2Z, "cufftExecZ2Z", (FftPlan, void *, void *, int))                                                  \
  EACH(C2C, "cufftExecC2C", (FftPlan, void *, void *, int))

struct Cufft {
  explicit Cufft(const std::string &folder);
  Cufft(const Cufft &) = delete;
  Cufft &operator=(const Cufft &) = delete;
  ~Cufft();
  PB_FFT_FUNCTIONS(PB_LIBRARY_MEMBER)

  /// Numbers along each dimension, the slowest first, and how the pairs lie: of in and out each the pairs
  /// from one to the next along the last dimension, and from row to row.
  struct Shape {
    int rank;
    bool isFloat;
    std::array<int, 2> size, in, out;
    auto operator<=>(const Shape &) const = default;
  };
  /// Made once; the last ones are kept.
  FftPlan plan(const Shape &);

private:
  std::map<Shape, FftPlan> plans_;
};

} // namespace pb::device
