// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cuBLAS for tests (in_order.h). Matrices are columns: element (i, j) at i + j ld.
#include "in_order.h"
#include <algorithm>
#include <string_view>
#include <vector>

namespace pb::device::test {
namespace {

constexpr int kInvalid = 7; // CUBLAS_STATUS_INVALID_VALUE
bool isTooShort(int ld, int rows) { return ld < std::max(1, rows); }

template <class T>
int gemm(Handle *h, int opA, int opB, int m, int n, int k, T alpha, const T *a, int lda, const T *b, int ldb,
         T beta, T *c, int ldc) {
  if (m < 0 || n < 0 || k < 0 || isTooShort(lda, opA ? k : m) || isTooShort(ldb, opB ? n : k) ||
      isTooShort(ldc, m))
    return kInvalid;
  inOrder(h->stream, [=] {
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) {
        T sum = 0;
        for (int l = 0; l < k; ++l)
          sum += (opA ? a[l + static_cast<long>(i) * lda] : a[i + static_cast<long>(l) * lda]) *
                 (opB ? b[j + static_cast<long>(l) * ldb] : b[l + static_cast<long>(j) * ldb]);
        T &to = c[i + static_cast<long>(j) * ldc];
        to = alpha * sum + (beta == 0 ? 0 : beta * to);
      }
  });
  return 0;
}

template <class T>
int gemv(Handle *h, int op, int m, int n, T alpha, const T *a, int lda, const T *x, int incx, T beta, T *y,
         int incy) {
  if (m < 0 || n < 0 || isTooShort(lda, m) || incx == 0 || incy == 0)
    return kInvalid;
  inOrder(h->stream, [=] {
    for (int i = 0; i < (op ? n : m); ++i) {
      T sum = 0;
      for (int l = 0; l < (op ? m : n); ++l)
        sum += (op ? a[l + static_cast<long>(i) * lda] : a[i + static_cast<long>(l) * lda]) *
               x[static_cast<long>(l) * incx];
      T &to = y[static_cast<long>(i) * incy];
      to = alpha * sum + (beta == 0 ? 0 : beta * to);
    }
  });
  return 0;
}

template <class T>
int trsm(Handle *h, int right, int upper, int op, int unit, int m, int n, T alpha, const T *a, int lda, T *b,
         int ldb) {
  const int size = right ? n : m;
  if (const char *refused = std::getenv("PB_TEST_REFUSE"); refused && std::string_view(refused) == "trsm")
    return kInvalid;
  if (m < 0 || n < 0 || isTooShort(lda, size) || isTooShort(ldb, m))
    return kInvalid;
  inOrder(h->stream, [=] {
    // t x = alpha b for each column, with t = op(a); on the right, for each row with t transposed.
    const bool flipped = (op != 0) != (right != 0);
    const auto t = [&](int i, int j) {
      return flipped ? a[j + static_cast<long>(i) * lda] : a[i + static_cast<long>(j) * lda];
    };
    const bool isUpper = (upper != 0) != flipped;
    for (int k = 0; k < (right ? m : n); ++k) {
      const auto x = [&](int i) -> T & {
        return right ? b[k + static_cast<long>(i) * ldb] : b[i + static_cast<long>(k) * ldb];
      };
      for (int s = 0; s < size; ++s) {
        const int i = isUpper ? size - 1 - s : s;
        T sum = alpha * x(i);
        for (int j = isUpper ? i + 1 : 0; j < (isUpper ? size : i); ++j)
          sum -= t(i, j) * x(j);
        x(i) = unit ? sum : sum / t(i, i);
      }
    }
  });
  return 0;
}

template <class T>
int geam(Handle *h, int opA, int opB, int m, int n, T alpha, const T *a, int lda, T beta, const T *b, int ldb,
         T *c, int ldc) {
  if (m < 0 || n < 0 || isTooShort(lda, opA ? n : m) || isTooShort(ldb, opB ? n : m) || isTooShort(ldc, m))
    return kInvalid;
  inOrder(h->stream, [=] {
    std::vector<T> all;
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i)
        all.push_back((alpha == 0 ? 0
                                  : alpha * (opA ? a[j + static_cast<long>(i) * lda]
                                                 : a[i + static_cast<long>(j) * lda])) +
                      (beta == 0 ? 0
                                 : beta * (opB ? b[j + static_cast<long>(i) * ldb]
                                               : b[i + static_cast<long>(j) * ldb])));
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i)
        c[i + static_cast<long>(j) * ldc] =
            all[static_cast<std::size_t>(i) + static_cast<std::size_t>(j) * m];
  });
  return 0;
}

/// Converts between a triangle and its columns one after the other.
template <class T>
int pack(Handle *h, int upper, int n, T *a, int lda, T *packed, bool in) {
  if (n < 0 || isTooShort(lda, n))
    return kInvalid;
  inOrder(h->stream, [=] {
    T *next = packed;
    for (int j = 0; j < n; ++j)
      for (int i = upper ? 0 : j; i < (upper ? j + 1 : n); ++i, ++next)
        in ? *next = a[i + static_cast<long>(j) * lda] : a[i + static_cast<long>(j) * lda] = *next;
  });
  return 0;
}

} // namespace
} // namespace pb::device::test

using pb::device::test::Handle;
// NOLINTBEGIN(bugprone-macro-parentheses): definitions
#define FUNCTIONS(letter, T)                                                                                 \
  int cublas##letter##gemm_v2(Handle *h, int opA, int opB, int m, int n, int k, const T *alpha, const T *a,  \
                              int lda, const T *b, int ldb, const T *beta, T *c, int ldc) {                  \
    return pb::device::test::gemm<T>(h, opA, opB, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc);           \
  }                                                                                                          \
  int cublas##letter##gemv_v2(Handle *h, int op, int m, int n, const T *alpha, const T *a, int lda,          \
                              const T *x, int incx, const T *beta, T *y, int incy) {                         \
    return pb::device::test::gemv<T>(h, op, m, n, *alpha, a, lda, x, incx, *beta, y, incy);                  \
  }                                                                                                          \
  int cublas##letter##trsm_v2(Handle *h, int side, int uplo, int op, int unit, int m, int n, const T *alpha, \
                              const T *a, int lda, T *b, int ldb) {                                          \
    return pb::device::test::trsm<T>(h, side, uplo, op, unit, m, n, *alpha, a, lda, b, ldb);                 \
  }                                                                                                          \
  int cublas##letter##geam(Handle *h, int opA, int opB, int m, int n, const T *alpha, const T *a, int lda,   \
                           const T *beta, const T *b, int ldb, T *c, int ldc) {                              \
    return pb::device::test::geam<T>(h, opA, opB, m, n, *alpha, a, lda, *beta, b, ldb, c, ldc);              \
  }                                                                                                          \
  int cublas##letter##trttp(Handle *h, int uplo, int n, const T *a, int lda, T *packed) {                    \
    return pb::device::test::pack<T>(h, uplo, n, const_cast<T *>(a), lda, packed, true);                     \
  }                                                                                                          \
  int cublas##letter##tpttr(Handle *h, int uplo, int n, const T *packed, T *a, int lda) {                    \
    return pb::device::test::pack<T>(h, uplo, n, a, lda, const_cast<T *>(packed), false);                    \
  }
// NOLINTEND(bugprone-macro-parentheses)

extern "C" {
int cublasCreate_v2(Handle **h) { return *h = new Handle, 0; }
int cublasDestroy_v2(Handle *h) { return delete h, 0; }
int cublasSetStream_v2(Handle *h, void *stream) { return h->stream = stream, 0; }
FUNCTIONS(D, double)
FUNCTIONS(S, float)
}
