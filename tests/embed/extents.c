/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* library: extents */

/* Extents whose product is no number of bytes: a status, not a matrix that is too small. */
#include "extents.h"
#define MESSAGE pbc_extents_message
#include "check.h"

static pbc_context *c;
static double x[100], y[100];

/* A matrix all of whose cells are one. */
static pbc_array repeated(int64_t w, int64_t h, int64_t d) {
  pbc_array a = pbc_array_3d(x, PBC_F64, w, h, d);
  a.stride[0] = a.stride[1] = a.stride[2] = 0;
  return a;
}

/* 2^61 cells have 2^64 bytes, and 2^64 + 2^55 cells have more. */
static void products(void) {
  const pbc_array all[] = {repeated(1 << 20, 1 << 20, 1 << 21), repeated(16, 1 << 30, 1 << 27),
                           repeated(1 << 23, (1 << 18) + (1 << 9), 1 << 23), repeated(2147483647, 2147483647, 2147483647)};
  for (int i = 0; i < 4; ++i) {
    double sum;
    FAILS(PBC_ERROR_MEMORY, "not enough memory for a matrix of", pbc_extents_Total(c, all + i, &sum));
    FAILS(PBC_ERROR_MEMORY, "not enough memory for a matrix of", pbc_extents_Inside(c, all + i, &sum));
  }
}

static void copies(void) {
  for (int i = 0; i < 100; ++i)
    x[i] = i;
  pbc_array a = repeated(100, 1 << 30, 1 << 30), b = pbc_array_1d(y, PBC_F64, 100), inside = pbc_array_1d(x, PBC_F64, 100);
  a.stride[0] = 1;
  OK(pbc_extents_Backwards(c, &a, &b)); /* takes no memory */
  CHECK(y[0] == 99 && y[99] == 0);
  FAILS(PBC_ERROR_MEMORY, "not enough memory for a matrix of", pbc_extents_Backwards(c, &a, &inside));
  a.extent[0] = 16, a.extent[2] = 1 << 30, inside.extent[0] = 16; /* 2^64 cells */
  FAILS(PBC_ERROR_MEMORY, "not enough memory for a matrix of", pbc_extents_Backwards(c, &a, &inside));
}

static void messages(void) {
  pbc_array a = pbc_array_1d(x, PBC_F64, 100), b = pbc_array_1d(y, PBC_F64, 100), first = pbc_array_wanted(), second = first;
  FAILS(PBC_ERROR_SIZE, "Grow: the size n of B would be -1", pbc_extents_Grow(c, -1, &first, &second));
  CHECK(!strstr(pbc_extents_message(c), "()"));
  FAILS(PBC_ERROR_ACCURACY, "Fine: its accuracy targets end at 1e-08, and the call asks for 3e-08", pbc_extents_Fine(c, &a, 3e-8, &b));
}

int main(void) {
  OK(pbc_extents_create(NULL, &c));
  products();
  copies();
  messages();
  pbc_extents_destroy(c);
  return 0;
}
