// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/library/cublas.h"

namespace pb::device {

Cublas::Cublas(const std::string &folder) {
  const char *name = "cuBLAS";
  const SharedLibrary library = openCudaLibrary("libcublas.so", {"13", "12", "11"}, name, folder);
  PB_BLAS_FUNCTIONS(PB_LIBRARY_LOAD)
  if (const int status = create(&handle); status != 0)
    throw DeviceError(Failure::Build, "cublasCreate ended with status " + std::to_string(status));
}

Cusolver::Cusolver(const std::string &folder) {
  const char *name = "cuSOLVER";
  const SharedLibrary library = openCudaLibrary("libcusolver.so", {"12", "11"}, name, folder);
  PB_SOLVER_FUNCTIONS(PB_LIBRARY_LOAD)
  if (const int status = create(&handle); status != 0)
    throw DeviceError(Failure::Build, "cusolverDnCreate ended with status " + std::to_string(status));
}

} // namespace pb::device
