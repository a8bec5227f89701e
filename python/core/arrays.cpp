// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "python/core/arrays.h"
#include "python/core/results.h"
#include <cstring>
#include <nanobind/stl/string.h>
#include <string>
#include <utility>

namespace pbc_python {
namespace {

struct Type {
  int element;
  const char *name;
  nb::dlpack::dtype dtype;
  const char *formats; // those of buffers with native numbers, a letter each
};

constexpr std::uint8_t kInt = 0, kUnsigned = 1, kFloat = 2; // DLPack's codes
constexpr Type kTypes[] = {
    {PBC_F64, "float64", {kFloat, 64, 1}, "d"}, {PBC_F32, "float32", {kFloat, 32, 1}, "f"},
    {PBC_I32, "int32", {kInt, 32, 1}, "il"},    {PBC_I64, "int64", {kInt, 64, 1}, "lq"},
    {PBC_U8, "uint8", {kUnsigned, 8, 1}, "B"},
};

const Type &typeOf(int element) {
  for (const Type &t : kTypes)
    if (t.element == element)
      return t;
  throw Failure(PBC_ERROR_INTERNAL, "an element type that this package does not know");
}

std::string textOf(nb::handle object) { return nb::cast<std::string>(nb::str(object)); }

/// "an array of dtype >f8", "a str"
std::string kindOf(nb::handle object) {
  if (nb::hasattr(object, "dtype"))
    return "an array of dtype " + textOf(object.attr("dtype"));
  return "of the type " + textOf(object.type().attr("__name__"));
}

/// Why the cells of a NumPy array of numbers cannot be counted in elements; "" where that is not the reason.
std::string whyNoElements(nb::handle object) {
  if (!nb::hasattr(object, "strides") || !nb::hasattr(object, "itemsize"))
    return "";
  const long bytes = nb::cast<long>(object.attr("itemsize"));
  for (const nb::handle stride : object.attr("strides"))
    if (bytes > 0 && nb::cast<long>(stride) % bytes != 0)
      return "has cells " + textOf(stride) + " bytes apart, no multiple of the " + std::to_string(bytes) +
             " bytes of a cell, as a field of a structured array: .copy() helps";
  return "";
}

[[noreturn]] void refuse(const pbc_argument &argument, const std::string &what) {
  throw Failure(PBC_ERROR_ARGUMENT, std::string(argument.name) + " " + what);
}

int elementOf(nb::dlpack::dtype dtype) {
  for (const Type &t : kTypes)
    if (t.dtype == dtype)
      return t.element;
  return 0;
}

template <class T>
void store(T value, unsigned char *to) {
  std::memcpy(to, &value, sizeof value);
}

/// A list of numbers as an array. Lists of fractions are no whole numbers, and are not rounded.
nb::object converted(nb::handle list, const pbc_argument &argument) {
  const bool isWhole = argument.element != PBC_F64 && argument.element != PBC_F32;
  try {
    const nb::object numpy = nb::module_::import_("numpy"), found = numpy.attr("asarray")(list);
    const std::string kind = nb::cast<std::string>(found.attr("dtype").attr("kind"));
    if (isWhole && kind != "i" && kind != "u" && kind != "b" && nb::cast<long>(found.attr("size")) > 0)
      refuse(argument,
             std::string("has elements of ") + dtypeName(argument.element) + ", and is a list with others");
    return numpy.attr("asarray")(list, dtypeName(argument.element));
  } catch (nb::python_error &problem) {
    refuse(argument, std::string("is a list that is no array of ") + dtypeName(argument.element) + ": " +
                         textOf(problem.value()));
  }
}

bool isMasked(nb::handle object) {
  return !isNumPyArray(object) && nb::hasattr(object, "mask") && nb::hasattr(object, "filled");
}

} // namespace

const char *dtypeName(int element) { return typeOf(element).name; }

Given::~Given() {
  if (hasBuffer_)
    PyBuffer_Release(&buffer_);
}

bool Given::takeBuffer(nb::handle object, const pbc_argument &argument, bool isWritten) {
  if (!PyObject_CheckBuffer(object.ptr()))
    return false;
  if (PyObject_GetBuffer(object.ptr(), &buffer_,
                         PyBUF_STRIDES | PyBUF_FORMAT | (isWritten ? PyBUF_WRITABLE : 0)) != 0) {
    PyErr_Clear();
    return false;
  }
  hasBuffer_ = true;
  const Type &type = typeOf(argument.element);
  const auto bytes = static_cast<Py_ssize_t>(type.dtype.bits / 8);
  const char *const format = buffer_.format;
  bool fits = buffer_.ndim == argument.rank && buffer_.itemsize == bytes && format && format[0] &&
              !format[1] && std::strchr(type.formats, format[0]);
  for (int d = 0; fits && d < buffer_.ndim; ++d)
    fits = buffer_.strides[d] % bytes == 0;
  if (!fits) {
    PyBuffer_Release(&buffer_);
    hasBuffer_ = false;
    return false;
  }
  array_.data = buffer_.buf;
  array_.element = argument.element;
  array_.rank = argument.rank;
  for (int d = 0; d < argument.rank; ++d) {
    array_.extent[d] = buffer_.shape[argument.rank - 1 - d];
    array_.stride[d] = buffer_.strides[argument.rank - 1 - d] / bytes;
  }
  array_.place = PBC_HOST;
  array_.flags = isWritten ? 0 : PBC_READ_ONLY;
  return true;
}

void Given::takeNumber(nb::handle object, const pbc_argument &argument) {
  const bool isReal = argument.element == PBC_F64 || argument.element == PBC_F32;
  if (isReal) {
    const double value = PyFloat_AsDouble(object.ptr());
    if (value == -1 && PyErr_Occurred()) {
      PyErr_Clear();
      refuse(argument, "has to be a number, and is " + kindOf(object));
    }
    argument.element == PBC_F64 ? store(value, number_) : store(static_cast<float>(value), number_);
  } else {
    const nb::object index = nb::steal(PyNumber_Index(object.ptr()));
    const long long value = index.is_valid() ? PyLong_AsLongLong(index.ptr()) : -1;
    const bool fits = argument.element == PBC_I32  ? value == static_cast<std::int32_t>(value)
                      : argument.element == PBC_U8 ? value == static_cast<std::uint8_t>(value)
                                                   : true;
    if (PyErr_Occurred() || !fits) {
      PyErr_Clear();
      refuse(argument, std::string("has to be a whole number that fits ") + dtypeName(argument.element) +
                           ", and is " + (index.is_valid() ? textOf(object) : kindOf(object)));
    }
    argument.element == PBC_I64   ? store(static_cast<std::int64_t>(value), number_)
    : argument.element == PBC_I32 ? store(static_cast<std::int32_t>(value), number_)
                                  : store(static_cast<std::uint8_t>(value), number_);
  }
  array_.data = number_;
  array_.element = argument.element;
  array_.place = PBC_HOST;
}

template <class Array>
bool Given::takeArray(nb::handle object, const pbc_argument &argument, std::optional<Array> &keep) {
  keep.emplace();
  if (!nb::try_cast<Array>(object, *keep, false))
    return false;
  const Array &a = *keep;
  const auto rank = static_cast<int>(a.ndim());
  if (rank != argument.rank)
    refuse(argument, std::string("is ") + argument.name + argument.extents + ", with " +
                         std::to_string(argument.rank) + (argument.rank == 1 ? " dimension" : " dimensions") +
                         ", and the array has " + std::to_string(rank));
  if (a.dtype() != typeOf(argument.element).dtype) {
    const std::string name = dtypeName(argument.element);
    refuse(argument, "has elements of " + name + ", and is " + kindOf(object) +
                         (nb::hasattr(object, "astype") ? ": .astype(\"" + name + "\") converts"
                                                        : ", which has others"));
  }
  array_.data = const_cast<void *>(static_cast<const void *>(a.data()));
  array_.element = elementOf(a.dtype());
  array_.rank = rank;
  array_.place = a.device_type();
  array_.device = a.device_id();
  for (int d = 0; d < rank; ++d) {
    array_.extent[d] = static_cast<std::int64_t>(a.shape(static_cast<std::size_t>(rank - 1 - d)));
    array_.stride[d] = a.stride(static_cast<std::size_t>(rank - 1 - d));
  }
  return true;
}

void Given::take(nb::handle object, const pbc_argument &argument, bool isWritten) {
  array_ = {};
  if (isMasked(object)) // what is behind a mask would be computed with
    refuse(argument, "is a masked array: .filled(...) says what its hidden cells are");
  if ((argument.rank > 0 || isWritten) && takeBuffer(object, argument, isWritten))
    return;
  if (isWritten) {
    if (takeArray(object, argument, written_))
      return;
    std::optional<nb::ndarray<nb::ro>> asRead;
    refuse(argument, takeArray(object, argument, asRead)
                         ? "is written, and the array is read-only"
                         : "is written, and has to be an array of " +
                               std::string(dtypeName(argument.element)) + ", and is " + kindOf(object));
  }
  if (argument.rank == 0)
    return takeNumber(object, argument);
  if (takeArray(object, argument, read_)) {
    array_.flags = PBC_READ_ONLY;
    return;
  }
  if (PyErr_Occurred())
    PyErr_Clear();
  if (nb::isinstance<nb::list>(object) || nb::isinstance<nb::tuple>(object)) {
    const nb::object made = converted(object, argument);
    if (takeArray(made, argument, read_)) {
      array_.flags = PBC_READ_ONLY;
      return;
    }
  }
  if (const std::string why = whyNoElements(object); !why.empty())
    refuse(argument, why);
  refuse(argument, "has to be an array of " + std::string(dtypeName(argument.element)) +
                       " in the machine's byte order, and is " + kindOf(object));
}

} // namespace pbc_python
