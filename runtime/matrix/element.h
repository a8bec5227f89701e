// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The element kinds of matrices as C++ types.
//
//   bytes(ElementKind::F32) == 4;   name(ElementKind::F32) == "float"
//   withType(kind, [&](auto zero) { using T = decltype(zero); ... });   // one instance of the code per kind
//
// Invariant: the only switch over ElementKind in the runtime is the one below.
#pragma once
#include "runtime/abi/program.h"
#include <cstdint>
#include <type_traits>

namespace pb::matrix {

template <class F>
decltype(auto) withType(ElementKind kind, F &&f) {
  switch (kind) {
  case ElementKind::F32:
    return f(float{});
  case ElementKind::I32:
    return f(std::int32_t{});
  case ElementKind::I64:
    return f(std::int64_t{});
  case ElementKind::U8:
    return f(std::uint8_t{});
  case ElementKind::F64:
    break;
  }
  return f(double{});
}

inline unsigned long bytes(ElementKind kind) {
  return withType(kind, [](auto zero) { return static_cast<unsigned long>(sizeof zero); });
}

/// As in the language: "double", "float", "int", "long", "byte".
inline const char *name(ElementKind kind) {
  return withType(kind, [](auto zero) {
    using T = decltype(zero);
    return std::is_same_v<T, double>         ? "double"
           : std::is_same_v<T, float>        ? "float"
           : std::is_same_v<T, std::int32_t> ? "int"
           : std::is_same_v<T, std::int64_t> ? "long"
                                             : "byte";
  });
}

inline bool isFloat(ElementKind kind) { return kind == ElementKind::F64 || kind == ElementKind::F32; }

} // namespace pb::matrix
