/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* library: basics */

/* Right results: any strides, all types, numbers, sizes, copies of a template, accuracy, memory on request. */
#include "basics.h"
#define MESSAGE pbc_basics_message
#include "check.h"
#include <math.h>

static pbc_context *c;

static pbc_array vector(double *data, int64_t n, int64_t stride) {
  pbc_array a = pbc_array_1d(data, PBC_F64, n);
  a.stride[0] = stride;
  return a;
}

/* Every third cell, backwards, and all of it in place. */
static void strides(void) {
  double in[30], out[30];
  for (int i = 0; i < 30; ++i)
    in[i] = i * i, out[i] = -1;
  pbc_array a = vector(in, 10, 3), b = vector(out + 27, 10, -3);
  OK(pbc_basics_Smooth(c, &a, &b));
  for (int i = 0; i < 10; ++i) {
    const double l = i ? in[3 * i - 3] : 0, r = i < 9 ? in[3 * i + 3] : 0;
    CHECK(out[27 - 3 * i] == (i && i < 9 ? (l + in[3 * i] + r) / 3 : in[3 * i]));
  }
  for (int i = 0; i < 30; ++i)
    CHECK(i % 3 == 0 || out[i] == -1);
  pbc_array same = vector(in, 10, 3);
  double before[30];
  memcpy(before, in, sizeof in);
  OK(pbc_basics_Smooth(c, &same, &same));
  for (int i = 1; i < 9; ++i)
    CHECK(in[3 * i] == (before[3 * i - 3] + before[3 * i] + before[3 * i + 3]) / 3);
  double one = 4; /* the same cell again and again */
  pbc_array constant = vector(&one, 10, 0);
  OK(pbc_basics_Smooth(c, &constant, &same));
  for (int i = 0; i < 10; ++i)
    CHECK(in[3 * i] == 4);
}

/* C = A B for row-major and column-major arrays in all combinations, at sizes on both sides of the cut-off. */
static void products(int w, int h, int k) {
  double *a = malloc(sizeof *a * (size_t)(k * h)), *b = malloc(sizeof *b * (size_t)(w * k)),
         *ab = malloc(sizeof *ab * (size_t)(w * h));
  for (int how = 0; how < 8; ++how) {
    pbc_array A = pbc_array_2d(a, PBC_F64, k, h), B = pbc_array_2d(b, PBC_F64, w, k), AB = pbc_array_2d(ab, PBC_F64, w, h);
    if (how & 1)
      A.stride[0] = h, A.stride[1] = 1;
    if (how & 2)
      B.stride[0] = k, B.stride[1] = 1;
    if (how & 4)
      AB.stride[0] = h, AB.stride[1] = 1;
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < k; ++x)
        a[x * A.stride[0] + y * A.stride[1]] = x + 2 * y;
    for (int y = 0; y < k; ++y)
      for (int x = 0; x < w; ++x)
        b[x * B.stride[0] + y * B.stride[1]] = x - y;
    memset(ab, 0xff, sizeof *ab * (size_t)(w * h));
    OK(pbc_basics_Product(c, &A, &B, &AB));
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x) {
        double sum = 0;
        for (int i = 0; i < k; ++i)
          sum += (i + 2 * y) * (double)(x - i);
        CHECK(ab[x * AB.stride[0] + y * AB.stride[1]] == sum);
      }
  }
  free(a), free(b), free(ab);
}

static void types(void) {
  uint8_t bytes[3] = {1, 2, 255};
  int32_t i[3];
  int64_t l[3];
  float f[3];
  double d[3];
  pbc_array A = pbc_array_1d(bytes, PBC_U8, 3), I = pbc_array_1d(i, PBC_I32, 3), L = pbc_array_1d(l, PBC_I64, 3),
            F = pbc_array_1d(f, PBC_F32, 3), D = pbc_array_1d(d, PBC_F64, 3);
  A.flags = PBC_READ_ONLY;
  OK(pbc_basics_Convert(c, &A, &I, &L, &F, &D));
  CHECK(i[2] == 255 && l[2] == 4000000255 && f[0] == 0.5f && d[2] == 63.75);
}

static void numbersAndSizes(void) {
  double x[4] = {1, 2, 3, 4}, s = 0, counted[5];
  pbc_array X = pbc_array_1d(x, PBC_F64, 4), C = pbc_array_1d(counted, PBC_F64, 5);
  OK(pbc_basics_Sum(c, &X, 10, &s));
  CHECK(s == 100);
  OK(pbc_basics_Count(c, 3, 5, &C));
  CHECK(counted[0] == 0 && counted[4] == 12);
  FAILS(PBC_ERROR_SIZE, "A[n] is to be [7]", pbc_basics_Count(c, 3, 7, &C));
}

static void copies(void) {
  double x[2] = {2, 3}, y[2];
  pbc_array X = pbc_array_1d(x, PBC_F64, 2), Y = pbc_array_1d(y, PBC_F64, 2);
  OK(pbc_basics_Power_1(c, &X, &Y));
  CHECK(y[1] == 3);
  OK(pbc_basics_Power_3(c, &X, &Y));
  CHECK(y[0] == 8 && y[1] == 27);
}

static void accuracy(void) {
  double x = 2, y = 0;
  pbc_array X = pbc_array_1d(&x, PBC_F64, 1), Y = pbc_array_1d(&y, PBC_F64, 1);
  OK(pbc_basics_Root(c, &X, 1, &Y));
  CHECK(fabs(y - 1.5) < 1e-9);
  OK(pbc_basics_Root(c, &X, 12, &Y));
  CHECK(fabs(y - 1.5) < 1e-9); /* the default of every bin is one round */
  FAILS(PBC_ERROR_ACCURACY, "accuracy targets end at 12", pbc_basics_Root(c, &X, 13, &Y));
  FAILS(PBC_ERROR_ACCURACY, "accuracy targets end at 12", pbc_basics_Root(c, &X, NAN, &Y));
}

static void wanted(void) {
  double x[6] = {1, 2, 3, 4, 5, 6};
  pbc_array A = pbc_array_2d(x, PBC_F64, 3, 2), B = pbc_array_2d(x, PBC_F64, 2, 3), AB = pbc_array_wanted();
  OK(pbc_basics_Product(c, &A, &B, &AB));
  CHECK(AB.element == PBC_F64 && AB.rank == 2 && AB.extent[0] == 2 && AB.extent[1] == 2 && AB.stride[1] == 2 && AB.owner);
  CHECK(((double *)AB.data)[3] == 4 * 2 + 5 * 4 + 6 * 6);
  pbc_array first = AB;
  OK(pbc_basics_Product(c, &A, &B, &AB)); /* it is an output like others now */
  CHECK(AB.data == first.data);
  pbc_basics_free(&AB);
  CHECK(!AB.data && !AB.owner && !AB.element);
  pbc_basics_free(&AB);
  pbc_array low = pbc_array_wanted(), high = pbc_array_wanted(), six = pbc_array_1d(x, PBC_F64, 6);
  OK(pbc_basics_Halve(c, &six, &low, &high));
  CHECK(((double *)low.data)[2] == 3 && ((double *)high.data)[0] == 4);
  pbc_basics_free(&low);
  pbc_basics_free(&high);
}

static void empty(void) {
  double x = 5;
  pbc_array none = pbc_array_1d(NULL, PBC_F64, 0), out = none;
  OK(pbc_basics_Smooth(c, &none, &out));
  out = pbc_array_wanted();
  OK(pbc_basics_Smooth(c, &none, &out));
  CHECK(out.rank == 1 && out.extent[0] == 0);
  pbc_basics_free(&out);
  OK(pbc_basics_Sum(c, &none, 2, &x));
  CHECK(x == 0);
  pbc_array A = pbc_array_2d(NULL, PBC_F64, 0, 1), B = pbc_array_2d(NULL, PBC_F64, 1, 0), AB = pbc_array_2d(&x, PBC_F64, 1, 1);
  x = 5;
  OK(pbc_basics_Product(c, &A, &B, &AB));
  CHECK(x == 0);
}

/* Deeper than the stack of a thread of C, on the calling thread and on a worker. */
static void deep(void) {
  enum { n = 10000 };
  static double ones[n];
  for (int i = 0; i < n; ++i)
    ones[i] = 1;
  double s = 0;
  pbc_array A = pbc_array_1d(ones, PBC_F64, n);
  OK(pbc_basics_Deep(c, &A, &s));
  CHECK(s == n);
  A.extent[0] = 100;
  OK(pbc_basics_Deep(c, &A, &s));
  CHECK(s == 100);
}

static void memoized(void) {
  double x[3] = {1, 2, 3}, y[3], z[3];
  pbc_array X = pbc_array_1d(x, PBC_F64, 3), Y = pbc_array_1d(y, PBC_F64, 3), Z = pbc_array_1d(z, PBC_F64, 3);
  for (int round = 0; round < 3; ++round) {
    x[0] = round;
    OK(pbc_basics_Memoized(c, &X, &Y, &Z));
    CHECK(y[0] == 2 * round && z[2] == 6);
  }
}

/* The same functions by their tables. */
static void tables(void) {
  const pbc_library *l = pbc_basics_library();
  CHECK(l->abi_version == PBC_ABI_VERSION && !strcmp(l->name, "basics") && !strcmp(l->program, "basics"));
  int found = 0;
  for (int k = 0; k < l->function_count; ++k) {
    const pbc_function *f = l->functions + k;
    if (!strcmp(f->name, "Product")) {
      CHECK(!strcmp(f->doc, "The product of two matrices,\ncell by cell or by halves.") && f->argument_count == 3 &&
            !strcmp(f->arguments[1].extents, "[w, c]") && f->arguments[2].is_output);
      ++found;
    }
    if (!strcmp(f->name, "Smooth"))
      CHECK(!strcmp(f->doc, "Each cell becomes the mean of itself and its neighbours.\nThe ends stay as they are."));
    if (!strcmp(f->name, "Power<3>"))
      CHECK(!strcmp(f->symbol, "pbc_basics_Power_3"));
    if (!strcmp(f->name, "Root"))
      CHECK(f->target_count == 3 && f->targets[2] == 12);
    if (strcmp(f->name, "Sum"))
      continue;
    ++found;
    double x[2] = {1, 2}, factor = 3, s = 0;
    pbc_array X = pbc_array_1d(x, PBC_F64, 2), F = pbc_array_1d(&factor, PBC_F64, 0), S = pbc_array_1d(&s, PBC_F64, 0);
    F.rank = S.rank = 0;
    pbc_array *arrays[] = {&X, &F, &S};
    OK(l->call(c, k, arrays, NULL, 0));
    CHECK(s == 9);
  }
  CHECK(found == 2);
  CHECK(l->call(c, l->function_count, NULL, NULL, 0) == PBC_ERROR_ARGUMENT);
}

int main(void) {
  for (int threads = 1; threads < 4; ++threads) { /* the calling thread alone, and workers */
    pbc_options options = {0};
    options.threads = threads;
    OK(pbc_basics_create(&options, &c));
    strides();
    products(3, 4, 5);
    products(40, 30, 20);
    products(150, 140, 130);
    types();
    numbersAndSizes();
    copies();
    accuracy();
    wanted();
    empty();
    deep();
    memoized();
    tables();
    CHECK(strstr(pbc_basics_configuration(c), "[Smooth]"));
    pbc_basics_destroy(c);
  }
  pbc_basics_destroy(NULL);
  return 0;
}
