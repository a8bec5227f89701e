// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cuSOLVER for tests (in_order.h).
#include "in_order.h"
#include <algorithm>
#include <cmath>

namespace pb::device::test {
namespace {

template <class T>
int potrf(Handle *h, int upper, int n, T *a, int lda, T *work, int size, int *info) {
  if (n < 0 || lda < std::max(1, n) || size < n)
    return 3; // CUSOLVER_STATUS_INVALID_VALUE
  inOrder(h->stream, [=] {
    std::fill(work, work + size, T(-1));
    *info = 0;
    // Of either triangle by its element in row i and column j, j <= i.
    const auto l = [&](int i, int j) -> T & {
      return upper ? a[j + static_cast<long>(i) * lda] : a[i + static_cast<long>(j) * lda];
    };
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) {
        T sum = l(i, j);
        for (int k = 0; k < j; ++k)
          sum -= l(i, k) * l(j, k);
        l(i, j) = i == j ? std::sqrt(sum) : sum / l(j, j);
      }
  });
  return 0;
}

template <class T>
int getrf(Handle *h, int m, int n, T *a, int lda, T *work, const int *exchanges, int *info) {
  if (m != n || n < 0 || lda < std::max(1, n) || exchanges)
    return 3;
  inOrder(h->stream, [=] {
    std::fill(work, work + n + 3, T(-1));
    *info = 0;
    const auto f = [&](int row, int column) -> T & { return a[row + static_cast<long>(column) * lda]; };
    for (int p = 0; p < n; ++p)
      for (int i = p + 1; i < n; ++i) {
        f(i, p) /= f(p, p);
        for (int j = p + 1; j < n; ++j)
          f(i, j) -= f(i, p) * f(p, j);
      }
  });
  return 0;
}

} // namespace
} // namespace pb::device::test

using pb::device::test::Handle;
extern "C" {
int cusolverDnCreate(Handle **h) { return *h = new Handle, 0; }
int cusolverDnDestroy(Handle *h) { return delete h, 0; }
int cusolverDnSetStream(Handle *h, void *stream) { return h->stream = stream, 0; }
int cusolverDnDpotrf_bufferSize(Handle *, int, int n, double *, int, int *size) { return *size = n + 3, 0; }
int cusolverDnSpotrf_bufferSize(Handle *, int, int n, float *, int, int *size) { return *size = n + 3, 0; }
int cusolverDnDgetrf_bufferSize(Handle *, int, int n, double *, int, int *size) { return *size = n + 3, 0; }
int cusolverDnSgetrf_bufferSize(Handle *, int, int n, float *, int, int *size) { return *size = n + 3, 0; }
int cusolverDnDgetrf(Handle *h, int m, int n, double *a, int lda, double *work, int *exchanges, int *info) {
  return pb::device::test::getrf(h, m, n, a, lda, work, exchanges, info);
}
int cusolverDnSgetrf(Handle *h, int m, int n, float *a, int lda, float *work, int *exchanges, int *info) {
  return pb::device::test::getrf(h, m, n, a, lda, work, exchanges, info);
}
int cusolverDnDpotrf(Handle *h, int uplo, int n, double *a, int lda, double *work, int size, int *info) {
  return pb::device::test::potrf(h, uplo, n, a, lda, work, size, info);
}
int cusolverDnSpotrf(Handle *h, int uplo, int n, float *a, int lda, float *work, int size, int *info) {
  return pb::device::test::potrf(h, uplo, n, a, lda, work, size, info);
}
}
