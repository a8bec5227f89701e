/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* A second file of the program, in C99: the context is one for both. */
#include "pbc_cblas.h"

int pbc_test_from_c(pbc_context **common);

int pbc_test_from_c(pbc_context **common) {
  const double a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8};
  double c[4] = {0};
  if (pbc_dgemm(PBC_ROW_MAJOR, PBC_NO_TRANS, PBC_TRANS, 2, 2, 2, 1, a, 2, b, 2, 0, c, 2))
    return 1;
  *common = pbc_cblas_own_common;
  return !(c[0] == 17 && c[1] == 23 && c[2] == 39 && c[3] == 53);
}
