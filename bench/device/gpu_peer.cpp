// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a GPU does by NVIDIA's own libraries, which are opened when this runs (no CUDA is needed to build it).
//   gpu_peer copy MEGABYTES  =>  "copy: X GB/s"      read and written, from device to device
//   gpu_peer sgemm N         =>  "sgemm: X s"        the best of 5, without TF32, of random numbers
//   gpu_peer dgemm N         =>  "dgemm: X s"
//   gpu_peer convolution N   =>  "convolution: X s"  9 x 9 over N x N, by cuDNN, not through transforms
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <vector>

namespace {

void *open(const char *const *names) {
  for (; *names; ++names)
    if (void *library = dlopen(*names, RTLD_NOW | RTLD_GLOBAL))
      return library;
  std::puts("none");
  std::exit(0);
}

template <class F>
F *function(void *library, const char *name) {
  auto *found = reinterpret_cast<F *>(dlsym(library, name));
  if (!found) {
    std::fprintf(stderr, "gpu_peer: no function %s\n", name);
    std::exit(1);
  }
  return found;
}

template <class F>
double best(F run) {
  double least = 1e30;
  for (int i = 0; i < 6; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    run();
    const double s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (i > 0 && s < least)
      least = s;
  }
  return least;
}

/// Numbers of both signs: a product of zeros needs less power and is faster than one of other numbers.
template <class T>
std::vector<T> randomNumbers(std::size_t count) {
  std::vector<T> all(count);
  unsigned long state = 1;
  for (T &v : all) {
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    v = static_cast<T>(state >> 40) / 16777216 - static_cast<T>(0.5);
  }
  return all;
}

template <class T>
int product(void *runtime, const char *name, const char *shown, long n) {
  auto *allocate = function<int(void **, std::size_t)>(runtime, "cudaMalloc");
  auto *copy = function<int(void *, const void *, std::size_t, int)>(runtime, "cudaMemcpy");
  auto *wait = function<int()>(runtime, "cudaDeviceSynchronize");
  const char *const libraries[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so", nullptr};
  void *blas = open(libraries);
  void *handle = nullptr, *m[3] = {};
  if (function<int(void **)>(blas, "cublasCreate_v2")(&handle))
    return 1;
  constexpr int kToDevice = 1, kRounds = 10;
  const auto numbers = randomNumbers<T>(static_cast<std::size_t>(n * n));
  for (void *&p : m)
    if (allocate(&p, sizeof(T) * numbers.size()) ||
        copy(p, numbers.data(), sizeof(T) * numbers.size(), kToDevice))
      return 1;
  auto *multiply = function<int(void *, int, int, int, int, int, const T *, const void *, int, const void *,
                                int, const T *, void *, int)>(blas, name);
  const T one = 1, zero = 0;
  const int k = static_cast<int>(n);
  const double s = best([&] {
    for (int i = 0; i < kRounds; ++i)
      multiply(handle, 0, 0, k, k, k, &one, m[0], k, m[1], k, &zero, m[2], k);
    wait();
  });
  std::printf("%s: %.9f s\n", shown, s / kRounds);
  return 0;
}

/// The fastest of the algorithms that need no workspace.
int convolution(void *runtime, int n) {
  auto *allocate = function<int(void **, std::size_t)>(runtime, "cudaMalloc");
  auto *wait = function<int()>(runtime, "cudaDeviceSynchronize");
  const char *const names[] = {"libcudnn.so.9", "libcudnn.so.8", "libcudnn.so", nullptr};
  void *dnn = open(names);
  using Create = int(void **);
  using Tensor = int(void *, int, int, int, int, int, int);
  void *handle = nullptr, *from = nullptr, *to = nullptr, *filter = nullptr, *how = nullptr;
  const int width = 9, result = n - width + 1, noTransposition = 0, floats = 0, crossCorrelation = 1;
  if (function<Create>(dnn, "cudnnCreate")(&handle) ||
      function<Create>(dnn, "cudnnCreateTensorDescriptor")(&from) ||
      function<Create>(dnn, "cudnnCreateTensorDescriptor")(&to) ||
      function<Create>(dnn, "cudnnCreateFilterDescriptor")(&filter) ||
      function<Create>(dnn, "cudnnCreateConvolutionDescriptor")(&how))
    return 1;
  auto *shape = function<Tensor>(dnn, "cudnnSetTensor4dDescriptor");
  if (shape(from, noTransposition, floats, 1, 1, n, n) ||
      shape(to, noTransposition, floats, 1, 1, result, result) ||
      function<Tensor>(dnn, "cudnnSetFilter4dDescriptor")(filter, floats, noTransposition, 1, 1, width,
                                                          width) ||
      function<int(void *, int, int, int, int, int, int, int, int)>(dnn, "cudnnSetConvolution2dDescriptor")(
          how, 0, 0, 1, 1, 1, 1, crossCorrelation, floats))
    return 1;
  void *m[3] = {};
  for (void *&p : m)
    if (allocate(&p, sizeof(float) * static_cast<std::size_t>(n) * static_cast<std::size_t>(n)))
      return 1;
  auto *run =
      function<int(void *, const float *, void *, const void *, void *, const void *, void *, int, void *,
                   std::size_t, const float *, void *, void *)>(dnn, "cudnnConvolutionForward");
  const float one = 1, zero = 0;
  double least = 1e30;
  for (const int algorithm : {0, 1, 3}) { // implicit products, with indices computed before, direct
    bool works = true;
    const double s = best([&] {
      works = works &&
              run(handle, &one, from, m[0], filter, m[1], how, algorithm, nullptr, 0, &zero, to, m[2]) == 0;
      wait();
    });
    if (works && s < least)
      least = s;
  }
  if (least < 1e30)
    std::printf("convolution: %.9f s\n", least);
  else
    std::puts("none");
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3)
    return 1;
  const char *const runtimes[] = {"libcudart.so.13", "libcudart.so.12", "libcudart.so", nullptr};
  void *runtime = open(runtimes);
  auto *allocate = function<int(void **, std::size_t)>(runtime, "cudaMalloc");
  auto *wait = function<int()>(runtime, "cudaDeviceSynchronize");
  const long n = std::atol(argv[2]);
  if (std::strcmp(argv[1], "copy") == 0) {
    auto *copy = function<int(void *, const void *, std::size_t, int)>(runtime, "cudaMemcpy");
    const std::size_t bytes = static_cast<std::size_t>(n) << 20;
    void *a = nullptr, *b = nullptr;
    if (allocate(&a, bytes) || allocate(&b, bytes))
      return 1;
    constexpr int kDeviceToDevice = 3, kRounds = 20;
    const double s = best([&] {
      for (int i = 0; i < kRounds; ++i)
        copy(b, a, bytes, kDeviceToDevice);
      wait();
    });
    std::printf("copy: %.1f GB/s\n", 2.0 * kRounds * static_cast<double>(bytes) / s * 1e-9);
    return 0;
  }
  if (std::strcmp(argv[1], "convolution") == 0)
    return convolution(runtime, static_cast<int>(n));
  return std::strcmp(argv[1], "sgemm") == 0   ? product<float>(runtime, "cublasSgemm_v2", "sgemm", n)
         : std::strcmp(argv[1], "dgemm") == 0 ? product<double>(runtime, "cublasDgemm_v2", "dgemm", n)
                                              : 1;
}
