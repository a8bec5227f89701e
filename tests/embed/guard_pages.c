/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* library: basics */

/* Arrays end where the next page cannot be read, or begin behind such a page: nothing outside of them is touched. */
#define _DEFAULT_SOURCE
#include "basics.h"
#define MESSAGE pbc_basics_message
#include "check.h"
#include <sys/mman.h>
#include <unistd.h>

static pbc_context *c;

/* Memory for n doubles that ends, or begins, at a page that must not be touched. */
static double *guarded(size_t n, int atEnd) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = n * sizeof(double), whole = (bytes + page - 1) / page * page;
  char *memory = mmap(NULL, whole + 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED);
  CHECK(!mprotect(memory, page, PROT_NONE) && !mprotect(memory + page + whole, page, PROT_NONE));
  return (double *)(atEnd ? memory + page + whole - bytes : memory + page);
}

static void product(int w, int h, int k, int turned, int atEnd) {
  double *a = guarded((size_t)(k * h), atEnd), *b = guarded((size_t)(w * k), atEnd), *ab = guarded((size_t)(w * h), atEnd);
  pbc_array A = pbc_array_2d(a, PBC_F64, k, h), B = pbc_array_2d(b, PBC_F64, w, k), AB = pbc_array_2d(ab, PBC_F64, w, h);
  if (turned & 1)
    A.stride[0] = h, A.stride[1] = 1;
  if (turned & 2)
    B.stride[0] = k, B.stride[1] = 1;
  if (turned & 4)
    AB.stride[0] = h, AB.stride[1] = 1;
  for (int i = 0; i < k * h; ++i)
    a[i] = 1;
  for (int i = 0; i < w * k; ++i)
    b[i] = 1;
  OK(pbc_basics_Product(c, &A, &B, &AB));
  for (int i = 0; i < w * h; ++i)
    CHECK(ab[i] == k);
}

static void blur(int w, int h, int turned, int atEnd) {
  const size_t cells = (size_t)(w * h), doubles = (cells + 1) / 2;
  float *in = (float *)guarded(doubles, atEnd), *out = (float *)guarded(doubles, atEnd);
  if (atEnd && cells % 2)
    ++in, ++out;
  pbc_array A = pbc_array_2d(in, PBC_F32, w, h), B = pbc_array_2d(out, PBC_F32, w, h);
  if (turned & 1)
    A.stride[0] = h, A.stride[1] = 1;
  if (turned & 2)
    B.stride[0] = h, B.stride[1] = 1;
  for (size_t i = 0; i < cells; ++i)
    in[i] = 3;
  OK(pbc_basics_Blur(c, &A, &B));
  for (size_t i = 0; i < cells; ++i)
    CHECK(out[i] == 3);
}

int main(void) {
  OK(pbc_basics_create(NULL, &c));
  const int sizes[] = {1, 2, 3, 5, 7, 8, 9, 13, 17, 31, 33, 65, 127, 130};
  for (int atEnd = 0; atEnd < 2; ++atEnd) {
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k)
      for (int turned = 0; turned < 8; ++turned)
        blur(sizes[k], sizes[(k + 3) % 14], turned & 3, atEnd), product(sizes[k], sizes[(k + 3) % 14], sizes[(k + 5) % 14], turned, atEnd);
    for (int n = 1; n < 300; ++n) {
      double *in = guarded((size_t)n, atEnd), *out = guarded((size_t)n, atEnd);
      pbc_array a = pbc_array_1d(in, PBC_F64, n), b = pbc_array_1d(out, PBC_F64, n);
      OK(pbc_basics_Smooth(c, &a, &b));
    }
  }
  pbc_basics_destroy(c);
  return 0;
}
