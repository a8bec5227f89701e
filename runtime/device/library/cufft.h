// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The functions of cuFFT, and the plans that were made; internal to this folder.
//
//   FftPlanRef plan = cufft.plan(shape);     // any thread; may take milliseconds the first time
//   requireCall(cufft.Z2Z(*plan, in, out, kFftForward), "cufftExecZ2Z");
//
// Invariant: plans of one shape are made once, as long as they are kept; a plan is destroyed when neither the
// list nor a caller has it. Only one thread may use a plan at a time.
#pragma once
#include "runtime/device/library/open_library.h"
#include <array>
#include <map>
#include <memory>
#include <mutex>

namespace pb::device {

using FftPlan = int;
using FftPlanRef = std::shared_ptr<const FftPlan>;
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
  PB_FFT_FUNCTIONS(PB_LIBRARY_MEMBER)

  /// The extents of a transform, the slowest dimension first, and the layout of the complex numbers: `in` and
  /// `out` each give the distance between neighbours along the last dimension, and between rows.
  struct Shape {
    int rank;
    bool isFloat;
    std::array<int, 2> size, in, out;
    auto operator<=>(const Shape &) const = default;
  };
  FftPlanRef plan(const Shape &);

private:
  std::mutex mutex_; // guards plans_, and is held while a plan is made
  std::map<Shape, FftPlanRef> plans_;
};

} // namespace pb::device
