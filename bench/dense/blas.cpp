// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The transforms of dense.pbcc by OpenBLAS.
//
//   blas NAME W H K THREADS    => "time: SECONDS s", the median; `...Often`: of 100 calls
#include <algorithm>
#include <cblas.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>
extern "C" void openblas_set_num_threads(int);

namespace {

int w, h, k;

template <class T>
std::vector<T> randomCells(std::size_t n) {
  std::mt19937_64 bits(1);
  std::uniform_real_distribution<T> between(-1, 1);
  std::vector<T> cells(n);
  for (T &c : cells)
    c = between(bits);
  return cells;
}

void call(const std::string &name, const double *a, const double *b, double *c) {
  if (name == "Product")
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, h, w, k, 1, a, k, b, w, 0, c, w);
  else if (name == "Symmetric")
    cblas_dsymm(CblasRowMajor, CblasLeft, CblasLower, h, w, 1, a, h, b, w, 0, c, w);
  else {
    // These work in place: the copy is part of them.
    std::copy(b, b + static_cast<long>(w) * h, c);
    if (name == "Triangular")
      cblas_dtrmm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, h, w, 1, a, h, c, w);
    else
      cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, h, w, 1, a, h, c, w);
  }
}
void call(const std::string &, const float *a, const float *b, float *c) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, h, w, k, 1, a, k, b, w, 0, c, w);
}

template <class T>
double median(const std::string &name, int calls) {
  std::vector<T> a = randomCells<T>(static_cast<std::size_t>(k) * h),
                 b = randomCells<T>(static_cast<std::size_t>(w) * k);
  if (name == "Solve")
    for (T &l : a)
      l /= 64; // a result that stays finite
  std::vector<T> c(static_cast<std::size_t>(w) * h);
  std::vector<double> times;
  double all = 0;
  while (times.size() < 3 || all < 0.5) {
    const auto begin = std::chrono::steady_clock::now();
    for (int n = 0; n < calls; ++n)
      call(name, a.data(), b.data(), c.data());
    times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    all += times.back();
  }
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: blas NAME W H K THREADS\n");
    return 1;
  }
  std::string name = argv[1];
  w = std::atoi(argv[2]), h = std::atoi(argv[3]), k = std::atoi(argv[4]);
  openblas_set_num_threads(std::atoi(argv[5]));
  const bool often = name.size() > 5 && name.substr(name.size() - 5) == "Often";
  if (often)
    name.resize(name.size() - 5);
  const int calls = often ? 100 : 1;
  std::printf("time: %.9g s\n",
              name == "ProductFloat" ? median<float>(name, calls) : median<double>(name, calls));
}
