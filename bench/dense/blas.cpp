// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The transforms of dense.pbcc by the functions of a BLAS library that is opened when this program runs.
//
//   blas LIBRARY PREFIX NAME W H K    => "time: SECONDS s", the median; `...Often`: of 100 calls. And "processor:
//                                       SECONDS s", the least processor time, which other programs disturb less
//
// PREFIX stands in front of the library's names ("scipy_" for PyPI's OpenBLAS; "-" for none). The number of threads
// comes from the library's own environment variable (bench/peers.py).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <random>
#include <string>
#include <vector>

namespace {

// The values of the C interface to BLAS.
constexpr int kRowMajor = 101, kNoTranspose = 111, kLower = 122, kNonUnit = 131, kUnit = 132, kLeft = 141;

template <class T>
using Product = void(int, int, int, int, int, int, T, const T *, int, const T *, int, T, T *, int);
using Symmetric = void(int, int, int, int, int, double, const double *, int, const double *, int, double,
                       double *, int);
using Triangular = void(int, int, int, int, int, int, int, double, const double *, int, double *, int);

/// The functions of one library.
struct Blas {
  Product<double> *dgemm;
  Product<float> *sgemm;
  Symmetric *dsymm;
  Triangular *dtrmm, *dtrsm;
};

Blas blas;

template <class Function>
void find(void *library, const std::string &name, Function *&function) {
  function = reinterpret_cast<Function *>(dlsym(library, name.c_str()));
  if (!function) {
    std::fprintf(stderr, "blas: %s\n", dlerror());
    std::exit(1);
  }
}

Blas open(const char *path, const std::string &prefix) {
  void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (!library) {
    std::fprintf(stderr, "blas: %s\n", dlerror());
    std::exit(1);
  }
  Blas found;
  find(library, prefix + "cblas_dgemm", found.dgemm);
  find(library, prefix + "cblas_sgemm", found.sgemm);
  find(library, prefix + "cblas_dsymm", found.dsymm);
  find(library, prefix + "cblas_dtrmm", found.dtrmm);
  find(library, prefix + "cblas_dtrsm", found.dtrsm);
  return found;
}

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
    blas.dgemm(kRowMajor, kNoTranspose, kNoTranspose, h, w, k, 1, a, k, b, w, 0, c, w);
  else if (name == "Symmetric")
    blas.dsymm(kRowMajor, kLeft, kLower, h, w, 1, a, h, b, w, 0, c, w);
  else {
    // These functions work in place, so the copy is part of their time.
    std::copy(b, b + static_cast<long>(w) * h, c);
    if (name == "Triangular")
      blas.dtrmm(kRowMajor, kLeft, kLower, kNoTranspose, kNonUnit, h, w, 1, a, h, c, w);
    else
      blas.dtrsm(kRowMajor, kLeft, kLower, kNoTranspose, kUnit, h, w, 1, a, h, c, w);
  }
}
void call(const std::string &, const float *a, const float *b, float *c) {
  blas.sgemm(kRowMajor, kNoTranspose, kNoTranspose, h, w, k, 1, a, k, b, w, 0, c, w);
}

struct Times {
  double median, leastOfProcessor;
};

double processorSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class T>
Times measure(const std::string &name, int calls) {
  std::vector<T> a = randomCells<T>(static_cast<std::size_t>(k) * h),
                 b = randomCells<T>(static_cast<std::size_t>(w) * k);
  if (name == "Solve")
    for (T &l : a)
      l /= 64; // keeps the result finite
  std::vector<T> c(static_cast<std::size_t>(w) * h);
  std::vector<double> times;
  double all = 0, least = 1e99;
  while (times.size() < 3 || all < 0.5) {
    const auto begin = std::chrono::steady_clock::now();
    const double processor = processorSeconds();
    for (int n = 0; n < calls; ++n)
      call(name, a.data(), b.data(), c.data());
    times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    all += times.back();
    least = std::min(least, processorSeconds() - processor);
  }
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return {times[times.size() / 2], least};
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 7) {
    std::fprintf(stderr, "usage: blas LIBRARY PREFIX NAME W H K\n");
    return 1;
  }
  blas = open(argv[1], argv[2] == std::string("-") ? "" : argv[2]);
  std::string name = argv[3];
  w = std::atoi(argv[4]), h = std::atoi(argv[5]), k = std::atoi(argv[6]);
  const bool often = name.size() > 5 && name.substr(name.size() - 5) == "Often";
  if (often)
    name.resize(name.size() - 5);
  const int calls = often ? 100 : 1;
  const Times times = name == "ProductFloat" ? measure<float>(name, calls) : measure<double>(name, calls);
  std::printf("time: %.9g s\nprocessor: %.9g s\n", times.median, times.leastOfProcessor);
}
