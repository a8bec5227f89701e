// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A routine of BLAS3 by a library that is opened when this program runs.
//
//   routines LIBRARY PREFIX NAME N    => "time: SECONDS s", the median of the calls, all matrices N x N
//
// NAME is as in <blas3.pbcc>: DgemmNT, SsymmLU, DtrmmLLTN, ... PREFIX stands in front of the library's names ("-" for none).
// Products with a triangle and solves work in place, so a copy of B is part of their time, as it is in our routines.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <random>
#include <string>
#include <vector>

namespace {

// The values of the C interface to BLAS.
constexpr int kRowMajor = 101;
int transposeOf(char c) { return c == 'T' ? 112 : 111; }
int halfOf(char c) { return c == 'U' ? 121 : 122; }
int diagonalOf(char c) { return c == 'U' ? 132 : 131; }
int sideOf(char c) { return c == 'R' ? 142 : 141; }

template <class T>
using Product = void(int, int, int, int, int, int, T, const T *, int, const T *, int, T, T *, int);
template <class T>
using Symmetric = void(int, int, int, int, int, T, const T *, int, const T *, int, T, T *, int);
template <class T>
using Triangular = void(int, int, int, int, int, int, int, T, const T *, int, T *, int);

void *function(void *library, const std::string &name) {
  void *found = dlsym(library, name.c_str());
  if (!found) {
    std::fprintf(stderr, "routines: %s\n", dlerror());
    std::exit(1);
  }
  return found;
}

template <class T>
double median(void *library, const std::string &prefix, const std::string &name, int n) {
  std::mt19937_64 bits(1);
  std::uniform_real_distribution<T> between(-1, 1);
  const std::size_t cells = static_cast<std::size_t>(n) * n;
  std::vector<T> a(cells), b(cells), c(cells);
  for (std::size_t i = 0; i < cells; ++i) {
    // A large diagonal keeps the results of solves finite.
    a[i] = i % (n + 1) == 0 ? T(n) : between(bits);
    b[i] = between(bits);
  }
  const std::string type(1, name[0] == 'D' ? 'd' : 's'), what = name.substr(1, 4), form = name.substr(5);
  void *const f = function(library, prefix + "cblas_" + type + what);
  const auto call = [&] {
    if (what == "gemm")
      reinterpret_cast<Product<T> *>(f)(kRowMajor, transposeOf(form[0]), transposeOf(form[1]), n, n, n, 1,
                                        a.data(), n, b.data(), n, 0, c.data(), n);
    else if (what == "symm")
      reinterpret_cast<Symmetric<T> *>(f)(kRowMajor, sideOf(form[0]), halfOf(form[1]), n, n, 1, a.data(), n,
                                          b.data(), n, 0, c.data(), n);
    else {
      std::copy(b.begin(), b.end(), c.begin());
      reinterpret_cast<Triangular<T> *>(f)(kRowMajor, sideOf(form[0]), halfOf(form[1]), transposeOf(form[2]),
                                           diagonalOf(form[3]), n, n, 1, a.data(), n, c.data(), n);
    }
  };
  call();
  std::vector<double> times;
  for (double all = 0; times.size() < 5 || (all < 0.2 && times.size() < 1000); all += times.back()) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: routines LIBRARY PREFIX NAME N\n");
    return 1;
  }
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  if (!library) {
    std::fprintf(stderr, "routines: %s\n", dlerror());
    return 1;
  }
  const std::string prefix = argv[2] == std::string("-") ? "" : argv[2], name = argv[3];
  const int n = std::atoi(argv[4]);
  std::printf("time: %.9g s\n", name[0] == 'D' ? median<double>(library, prefix, name, n)
                                               : median<float>(library, prefix, name, n));
}
