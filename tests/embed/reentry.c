/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* library: reentry */

/* A rule that calls the library again: in the same context and in another one, on the calling thread and on a worker. */
#include "reentry.h"
#define MESSAGE pbc_reentry_message
#include "check.h"

enum { most = 3000 };

static pbc_context *inner;
static int hooked;

static void hook(void) {
  pbc_context *c = inner;
  for (int n = 10; n <= most; n += most - 10) {
    double x[most], y[most];
    for (int i = 0; i < n; ++i)
      x[i] = i;
    pbc_array X = pbc_array_1d(x, PBC_F64, n), Y = pbc_array_1d(y, PBC_F64, n);
    OK(pbc_reentry_Double(c, &X, &Y));
    CHECK(y[n - 1] == 2 * (n - 1));
    Y.rank = 2;
    FAILS(PBC_ERROR_ARGUMENT, "B[n] has 1 dimension", pbc_reentry_Double(c, &X, &Y));
  }
  ++hooked;
}

int main(void) {
  pbc_options options = {0};
  for (options.threads = 1; options.threads < 3; ++options.threads) {
    pbc_context *c = NULL, *other = NULL;
    OK(pbc_reentry_create(&options, &c));
    OK(pbc_reentry_create(&options, &other));
    for (int k = 0; k < 4; ++k) {
      const int n = k % 2 ? most : 10;
      double x[most] = {7}, y[most];
      pbc_array X = pbc_array_1d(x, PBC_F64, n), Y = pbc_array_1d(y, PBC_F64, n);
      inner = k < 2 ? c : other;
      hooked = 0;
      OK(pbc_reentry_Call(c, &X, (int64_t)(intptr_t)hook, &Y));
      CHECK(hooked == 1 && y[0] == 7);
    }
    double ones[20], sum = 0;
    pbc_array m[13];
    for (int k = 0; k < 20; ++k)
      ones[k] = k + 1;
    for (int k = 0; k < 13; ++k)
      m[k] = pbc_array_1d(ones, PBC_F64, k + 1);
    OK(pbc_reentry_Many(c, m, m + 1, m + 2, m + 3, m + 4, m + 5, m + 6, m + 7, m + 8, m + 9, m + 10, m + 11, m + 12, &sum));
    CHECK(sum == 12 + 13);
    pbc_reentry_destroy(c);
    pbc_reentry_destroy(other);
  }
  return 0;
}
