// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What CUB does with the parallel patterns that its library of headers has (scripts/gpu-check builds this where nvcc is).
//   gpu_cub_peer sum N    =>  "sum: X s"     N floats, the best of 5
//   gpu_cub_peer scan N   =>  "scan: X s"
//   gpu_cub_peer sort N   =>  "sort: X s"
//   gpu_cub_peer sortd N  =>  "sortd: X s"   N doubles
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

/// N numbers between -0.5 and 0.5.
template <class T>
struct Numbers {
  explicit Numbers(std::size_t n) : from(allocate<T>(n)), to(allocate<T>(n)), count(static_cast<int>(n)) {
    std::vector<T> numbers(n);
    unsigned long state = 1;
    for (T &v : numbers) {
      state = state * 6364136223846793005UL + 1442695040888963407UL;
      v = static_cast<T>(static_cast<double>(state >> 11) / 9007199254740992.0 - 0.5);
    }
    check(cudaMemcpy(from, numbers.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  }
  T *const from, *const to;
  const int count;
};

template <class T>
double secondsOfSort(std::size_t n) {
  const Numbers<T> x(n);
  return best([&](void *m, std::size_t &b) { return cub::DeviceRadixSort::SortKeys(m, b, x.from, x.to, x.count); });
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3)
    return 1;
  const auto n = static_cast<std::size_t>(std::atoll(argv[2]));
  double seconds = 0;
  if (std::strcmp(argv[1], "sort") == 0) {
    seconds = secondsOfSort<float>(n);
  } else if (std::strcmp(argv[1], "sortd") == 0) {
    seconds = secondsOfSort<double>(n);
  } else {
    const Numbers<float> x(n);
    if (std::strcmp(argv[1], "sum") == 0)
      seconds = best([&](void *m, std::size_t &b) { return cub::DeviceReduce::Sum(m, b, x.from, x.to, x.count); });
    else if (std::strcmp(argv[1], "scan") == 0)
      seconds = best([&](void *m, std::size_t &b) { return cub::DeviceScan::InclusiveSum(m, b, x.from, x.to, x.count); });
    else
      return 1;
  }
  std::printf("%s: %.9f s\n", argv[1], seconds);
}
