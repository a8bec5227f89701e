// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Arrays of Python as those of a library, without copies, and back.
//
//   Input a(object, argument);           // NumPy, or anything with DLPack or a buffer; a number for rank 0
//   library.call(..., a.array(), ...);
//
// Python's last index is x: an array of shape (h, w) is a matrix [w, h]. Memory belongs to whoever made it; what a library allocated is freed
// with the last NumPy array that refers to it.
#pragma once
#include "python/core/library.h"
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <optional>

namespace pbc_python {

namespace nb = nanobind;

/// "float64", "int32": NumPy's name of an element type.
const char *dtypeName(int element);

/// An argument whose memory is Python's: an input, or an output that the caller gives. Python's lock has to be held where it is
/// destroyed.
class Given {
public:
  Given() = default;
  ~Given();
  Given(const Given &) = delete;
  Given &operator=(const Given &) = delete;

  /// `isWritten`: the array is an output. Throws Failure with the argument's name.
  void take(nb::handle object, const pbc_argument &argument, bool isWritten);
  pbc_array *array() { return &array_; }

private:
  /// Takes what is a buffer that fits in every respect, which is several times as fast as by DLPack. False: it is something else, or an
  /// error that takeArray finds the words for.
  bool takeBuffer(nb::handle object, const pbc_argument &argument, bool isWritten);
  void takeNumber(nb::handle object, const pbc_argument &argument);
  template <class Array>
  bool takeArray(nb::handle object, const pbc_argument &argument, std::optional<Array> &keep);

  pbc_array array_; // from take on
  Py_buffer buffer_;
  bool hasBuffer_ = false;
  std::optional<nb::ndarray<>> written_;
  std::optional<nb::ndarray<nb::ro>> read_;
  alignas(8) unsigned char number_[8] = {};
};

} // namespace pbc_python
