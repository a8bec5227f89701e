/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* What a call of a library from C costs: calls that do next to nothing, the same work written by hand, and the same
   product by OpenBLAS, where it is installed.

     pbc --shared bench/embed/calls.pbcc -o libcalls.so
     cc -O2 -march=native -I. bench/embed/calls.c -o calls -L. -lcalls -Wl,-rpath,. -lpthread -ldl && ./calls */
#define _POSIX_C_SOURCE 200809L
#include "calls.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(pbc_context *c) {
  fprintf(stderr, "calls: %s\n", pbc_calls_message(c));
  exit(1);
}

/* Prints the least time of a call, in nanoseconds, over repetitions of 2 milliseconds. */
#define MEASURE(name, call)                                                                                             \
  do {                                                                                                                 \
    double best = 1e9;                                                                                                  \
    for (int repetition = 0; repetition < 50; ++repetition) {                                                          \
      long calls = 0;                                                                                                  \
      const double begin = now();                                                                                      \
      double end = begin;                                                                                               \
      while (end < begin + 0.002) {                                                                                    \
        for (int k = 0; k < 100; ++k)                                                                                  \
          call;                                                                                                        \
        calls += 100;                                                                                                  \
        end = now();                                                                                                    \
      }                                                                                                                \
      if ((end - begin) / (double)calls < best)                                                                         \
        best = (end - begin) / (double)calls;                                                                           \
    }                                                                                                                  \
    printf("%-44s %9.1f ns\n", name, 1e9 * best);                                                                       \
  } while (0)

#define CALL(what)                                                                                                      \
  if (what)                                                                                                            \
  fail(c)

__attribute__((noinline)) static void smoothByHand(const double *a, double *b, int n) {
  b[0] = a[0];
  b[n - 1] = a[n - 1];
  for (int i = 1; i + 1 < n; ++i)
    b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
}

typedef void Gemm(int, int, int, int, int, int, double, const double *, int, const double *, int, double, double *, int);

int main(void) {
  enum { most = 128 };
  static double x[most * most], y[most * most], z[most * most];
  for (int i = 0; i < most * most; ++i)
    x[i] = y[i] = i % 7;
  pbc_context *c = NULL;
  pbc_options options = {0};
  options.threads = 2;
  if (pbc_calls_create(&options, &c))
    fail(c);
  pbc_array A = pbc_array_1d(x, PBC_F64, 10), B = pbc_array_1d(y, PBC_F64, 10);
  double s = 0;
  MEASURE("nothing, 10 cells", CALL(pbc_calls_Nothing(c, &A, &B)));
  MEASURE("smooth, 10 cells", CALL(pbc_calls_Smooth(c, &A, &B)));
  MEASURE("smooth by hand, 10 cells", smoothByHand(x, y, 10));
  A.extent[0] = 4;
  MEASURE("recursion on a large stack, 4 cells", CALL(pbc_calls_Halves(c, &A, &s)));
  A.extent[0] = B.extent[0] = 100;
  MEASURE("smooth, 100 cells", CALL(pbc_calls_Smooth(c, &A, &B)));
  MEASURE("smooth by hand, 100 cells", smoothByHand(x, y, 100));
  A.extent[0] = B.extent[0] = 200;
  MEASURE("smooth, 200 cells: in tasks", CALL(pbc_calls_Smooth(c, &A, &B)));
  void *blas = dlopen("libopenblas.so.0", RTLD_NOW);
  Gemm *gemm = NULL;
  void (*threads)(int) = NULL;
  if (blas) {
    *(void **)&gemm = dlsym(blas, "cblas_dgemm");
    *(void **)&threads = dlsym(blas, "openblas_set_num_threads");
    threads(1);
  }
  for (int n = 2; n <= most; n *= 2) {
    char name[80];
    pbc_array M = pbc_array_2d(x, PBC_F64, n, n), N = pbc_array_2d(y, PBC_F64, n, n), P = pbc_array_2d(z, PBC_F64, n, n);
    snprintf(name, sizeof name, "product, %d x %d", n, n);
    MEASURE(name, CALL(pbc_calls_MatMul(c, &M, &N, &P)));
    snprintf(name, sizeof name, "product by OpenBLAS, one thread, %d x %d", n, n);
    if (gemm)
      MEASURE(name, gemm(101, 111, 111, n, n, n, 1, x, n, y, n, 0, z, n));
  }
  pbc_calls_destroy(c);
  return 0;
}
