/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* library: pointers */

/* Arrays with gaps, where bodies ask for memory: they get copies without gaps, and the results come back. */
#include "pointers.h"
#define MESSAGE pbc_pointers_message
#include "check.h"

int main(void) {
  pbc_context *c = NULL;
  OK(pbc_pointers_create(NULL, &c));
  double x[10], y[10];
  for (int i = 0; i < 10; ++i)
    x[i] = i, y[i] = -1;
  pbc_array A = pbc_array_1d(x, PBC_F64, 5), B = pbc_array_1d(y + 9, PBC_F64, 5);
  A.stride[0] = 2;
  B.stride[0] = -2;
  OK(pbc_pointers_Reverse(c, &A, &B));
  for (int i = 0; i < 10; ++i)
    CHECK(y[i] == (i % 2 ? i - 1 : -1)); /* reversed twice */
  pbc_array dense = pbc_array_1d(x, PBC_F64, 10), out = pbc_array_1d(y, PBC_F64, 10);
  OK(pbc_pointers_Reverse(c, &dense, &out));
  CHECK(y[0] == 9 && y[9] == 0);
  double m[2][3] = {{1, 2, 3}, {4, 5, 6}}, t[3][2] = {{10, 20}, {30, 40}, {50, 60}};
  pbc_array M = pbc_array_2d(m, PBC_F64, 3, 2), T = pbc_array_2d(t, PBC_F64, 3, 2);
  T.stride[0] = 2, T.stride[1] = 1; /* t is transposed */
  OK(pbc_pointers_Add(c, &M, &T));
  CHECK(t[0][0] == 11 && t[1][0] == 32 && t[2][0] == 53 && t[0][1] == 24 && t[2][1] == 66);
  pbc_pointers_destroy(c);
  return 0;
}
