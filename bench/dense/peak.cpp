// What the processor can do: multiplications and additions that depend on nothing but themselves.
//
//   peak double|float    => GFLOP/s of one core, several times
#include <chrono>
#include <cstdio>
#include <cstring>

#if defined(__AVX512F__)
constexpr int kBytes = 64, kChains = 24;
#elif defined(__AVX__)
constexpr int kBytes = 32, kChains = 12;
#else
constexpr int kBytes = 16, kChains = 12;
#endif

template <class T>
double rate() {
  typedef T V __attribute__((vector_size(kBytes)));
  V s[kChains] = {}, a = V{} + T(0.999), b = V{} + T(0.5);
  constexpr long kSteps = 400000;
  const auto begin = std::chrono::steady_clock::now();
  for (long i = 0; i < kSteps; ++i) {
#pragma clang loop unroll(full)
    for (V &chain : s)
      chain = chain * a + b;
    asm volatile("" : "+v"(a));
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (V &chain : s)
    asm volatile("" : : "v"(chain));
  return 2.0 * kSteps * kChains * kBytes / sizeof(T) / seconds / 1e9;
}

int main(int, char **argv) {
  for (int k = 0; k < 20; ++k)
    std::printf("%.2f\n", std::strcmp(argv[1], "float") ? rate<double>() : rate<float>());
}
