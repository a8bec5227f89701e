// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What CUB does with the parallel patterns that its library of headers has (scripts/gpu-check builds this where nvcc is).
//   gpu_cub_peer sum N    =>  "sum: X s"     N floats, the best of 5
//   gpu_cub_peer scan N   =>  "scan: X s"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cub/cub.cuh>
#include <vector>

namespace {

void check(cudaError_t error) {
  if (error != cudaSuccess) {
    std::fprintf(stderr, "gpu_cub_peer: %s\n", cudaGetErrorString(error));
    std::exit(1);
  }
}

template <class T>
T *allocate(std::size_t count) {
  void *at = nullptr;
  check(cudaMalloc(&at, count * sizeof(T)));
  return static_cast<T *>(at);
}

/// Seconds by the device's clock; `run(memory, bytes)` only says how much memory it wants if that is null.
template <class F>
double best(F run) {
  std::size_t bytes = 0;
  check(run(nullptr, bytes));
  void *memory = allocate<char>(bytes);
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  double least = 1e30;
  for (int i = 0; i < 6; ++i) {
    check(cudaEventRecord(begin));
    check(run(memory, bytes));
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin, end));
    if (i > 0 && milliseconds * 1e-3 < least)
      least = milliseconds * 1e-3;
  }
  return least;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3)
    return 1;
  const auto n = static_cast<std::size_t>(std::atoll(argv[2]));
  std::vector<float> numbers(n);
  unsigned long state = 1;
  for (float &v : numbers) {
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    v = static_cast<float>(state >> 40) / 16777216.0F - 0.5F;
  }
  auto *from = allocate<float>(n), *to = allocate<float>(n);
  check(cudaMemcpy(from, numbers.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  const auto count = static_cast<int>(n);
  double seconds = 0;
  if (std::strcmp(argv[1], "sum") == 0)
    seconds = best([&](void *m, std::size_t &b) { return cub::DeviceReduce::Sum(m, b, from, to, count); });
  else if (std::strcmp(argv[1], "scan") == 0)
    seconds = best([&](void *m, std::size_t &b) { return cub::DeviceScan::InclusiveSum(m, b, from, to, count); });
  else
    return 1;
  std::printf("%s: %.9f s\n", argv[1], seconds);
}
