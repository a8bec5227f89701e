// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/library/cuda_libraries.h"

#include "runtime/device/library/cublas.h"
#include "runtime/device/library/cufft.h"

#include <utility>

namespace pb::device {
namespace {

template <class T>
T *at(unsigned long address) {
  return __builtin_bit_cast(T *, address);
}

int operation(bool isTransposed) { return isTransposed ? kBlasTransposed : kBlasPlain; }

/// The functions of cuBLAS for one element type.
template <class T>
struct Typed {
  const Cublas &cublas;
#define PB_BLAS_CALL(name)                                                                                   \
  template <class... A>                                                                                      \
  void name(A... a) const {                                                                                  \
    if constexpr (sizeof(T) == 4)                                                                            \
      requireCall(cublas.S##name(cublas.handle, a...), "cublasS" #name);                                     \
    else                                                                                                     \
      requireCall(cublas.D##name(cublas.handle, a...), "cublasD" #name);                                     \
  }
  PB_BLAS_CALL(gemm)
  PB_BLAS_CALL(gemv)
  PB_BLAS_CALL(trsm)
  PB_BLAS_CALL(geam)
  PB_BLAS_CALL(trttp)
  PB_BLAS_CALL(tpttr)
#undef PB_BLAS_CALL
};

/// Calls f(blas, zero of the element type).
template <class F>
void typed(const Cublas &cublas, bool isFloat, F f) {
  if (isFloat)
    f(Typed<float>{cublas}, 0.0F);
  else
    f(Typed<double>{cublas}, 0.0);
}

/// Copies `from` to `to`, which lie in different memory or order; `to` must not be the transpose of itself.
template <class T>
void copyColumns(const Typed<T> &blas, const Columns &to, const Columns &from) {
  const T one = 1, zero = 0;
  const int rows = to.isTransposed ? to.height : to.width, columns = to.isTransposed ? to.width : to.height;
  const int how = operation(to.isTransposed != from.isTransposed);
  const T *source = at<T>(from.address);
  blas.geam(how, how, rows, columns, &one, source, from.step, &zero, source, from.step, at<T>(to.address),
            to.step);
}

/// The triangle in which y >= x (lower), or y <= x, in the library's view of the matrix.
int triangle(bool isLower, const Columns &m) { return isLower == m.isTransposed ? kBlasLower : kBlasUpper; }

void refuseEmpty(const LibraryCall &call, const std::vector<LibraryMatrix> &m) {
  for (int k = 0; k < call.about().count; ++k)
    if (m[static_cast<std::size_t>(k)].isEmpty(call.about().parameters[k].rank()))
      throw DeviceError(Failure::Unsuitable, std::string("`") + call.about().parameters[k].name +
                                                 "` is empty: not for the library");
}

/// Throws where cuFFT cannot take matrices that lie so.
Cufft::Shape fftShape(const LibraryCall &call, const std::vector<LibraryMatrix> &m) {
  Cufft::Shape shape{call.entry == Entry::Fft2 ? 2 : 1, call.isFloat, {}, {}, {}};
  for (int k = 0; k < 2; ++k) {
    const LibraryMatrix &matrix = m[static_cast<std::size_t>(k)];
    std::array<int, 2> &lies = k == 0 ? shape.out : shape.in;
    bool isFit =
        matrix.stride[0] == 1 && matrix.address % static_cast<unsigned long>(2 * matrix.elementBytes) == 0;
    for (int d = 0; d < shape.rank; ++d) { // cuFFT wants the slowest first
      const long stride = matrix.extent[d + 1] > 1 || d > 0 ? matrix.stride[d + 1] : 2;
      isFit = isFit && stride > 0 && stride % 2 == 0 && stride / 2 <= INT32_MAX &&
              matrix.extent[d + 1] <= INT32_MAX;
      lies[static_cast<std::size_t>(d)] = static_cast<int>(stride / 2);
      shape.size[static_cast<std::size_t>(shape.rank - 1 - d)] = static_cast<int>(matrix.extent[d + 1]);
    }
    if (isFit && shape.rank == 2)
      isFit = lies[1] % lies[0] == 0 && lies[1] / lies[0] >= shape.size[1];
    if (!isFit)
      throw DeviceError(Failure::Unsuitable,
                        std::string("`") + call.about().parameters[k].name +
                            "` does not lie in memory as rows of pairs, as cuFFT needs it");
  }
  return shape;
}

template <class Library>
void openOnce(std::unique_ptr<Library> &library, const std::string &folder) {
  if (!library)
    library = std::make_unique<Library>(folder);
}

} // namespace

CudaLibraries::CudaLibraries(std::string folder) : folder_(std::move(folder)) {}
CudaLibraries::~CudaLibraries() = default;

void CudaLibraries::open(Entry entry) {
  std::lock_guard hold(mutex_);
  switch (entry) {
  case Entry::Cholesky:
  case Entry::Lu:
    openOnce(cusolver_, folder_);
    openOnce(cublas_, folder_);
    return;
  case Entry::Fft:
  case Entry::Fft2:
    openOnce(cufft_, folder_);
    return;
  default:
    openOnce(cublas_, folder_);
  }
}

CudaLibraries::Run CudaLibraries::prepare(const LibraryCall &call, const std::vector<LibraryMatrix> &matrices,
                                          const Scratch &scratch) {
  if (matrices.front().isEmpty(call.about().parameters[0].rank()))
    return [](Stream) {}; // nothing to compute
  refuseEmpty(call, matrices);
  switch (call.entry) {
  case Entry::Gemm:
    return gemm(call, matrices);
  case Entry::Gemv:
    return gemv(call, matrices);
  case Entry::SolveLower:
  case Entry::SolveUpper:
    return solve(call, matrices);
  case Entry::Cholesky:
    return cholesky(call, matrices, scratch);
  case Entry::Lu:
    return lu(call, matrices, scratch);
  case Entry::Fft:
  case Entry::Fft2:
    return fft(call, matrices);
  case Entry::Sort:
    break; // own_function.h
  }
  return {};
}

// If c(x, y) is in row x and column y of the library's matrix, c = b a; if it is transposed, c = a b with
// both transposed.
CudaLibraries::Run CudaLibraries::gemm(const LibraryCall &call, const std::vector<LibraryMatrix> &m) {
  const Columns c = columnsOf(m[0], "c"), a = columnsOf(m[1], "a"), b = columnsOf(m[2], "b");
  return [this, isFloat = call.isFloat, c, a, b](Stream stream) {
    requireCall(cublas_->setStream(cublas_->handle, stream), "cublasSetStream");
    typed(*cublas_, isFloat, [&]<class T>(const Typed<T> &blas, T zero) {
      const T one = 1;
      const Columns &left = c.isTransposed ? a : b, &right = c.isTransposed ? b : a;
      blas.gemm(operation(left.isTransposed != c.isTransposed),
                operation(right.isTransposed != c.isTransposed), c.isTransposed ? c.height : c.width,
                c.isTransposed ? c.width : c.height, a.width, &one, at<T>(left.address), left.step,
                at<T>(right.address), right.step, &zero, at<T>(c.address), c.step);
    });
  };
}

CudaLibraries::Run CudaLibraries::gemv(const LibraryCall &call, const std::vector<LibraryMatrix> &m) {
  const Columns a = columnsOf(m[1], "a");
  const int y = stepOf(m[0], "y"), x = stepOf(m[2], "x");
  return [this, isFloat = call.isFloat, a, m, x, y](Stream stream) {
    requireCall(cublas_->setStream(cublas_->handle, stream), "cublasSetStream");
    typed(*cublas_, isFloat, [&]<class T>(const Typed<T> &blas, T zero) {
      const T one = 1;
      blas.gemv(operation(!a.isTransposed), a.isTransposed ? a.height : a.width,
                a.isTransposed ? a.width : a.height, &one, at<T>(a.address), a.step, at<T>(m[2].address), x,
                &zero, at<T>(m[0].address), y);
    });
  };
}

// If x(x, y) is in row x and column y, the equation is x t = b, with t on the right; if transposed, t is on
// the left.
CudaLibraries::Run CudaLibraries::solve(const LibraryCall &call, const std::vector<LibraryMatrix> &m) {
  const Columns x = columnsOf(m[0], "x"), t = columnsOf(m[1], "l"), b = columnsOf(m[2], "b");
  const bool isLower = call.entry == Entry::SolveLower, isThere = liesAlike(m[0], m[2], 2);
  return [this, isFloat = call.isFloat, x, t, b, isLower, isThere](Stream stream) {
    requireCall(cublas_->setStream(cublas_->handle, stream), "cublasSetStream");
    typed(*cublas_, isFloat, [&]<class T>(const Typed<T> &blas, T) {
      const T one = 1;
      if (!isThere)
        copyColumns(blas, x, b);
      blas.trsm(x.isTransposed ? kBlasLeft : kBlasRight, triangle(isLower, t),
                operation(t.isTransposed != x.isTransposed), kBlasNonUnit,
                x.isTransposed ? x.height : x.width, x.isTransposed ? x.width : x.height, &one,
                at<T>(t.address), t.step, at<T>(x.address), x.step);
    });
  };
}

// Factorises in place, and then keeps only the triangle: it is packed elsewhere, everything is set to zero,
// and the triangle is unpacked.
CudaLibraries::Run CudaLibraries::cholesky(const LibraryCall &call, const std::vector<LibraryMatrix> &m,
                                           const Scratch &scratch) {
  const Columns l = columnsOf(m[0], "l"), a = columnsOf(m[1], "a");
  const bool isThere = liesAlike(m[0], m[1], 2);
  const int n = l.width, side = triangle(true, l);
  int work = 0;
  requireCall(call.isFloat
                  ? cusolver_->SpotrfSize(cusolver_->handle, side, n, at<float>(l.address), l.step, &work)
                  : cusolver_->DpotrfSize(cusolver_->handle, side, n, at<double>(l.address), l.step, &work),
              "cusolverDnDpotrf_bufferSize");
  const auto bytes = static_cast<unsigned long>(m[0].elementBytes);
  const unsigned long workspace = scratch(bytes * static_cast<unsigned long>(work) + bytes),
                      packed = scratch(
                          bytes * (static_cast<unsigned long>(n) * (static_cast<unsigned long>(n) + 1) / 2)),
                      info = scratch(sizeof(int));
  return
      [this, isFloat = call.isFloat, l, a, isThere, n, side, work, workspace, packed, info](Stream stream) {
        requireCall(cublas_->setStream(cublas_->handle, stream), "cublasSetStream");
        requireCall(cusolver_->setStream(cusolver_->handle, stream), "cusolverDnSetStream");
        typed(*cublas_, isFloat, [&]<class T>(const Typed<T> &blas, T zero) {
          if (!isThere)
            copyColumns(blas, l, a);
          T *const matrix = at<T>(l.address);
          if constexpr (sizeof(T) == 4)
            requireCall(cusolver_->Spotrf(cusolver_->handle, side, n, matrix, l.step, at<T>(workspace), work,
                                          at<int>(info)),
                        "cusolverDnSpotrf");
          else
            requireCall(cusolver_->Dpotrf(cusolver_->handle, side, n, matrix, l.step, at<T>(workspace), work,
                                          at<int>(info)),
                        "cusolverDnDpotrf");
          try {
            blas.trttp(side, n, static_cast<const T *>(matrix), l.step, at<T>(packed));
            blas.geam(kBlasPlain, kBlasPlain, n, n, &zero, static_cast<const T *>(matrix), l.step, &zero,
                      static_cast<const T *>(matrix), l.step, matrix, l.step);
            blas.tpttr(side, n, static_cast<const T *>(at<T>(packed)), matrix, l.step);
          } catch (const DeviceError &problem) {
            if (isThere) // a is overwritten: nobody can compute l any more
              throw DeviceError(Failure::Lost, problem.what());
            throw;
          }
        });
      };
}

// The library's l has the ones on its diagonal only if it sees (x, y) in row y; otherwise a transposed copy
// is factorised and the factors are transposed back. Without an array for exchanges the library makes none.
CudaLibraries::Run CudaLibraries::lu(const LibraryCall &call, const std::vector<LibraryMatrix> &m,
                                     const Scratch &scratch) {
  const Columns f = columnsOf(m[0], "f"), a = columnsOf(m[1], "a");
  const int n = f.width;
  const auto bytes = static_cast<unsigned long>(m[0].elementBytes), count = static_cast<unsigned long>(n);
  const Columns in = f.isTransposed ? f : Columns{scratch(bytes * count * count), n, n, n, true};
  const bool isThere = f.isTransposed && liesAlike(m[0], m[1], 2);
  int work = 0;
  requireCall(call.isFloat
                  ? cusolver_->SgetrfSize(cusolver_->handle, n, n, at<float>(in.address), in.step, &work)
                  : cusolver_->DgetrfSize(cusolver_->handle, n, n, at<double>(in.address), in.step, &work),
              "cusolverDnDgetrf_bufferSize");
  const unsigned long workspace = scratch(bytes * static_cast<unsigned long>(work) + bytes),
                      info = scratch(sizeof(int));
  return [this, isFloat = call.isFloat, f, a, in, n, isThere, workspace, info](Stream stream) {
    requireCall(cublas_->setStream(cublas_->handle, stream), "cublasSetStream");
    requireCall(cusolver_->setStream(cusolver_->handle, stream), "cusolverDnSetStream");
    typed(*cublas_, isFloat, [&]<class T>(const Typed<T> &blas, T) {
      if (!isThere)
        copyColumns(blas, in, a);
      if constexpr (sizeof(T) == 4)
        requireCall(cusolver_->Sgetrf(cusolver_->handle, n, n, at<T>(in.address), in.step, at<T>(workspace),
                                      nullptr, at<int>(info)),
                    "cusolverDnSgetrf");
      else
        requireCall(cusolver_->Dgetrf(cusolver_->handle, n, n, at<T>(in.address), in.step, at<T>(workspace),
                                      nullptr, at<int>(info)),
                    "cusolverDnDgetrf");
      if (!f.isTransposed)
        copyColumns(blas, f, in);
    });
  };
}

void CudaLibraries::plan(const LibraryCall &call, const std::vector<LibraryMatrix> &matrices) {
  const bool isFft = call.entry == Entry::Fft || call.entry == Entry::Fft2;
  if (!isFft || matrices.front().isEmpty(call.about().parameters[0].rank()))
    return;
  refuseEmpty(call, matrices);
  cufft_->plan(fftShape(call, matrices));
}

CudaLibraries::Run CudaLibraries::fft(const LibraryCall &call, const std::vector<LibraryMatrix> &m) {
  const FftPlanRef plan = cufft_->plan(fftShape(call, m));
  return [this, isFloat = call.isFloat, plan, to = m[0].address, from = m[1].address](Stream stream) {
    requireCall(cufft_->setStream(*plan, stream), "cufftSetStream");
    requireCall((isFloat ? cufft_->C2C : cufft_->Z2Z)(*plan, at<void>(from), at<void>(to), kFftForward),
                "cufftExec");
  };
}

} // namespace pb::device
