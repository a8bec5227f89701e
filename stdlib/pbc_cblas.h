/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* The routines of BLAS, level 3, and its product with a vector, by those that blas3.pbcc has, with the names and arguments of CBLAS: C99 and C++.

     pbc --shared $(pkg-config --variable=stdlib pbc)/blas3.pbcc      libblas3.so, blas3.h
     cc -I. use.c $(pkg-config --cflags pbc) -L. -lblas3

     pbc_dgemm(PBC_ROW_MAJOR, PBC_NO_TRANS, PBC_TRANS, m, n, k, 1.0, a, lda, b, ldb, 0.0, c, ldc);

   For the letters d and s, double and float:

     gemm   C = alpha op(A) op(B) + beta C
     symm   C = alpha A B + beta C, or alpha B A + beta C, A symmetric: one triangle of it is read
     trmm   B = alpha op(A) B, or alpha B op(A), A triangular
     trsm   B = alpha inverse(op(A)) B, or alpha B inverse(op(A)), A triangular
     syrk   C = alpha A A' + beta C, or alpha A' A + beta C: one triangle of C is read and written, by blocks of rows that are products
     syr2k  C = alpha (A B' + B A') + beta C, or alpha (A' B + B' A) + beta C, likewise
     gemv   y = alpha op(A) x + beta y

   The numbers of the constants are those of CBLAS, so that CblasRowMajor and its like are taken, too. As there, C is not read
   where beta is 0, nor A and B where alpha is 0, C shares no memory with A and B, and a leading dimension is at least what
   its matrix needs. Unlike there, a routine returns PBC_OK or why it failed, in which case pbc_cblas_message() has the words; it never
   ends the process. Callers that are not interested ignore it.

   Calls share one context, which is made by the first of them and has the configuration `blas3.cfg` beside the library, if
   there is one. pbc_cblas_use() gives the calling thread another one. All of this is inline: the library is blas3's own.

   Source: Dongarra et al., "A set of level 3 basic linear algebra subprograms", 1990; CBLAS of the BLAS Technical Forum, 2001. */
#ifndef PBC_CBLAS_H
#define PBC_CBLAS_H

#include "blas3.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PBC_ROW_MAJOR = 101, PBC_COL_MAJOR = 102 };
enum { PBC_NO_TRANS = 111, PBC_TRANS = 112, PBC_CONJ_TRANS = 113 };
enum { PBC_UPPER = 121, PBC_LOWER = 122 };
enum { PBC_NON_UNIT = 131, PBC_UNIT = 132 };
enum { PBC_LEFT = 141, PBC_RIGHT = 142 };

/* Names with `own` are not for callers. Weak definitions are one for the whole program, whichever of its files
   include this one. */
#define PBC_CBLAS_SHARED_ __attribute__((weak))

PBC_CBLAS_SHARED_ pbc_context *pbc_cblas_own_common = 0;
PBC_CBLAS_SHARED_ __thread pbc_context *pbc_cblas_own_mine = 0;
PBC_CBLAS_SHARED_ __thread char pbc_cblas_own_text[512] = "";

/* Why the calling thread's last call that failed did so; "" if none has. */
static inline const char *pbc_cblas_message(void) { return pbc_cblas_own_text; }

/* The context of the calling thread's next calls, one of pbc_blas3_create(); null: the common one. */
static inline void pbc_cblas_use(pbc_context *context) { pbc_cblas_own_mine = context; }

/* Keeps the words of a failure. */
static inline int32_t pbc_cblas_own_failed(int32_t status, const char *routine, const char *why) {
  snprintf(pbc_cblas_own_text, sizeof pbc_cblas_own_text, "%s: %s", routine, why);
  return status;
}

/* The same for the words of a routine that this one has called. */
static inline int32_t pbc_cblas_own_renamed(int32_t status, const char *routine) {
  char why[400];
  snprintf(why, sizeof why, "%.*s", (int)sizeof why - 1, pbc_cblas_own_text);
  return pbc_cblas_own_failed(status, routine, why);
}

/* The context of a call. */
static inline int32_t pbc_cblas_own_context(const char *routine, pbc_context **context) {
  pbc_context *made = 0, *none = 0;
  int32_t status = PBC_OK;
  *context =
      pbc_cblas_own_mine ? pbc_cblas_own_mine : __atomic_load_n(&pbc_cblas_own_common, __ATOMIC_ACQUIRE);
  if (*context)
    return PBC_OK;
  status = pbc_blas3_create(0, &made);
  if (status) {
    pbc_cblas_own_failed(status, routine,
                         made ? pbc_blas3_message(made) : "there is no memory for a context");
    pbc_blas3_destroy(made);
    return status;
  }
  /* Of threads that make one at the same time, the first one's stays. */
  if (__atomic_compare_exchange_n(&pbc_cblas_own_common, &none, made, 0, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE)) {
    *context = made;
  } else {
    pbc_blas3_destroy(made);
    *context = none;
  }
  return PBC_OK;
}

/* Whether an argument is one of two constants, of which CBLAS numbers the second one next. */
static inline int32_t pbc_cblas_own_one_of(const char *routine, const char *argument, int value, int first) {
  char why[96];
  if (value == first || value == first + 1 || (first == PBC_NO_TRANS && value == PBC_CONJ_TRANS))
    return PBC_OK;
  snprintf(why, sizeof why, "%s is %d, but must be %d or %d", argument, value, first, first + 1);
  return pbc_cblas_own_failed(PBC_ERROR_ARGUMENT, routine, why);
}

static inline int32_t pbc_cblas_own_at_least(const char *routine, const char *argument, int value,
                                             int least) {
  char why[96];
  if (value >= least)
    return PBC_OK;
  snprintf(why, sizeof why, "%s is %d, but must be at least %d", argument, value, least);
  return pbc_cblas_own_failed(PBC_ERROR_SIZE, routine, why);
}

/* An argument of which elements are read or written. */
static inline int32_t pbc_cblas_own_given(const char *routine, const char *argument, const void *elements) {
  char why[96];
  if (elements)
    return PBC_OK;
  snprintf(why, sizeof why, "%s is a null pointer", argument);
  return pbc_cblas_own_failed(PBC_ERROR_ARGUMENT, routine, why);
}

/* A leading dimension: at least the length of a line, and 1. */
static inline int32_t pbc_cblas_own_leading(const char *routine, const char *argument, int value, int line) {
  return pbc_cblas_own_at_least(routine, argument, value, line > 1 ? line : 1);
}

/* A matrix of `w` columns and `h` rows that lies row by row, `step` elements from one row to the next. */
static inline pbc_array pbc_cblas_own_matrix(const void *data, int32_t element, int w, int h, int step) {
  pbc_array a = pbc_array_2d((void *)(uintptr_t)data, element, w, h);
  a.stride[1] = step;
  return a;
}

/* A vector whose first cell is the last one in memory where the increment is negative. */
static inline pbc_array pbc_cblas_own_vector(const void *data, int32_t element, int n, int increment) {
  const int64_t bytes = element == PBC_F64 ? 8 : 4;
  pbc_array a =
      pbc_array_1d((char *)(uintptr_t)data - (increment < 0 ? (n - 1) * bytes * increment : 0), element, n);
  a.stride[0] = increment;
  return a;
}

static inline int32_t pbc_cblas_own_increment(const char *routine, const char *argument, int value) {
  char why[64];
  if (value)
    return PBC_OK;
  snprintf(why, sizeof why, "%s is 0", argument);
  return pbc_cblas_own_failed(PBC_ERROR_ARGUMENT, routine, why);
}

/* What syrk and syr2k have in common, as it lies by rows. */
typedef struct pbc_cblas_own_update {
  int n, k, ldc;
  int is_upper, is_trans; /* C, and A, whose rows are as long as C is wide if it is transposed */
} pbc_cblas_own_update;

/* The number of rows of a block, of which the square on the diagonal is computed as a whole. */
enum { PBC_CBLAS_OWN_BLOCK = 128 };

static inline int32_t pbc_cblas_own_updates(const char *routine, int layout, int uplo, int trans, int n,
                                            int k, int lda, int ldc, pbc_cblas_own_update *u) {
  const int is_rows = layout == PBC_ROW_MAJOR;
  int32_t status = pbc_cblas_own_one_of(routine, "layout", layout, PBC_ROW_MAJOR);
  if (!status)
    status = pbc_cblas_own_one_of(routine, "uplo", uplo, PBC_UPPER);
  if (!status)
    status = pbc_cblas_own_one_of(routine, "trans", trans, PBC_NO_TRANS);
  if (!status)
    status = pbc_cblas_own_at_least(routine, "n", n, 0);
  if (!status)
    status = pbc_cblas_own_at_least(routine, "k", k, 0);
  u->n = n, u->k = k, u->ldc = ldc;
  u->is_upper = (uplo == PBC_UPPER) == is_rows;
  u->is_trans = (trans != PBC_NO_TRANS) == is_rows;
  if (!status)
    status = pbc_cblas_own_leading(routine, "lda", lda, u->is_trans ? n : k);
  if (!status)
    status = pbc_cblas_own_leading(routine, "ldc", ldc, n);
  return status;
}

/* The matrices of symm, trmm and trsm as they lie by rows: what is laid out by columns is the transpose of that, for which sides
   and triangles change places. */
typedef struct pbc_cblas_own_triangle {
  int w, h, n;                               /* B, and the order of A */
  int is_right, is_upper, is_trans, is_unit; /* where the routine stands in its table */
} pbc_cblas_own_triangle;

/* Checks what symm, trmm and trsm have in common. */
static inline int32_t pbc_cblas_own_one_sided(const char *routine, int layout, int side, int uplo, int m,
                                              int n, int lda, int ldb, pbc_cblas_own_triangle *t) {
  const int is_rows = layout == PBC_ROW_MAJOR;
  int32_t status = pbc_cblas_own_one_of(routine, "layout", layout, PBC_ROW_MAJOR);
  if (!status)
    status = pbc_cblas_own_one_of(routine, "side", side, PBC_LEFT);
  if (!status)
    status = pbc_cblas_own_one_of(routine, "uplo", uplo, PBC_UPPER);
  if (!status)
    status = pbc_cblas_own_at_least(routine, "m", m, 0);
  if (!status)
    status = pbc_cblas_own_at_least(routine, "n", n, 0);
  t->n = side == PBC_LEFT ? m : n;
  if (!status)
    status = pbc_cblas_own_leading(routine, "lda", lda, t->n);
  if (!status)
    status = pbc_cblas_own_leading(routine, "ldb", ldb, is_rows ? n : m);
  t->w = is_rows ? n : m, t->h = is_rows ? m : n;
  t->is_right = (side == PBC_RIGHT) == is_rows;
  t->is_upper = (uplo == PBC_UPPER) == is_rows;
  t->is_trans = t->is_unit = 0;
  return status;
}

#define PBC_CBLAS_ROUTINES_(LETTER, NAME, TYPE, ELEMENT)                                                       \
  /* C = beta C; C is not read where beta is 0. */                                                             \
  static inline void pbc_cblas_own_##LETTER##scale(TYPE *c, int w, int h, int step, TYPE beta) {               \
    int x, y;                                                                                                  \
    for (y = 0; y < h && beta != 1; ++y) {                                                                     \
      TYPE *row = c + (int64_t)y * step;                                                                       \
      if (beta == 0)                                                                                           \
        memset(row, 0, sizeof(TYPE) * (size_t)w);                                                              \
      else                                                                                                     \
        for (x = 0; x < w; ++x)                                                                                \
          row[x] *= beta;                                                                                      \
    }                                                                                                          \
  }                                                                                                            \
                                                                                                               \
  static inline int32_t pbc_##LETTER##gemm(int layout, int transa, int transb, int m, int n, int k,            \
                                           TYPE alpha, const TYPE *a, int lda, const TYPE *b, int ldb,         \
                                           TYPE beta, TYPE *c, int ldc) {                                      \
    static int32_t (*const routines[2][2])(pbc_context *, const pbc_array *, const pbc_array *,                \
                                           const pbc_array *, TYPE, TYPE, pbc_array *) = {                     \
        {pbc_blas3_##NAME##gemmNN, pbc_blas3_##NAME##gemmNT},                                                  \
        {pbc_blas3_##NAME##gemmTN, pbc_blas3_##NAME##gemmTT}};                                                 \
    const char *const routine = "pbc_" #LETTER "gemm";                                                         \
    const int is_rows = layout == PBC_ROW_MAJOR, is_a = transa != PBC_NO_TRANS,                                \
              is_b = transb != PBC_NO_TRANS;                                                                   \
    /* By columns, all matrices are seen as their transposes by rows, and the factors change places. */        \
    const int w = is_rows ? n : m, h = is_rows ? m : n, is_left = is_rows ? is_a : is_b,                       \
              is_right = is_rows ? is_b : is_a;                                                                \
    pbc_array left, right, result;                                                                             \
    pbc_context *context;                                                                                      \
    int32_t status = pbc_cblas_own_one_of(routine, "layout", layout, PBC_ROW_MAJOR);                           \
    if (status || (status = pbc_cblas_own_one_of(routine, "transa", transa, PBC_NO_TRANS)) ||                  \
        (status = pbc_cblas_own_one_of(routine, "transb", transb, PBC_NO_TRANS)) ||                            \
        (status = pbc_cblas_own_at_least(routine, "m", m, 0)) ||                                               \
        (status = pbc_cblas_own_at_least(routine, "n", n, 0)) ||                                               \
        (status = pbc_cblas_own_at_least(routine, "k", k, 0)) ||                                               \
        (status = pbc_cblas_own_leading(routine, "lda", lda, is_a == is_rows ? m : k)) ||                      \
        (status = pbc_cblas_own_leading(routine, "ldb", ldb, is_b == is_rows ? k : n)) ||                      \
        (status = pbc_cblas_own_leading(routine, "ldc", ldc, w)) || !m || !n ||                                \
        (status = pbc_cblas_own_given(routine, "c", c)) ||                                                     \
        (alpha != 0 && k &&                                                                                    \
         ((status = pbc_cblas_own_given(routine, "a", a)) ||                                                   \
          (status = pbc_cblas_own_given(routine, "b", b)))))                                                   \
      return status;                                                                                           \
    if (alpha == 0 || !k || beta == 0)                                                                         \
      pbc_cblas_own_##LETTER##scale(c, w, h, ldc, beta);                                                       \
    if (alpha == 0 || !k || (status = pbc_cblas_own_context(routine, &context)))                               \
      return status;                                                                                           \
    left = pbc_cblas_own_matrix(is_rows ? a : b, ELEMENT, is_left ? h : k, is_left ? k : h,                    \
                                is_rows ? lda : ldb);                                                          \
    right = pbc_cblas_own_matrix(is_rows ? b : a, ELEMENT, is_right ? k : w, is_right ? w : k,                 \
                                 is_rows ? ldb : lda);                                                         \
    result = pbc_cblas_own_matrix(c, ELEMENT, w, h, ldc);                                                      \
    status = routines[is_left][is_right](context, &left, &right, &result, alpha, beta, &result);               \
    return status ? pbc_cblas_own_failed(status, routine, pbc_blas3_message(context)) : PBC_OK;                \
  }                                                                                                            \
                                                                                                               \
  /* One triangle of C = beta C, likewise. */                                                                  \
  static inline void pbc_cblas_own_##LETTER##scale_triangle(TYPE *c, const pbc_cblas_own_update *u,            \
                                                            TYPE beta) {                                       \
    int y;                                                                                                     \
    for (y = 0; y < u->n; ++y)                                                                                 \
      pbc_cblas_own_##LETTER##scale(c + (int64_t)y * u->ldc + (u->is_upper ? y : 0),                           \
                                    u->is_upper ? u->n - y : y + 1, 1, u->ldc, beta);                          \
  }                                                                                                            \
                                                                                                               \
  /* Rows first to last - 1 of one triangle of C += alpha A op(B), which is only a part of an update:        \
     A and B are as long as C is wide, and `square` has room for a block. */ \
  static inline int32_t pbc_cblas_own_##LETTER##block(const pbc_cblas_own_update *u, int first, int last,      \
                                                      TYPE alpha, const TYPE *a, int lda, const TYPE *b,       \
                                                      int ldb, TYPE *c, TYPE *square) {                        \
    const int rows = last - first, begin = u->is_upper ? last : 0, end = u->is_upper ? u->n : first;           \
    const int64_t a_step = u->is_trans ? 1 : lda, b_step = u->is_trans ? 1 : ldb;                              \
    const int turn = u->is_trans ? PBC_TRANS : PBC_NO_TRANS, other = u->is_trans ? PBC_NO_TRANS : PBC_TRANS;   \
    int x, y;                                                                                                  \
    int32_t status = begin == end ? PBC_OK                                                                     \
                                  : pbc_##LETTER##gemm(PBC_ROW_MAJOR, turn, other, rows, end - begin, u->k,    \
                                                       alpha, a + first * a_step, lda, b + begin * b_step,     \
                                                       ldb, 1, c + (int64_t)first * u->ldc + begin, u->ldc);   \
    if (!status)                                                                                               \
      status = pbc_##LETTER##gemm(PBC_ROW_MAJOR, turn, other, rows, rows, u->k, alpha, a + first * a_step,     \
                                  lda, b + first * b_step, ldb, 0, square, rows);                              \
    for (y = 0; !status && y < rows; ++y) {                                                                    \
      TYPE *row = c + (int64_t)(first + y) * u->ldc + first;                                                   \
      for (x = u->is_upper ? y : 0; x < (u->is_upper ? rows : y + 1); ++x)                                     \
        row[x] += square[y * rows + x];                                                                        \
    }                                                                                                          \
    return status;                                                                                             \
  }                                                                                                            \
                                                                                                               \
  /* C = alpha A B' + beta C; with `both`, B A' is added, too. */                                              \
  static inline int32_t pbc_cblas_own_##LETTER##update(const char *routine, const pbc_cblas_own_update *u,     \
                                                       TYPE alpha, const TYPE *a, int lda, const TYPE *b,      \
                                                       int ldb, TYPE beta, TYPE *c, int both) {                \
    const int block = u->n < PBC_CBLAS_OWN_BLOCK ? u->n : PBC_CBLAS_OWN_BLOCK;                                 \
    int32_t status = PBC_OK;                                                                                   \
    TYPE *square;                                                                                              \
    int first;                                                                                                 \
    if (u->n && ((status = pbc_cblas_own_given(routine, "c", c)) ||                                            \
                 (alpha != 0 && u->k &&                                                                        \
                  ((status = pbc_cblas_own_given(routine, "a", a)) ||                                          \
                   (status = pbc_cblas_own_given(routine, "b", b))))))                                         \
      return status;                                                                                           \
    pbc_cblas_own_##LETTER##scale_triangle(c, u, beta);                                                        \
    if (alpha == 0 || !u->k || !u->n)                                                                          \
      return PBC_OK;                                                                                           \
    square = (TYPE *)malloc(sizeof(TYPE) * (size_t)block * (size_t)block);                                     \
    if (!square)                                                                                               \
      return pbc_cblas_own_failed(PBC_ERROR_MEMORY, routine, "not enough memory");                             \
    for (first = 0; !status && first < u->n; first += block) {                                                 \
      const int last = u->n - first < block ? u->n : first + block;                                            \
      status = pbc_cblas_own_##LETTER##block(u, first, last, alpha, a, lda, b, ldb, c, square);                \
      if (!status && both)                                                                                     \
        status = pbc_cblas_own_##LETTER##block(u, first, last, alpha, b, ldb, a, lda, c, square);              \
    }                                                                                                          \
    free(square);                                                                                              \
    return status ? pbc_cblas_own_renamed(status, routine) : PBC_OK;                                           \
  }                                                                                                            \
                                                                                                               \
  static inline int32_t pbc_##LETTER##syrk(int layout, int uplo, int trans, int n, int k, TYPE alpha,          \
                                           const TYPE *a, int lda, TYPE beta, TYPE *c, int ldc) {              \
    pbc_cblas_own_update u;                                                                                    \
    const char *const routine = "pbc_" #LETTER "syrk";                                                         \
    const int32_t status = pbc_cblas_own_updates(routine, layout, uplo, trans, n, k, lda, ldc, &u);            \
    return status ? status : pbc_cblas_own_##LETTER##update(routine, &u, alpha, a, lda, a, lda, beta, c, 0);   \
  }                                                                                                            \
                                                                                                               \
  static inline int32_t pbc_##LETTER##syr2k(int layout, int uplo, int trans, int n, int k, TYPE alpha,         \
                                            const TYPE *a, int lda, const TYPE *b, int ldb, TYPE beta,         \
                                            TYPE *c, int ldc) {                                                \
    pbc_cblas_own_update u;                                                                                    \
    const char *const routine = "pbc_" #LETTER "syr2k";                                                        \
    int32_t status = pbc_cblas_own_updates(routine, layout, uplo, trans, n, k, lda, ldc, &u);                  \
    if (!status)                                                                                               \
      status = pbc_cblas_own_leading(routine, "ldb", ldb, u.is_trans ? n : k);                                 \
    return status ? status : pbc_cblas_own_##LETTER##update(routine, &u, alpha, a, lda, b, ldb, beta, c, 1);   \
  }                                                                                                            \
                                                                                                               \
  static inline int32_t pbc_##LETTER##gemv(int layout, int trans, int m, int n, TYPE alpha, const TYPE *a,     \
                                           int lda, const TYPE *x, int incx, TYPE beta, TYPE *y, int incy) {   \
    const char *const routine = "pbc_" #LETTER "gemv";                                                         \
    const int is_rows = layout == PBC_ROW_MAJOR, w = is_rows ? n : m, h = is_rows ? m : n,                     \
              is_trans = (trans != PBC_NO_TRANS) == is_rows, from = is_trans ? h : w, to = is_trans ? w : h;   \
    pbc_array matrix, vector, result;                                                                          \
    pbc_context *context;                                                                                      \
    int32_t status = pbc_cblas_own_one_of(routine, "layout", layout, PBC_ROW_MAJOR);                           \
    int i;                                                                                                     \
    if (status || (status = pbc_cblas_own_one_of(routine, "trans", trans, PBC_NO_TRANS)) ||                    \
        (status = pbc_cblas_own_at_least(routine, "m", m, 0)) ||                                               \
        (status = pbc_cblas_own_at_least(routine, "n", n, 0)) ||                                               \
        (status = pbc_cblas_own_leading(routine, "lda", lda, w)) ||                                            \
        (status = pbc_cblas_own_increment(routine, "incx", incx)) ||                                           \
        (status = pbc_cblas_own_increment(routine, "incy", incy)) || !m || !n ||                               \
        (status = pbc_cblas_own_given(routine, "y", y)) ||                                                     \
        (alpha != 0 && ((status = pbc_cblas_own_given(routine, "a", a)) ||                                     \
                        (status = pbc_cblas_own_given(routine, "x", x)))))                                     \
      return status;                                                                                           \
    for (i = 0; (alpha == 0 || beta == 0) && beta != 1 && i < to; ++i) {                                       \
      TYPE *const cell = y + (int64_t)(incy < 0 ? to - 1 - i : i) * (incy < 0 ? -incy : incy);                 \
      *cell = beta == 0 ? 0 : beta * *cell;                                                                    \
    }                                                                                                          \
    if (alpha == 0 || (status = pbc_cblas_own_context(routine, &context)))                                     \
      return status;                                                                                           \
    matrix = pbc_cblas_own_matrix(a, ELEMENT, w, h, lda);                                                      \
    vector = pbc_cblas_own_vector(x, ELEMENT, from, incx);                                                     \
    result = pbc_cblas_own_vector(y, ELEMENT, to, incy);                                                       \
    status = (is_trans ? pbc_blas3_##NAME##gemvT : pbc_blas3_##NAME##gemvN)(context, &matrix, &vector,         \
                                                                            &result, alpha, beta, &result);    \
    return status ? pbc_cblas_own_failed(status, routine, pbc_blas3_message(context)) : PBC_OK;                \
  }                                                                                                            \
                                                                                                               \
  static inline int32_t pbc_##LETTER##symm(int layout, int side, int uplo, int m, int n, TYPE alpha,           \
                                           const TYPE *a, int lda, const TYPE *b, int ldb, TYPE beta,          \
                                           TYPE *c, int ldc) {                                                 \
    static int32_t (*const routines[2][2])(pbc_context *, const pbc_array *, const pbc_array *,                \
                                           const pbc_array *, TYPE, TYPE, pbc_array *) = {                     \
        {pbc_blas3_##NAME##symmLL, pbc_blas3_##NAME##symmLU},                                                  \
        {pbc_blas3_##NAME##symmRL, pbc_blas3_##NAME##symmRU}};                                                 \
    const char *const routine = "pbc_" #LETTER "symm";                                                         \
    pbc_cblas_own_triangle t;                                                                                  \
    pbc_array whole, other, result;                                                                            \
    pbc_context *context;                                                                                      \
    int32_t status = pbc_cblas_own_one_sided(routine, layout, side, uplo, m, n, lda, ldb, &t);                 \
    if (status || (status = pbc_cblas_own_leading(routine, "ldc", ldc, t.w)) || !m || !n ||                    \
        (status = pbc_cblas_own_given(routine, "c", c)) ||                                                     \
        (alpha != 0 && ((status = pbc_cblas_own_given(routine, "a", a)) ||                                     \
                        (status = pbc_cblas_own_given(routine, "b", b)))))                                     \
      return status;                                                                                           \
    if (alpha == 0 || beta == 0)                                                                               \
      pbc_cblas_own_##LETTER##scale(c, t.w, t.h, ldc, beta);                                                   \
    if (alpha == 0 || (status = pbc_cblas_own_context(routine, &context)))                                     \
      return status;                                                                                           \
    whole = pbc_cblas_own_matrix(a, ELEMENT, t.n, t.n, lda);                                                   \
    other = pbc_cblas_own_matrix(b, ELEMENT, t.w, t.h, ldb);                                                   \
    result = pbc_cblas_own_matrix(c, ELEMENT, t.w, t.h, ldc);                                                  \
    status = routines[t.is_right][t.is_upper](context, &whole, &other, &result, alpha, beta, &result);         \
    return status ? pbc_cblas_own_failed(status, routine, pbc_blas3_message(context)) : PBC_OK;                \
  }                                                                                                            \
                                                                                                               \
  typedef int32_t (*pbc_cblas_own_##LETTER##triangular)(pbc_context *, const pbc_array *, const pbc_array *,   \
                                                        TYPE, pbc_array *);                                    \
                                                                                                               \
  /* What trmm and trsm have in common; the table is by side, triangle, transposition and diagonal. */         \
  static inline int32_t pbc_cblas_own_##LETTER##in_place(                                                      \
      const char *routine, const pbc_cblas_own_##LETTER##triangular routines[2][2][2][2], int layout,          \
      int side, int uplo, int transa, int diag, int m, int n, TYPE alpha, const TYPE *a, int lda, TYPE *b,     \
      int ldb) {                                                                                               \
    pbc_cblas_own_triangle t;                                                                                  \
    pbc_array triangle, result;                                                                                \
    pbc_context *context;                                                                                      \
    int32_t status = pbc_cblas_own_one_sided(routine, layout, side, uplo, m, n, lda, ldb, &t);                 \
    if (status || (status = pbc_cblas_own_one_of(routine, "transa", transa, PBC_NO_TRANS)) ||                  \
        (status = pbc_cblas_own_one_of(routine, "diag", diag, PBC_NON_UNIT)) || !m || !n ||                    \
        (status = pbc_cblas_own_given(routine, "b", b)) ||                                                     \
        (alpha != 0 && (status = pbc_cblas_own_given(routine, "a", a))))                                       \
      return status;                                                                                           \
    if (alpha == 0) {                                                                                          \
      pbc_cblas_own_##LETTER##scale(b, t.w, t.h, ldb, 0);                                                      \
      return PBC_OK;                                                                                           \
    }                                                                                                          \
    if ((status = pbc_cblas_own_context(routine, &context)))                                                   \
      return status;                                                                                           \
    triangle = pbc_cblas_own_matrix(a, ELEMENT, t.n, t.n, lda);                                                \
    result = pbc_cblas_own_matrix(b, ELEMENT, t.w, t.h, ldb);                                                  \
    status = routines[t.is_right][t.is_upper][transa != PBC_NO_TRANS][diag == PBC_UNIT](                       \
        context, &triangle, &result, alpha, &result);                                                          \
    return status ? pbc_cblas_own_failed(status, routine, pbc_blas3_message(context)) : PBC_OK;                \
  }                                                                                                            \
  PBC_CBLAS_TRIANGULAR_(LETTER, NAME, TYPE, trmm)                                                              \
  PBC_CBLAS_TRIANGULAR_(LETTER, NAME, TYPE, trsm)

#define PBC_CBLAS_TRIANGULAR_(LETTER, NAME, TYPE, KIND)                                                      \
  static inline int32_t pbc_##LETTER##KIND(int layout, int side, int uplo, int transa, int diag, int m,      \
                                           int n, TYPE alpha, const TYPE *a, int lda, TYPE *b, int ldb) {    \
    static const pbc_cblas_own_##LETTER##triangular routines[2][2][2][2] = {                                 \
        {{{pbc_blas3_##NAME##KIND##LLNN, pbc_blas3_##NAME##KIND##LLNU},                                      \
          {pbc_blas3_##NAME##KIND##LLTN, pbc_blas3_##NAME##KIND##LLTU}},                                     \
         {{pbc_blas3_##NAME##KIND##LUNN, pbc_blas3_##NAME##KIND##LUNU},                                      \
          {pbc_blas3_##NAME##KIND##LUTN, pbc_blas3_##NAME##KIND##LUTU}}},                                    \
        {{{pbc_blas3_##NAME##KIND##RLNN, pbc_blas3_##NAME##KIND##RLNU},                                      \
          {pbc_blas3_##NAME##KIND##RLTN, pbc_blas3_##NAME##KIND##RLTU}},                                     \
         {{pbc_blas3_##NAME##KIND##RUNN, pbc_blas3_##NAME##KIND##RUNU},                                      \
          {pbc_blas3_##NAME##KIND##RUTN, pbc_blas3_##NAME##KIND##RUTU}}}};                                   \
    return pbc_cblas_own_##LETTER##in_place("pbc_" #LETTER #KIND, routines, layout, side, uplo, transa,      \
                                            diag, m, n, alpha, a, lda, b, ldb);                              \
  }

PBC_CBLAS_ROUTINES_(d, D, double, PBC_F64)
PBC_CBLAS_ROUTINES_(s, S, float, PBC_F32)

#ifdef __cplusplus
}
#endif
#endif
