// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How messages speak of arrays.
//
//   written(m)              ->  "A[w, h]"
//   dimensions(1)           ->  "1 dimension"
//   list(extents, 2)        ->  "[640, 480]"
//   elementName(PBC_F32)    ->  "float"
//   numberText(1e-8)        ->  "1e-08"
//   apiOf(PBC_CUDA)         ->  "cuda", as in names of devices
#pragma once
#include "runtime/abi/pbc.h"
#include "runtime/abi/program.h"
#include <cstdio>
#include <string>

namespace pb::embed {

inline std::string written(const MatrixInfo &m) { return std::string(m.name) + (m.rank ? m.extents : ""); }

inline std::string dimensions(int rank) {
  return std::to_string(rank) + (rank == 1 ? " dimension" : " dimensions");
}

template <class T>
std::string list(const T *numbers, int count) {
  std::string text = "[";
  for (int d = 0; d < count; ++d)
    text += (d ? ", " : "") + std::to_string(numbers[d]);
  return text + "]";
}

/// With as many digits as tell small numbers apart, 1e-08 for example.
inline std::string numberText(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.10g", x);
  return text;
}

inline std::string elementName(int element) {
  switch (element) {
  case PBC_F64:
    return "double";
  case PBC_F32:
    return "float";
  case PBC_I32:
    return "int (32 bits)";
  case PBC_I64:
    return "long (64 bits)";
  case PBC_U8:
    return "unsigned char";
  default:
    return "the unknown type " + std::to_string(element);
  }
}

/// Null for a place that is unknown, or no device.
inline const char *apiOf(int place) {
  switch (place) {
  case PBC_CUDA:
    return "cuda";
  case PBC_OPENCL:
    return "opencl";
  case PBC_FAKE:
    return "fake";
  default:
    return nullptr;
  }
}

} // namespace pb::embed
