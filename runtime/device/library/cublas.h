// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The functions and handles of cuBLAS and cuSOLVER; internal to this folder.
#pragma once
#include "runtime/device/library/open_library.h"

namespace pb::device {

using BlasHandle = struct cublasContext *;
enum BlasOperation : int { kBlasPlain = 0, kBlasTransposed = 1 };
enum BlasTriangle : int { kBlasLower = 0, kBlasUpper = 1 };
enum BlasSide : int { kBlasLeft = 0, kBlasRight = 1 };
constexpr int kBlasNonUnit = 0;

// NOLINTBEGIN(bugprone-macro-parentheses): declarations
// EACH(member, symbol, parameters); numbers are double or float by the symbol's second letter.
#define PB_BLAS_TYPED(EACH, letter, T)                                                                       \
  EACH(                                                                                                      \
      letter##gemm, "cublas" #letter "gemm_v2",                                                              \
      (BlasHandle, int, int, int, int, int, const T *, const T *, int, const T *, int, const T *, T *, int)) \
  EACH(letter##gemv, "cublas" #letter "gemv_v2",                                                             \
       (BlasHandle, int, int, int, const T *, const T *, int, const T *, int, const T *, T *, int))          \
  EACH(letter##trsm, "cublas" #letter "trsm_v2",                                                             \
       (BlasHandle, int, int, int, int, int, int, const T *, const T *, int, T *, int))                      \
  EACH(letter##geam, "cublas" #letter "geam",                                                                \
       (BlasHandle, int, int, int, int, const T *, const T *, int, const T *, const T *, int, T *, int))     \
  EACH(letter##trttp, "cublas" #letter "trttp", (BlasHandle, int, int, const T *, int, T *))                 \
  EACH(letter##tpttr, "cublas" #letter "tpttr", (BlasHandle, int, int, const T *, T *, int))
#define PB_BLAS_FUNCTIONS(EACH)                                                                              \
  EACH(create, "cublasCreate_v2", (BlasHandle *))                                                            \
  EACH(destroy, "cublasDestroy_v2", (BlasHandle))                                                            \
  EACH(setStream, "cublasSetStream_v2", (BlasHandle, void *))                                                \
  PB_BLAS_TYPED(EACH, D, double)                                                                             \
  PB_BLAS_TYPED(EACH, S, float)

struct Cublas {
  explicit Cublas(const std::string &folder);
  Cublas(const Cublas &) = delete;
  Cublas &operator=(const Cublas &) = delete;
  ~Cublas() { destroy(handle); }
  PB_BLAS_FUNCTIONS(PB_LIBRARY_MEMBER)
  BlasHandle handle = nullptr;
};

using SolverHandle = struct cusolverDnContext *;
#define PB_SOLVER_FUNCTIONS(EACH)                                                                            \
  EACH(create, "cusolverDnCreate", (SolverHandle *))                                                         \
  EACH(destroy, "cusolverDnDestroy", (SolverHandle))                                                         \
  EACH(setStream, "cusolverDnSetStream", (SolverHandle, void *))                                             \
  EACH(DpotrfSize, "cusolverDnDpotrf_bufferSize", (SolverHandle, int, int, double *, int, int *))            \
  EACH(SpotrfSize, "cusolverDnSpotrf_bufferSize", (SolverHandle, int, int, float *, int, int *))             \
  EACH(DgetrfSize, "cusolverDnDgetrf_bufferSize", (SolverHandle, int, int, double *, int, int *))            \
  EACH(SgetrfSize, "cusolverDnSgetrf_bufferSize", (SolverHandle, int, int, float *, int, int *))             \
  EACH(Dgetrf, "cusolverDnDgetrf", (SolverHandle, int, int, double *, int, double *, int *, int *))          \
  EACH(Sgetrf, "cusolverDnSgetrf", (SolverHandle, int, int, float *, int, float *, int *, int *))            \
  EACH(Dpotrf, "cusolverDnDpotrf", (SolverHandle, int, int, double *, int, double *, int, int *))            \
  EACH(Spotrf, "cusolverDnSpotrf", (SolverHandle, int, int, float *, int, float *, int, int *))

struct Cusolver {
  explicit Cusolver(const std::string &folder);
  Cusolver(const Cusolver &) = delete;
  Cusolver &operator=(const Cusolver &) = delete;
  ~Cusolver() { destroy(handle); }
  PB_SOLVER_FUNCTIONS(PB_LIBRARY_MEMBER)
  SolverHandle handle = nullptr;
};
// NOLINTEND(bugprone-macro-parentheses)

} // namespace pb::device
