// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/library/cufft.h"

namespace pb::device {

Cufft::Cufft(const std::string &folder) {
  const char *name = "cuFFT";
  const SharedLibrary library = openCudaLibrary("libcufft.so", {"12", "11", "10"}, name, folder);
  PB_FFT_FUNCTIONS(PB_LIBRARY_LOAD)
}

FftPlanRef Cufft::plan(const Shape &shape) {
  constexpr std::size_t kKept = 32;
  std::lock_guard hold(mutex_);
  if (const auto known = plans_.find(shape); known != plans_.end())
    return known->second;
  if (plans_.size() >= kKept)
    plans_.clear();
  FftPlan plan = 0;
  Shape s = shape; // for pointers to its numbers
  const int inRow = s.rank == 2 ? s.in[1] / s.in[0] : s.size[0],
            outRow = s.rank == 2 ? s.out[1] / s.out[0] : s.size[0];
  int inEmbed[2] = {s.size[0], inRow}, outEmbed[2] = {s.size[0], outRow};
  requireCall(planMany(&plan, s.rank, s.size.data(), inEmbed, s.in[0], 1, outEmbed, s.out[0], 1,
                       s.isFloat ? kFftComplex : kFftDoubleComplex, 1),
              "cufftPlanMany");
  const FftPlanRef made(new FftPlan(plan), [destroy = destroy](const FftPlan *p) {
    destroy(*p); // waits for commands that use it
    delete p;
  });
  return plans_.emplace(shape, made).first->second;
}

} // namespace pb::device
