// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#define NPY_NO_DEPRECATED_API NPY_1_20_API_VERSION
#include "python/core/results.h"
#include <cstring>
#include <memory>
#include <numpy/arrayobject.h>

namespace pbc_python {
namespace {

namespace nb = nanobind;

/// The description of an output, which has the owner of the memory in it.
struct Owned {
  pbc_array array;
  const pbc_library *library;

  Owned(const pbc_array &a, const pbc_library &l) : array(a), library(&l) {}
  Owned(const Owned &) = delete;
  Owned &operator=(const Owned &) = delete;
  ~Owned() { library->free(&array); }
};

constexpr const char *kCapsule = "pbc_array";

void release(PyObject *capsule) { delete static_cast<Owned *>(PyCapsule_GetPointer(capsule, kCapsule)); }

int numPyType(int element) {
  switch (element) {
  case PBC_F64:
    return NPY_DOUBLE;
  case PBC_F32:
    return NPY_FLOAT;
  case PBC_I32:
    return NPY_INT32;
  case PBC_I64:
    return NPY_INT64;
  case PBC_U8:
    return NPY_UINT8;
  default:
    throw Failure(PBC_ERROR_INTERNAL, "an element type that this package does not know");
  }
}

template <class T>
T numberOf(const pbc_array &a) {
  T value;
  std::memcpy(&value, a.data, sizeof value);
  return value;
}

PyObject *newNumber(const pbc_array &a) {
  switch (a.element) {
  case PBC_F64:
    return PyFloat_FromDouble(numberOf<double>(a));
  case PBC_F32:
    return PyFloat_FromDouble(static_cast<double>(numberOf<float>(a)));
  case PBC_I32:
    return PyLong_FromLong(numberOf<std::int32_t>(a));
  case PBC_I64:
    return PyLong_FromLongLong(numberOf<std::int64_t>(a));
  default:
    return PyLong_FromLong(numberOf<std::uint8_t>(a));
  }
}

nb::object checked(PyObject *object) {
  if (!object)
    nb::raise_python_error();
  return nb::steal(object);
}

} // namespace

void useNumPy() {
  if (_import_array() < 0)
    nb::raise_python_error();
}

bool isNumPyArray(nb::handle object) { return PyArray_CheckExact(object.ptr()); }

nb::object wrapped(pbc_array &made, const pbc_library &library) {
  auto owned = std::make_unique<Owned>(made, library);
  made = pbc_array_wanted();
  const pbc_array &a = owned->array;
  const int type = numPyType(a.element);
  if (a.rank == 0)
    return checked(newNumber(a));
  npy_intp shape[PBC_MAX_RANK], strides[PBC_MAX_RANK];
  const auto bytes = static_cast<npy_intp>(a.element == PBC_U8                            ? 1
                                           : a.element == PBC_F64 || a.element == PBC_I64 ? 8
                                                                                          : 4);
  for (int d = 0; d < a.rank; ++d) {
    shape[a.rank - 1 - d] = a.extent[d];
    strides[a.rank - 1 - d] = a.stride[d] * bytes;
  }
  const nb::object array = checked(
      PyArray_New(&PyArray_Type, a.rank, shape, type, strides, a.data, 0, NPY_ARRAY_WRITEABLE, nullptr));
  PyObject *const capsule = PyCapsule_New(owned.get(), kCapsule, release);
  if (!capsule)
    nb::raise_python_error();
  (void)owned.release(); // the capsule's from here on
  // Takes the reference to the capsule, also where it fails.
  if (PyArray_SetBaseObject(reinterpret_cast<PyArrayObject *>(array.ptr()), capsule) < 0)
    nb::raise_python_error();
  return array;
}

} // namespace pbc_python
