/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* library: updated */

/* What a transform updates in place is one argument: any strides, both sides of the cut-off, devices, tables, mistakes. */
#include "updated.h"
#define MESSAGE pbc_updated_message
#include "check.h"

enum { MANY = 5000 };

static pbc_context *c;

static void vectors(int n, int stride) {
  double *a = calloc((size_t)(n * 3), sizeof *a);
  pbc_array A = pbc_array_1d(stride < 0 ? a - (n - 1) * stride : a, PBC_F64, n);
  A.stride[0] = stride;
  double *first = A.data;
  for (int i = 0; i < n; ++i)
    first[i * stride] = i + 1;
  OK(pbc_updated_Scale(c, 3, &A));
  for (int i = 0; i < n; ++i)
    CHECK(first[i * stride] == 3 * (i + 1));
  OK(pbc_updated_Shift(c, &A));
  for (int i = 0; i < n; ++i)
    CHECK(first[i * stride] == 3 * (i + 1 < n ? i + 2 : n));
  if (stride > 1)
    CHECK(a[1] == 0); /* between the cells */
  free(a);
}

static void parts(void) {
  double a[6] = {1, 2, 3, 4, 5, 6};
  pbc_array A = pbc_array_2d(a, PBC_F64, 2, 2);
  A.stride[1] = 3;
  OK(pbc_updated_Double(c, &A));
  const double wanted[6] = {2, 4, 3, 8, 10, 6};
  CHECK(!memcmp(a, wanted, sizeof a));
}

static void others(void) {
  double a[3] = {1, 2, 3}, b[3] = {1, 1, 2}, f[3] = {5, 6, 7}, sum = -1;
  pbc_array A = pbc_array_1d(a, PBC_F64, 3), B = pbc_array_1d(b, PBC_F64, 3), C = pbc_array_1d(f, PBC_F64, 3);
  OK(pbc_updated_Add(c, &B, &C, &sum, &A));
  CHECK(a[0] == 6 && a[1] == 8 && a[2] == 17 && sum == 31);
  OK(pbc_updated_Add(c, &A, &C, &sum, &A)); /* it is an input by another name, too */
  CHECK(a[0] == 36 && a[1] == 56 && a[2] == 136);
  int32_t number = 41;
  OK(pbc_updated_Next(c, &number));
  CHECK(number == 42);
}

static void mistakes(void) {
  double a[3] = {1, 2, 3};
  pbc_array A = pbc_array_1d(a, PBC_F64, 3), wanted = pbc_array_wanted();
  FAILS(PBC_ERROR_ARGUMENT, "the array A is updated in place", pbc_updated_Shift(c, &wanted));
  FAILS(PBC_ERROR_ARGUMENT, "the array A is null", pbc_updated_Shift(c, NULL));
  A.flags = PBC_READ_ONLY;
  FAILS(PBC_ERROR_ARGUMENT, "A is read-only", pbc_updated_Shift(c, &A));
  A.flags = 0, A.element = PBC_F32;
  FAILS(PBC_ERROR_ARGUMENT, "float", pbc_updated_Shift(c, &A));
}

static void tables(void) {
  const pbc_library *library = pbc_updated_library();
  const pbc_function *add = NULL;
  int number = 0;
  for (int f = 0; f < library->function_count; ++f)
    if (!strcmp(library->functions[f].name, "Add"))
      add = &library->functions[f], number = f;
  CHECK(add && add->argument_count == 4);
  CHECK(!strcmp(add->arguments[0].name, "B") && add->arguments[0].is_output == 0);
  CHECK(!strcmp(add->arguments[2].name, "Sum") && add->arguments[2].is_output == 1);
  CHECK(!strcmp(add->arguments[3].name, "A") && add->arguments[3].is_output == 2);
  double a[1] = {1}, b[1] = {2}, f[1] = {3}, sum[1] = {0};
  pbc_array A = pbc_array_1d(a, PBC_F64, 1), B = pbc_array_1d(b, PBC_F64, 1), C = pbc_array_1d(f, PBC_F64, 1),
            Sum = pbc_array_1d(sum, PBC_F64, 0);
  Sum.rank = 0;
  pbc_array *const all[] = {&B, &C, &Sum, &A};
  OK(library->call(c, number, all, NULL, 0));
  CHECK(a[0] == 7 && sum[0] == 7);
}

/* An array that lies on the (fake) device, which has the memory of the processor. */
static void there(void) {
  static double a[MANY];
  for (int i = 0; i < MANY; ++i)
    a[i] = i;
  pbc_array A = pbc_array_1d(a, PBC_F64, MANY);
  A.place = PBC_FAKE;
  OK(pbc_updated_Scale(c, 2, &A));
  OK(pbc_updated_Shift(c, &A));
  for (int i = 0; i < MANY; ++i)
    CHECK(a[i] == 2 * (i + 1 < MANY ? i + 1 : i));
}

static void all(void) {
  for (int stride = -1; stride <= 3; ++stride)
    if (stride)
      vectors(7, stride), vectors(MANY, stride);
  parts();
  others();
}

int main(void) {
  for (int threads = 1; threads <= 3; threads += 2) {
    pbc_options options = {0};
    options.threads = threads;
    OK(pbc_updated_create(&options, &c));
    all();
    mistakes();
    tables();
    pbc_updated_destroy(c);
  }
  FILE *file = fopen("placed.cfg", "w");
  CHECK(file);
  fputs("program = \"updated\"\n[Scale]\nsequential_cutoff = 0\nplace_rule0 = \"gpu\"\n[Shift]\nsequential_cutoff = 0\nplace_rule0 = \"gpu\"\n", file);
  fclose(file);
  pbc_options options = {0};
  options.configuration = "placed.cfg";
  options.devices = "fake";
  setenv("PB_FAKE_DEVICE", "", 1);
  OK(pbc_updated_create(&options, &c));
  all();
  there();
  pbc_updated_destroy(c);
  options.configuration = ""; /* no step is placed there: the cells come and go */
  OK(pbc_updated_create(&options, &c));
  there();
  pbc_updated_destroy(c);
}
