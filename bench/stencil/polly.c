// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The loops of heat.pbcc as Polly likes them: static control flow, time among the subscripts, sizes known.
//   clang -O3 -march=native -mllvm -polly -DKERNEL=5|9|7 -DW=.. -DH=.. -DD=..
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define STEPS 100
#if KERNEL == 7
static double u[2][D][H][W];
static void run(void) {
  for (int t = 0; t < STEPS; ++t)
    for (int z = 1; z < D - 1; ++z)
      for (int y = 1; y < H - 1; ++y)
        for (int x = 1; x < W - 1; ++x)
          u[(t + 1) % 2][z][y][x] = u[t % 2][z][y][x] + 0.1 * (u[t % 2][z][y][x - 1] + u[t % 2][z][y][x + 1] +
                                                               u[t % 2][z][y - 1][x] + u[t % 2][z][y + 1][x] +
                                                               u[t % 2][z - 1][y][x] + u[t % 2][z + 1][y][x] -
                                                               6 * u[t % 2][z][y][x]);
}
#else
static double u[2][H][W];
static void run(void) {
  for (int t = 0; t < STEPS; ++t)
    for (int y = 1; y < H - 1; ++y)
      for (int x = 1; x < W - 1; ++x)
#if KERNEL == 5
        u[(t + 1) % 2][y][x] =
            u[t % 2][y][x] + 0.1 * (u[t % 2][y][x - 1] + u[t % 2][y][x + 1] + u[t % 2][y - 1][x] +
                                    u[t % 2][y + 1][x] - 4 * u[t % 2][y][x]);
#else
        u[(t + 1) % 2][y][x] =
            0.5 * u[t % 2][y][x] +
            0.1 * (u[t % 2][y][x - 1] + u[t % 2][y][x + 1] + u[t % 2][y - 1][x] + u[t % 2][y + 1][x]) +
            0.025 * (u[t % 2][y - 1][x - 1] + u[t % 2][y - 1][x + 1] + u[t % 2][y + 1][x - 1] +
                     u[t % 2][y + 1][x + 1]);
#endif
}
#endif

int main(void) {
  double *all = (double *)u;
  const long n = sizeof u / sizeof *all / 2;
  for (long i = 0; i < n; ++i)
    all[i] = all[n + i] = (double)(i * 7919 % 1000) / 1000;
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  run();
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("time: %g s\ncell: %.17g\n",
         (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec),
         all[n / 2 + W / 3]);
}
