/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* library: basics */

/* Every bad input is a status and a sentence, and the next call works. */
#include "basics.h"
#define MESSAGE pbc_basics_message
#include "check.h"
#include <signal.h>
#include <sys/resource.h>

static pbc_context *c;
static double x[64], y[64];

static pbc_array input(int64_t n) { return pbc_array_1d(x, PBC_F64, n); }
static pbc_array output(int64_t n) { return pbc_array_1d(y, PBC_F64, n); }

static void arrays(void) {
  pbc_array a = input(8), b = output(8);
  FAILS(PBC_ERROR_ARGUMENT, "Smooth: the array A is null", pbc_basics_Smooth(c, NULL, &b));
  FAILS(PBC_ERROR_ARGUMENT, "the array B is null", pbc_basics_Smooth(c, &a, NULL));
  pbc_array flat = pbc_array_2d(x, PBC_F64, 8, 1);
  FAILS(PBC_ERROR_ARGUMENT, "A[n] has 1 dimension, and the array has 2 dimensions", pbc_basics_Smooth(c, &flat, &b));
  pbc_array narrow = pbc_array_1d(x, PBC_F32, 8);
  FAILS(PBC_ERROR_ARGUMENT, "A[n] has elements of type double, and the array has float", pbc_basics_Smooth(c, &narrow, &b));
  pbc_array strange = pbc_array_1d(x, 99, 8);
  FAILS(PBC_ERROR_ARGUMENT, "the unknown type 99", pbc_basics_Smooth(c, &strange, &b));
  pbc_array far = a;
  far.place = PBC_CUDA;
  FAILS(PBC_ERROR_DEVICE, "no device", pbc_basics_Smooth(c, &far, &b));
  pbc_array fixed = b;
  fixed.flags = PBC_READ_ONLY;
  FAILS(PBC_ERROR_ARGUMENT, "output B is read-only", pbc_basics_Smooth(c, &a, &fixed));
  pbc_array nowhere = pbc_array_1d(NULL, PBC_F64, 8);
  FAILS(PBC_ERROR_ARGUMENT, "no memory", pbc_basics_Smooth(c, &nowhere, &b));
  pbc_array odd = pbc_array_1d((char *)x + 1, PBC_F64, 8);
  FAILS(PBC_ERROR_ARGUMENT, "multiple of the size", pbc_basics_Smooth(c, &odd, &b));
  pbc_array negative = input(-1), huge = input(1ll << 31);
  FAILS(PBC_ERROR_SIZE, "-1 cells", pbc_basics_Smooth(c, &negative, &b));
  FAILS(PBC_ERROR_SIZE, "2147483648 cells", pbc_basics_Smooth(c, &huge, &b));
  FAILS(PBC_ERROR_ARGUMENT, "S", pbc_basics_Sum(c, &a, 1, NULL));
}

static void sizes(void) {
  pbc_array a = input(8), b = output(7);
  FAILS(PBC_ERROR_SIZE, "B[n] is to be [8] (A[n] is [8], B[n] is [7])", pbc_basics_Smooth(c, &a, &b));
  pbc_array A = pbc_array_2d(x, PBC_F64, 3, 2), B = pbc_array_2d(x, PBC_F64, 2, 4), AB = pbc_array_2d(y, PBC_F64, 2, 2);
  FAILS(PBC_ERROR_SIZE, "(A[c, h] is [3, 2], B[w, c] is [2, 4], AB[w, h] is [2, 2])", pbc_basics_Product(c, &A, &B, &AB));
  pbc_array odd = input(7), low = output(3), high = pbc_array_1d(y + 8, PBC_F64, 3);
  FAILS(PBC_ERROR_SIZE, "A[2 * n] is [7]", pbc_basics_Halve(c, &odd, &low, &high));
  pbc_array wanted = pbc_array_wanted();
  FAILS(PBC_ERROR_SIZE, "-1", pbc_basics_Count(c, 1, -1, &wanted));
  CHECK(!wanted.data && !wanted.owner);
}

static void overlaps(void) {
  pbc_array a = input(8), low = output(4), high = pbc_array_1d(y + 3, PBC_F64, 4);
  FAILS(PBC_ERROR_OVERLAP, "the outputs Low and High share memory", pbc_basics_Halve(c, &a, &low, &high));
  pbc_array backwards = pbc_array_1d(y + 6, PBC_F64, 4);
  backwards.stride[0] = -1;
  FAILS(PBC_ERROR_OVERLAP, "the outputs Low and High share memory", pbc_basics_Halve(c, &a, &low, &backwards));
  pbc_array even = output(4), odd = pbc_array_1d(y + 1, PBC_F64, 4);
  even.stride[0] = odd.stride[0] = 2; /* interleaved, and no cell is in both */
  OK(pbc_basics_Halve(c, &a, &even, &odd));
  odd = pbc_array_1d(y + 7, PBC_F64, 4);
  odd.stride[0] = -2;
  OK(pbc_basics_Halve(c, &a, &even, &odd));
  pbc_array one = output(8);
  one.stride[0] = 0;
  FAILS(PBC_ERROR_OVERLAP, "cells of the output B share memory", pbc_basics_Smooth(c, &a, &one));
}

static void rules(void) {
  pbc_array a = input(8), b = output(8);
  x[0] = 1;
  FAILS(PBC_ERROR_RULE, "the rule is unwilling", pbc_basics_Fail(c, &a, &b));
  x[0] = 2;
  FAILS(PBC_ERROR_RULE, "unknown type", pbc_basics_Fail(c, &a, &b));
  x[0] = 3;
  FAILS(PBC_ERROR_RULE, "gave up", pbc_basics_Fail(c, &a, &b));
  x[0] = 4;
  FAILS(PBC_ERROR_RULE, "n is not negative", pbc_basics_Fail(c, &a, &b));
  x[0] = 0;
  OK(pbc_basics_Fail(c, &a, &b));
  FAILS(PBC_ERROR_RECURSION, "Endless calls itself too deeply", pbc_basics_Endless(c, &a, &b));
  for (int i = 0; i < 8; ++i)
    x[i] = 2;
  FAILS(PBC_ERROR_ACCURACY, "verify_accuracy asks for 12 or more", pbc_basics_Checked(c, &a, 12, &b));
  OK(pbc_basics_Smooth(c, &a, &b));
}

/* Above the cut-off, where workers compute. */
static void rulesInTasks(void) {
  enum { n = 300000 };
  static double in[n], out[n];
  in[n / 2] = -1;
  pbc_array a = pbc_array_1d(in, PBC_F64, n), b = pbc_array_1d(out, PBC_F64, n);
  for (int round = 0; round < 20; ++round)
    FAILS(PBC_ERROR_RULE, "a cell is negative", pbc_basics_FailInTasks(c, &a, &b));
  in[n / 2] = 7;
  OK(pbc_basics_FailInTasks(c, &a, &b));
  CHECK(out[n / 2] == 7);
  FAILS(PBC_ERROR_RECURSION, "Endless calls itself too deeply, here with size 300000", pbc_basics_Endless(c, &a, &b));
  OK(pbc_basics_FailInTasks(c, &a, &b));
}

static void memory(void) {
  struct rlimit limit, less = {2000000000, RLIM_INFINITY};
  getrlimit(RLIMIT_AS, &limit);
  less.rlim_max = limit.rlim_max;
  CHECK(!setrlimit(RLIMIT_AS, &less));
  pbc_array wanted = pbc_array_wanted();
  FAILS(PBC_ERROR_MEMORY, "not enough memory", pbc_basics_Count(c, 1, 2000000000, &wanted));
  CHECK(!wanted.data && !wanted.owner);
  CHECK(!setrlimit(RLIMIT_AS, &limit));
}

static void versions(void) {
  pbc_context *old = NULL;
  CHECK(pbc_basics_create_for(PBC_ABI_VERSION + 1, NULL, &old) == PBC_ERROR_VERSION);
  CHECK(strstr(pbc_basics_message(old), "compiled for version 2 of the interface, and the library basics has version 1"));
  pbc_array a = input(8), b = output(8);
  CHECK(pbc_basics_Smooth(old, &a, &b) == PBC_ERROR_VERSION);
  pbc_basics_destroy(old);
  CHECK(pbc_basics_create(NULL, NULL) == PBC_ERROR_ARGUMENT);
  for (int k = 0; k < 2; ++k) {
    pbc_options wrong = {0};
    wrong.threads = k ? -3 : 2000000;
    CHECK(pbc_basics_create(&wrong, &old) == PBC_ERROR_ARGUMENT);
    CHECK(strstr(pbc_basics_message(old), k ? "a context has 1 to 1024 threads, not -3" : "threads, not 2000000"));
    pbc_basics_destroy(old);
  }
  CHECK(pbc_basics_Smooth(NULL, &a, &b) == PBC_ERROR_CONTEXT);
  CHECK(strstr(pbc_basics_message(NULL), "no context"));
}

int main(void) {
  struct sigaction before[32], after;
  for (int s = 1; s < 32; ++s)
    sigaction(s, NULL, before + s);
  OK(pbc_basics_create(NULL, &c));
  CHECK(!strcmp(pbc_basics_message(c), ""));
  arrays();
  sizes();
  overlaps();
  rules();
  rulesInTasks();
  memory();
  versions();
  for (int s = 1; s < 32; ++s) {
    sigaction(s, NULL, &after);
    CHECK(after.sa_handler == before[s].sa_handler);
  }
  pbc_basics_destroy(c);
  return 0;
}
