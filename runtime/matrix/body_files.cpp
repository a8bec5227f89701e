// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// File access of rule bodies: MatrixIO of runtime/abi/body.h.
#include "runtime/abi/body.h"
#include "runtime/abi/program.h"
#include "runtime/matrix/reading.h"
#include "runtime/matrix/writing.h"
#include <exception>

namespace pb {
namespace {

/// No exception may reach generated code, which may be compiled without exceptions.
template <class F>
void orFail(F f) {
  try {
    f();
  } catch (const std::exception &e) {
    pb_fail(e.what());
  }
}

} // namespace

extern "C" {

void pb_read_matrix(const char *file, int rank, AnyRegion *to) {
  orFail([&] {
    const matrix::Matrix m =
        matrix::readMatrix(file, {"the matrix that a rule reads", ElementKind::F64, rank, ""});
    *to = m.region();
    pb_storage_retain(to->owner);
  });
}

void pb_write_matrix(const char *file, int rank, const AnyRegion *from) {
  orFail([&] {
    const matrix::Extents extents(from->extent, from->extent + rank);
    matrix::OutputFile(file, extents, matrix::print(extents))
        .write(matrix::Matrix::over(ElementKind::F64, extents, from->base));
  });
}

double *pb_lasting_array(long count) {
  void *data = nullptr;
  pb_storage_allocate(static_cast<unsigned long>(count) * sizeof(double), &data);
  return static_cast<double *>(data);
}
}

} // namespace pb
