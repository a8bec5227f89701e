// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The functions of cuFFT, and the plans that were made; internal to this folder.
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

  /// The extents of a transform, the slowest dimension first, and the layout of the complex numbers: `in` and
  /// `out` each give the distance between neighbours along the last dimension, and between rows.
  struct Shape {
    int rank;
    bool isFloat;
    std::array<int, 2> size, in, out;
    auto operator<=>(const Shape &) const = default;
  };
  /// Plans are made once; the most recent ones are kept.
  FftPlan plan(const Shape &);

private:
  std::map<Shape, FftPlan> plans_;
};

} // namespace pb::device
