// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Routines of pbc_cblas.h in all layouts, transpositions, sides, triangles and diagonals, with leading dimensions that are larger than
// needed, against loops by the definition, and against the system's CBLAS if there is one. What a routine must not read is not a
// number, and what it must not write stays.
#include "pbc_cblas.h"
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <limits>
#include <string>
#include <thread>
#include <vector>

extern "C" int pbc_test_from_c(pbc_context **common); // second.c

namespace {

#define CHECK(condition, ...)                                                                                \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      std::fprintf(stderr, "check.cpp:%d: %s: ", __LINE__, #condition);                                      \
      std::fprintf(stderr, __VA_ARGS__);                                                                     \
      std::exit(1);                                                                                          \
    }                                                                                                        \
  } while (0)

/// The routines for one type, and the system's, which may be null.
template <class T>
struct Routines;
#define ROUTINES_OF(TYPE, LETTER)                                                                            \
  template <>                                                                                                \
  struct Routines<TYPE> {                                                                                    \
    static constexpr auto gemm = pbc_##LETTER##gemm;                                                         \
    static constexpr auto symm = pbc_##LETTER##symm;                                                         \
    static constexpr auto trmm = pbc_##LETTER##trmm;                                                         \
    static constexpr auto trsm = pbc_##LETTER##trsm;                                                         \
    static constexpr auto syrk = pbc_##LETTER##syrk;                                                         \
    static constexpr auto syr2k = pbc_##LETTER##syr2k;                                                       \
    static constexpr auto gemv = pbc_##LETTER##gemv;                                                         \
    static constexpr const char *kLetter = #LETTER;                                                          \
  }
ROUTINES_OF(double, d);
ROUTINES_OF(float, s);

void *theirLibrary() {
  static void *const library = [] {
    for (const char *name : {"libopenblas.so.0", "libcblas.so.3", "libblas.so.3"})
      if (void *found = dlopen(name, RTLD_NOW | RTLD_LOCAL); found && dlsym(found, "cblas_dgemm"))
        return found;
    return static_cast<void *>(nullptr);
  }();
  return library;
}

/// The system's routine that takes what one of ours does; it returns nothing.
template <class... A>
void (*theirs(int32_t (*)(A...), const char *letter, const char *name))(A...) {
  void *const library = theirLibrary();
  return library ? reinterpret_cast<void (*)(A...)>(
                       dlsym(library, (std::string("cblas_") + letter + name).c_str()))
                 : nullptr;
}

/// A matrix of rows and columns in one of the two layouts, with lines that are longer than needed.
template <class T>
class Matrix {
public:
  Matrix(int layout, int rows, int columns, unsigned seed, int more = 3)
      : isRows_(layout == PBC_ROW_MAJOR), rows_(rows), columns_(columns),
        step_(std::max(1, isRows_ ? columns : rows) + more),
        cells_(static_cast<std::size_t>(step_) * (isRows_ ? rows : columns) + 1, T(77)) {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        (*this)(i, j) = static_cast<T>((seed = seed * 1103515245u + 12345u) >> 16 & 255) / 64 - 2;
  }
  T &operator()(int i, int j) { return cells_[isRows_ ? i * step_ + j : j * step_ + i]; }
  T operator()(int i, int j) const { return const_cast<Matrix &>(*this)(i, j); }
  int rows() const { return rows_; }
  int columns() const { return columns_; }
  int step() const { return step_; }
  T *data() { return cells_.data(); }
  void fill(T value) {
    for (int i = 0; i < rows_; ++i)
      for (int j = 0; j < columns_; ++j)
        (*this)(i, j) = value;
  }
  /// The largest difference, cells between the lines included.
  double distance(const Matrix &o) const {
    double most = 0;
    for (std::size_t i = 0; i < cells_.size(); ++i)
      most = std::isnan(cells_[i]) || std::isnan(o.cells_[i])
                 ? INFINITY
                 : std::max(most, std::fabs(double(cells_[i]) - double(o.cells_[i])));
    return most;
  }

private:
  bool isRows_;
  int rows_, columns_, step_;
  std::vector<T> cells_;
};

template <class T>
constexpr double kNear = 1000 * std::numeric_limits<T>::epsilon();
template <class T>
constexpr T kNone = std::numeric_limits<T>::quiet_NaN();

constexpr int kLayouts[] = {PBC_ROW_MAJOR, PBC_COL_MAJOR}, kSides[] = {PBC_LEFT, PBC_RIGHT},
              kHalves[] = {PBC_UPPER, PBC_LOWER}, kTurns[] = {PBC_NO_TRANS, PBC_TRANS, PBC_CONJ_TRANS},
              kDiagonals[] = {PBC_NON_UNIT, PBC_UNIT};
constexpr int kSizes[][3] = {{1, 1, 1}, {3, 5, 4}, {17, 6, 9}, {33, 70, 40}, {2, 3, 0}, {0, 3, 2}, {3, 0, 2}};
constexpr double kFactors[][2] = {{1, 0}, {1.5, -0.5}, {-1, 1}, {0, 2}, {0, 0}};

/// The sum of products of a row of `a` and a column of `b`, given as functions.
template <class A, class B>
double sum(int count, const A &a, const B &b) {
  double s = 0;
  for (int i = 0; i < count; ++i)
    s += double(a(i)) * double(b(i));
  return s;
}

template <class T>
void gemm(int layout, int ta, int tb, int m, int n, int k, T alpha, T beta) {
  const bool isA = ta != PBC_NO_TRANS, isB = tb != PBC_NO_TRANS;
  Matrix<T> a(layout, isA ? k : m, isA ? m : k, 1), b(layout, isB ? n : k, isB ? k : n, 2, 1),
      c(layout, m, n, 3, 5);
  if (alpha == 0)
    a.fill(kNone<T>);
  Matrix<T> expected = c;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      const double product = sum(
          k, [&](int l) { return isA ? a(l, i) : a(i, l); }, [&](int l) { return isB ? b(j, l) : b(l, j); });
      expected(i, j) =
          static_cast<T>((alpha == 0 ? 0 : double(alpha) * product) + double(beta) * double(c(i, j)));
    }
  if (beta == 0)
    c.fill(kNone<T>);
  Matrix<T> other = c;
  const int status = Routines<T>::gemm(layout, ta, tb, m, n, k, alpha, a.data(), a.step(), b.data(), b.step(),
                                       beta, c.data(), c.step());
  CHECK(status == PBC_OK, "%s\n", pbc_cblas_message());
  CHECK(c.distance(expected) < kNear<T>, "layout %d, %d %d, %d %d %d, alpha %g, beta %g: %g\n", layout, ta,
        tb, m, n, k, double(alpha), double(beta), c.distance(expected));
  if (auto *their = theirs(+Routines<T>::gemm, Routines<T>::kLetter, "gemm")) {
    their(layout, ta, tb, m, n, k, alpha, a.data(), a.step(), b.data(), b.step(), beta, other.data(),
          other.step());
    CHECK(c.distance(other) < kNear<T>, "layout %d, %d %d, %d %d %d: not as CBLAS\n", layout, ta, tb, m, n,
          k);
  }
}

/// A triangle of order n, well away from singular, beyond which there are no numbers.
template <class T>
Matrix<T> triangle(int layout, int n, int uplo, int diag) {
  Matrix<T> a(layout, n, n, 5);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      a(i, j) = i == j                           ? (diag == PBC_UNIT ? kNone<T> : T(4) + T(i % 3))
                : (uplo == PBC_UPPER) == (j > i) ? a(i, j) / T(n)
                                                 : kNone<T>;
  return a;
}

template <class T>
void symm(int layout, int side, int uplo, int m, int n, T alpha, T beta) {
  const int order = side == PBC_LEFT ? m : n;
  Matrix<T> a = triangle<T>(layout, order, uplo, PBC_NON_UNIT), b(layout, m, n, 2, 1), c(layout, m, n, 3, 0),
            expected = c;
  const auto whole = [&](int i, int j) { return (uplo == PBC_UPPER) == (j > i) ? a(i, j) : a(j, i); };
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      const double product = side == PBC_LEFT
                                 ? sum(
                                       m, [&](int l) { return whole(i, l); }, [&](int l) { return b(l, j); })
                                 : sum(n, [&](int l) { return b(i, l); }, [&](int l) { return whole(l, j); });
      expected(i, j) = static_cast<T>(double(alpha) * product + double(beta) * double(c(i, j)));
    }
  if (beta == 0)
    c.fill(kNone<T>);
  Matrix<T> other = c;
  const int status = Routines<T>::symm(layout, side, uplo, m, n, alpha, a.data(), a.step(), b.data(),
                                       b.step(), beta, c.data(), c.step());
  CHECK(status == PBC_OK, "%s\n", pbc_cblas_message());
  CHECK(c.distance(expected) < kNear<T>, "layout %d, %d %d, %d %d, alpha %g, beta %g: %g\n", layout, side,
        uplo, m, n, double(alpha), double(beta), c.distance(expected));
  if (auto *their = theirs(+Routines<T>::symm, Routines<T>::kLetter, "symm")) {
    their(layout, side, uplo, m, n, alpha, a.data(), a.step(), b.data(), b.step(), beta, other.data(),
          other.step());
    CHECK(c.distance(other) < kNear<T>, "layout %d, %d %d, %d %d: not as CBLAS\n", layout, side, uplo, m, n);
  }
}

/// trmm, and trsm, which takes back what the product with the triangle does.
template <class T>
void triangular(int layout, int side, int uplo, int turn, int diag, int m, int n, T alpha) {
  Matrix<T> a = triangle<T>(layout, side == PBC_LEFT ? m : n, uplo, diag), b(layout, m, n, 2, 1),
            expected = b;
  const auto op = [&](int i, int j) -> T {
    if (turn != PBC_NO_TRANS)
      std::swap(i, j);
    if (i == j)
      return diag == PBC_UNIT ? T(1) : a(i, i);
    return (uplo == PBC_UPPER) == (j > i) ? a(i, j) : T(0);
  };
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      expected(i, j) = static_cast<T>(
          double(alpha) * (side == PBC_LEFT
                               ? sum(
                                     m, [&](int l) { return op(i, l); }, [&](int l) { return b(l, j); })
                               : sum(n, [&](int l) { return b(i, l); }, [&](int l) { return op(l, j); })));
  Matrix<T> c = b, other = b;
  int status =
      Routines<T>::trmm(layout, side, uplo, turn, diag, m, n, alpha, a.data(), a.step(), c.data(), c.step());
  CHECK(status == PBC_OK, "%s\n", pbc_cblas_message());
  CHECK(c.distance(expected) < kNear<T>, "layout %d, %d %d %d %d, %d %d: %g\n", layout, side, uplo, turn,
        diag, m, n, c.distance(expected));
  if (auto *their = theirs(+Routines<T>::trmm, Routines<T>::kLetter, "trmm")) {
    their(layout, side, uplo, turn, diag, m, n, alpha, a.data(), a.step(), other.data(), other.step());
    CHECK(c.distance(other) < kNear<T>, "layout %d, %d %d %d %d, %d %d: not as CBLAS\n", layout, side, uplo,
          turn, diag, m, n);
  }
  if (alpha == 0)
    b.fill(0);
  status = Routines<T>::trsm(layout, side, uplo, turn, diag, m, n, alpha == 0 ? T(0) : 1 / alpha, a.data(),
                             a.step(), c.data(), c.step());
  CHECK(status == PBC_OK, "%s\n", pbc_cblas_message());
  CHECK(c.distance(b) < kNear<T>, "layout %d, %d %d %d %d, %d %d: %g\n", layout, side, uplo, turn, diag, m, n,
        c.distance(b));
}

/// syrk, and syr2k with B: only one triangle of C is a matter of numbers.
template <class T>
void updates(int layout, int uplo, int turn, int n, int k, T alpha, T beta) {
  const bool isTurned = turn != PBC_NO_TRANS;
  for (const bool isTwo : {false, true}) {
    Matrix<T> a(layout, isTurned ? k : n, isTurned ? n : k, 1), b(layout, a.rows(), a.columns(), 2, 1),
        c(layout, n, n, 3, 5);
    if (alpha == 0)
      a.fill(kNone<T>), b.fill(kNone<T>);
    const auto left = [&](int i, int l) { return isTurned ? a(l, i) : a(i, l); };
    const auto right = [&](int i, int l) { return !isTwo ? left(i, l) : isTurned ? b(l, i) : b(i, l); };
    const auto isThere = [&](int i, int j) { return i == j || (uplo == PBC_UPPER) == (j > i); };
    Matrix<T> expected = c;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        double product = 0;
        for (int l = 0; l < k && alpha != 0; ++l)
          product += double(left(i, l)) * double(right(j, l)) +
                     (isTwo ? double(right(i, l)) * double(left(j, l)) : 0);
        if (isThere(i, j)) {
          expected(i, j) = static_cast<T>(double(alpha) * product + double(beta) * double(c(i, j)));
          if (beta == 0)
            c(i, j) = kNone<T>;
        }
      }
    Matrix<T> other = c;
    const int status = isTwo ? Routines<T>::syr2k(layout, uplo, turn, n, k, alpha, a.data(), a.step(),
                                                  b.data(), b.step(), beta, c.data(), c.step())
                             : Routines<T>::syrk(layout, uplo, turn, n, k, alpha, a.data(), a.step(), beta,
                                                 c.data(), c.step());
    CHECK(status == PBC_OK, "%s\n", pbc_cblas_message());
    CHECK(c.distance(expected) < 10 * kNear<T>, "%d: layout %d, %d %d, %d %d, alpha %g, beta %g: %g\n", isTwo,
          layout, uplo, turn, n, k, double(alpha), double(beta), c.distance(expected));
    auto *their = theirs(+Routines<T>::syrk, Routines<T>::kLetter, "syrk");
    auto *theirTwo = theirs(+Routines<T>::syr2k, Routines<T>::kLetter, "syr2k");
    if (!their || !theirTwo)
      continue;
    if (isTwo)
      theirTwo(layout, uplo, turn, n, k, alpha, a.data(), a.step(), b.data(), b.step(), beta, other.data(),
               other.step());
    else
      their(layout, uplo, turn, n, k, alpha, a.data(), a.step(), beta, other.data(), other.step());
    CHECK(c.distance(other) < 10 * kNear<T>, "%d: layout %d, %d %d, %d %d: not as CBLAS\n", isTwo, layout,
          uplo, turn, n, k);
  }
}

/// The vectors lie in cells that are not numbers.
template <class T>
void gemv(int layout, int turn, int m, int n, int incx, int incy, T alpha, T beta) {
  const bool isTurned = turn != PBC_NO_TRANS;
  const int from = isTurned ? m : n, to = isTurned ? n : m;
  Matrix<T> a(layout, m, n, 1);
  if (alpha == 0)
    a.fill(kNone<T>);
  const auto place = [](int i, int count, int increment) {
    return static_cast<std::size_t>(increment < 0 ? (i - count + 1) * increment : i * increment);
  };
  std::vector<T> x(static_cast<std::size_t>(std::max(1, from * std::abs(incx))), kNone<T>),
      y(static_cast<std::size_t>(std::max(1, to * std::abs(incy))), T(77)), expected = y;
  for (int i = 0; i < from; ++i)
    x[place(i, from, incx)] = T(i % 5 - 2) / 2;
  for (int i = 0; i < to; ++i) {
    T &cell = y[place(i, to, incy)];
    cell = T(i % 7 - 3);
    double s = double(beta) * double(cell);
    for (int l = 0; l < from && alpha != 0; ++l)
      s += double(alpha) * double(isTurned ? a(l, i) : a(i, l)) * double(x[place(l, from, incx)]);
    expected[place(i, to, incy)] = m && n ? static_cast<T>(s) : cell;
    if (beta == 0 && m && n)
      cell = kNone<T>;
  }
  std::vector<T> other = y;
  const int status =
      Routines<T>::gemv(layout, turn, m, n, alpha, a.data(), a.step(), x.data(), incx, beta, y.data(), incy);
  CHECK(status == PBC_OK, "%s\n", pbc_cblas_message());
  const auto isNear = [](T one, T two) { return std::fabs(double(one) - double(two)) < kNear<T>; };
  CHECK(std::equal(y.begin(), y.end(), expected.begin(), isNear),
        "layout %d, %d, %d %d, steps %d %d, alpha %g, beta %g\n", layout, turn, m, n, incx, incy,
        double(alpha), double(beta));
  if (auto *their = theirs(+Routines<T>::gemv, Routines<T>::kLetter, "gemv")) {
    their(layout, turn, m, n, alpha, a.data(), a.step(), x.data(), incx, beta, other.data(), incy);
    CHECK(std::equal(y.begin(), y.end(), other.begin(), isNear), "layout %d, %d, %d %d: not as CBLAS\n",
          layout, turn, m, n);
  }
}

template <class T>
void all() {
  for (int layout : kLayouts)
    for (const auto &[m, n, k] : kSizes)
      for (const auto &[alpha, beta] : kFactors) {
        for (int ta : kTurns)
          for (int tb : kTurns)
            gemm<T>(layout, ta, tb, m, n, k, T(alpha), T(beta));
        for (int turn : kTurns) {
          for (int uplo : kHalves)
            updates<T>(layout, uplo, turn, n, k, T(alpha), T(beta));
          for (const auto &[incx, incy] : {std::pair(1, 1), {2, 3}, {-1, 1}, {3, -2}})
            gemv<T>(layout, turn, m, n, incx, incy, T(alpha), T(beta));
        }
        for (int side : kSides)
          for (int uplo : kHalves) {
            if (alpha != 0)
              symm<T>(layout, side, uplo, m, n, T(alpha), T(beta));
            for (int turn : kTurns)
              for (int diag : kDiagonals)
                triangular<T>(layout, side, uplo, turn, diag, m, n, T(alpha));
          }
      }
}

void refuses(int status, const char *words, int got) {
  CHECK(got == status && std::strstr(pbc_cblas_message(), words), "status %d, %s\n", got,
        pbc_cblas_message());
}

void refusals() {
  double a[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, c[9] = {};
  refuses(PBC_ERROR_ARGUMENT, "pbc_dgemm: layout is 0, but must be 101 or 102",
          pbc_dgemm(0, 111, 111, 2, 2, 2, 1, a, 2, a, 2, 0, c, 2));
  refuses(PBC_ERROR_ARGUMENT, "transb is 114", pbc_dgemm(101, 111, 114, 2, 2, 2, 1, a, 2, a, 2, 0, c, 2));
  refuses(PBC_ERROR_SIZE, "pbc_dgemm: k is -1, but must be at least 0",
          pbc_dgemm(101, 111, 111, 2, 2, -1, 1, a, 2, a, 2, 0, c, 2));
  // By rows, A[2, 3] has lines of 3, and by columns of 2; transposed, it is the other way round.
  refuses(PBC_ERROR_SIZE, "lda is 2, but must be at least 3",
          pbc_dgemm(101, 111, 111, 2, 1, 3, 1, a, 2, a, 1, 0, c, 1));
  refuses(PBC_ERROR_SIZE, "lda is 1, but must be at least 2",
          pbc_dgemm(102, 111, 111, 2, 1, 3, 1, a, 1, a, 3, 0, c, 2));
  refuses(PBC_ERROR_SIZE, "ldb is 2, but must be at least 3",
          pbc_dgemm(101, 111, 112, 2, 1, 3, 1, a, 3, a, 2, 0, c, 1));
  refuses(PBC_ERROR_SIZE, "ldc is 1, but must be at least 2",
          pbc_dgemm(102, 111, 111, 2, 1, 3, 1, a, 2, a, 3, 0, c, 1));
  refuses(PBC_ERROR_ARGUMENT, "pbc_dgemm: c is a null pointer",
          pbc_dgemm(101, 111, 111, 2, 2, 2, 1, a, 2, a, 2, 0, nullptr, 2));
  refuses(PBC_ERROR_ARGUMENT, "pbc_dgemm: a is a null pointer",
          pbc_dgemm(101, 111, 111, 2, 2, 2, 1, nullptr, 2, a, 2, 0, c, 2));
  refuses(PBC_ERROR_ARGUMENT, "pbc_dsyrk: c is a null pointer",
          pbc_dsyrk(101, 121, 111, 2, 2, 1, a, 2, 0, nullptr, 2));
  refuses(PBC_ERROR_ARGUMENT, "pbc_dgemv: x is a null pointer",
          pbc_dgemv(101, 111, 2, 2, 1, a, 2, nullptr, 1, 0, c, 1));
  refuses(PBC_ERROR_ARGUMENT, "pbc_dtrsm: b is a null pointer",
          pbc_dtrsm(101, 141, 121, 111, 131, 2, 2, 1, a, 2, nullptr, 2));
  refuses(PBC_ERROR_ARGUMENT, "pbc_dsymm: side is 1", pbc_dsymm(101, 1, 121, 2, 2, 1, a, 2, a, 2, 0, c, 2));
  refuses(PBC_ERROR_SIZE, "pbc_strmm: ldb is 0, but must be at least 1",
          pbc_strmm(101, 141, 121, 111, 131, 0, 0, 1, nullptr, 1, nullptr, 0));
  refuses(PBC_ERROR_ARGUMENT, "pbc_dtrsm: diag is 0, but must be 131 or 132",
          pbc_dtrsm(101, 141, 121, 111, 0, 2, 2, 1, a, 2, c, 2));
  refuses(PBC_ERROR_ARGUMENT, "uplo is 120", pbc_dtrsm(101, 141, 120, 111, 131, 2, 2, 1, a, 2, c, 2));
  refuses(PBC_ERROR_ARGUMENT, "pbc_dsyrk: trans is 1", pbc_dsyrk(101, 121, 1, 2, 2, 1, a, 2, 0, c, 2));
  refuses(PBC_ERROR_SIZE, "lda is 2, but must be at least 3",
          pbc_dsyrk(101, 121, 111, 2, 3, 1, a, 2, 0, c, 2));
  refuses(PBC_ERROR_SIZE, "pbc_dsyr2k: ldb is 1, but must be at least 2",
          pbc_dsyr2k(101, 121, 112, 2, 1, 1, a, 2, a, 1, 0, c, 2));
  refuses(PBC_ERROR_SIZE, "pbc_sgemv: m is -1",
          pbc_sgemv(101, 111, -1, 2, 1, nullptr, 2, nullptr, 1, 0, nullptr, 1));
  refuses(PBC_ERROR_SIZE, "lda is 1, but must be at least 2",
          pbc_dgemv(102, 111, 2, 1, 1, a, 1, a, 1, 0, c, 1));
  refuses(PBC_ERROR_ARGUMENT, "pbc_dgemv: incy is 0", pbc_dgemv(101, 111, 2, 2, 1, a, 2, a, 1, 0, c, 0));
  for (double cell : c)
    CHECK(cell == 0, "%g\n", cell);
  // What the library itself says.
  const auto *between = reinterpret_cast<const double *>(reinterpret_cast<const char *>(a) + 1);
  refuses(PBC_ERROR_ARGUMENT,
          "pbc_dgemm: DgemmNN: ", pbc_dgemm(101, 111, 111, 2, 2, 2, 1, between, 2, a, 2, 0, c, 2));
}

/// Updates of several blocks of rows, of which the last one is smaller.
void blocks() {
  for (int layout : kLayouts)
    for (int uplo : kHalves)
      for (int turn : {PBC_NO_TRANS, PBC_TRANS}) {
        updates<double>(layout, uplo, turn, 2 * PBC_CBLAS_OWN_BLOCK + 9, 7, 1.5, 1);
        updates<float>(layout, uplo, turn, PBC_CBLAS_OWN_BLOCK, 5, 1, 0);
      }
}

/// Calls of all threads have one context, unless a thread has its own.
void contexts() {
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&wrong, t] {
      pbc_options options = {};
      options.threads = 1;
      options.configuration = "";
      pbc_context *mine = nullptr;
      if (t % 2 && !pbc_blas3_create(&options, &mine))
        pbc_cblas_use(mine);
      for (int round = 0; round < 50; ++round)
        gemm<double>(PBC_COL_MAJOR, PBC_TRANS, PBC_NO_TRANS, 40 + t, 30, 20, 1, 0);
      wrong += *pbc_cblas_message() != 0; // those of other threads are not seen here
      pbc_blas3_destroy(mine);
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(wrong == 0, "%d\n", wrong.load());
  pbc_context *common = nullptr;
  CHECK(pbc_test_from_c(&common) == 0, "%s\n", pbc_cblas_message());
  CHECK(common && common == pbc_cblas_own_common, "a second file has a context of its own\n");
  pbc_context *nothing = nullptr;
  CHECK(pbc_cblas_own_context("", &nothing) == PBC_OK && nothing == common, "%s\n", pbc_cblas_message());
}

} // namespace

int main(int argc, char **) {
  contexts();
  all<double>();
  all<float>();
  blocks();
  refusals();
  if (argc > 1)
    std::puts(theirLibrary() ? "compared with the system's CBLAS" : "there is no CBLAS to compare with");
}
