/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "smoothing.h"
#include <stdio.h>
#include <string.h>
#ifdef __has_include
#if !__has_include("pbc_cblas.h")
#error "the headers of the standard library are not found"
#endif
#endif

int main(void) {
  double a[3] = {1, 2, 6}, b[3];
  pbc_array A = pbc_array_1d(a, PBC_F64, 3), B = pbc_array_1d(b, PBC_F64, 3);
  pbc_context *c;
  if (pbc_smoothing_create(NULL, &c) || pbc_smoothing_Smooth(c, &A, &B))
    return puts(pbc_smoothing_message(c)), 1;
  const int isTuned = strstr(pbc_smoothing_configuration(c), "sequential_cutoff = 1000") != NULL;
  pbc_smoothing_destroy(c);
  return b[1] == 3 && isTuned ? 0 : 1;
}
